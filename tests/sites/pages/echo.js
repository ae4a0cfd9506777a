'use strict';

offer({
  name: 'echo',
  description: 'Gives back its arguments.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  execute: (args) => args,
});

offer({
  name: 'echoText',
  description: 'Gives back the text.',
  inputSchema: strings('text'),
  annotations: { readOnlyHint: true },
  execute: ({ text }) => text,
});

offer({
  name: 'writeNote',
  description: 'Writes the note on the page.',
  inputSchema: strings('text'),
  execute: ({ text }) => {
    document.querySelector('#note').textContent = text;
    return { written: text.length };
  },
});

offer({
  name: 'readNote',
  description: 'Reads the note on the page.',
  annotations: { readOnlyHint: true },
  execute: () => document.querySelector('#note').textContent,
});
