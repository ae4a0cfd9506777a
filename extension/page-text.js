// What a page says: its text and what is selected on it, for a user who wants to attach one of them; its title, its main
// text and its structured data, where a tool's form led to it. The worker runs this file and takes its last value; it
// runs beside the page, which cannot change what it does.

(() => {
  // As many characters as the worker takes; the rest is only counted.
  const MOST = 100_000;
  // Scripts of structured data, and characters of one.
  const MOST_SCRIPTS = 50;
  const MOST_DATA = 200_000;

  const passage = (text) => ({ text: text.slice(0, MOST), unread: Math.max(0, text.length - MOST) });

  // A page can put elements of its own in the place of what a document has, but not in that of what is behind it.
  const { prototype } = Document;
  const own = (name) => Object.getOwnPropertyDescriptor(prototype, name).get.call(document);
  const all = (selector) => [...prototype.querySelectorAll.call(document, selector)];

  const root = own('documentElement');
  // A document that is no HTML has no `innerText`.
  const page = root?.innerText ?? root?.textContent ?? '';
  const main = all('main').map((part) => part.innerText).join('\n').trim();
  const data = all('script[type="application/ld+json" i]').map((script) => script.textContent);
  return {
    origin: self.origin,
    url: location.href,
    title: own('title'),
    page: passage(page),
    selection: passage(String(getSelection() ?? '')),
    text: (main || page).slice(0, MOST),
    data: data.slice(0, MOST_SCRIPTS).filter((text) => text.length <= MOST_DATA),
  };
})();
