/**
 * Documents of fixtures as text and back, with their open shadow roots. Runs in an empty page, in documents that nobody
 * sees.
 */

/** @param {string} html */
export const read = (html) => Document.parseHTMLUnsafe(html);

/** The text of a document. @param {Document} document @param {string} html what it was read from */
export function write(document, html) {
  const doctype = /^\s*<!doctype/i.test(html) ? '<!doctype html>\n' : '';
  const root = document.documentElement;
  const shell = root.cloneNode(false).outerHTML.replace(/<\/html>$/, '');
  return `${doctype}${shell}${root.getHTML({ shadowRoots: rootsIn(root) })}</html>\n`;
}

/** The open shadow roots in a node, those in each other too. @returns {ShadowRoot[]} */
export function rootsIn(node) {
  const own = node.shadowRoot ? [node.shadowRoot] : [];
  const hosts = [...node.querySelectorAll('*')].filter((one) => one.shadowRoot);
  return [...own, ...hosts.map((host) => host.shadowRoot)].flatMap((root) => [root, ...rootsIn(root)]);
}

/** Every element, those in open shadow roots too. */
export const elementsIn = (document) => [document, ...rootsIn(document)].flatMap((root) => [...root.querySelectorAll('*')]);

/** A copy with the shadow roots, which `cloneNode` leaves out. @template {Node} T @param {T} node @returns {T} */
export function copyOf(node) {
  const copy = node.cloneNode(false);
  if (node.shadowRoot && !copy.shadowRoot) copy.attachShadow({ mode: 'open' });
  if (node.shadowRoot) copy.shadowRoot.replaceChildren(...[...node.shadowRoot.childNodes].map(copyOf));
  if (node.localName === 'template') copy.content.append(node.content.cloneNode(true));
  copy.append?.(...[...node.childNodes].map(copyOf));
  return copy;
}

/** The texts in an element and its shadow roots. @returns {Text[]} */
export function textsIn(element) {
  const texts = [];
  for (const root of [element, ...rootsIn(element)]) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!['script', 'style'].includes(node.parentElement?.localName ?? '')) texts.push(node);
    }
  }
  return texts;
}
