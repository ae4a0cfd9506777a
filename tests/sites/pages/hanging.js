'use strict';

offer({
  name: 'hang',
  description: 'Never answers.',
  execute: (_args, { signal }) => {
    signal.addEventListener('abort', () => window.aborted.push('hang'));
    return new Promise(() => {});
  },
});

offer({
  name: 'takeTime',
  description: 'Answers when the page is told to, by window.finish().',
  annotations: { readOnlyHint: true },
  execute: (_args, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => window.aborted.push('takeTime'));
      window.finish = () => resolve('finished');
    }),
});
