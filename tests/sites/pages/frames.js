'use strict';

const other = location.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
document.querySelector('#other').src = `http://${other}:${location.port}/frame.html?name=inOtherOrigin`;

offer({
  name: 'onTop',
  description: 'A tool of the top page.',
  annotations: { readOnlyHint: true },
  execute: () => 'from the top page',
});
