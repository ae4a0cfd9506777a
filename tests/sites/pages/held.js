'use strict';

offer({
  name: 'late',
  description: 'Registered when the page had loaded at last.',
  annotations: { readOnlyHint: true },
  execute: () => 'better late',
});
