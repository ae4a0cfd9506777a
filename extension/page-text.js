// The text of a page and what is selected on it. The worker runs this file when the user wants to attach one of them, and
// takes its last value; it runs beside the page, which cannot change what it does.

(() => {
  // Maximum number of characters that the worker accepts; the rest is only counted.
  const MOST = 100_000;

  const passage = (text) => ({ text: text.slice(0, MOST), unread: Math.max(0, text.length - MOST) });

  // A page can shadow `document.documentElement` with a named element, but not the getter on the prototype.
  const { get } = Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement');
  const root = get.call(document);
  return {
    origin: self.origin,
    url: location.href,
    // A document that is no HTML has no `innerText`.
    page: passage(root?.innerText ?? root?.textContent ?? ''),
    selection: passage(String(getSelection() ?? '')),
  };
})();
