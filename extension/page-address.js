// Where a document is. The worker runs this file in the place of a form that was sent, before it reads anything there, and
// takes its last value; it runs beside the page, which cannot change what it does.

(() => {
  // A function of one expression would be minified to that, and an object that nobody uses to nothing.
  const { origin } = self;
  return { origin, url: location.href };
})();
