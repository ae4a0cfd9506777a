'use strict';

const name = new URLSearchParams(location.search).get('name') ?? 'inFrame';

offer({
  name,
  description: 'A tool of a frame.',
  annotations: { readOnlyHint: true },
  execute: () => `from ${name} at ${location.origin}`,
});
