'use strict';

offer({
  name: 'leave',
  description: 'Goes to another page.',
  execute: () => {
    location.assign('echo.html');
    return new Promise(() => {});
  },
});
