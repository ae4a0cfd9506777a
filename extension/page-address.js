// The address of a document. The worker runs this file in the place of a form that was sent, before it
// reads anything there, and takes its last value; it runs beside the page, which cannot change what it does.

(() => {
  // Two statements: the minifier would reduce a function of one expression to that expression, and drop an
  // object that is not used.
  const { origin } = self;
  return { origin, url: location.href };
})();
