'use strict';

offer({
  name: 'echo',
  description: 'Gives back its arguments.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  execute: (args) => args,
});
