// Reads the page to which a tool's form led: its structured data, its title and its main text. The worker
// runs this file and takes its last value; it runs beside the page, which cannot change what it does.

(() => {
  // Characters of text, scripts of structured data, and characters of one.
  const MOST = 100_000;
  const MOST_SCRIPTS = 50;
  const MOST_DATA = 200_000;

  // A page can shadow a document's properties with named elements, but not the getters on the prototype.
  const { prototype } = Document;
  const own = (name) => Object.getOwnPropertyDescriptor(prototype, name).get.call(document);
  const all = (selector) => [...prototype.querySelectorAll.call(document, selector)];

  // Of what is not shown, `innerText` would be all the text. A document that is no HTML has none.
  const main = all('main').filter((part) => part.checkVisibility()).map((part) => part.innerText).join('\n').trim();
  const root = own('documentElement');
  const data = all('script[type="application/ld+json" i]').map((script) => script.textContent);
  return {
    origin: self.origin,
    url: location.href,
    title: own('title'),
    text: (main || (root?.innerText ?? root?.textContent ?? '')).slice(0, MOST),
    data: data.slice(0, MOST_SCRIPTS).filter((text) => text.length <= MOST_DATA),
  };
})();
