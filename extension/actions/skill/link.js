/** One link of a locator: what it finds in an element, a document. */

import { attribute, attributeOf, byId, controlOf, dataOf, ELEMENT, method, query, rootNodeOf, typeOf } from '../dom.js';
import { roleOf } from '../role.js';
import { fold, line } from '../text.js';
import { holds, openParentOf, openRootOf, openRootsOf } from './open-tree.js';
import { cssOfRole, usualName } from './roles.js';
import { mayHaveText, textOf } from './visible-text.js';

/** So many elements are looked at for a link. */
export const MOST = 2_000;
/** Text nodes of a page that are compared with a word. */
const MOST_TEXTS = 100_000;
/** How many elements above a text may have no other text. */
const MOST_ABOVE = 30;

/** What a SKILL says wrongly: it is not that nothing matches. */
export class Fault extends Error {}

/**
 * @typedef {{ css: string } | { testid: string } | { role: string, names?: string[] } | { label: string[] } | { placeholder: string[] } | { text: string[] }} Link
 * @typedef {{ elements: Element[], isCut: boolean }} Matches `isCut`: there are more, which were not looked at
 */

/**
 * @param {Link} link
 * @param {(Document | Element)[]} starts in what is searched
 * @param {import('./place.js').Place} place
 * @returns {Matches}
 */
export function search(link, starts, place) {
  if (typeof link.css === 'string') return byCss(link.css, starts);
  if (typeof link.testid === 'string') return capped(everywhere(starts, `[data-testid="${CSS.escape(link.testid)}"]`));
  if (typeof link.role === 'string') return byRole(usualName(link.role.toLowerCase()), link.names?.map((name) => line(name)), starts, place);
  if (Array.isArray(link.label)) return byLabel(inOneLine(link.label), starts, place);
  if (Array.isArray(link.placeholder)) return byPlaceholder(inOneLine(link.placeholder), starts);
  if (Array.isArray(link.text)) return byText(inOneLine(link.text), starts, place);
  throw new Fault('locator');
}

const oneLine = (text) => fold(text).trim();
const inOneLine = (words) => words.map(oneLine);

/** The first that are looked at, none twice. @returns {Matches} */
function capped(elements, isCut = false) {
  const list = [...new Set(elements)];
  return { elements: list.slice(0, MOST), isCut: isCut || list.length > MOST };
}

/** What a selector matches in the starts and the open roots in them. */
const everywhere = (starts, css) => starts.flatMap(openRootsOf).flatMap((root) => query(root, css));

const noNodes = new DocumentFragment();

/**
 * The selectors between the signs `>>`, which may also stand in quotes.
 * @param {string} css
 * @returns {string[]}
 */
export function selectorsOf(css) {
  const parts = css.match(/(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\\[^]|(?!>>)[^])+|>>/g) ?? [];
  const selectors = [''];
  for (const part of parts) {
    if (part === '>>') selectors.push('');
    else selectors[selectors.length - 1] = part.trim();
  }
  selectors.forEach((one, at) => {
    // A chain may go on in the root of what was found.
    if (one === '' && at === 0 && selectors.length > 1) return;
    try {
      query(noNodes, one);
    } catch {
      throw new Fault('selector');
    }
  });
  return selectors;
}

function byCss(css, starts) {
  let found = { elements: starts, isCut: false };
  selectorsOf(css).forEach((selector, at) => {
    const within = at === 0 ? found.elements : found.elements.map((one) => (typeOf(one) === ELEMENT ? openRootOf(one) : null)).filter(Boolean);
    if (selector !== '') found = capped(within.flatMap((root) => query(root, selector)), found.isCut);
  });
  return found;
}

function byRole(role, names, starts, place) {
  const { elements, isCut } = capped(everywhere(starts, cssOfRole(role)));
  return { elements: elements.filter((one) => roleOf(one) === role && (names?.includes(place.nameOf(one, role)) ?? true)), isCut };
}

/** Roles of what a label may stand beside. */
const LABELLED = /^(checkbox|combobox|listbox|radio|radiogroup|searchbox|slider|spinbutton|switch|textbox)$/;

function byLabel(words, starts, place) {
  const roots = new Set(starts.flatMap(openRootsOf));
  const isIn = (element) => starts.some((start) => holds(start, element) && start !== element);
  // A label may stand outside of what holds its field.
  const labels = capped([...new Set([...roots].map((root) => rootNodeOf(root)))].flatMap((root) => query(root, 'label')));
  const found = [];
  for (const label of labels.elements) {
    const control = label instanceof HTMLLabelElement ? controlOf(label) : null;
    if (control !== null && words.includes(textOf(label, place.isLive)) && isIn(control)) found.push(control);
  }
  const named = capped([...roots].flatMap((root) => query(root, '[aria-label],[aria-labelledby]')));
  for (const one of named.elements) {
    if (!LABELLED.test(roleOf(one))) continue;
    const ids = attribute(one, 'aria-labelledby').split(/\s+/).filter(Boolean).slice(0, 20);
    const text = ids.map((id) => byId(one, id)).filter(Boolean).map((label) => textOf(label, place.isLive)).join(' ');
    if (words.includes(oneLine(text || attribute(one, 'aria-label')))) found.push(one);
  }
  return capped(inOrder(found), labels.isCut || named.isCut);
}

function byPlaceholder(words, starts) {
  const { elements, isCut } = capped(everywhere(starts, '[placeholder],[aria-placeholder]'));
  return { elements: elements.filter((one) => words.includes(oneLine(attributeOf(one, 'placeholder') ?? attribute(one, 'aria-placeholder')))), isCut };
}

const position = method(Node, 'compareDocumentPosition');
/** In the order of the document, as far as they are in one root. */
const inOrder = (elements) => elements.toSorted((one, other) => (position(one, other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));

const walkerOf = method(Document, 'createTreeWalker');
const nextText = method(TreeWalker, 'nextNode');

/** The innermost elements whose whole text is one of these words: their first text begins one of them. */
function byText(words, starts, place) {
  const found = [];
  const looked = new Map();
  let isCut = false;
  const says = (element) => {
    if (!looked.has(element)) {
      if (looked.size >= MOST) {
        isCut = true;
        return '';
      }
      looked.set(element, textOf(element, place.isLive));
    }
    return looked.get(element);
  };
  let texts = 0;
  for (const start of starts) {
    for (const root of openRootsOf(start)) {
      const walker = walkerOf(place.root, root, NodeFilter.SHOW_TEXT);
      for (let node = nextText(walker); node; node = nextText(walker)) {
        if ((texts += 1) > MOST_TEXTS) {
          isCut = true;
          break;
        }
        const begin = oneLine(dataOf(node));
        if (begin === '' || !words.some((word) => word.startsWith(begin))) continue;
        const element = above(node, start, words, says);
        if (element !== null) found.push(element);
      }
    }
  }
  return capped(found, isCut);
}

/** The innermost element around a text, below the start, that says one of these words. */
function above(node, start, words, says) {
  let element = openParentOf(node);
  if (element === null || !mayHaveText(element)) return null;
  for (let steps = 0; element !== null && element !== start && steps < MOST_ABOVE; steps += 1) {
    const text = says(element);
    if (words.includes(text)) return element;
    if (text !== '' && !words.some((word) => word.startsWith(text))) return null;
    element = openParentOf(element);
  }
  return null;
}
