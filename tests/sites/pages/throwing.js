'use strict';

offer({
  name: 'throwError',
  description: 'Throws an Error.',
  execute: () => {
    throw new RangeError('The seat map has no row 99.');
  },
});

offer({
  name: 'rejectPromise',
  description: 'Rejects its promise a moment later.',
  execute: async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new Error('The payment desk is closed.');
  },
});

offer({
  name: 'throwText',
  description: 'Throws a string.',
  execute: () => {
    throw 'out of paper';
  },
});

offer({
  name: 'rejectNothing',
  description: 'Rejects with undefined.',
  execute: () => Promise.reject(),
});

offer({
  name: 'giveCycle',
  description: 'Returns what cannot be written as JSON.',
  execute: () => {
    const value = {};
    value.self = value;
    return value;
  },
});

offer({
  name: 'works',
  description: 'Works.',
  execute: () => 'fine',
});
