/**
 * A copy of what can be seen of a document: flat (shadow roots, slots), with known elements and few attributes, in a document
 * that shows, loads and runs nothing. The libraries work on it, so that neither they change the page nor the page's names
 * and patches reach them. It is made in one go: nothing changes while it is read.
 */

import {
  attribute, childrenOf, dataOf, ELEMENT, getter, hasAttribute, hasAttributes, HTML, isHtml, isOwn, isRendered, namespaceOf, query, rectOf, rootElement, styleOf, tagOf, TEXT,
  textContentOf, titleOfDocument, typeOf,
} from '../actions/dom.js';
import { canJudgeLooks, isCamouflaged, TRANSPARENT } from '../actions/shown.js';

/** Elements, characters and depth of a copy. What lies deeper is put at that depth. */
const MOST_ELEMENTS = 60_000;
const MOST_TEXT = 1_000_000;
const MOST_DEPTH = 200;
/** Milliseconds of the walk. */
const MOST_TIME = 2_000;
/** Characters of an attribute. */
const MOST_ATTRIBUTE = 200;
const MOST_ADDRESS = 2_000;

/** Text below this size cannot be read. */
const LEAST_FONT = 2;

const BLOCKS = new Set(
  'address article aside blockquote caption dd div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p section table tbody td tfoot th thead tr ul'.split(' '),
);
const INLINES = new Set('a abbr b br cite code del dfn em i ins kbd mark q s samp small span strong sub sup time u var'.split(' '));
/** Held by no text of the page; fields may hold what is the user's. */
const LEFT_OUT = new Set(
  'audio canvas datalist embed head iframe input link meta meter noscript object progress rp script select style template textarea title video'.split(' '),
);
/** The elements of roles. */
const ROLES = { table: 'table', grid: 'table', treegrid: 'table', row: 'tr', cell: 'td', gridcell: 'td', columnheader: 'th', rowheader: 'th', list: 'ul', listitem: 'li', main: 'main', article: 'article', navigation: 'nav', complementary: 'aside', contentinfo: 'footer' };
/** In a cell, which is one line, blocks are lines of it. */
const FLAT_IN_CELLS = new Set('blockquote h1 h2 h3 h4 h5 h6 hr li ol ul'.split(' '));

const innerTextOf = getter(HTMLElement, 'innerText');
const addressOf = getter(HTMLAnchorElement, 'href');
const startOf = getter(HTMLOListElement, 'start');

/**
 * @typedef {object} Copy
 * @property {Document} copy
 * @property {number} invisible characters that are in the page but cannot be seen
 * @property {boolean} isWhole false if the page was too large for this
 */

/** @returns {Copy} */
export function copyOfDocument() {
  const copy = document.implementation.createHTMLDocument(titleOfDocument());
  const root = rootElement();
  const walk = new Walk(copy);
  if (root !== null) walk.all(root, copy.body);
  return { copy, invisible: walk.invisible, isWhole: !walk.isCut };
}

class Walk {
  invisible = 0;
  isCut = false;
  #copy;
  #elements = 0;
  #text = 0;
  #end = performance.now() + MOST_TIME;
  #judges = canJudgeLooks();

  constructor(copy) {
    this.#copy = copy;
  }

  /** Without recursion: pages may be deeper than the stack. */
  all(root, into) {
    const stack = [{ nodes: childrenOf(root), at: 0, into, depth: 0, ground: '', inCell: false, isSeen: true, keepsLines: false }];
    while (stack.length > 0) {
      const level = stack.at(-1);
      if (level.at >= level.nodes.length) {
        stack.pop();
        continue;
      }
      if (this.#isFull()) {
        this.isCut = true;
        return;
      }
      const node = level.nodes[level.at];
      level.at += 1;
      const type = typeOf(node);
      if (type === TEXT) this.#addText(dataOf(node), level);
      else if (type === ELEMENT) {
        const below = this.#enter(node, level);
        if (below !== undefined) stack.push(below);
      }
    }
  }

  #isFull() {
    return this.#elements >= MOST_ELEMENTS || this.#text >= MOST_TEXT || (this.#elements % 64 === 0 && performance.now() > this.#end);
  }

  #addText(data, { into, isSeen, keepsLines }) {
    if (!isSeen) return;
    const text = this.#fitting(data);
    if (!keepsLines) {
      into.append(text);
      return;
    }
    text.split('\n').forEach((line, at) => into.append(...(at > 0 ? [this.#copy.createElement('br'), line] : [line])));
  }

  #fitting(data) {
    const text = data.slice(0, MOST_TEXT - this.#text);
    this.#text += text.length;
    this.isCut ||= text.length < data.length;
    return text;
  }

  /** Copy an element. Returns the level of what is in it; undefined if that is left out. */
  #enter(element, level) {
    const name = tagOf(element);
    if (isOwn(element) || LEFT_OUT.has(name) || hasAttribute(element, 'inert') || attribute(element, 'aria-hidden') === 'true') return undefined;
    if (namespaceOf(element) !== HTML) {
      if (name === 'math') this.#addText(attribute(element, 'alttext') || textContentOf(element), level);
      return undefined;
    }
    if (!isHtml(element)) return undefined;
    const style = styleOf(element);
    const isContents = style.display === 'contents';
    if (!isContents && !isRendered(element)) return undefined;
    this.#elements += 1;
    if (name === 'img') {
      this.#addImage(element, level);
      return undefined;
    }
    if (name === 'pre') {
      this.#addCode(element, level);
      return undefined;
    }
    const ground = style.backgroundImage !== 'none' ? '' : style.backgroundColor === TRANSPARENT ? level.ground : style.backgroundColor;
    const nodes = this.#nodesIn(element);
    if (this.#judges && this.#isUnseen(element, nodes, style, ground)) {
      this.invisible += textContentOf(element).trim().length;
      return undefined;
    }
    const below = {
      nodes, at: 0, ground, into: level.into, depth: level.depth + 1, inCell: level.inCell,
      isSeen: isContents ? level.isSeen : style.visibility === 'visible', keepsLines: style.whiteSpaceCollapse === 'preserve' || style.whiteSpaceCollapse === 'preserve-breaks',
    };
    if (isContents || name === 'body') return below;
    const twin = this.#twinOf(element, name, style, level.inCell);
    level.into.append(twin);
    // Words in boxes beside each other are not one word.
    if (twin.localName === 'span' && style.display !== 'inline') level.into.append(' ');
    if (level.depth < MOST_DEPTH) below.into = twin;
    below.inCell = level.inCell || twin.localName === 'td' || twin.localName === 'th';
    return below;
  }

  /** A closed `details` hides its text in a root of the browser's own. */
  #nodesIn(element) {
    const nodes = childrenOf(element);
    if (!(element instanceof HTMLDetailsElement) || hasAttribute(element, 'open')) return nodes;
    return nodes.filter((node) => typeOf(node) === ELEMENT && tagOf(node) === 'summary').slice(0, 1);
  }

  /** Whether an element's own text is there but not to be seen, as instructions for models are that a page hides from people. */
  #isUnseen(element, nodes, style, ground) {
    if (Number(style.opacity) < 0.05) return true;
    const own = nodes.some((node) => typeOf(node) === TEXT && dataOf(node).trim() !== '');
    if (!own) return false;
    if (Number.parseFloat(style.fontSize) < LEAST_FONT) return true;
    const { width, height, right, bottom } = rectOf(element);
    if (right + scrollX <= 0 || bottom + scrollY <= 0) return width > 0 || height > 0;
    // Labels for screen readers are clipped to a point.
    if (width <= 1 && height <= 1 && style.overflow !== 'visible') return true;
    return isCamouflaged(element, style, ground);
  }

  #twinOf(element, name, style, inCell) {
    const twin = this.#copy.createElement(this.#nameOfTwin(element, name, style, inCell));
    if (!hasAttributes(element)) return twin;
    for (const one of ['class', 'id', 'role', 'itemprop', 'rel', 'align', 'colspan', 'dir', 'lang']) {
      const value = attribute(element, one);
      if (value !== '') twin.setAttribute(one, value.slice(0, MOST_ATTRIBUTE));
    }
    if (twin.localName === 'a' && element instanceof HTMLAnchorElement && hasAttribute(element, 'href')) twin.setAttribute('href', addressOf(element).slice(0, MOST_ADDRESS));
    if (element instanceof HTMLOListElement) twin.setAttribute('start', String(startOf(element)));
    return twin;
  }

  #nameOfTwin(element, name, style, inCell) {
    const role = hasAttribute(element, 'role') ? attribute(element, 'role').trim().toLowerCase() : '';
    let twin = Object.hasOwn(ROLES, role) ? ROLES[role] : name;
    if (role === 'heading') twin = `h${Math.min(6, Math.max(1, Number.parseInt(attribute(element, 'aria-level'), 10) || 2))}`;
    if (role === 'presentation' || role === 'none') twin = 'div';
    if (inCell && FLAT_IN_CELLS.has(twin)) return 'div';
    if (BLOCKS.has(twin)) return twin;
    if (INLINES.has(twin) && twin !== 'span') return twin;
    return style.display.startsWith('inline') ? 'span' : 'div';
  }

  #addImage(element, { into, isSeen }) {
    const words = attribute(element, 'alt').trim();
    if (!isSeen || words === '') return;
    const twin = this.#copy.createElement('img');
    twin.setAttribute('alt', words.slice(0, MOST_ATTRIBUTE));
    // Readability takes images without an address away; nothing is loaded in this document.
    twin.setAttribute('src', '#');
    into.append(twin);
  }

  /** Code as it is shown: its lines may be elements, its colours always are. */
  #addCode(element, { into, isSeen }) {
    const text = isSeen ? this.#fitting(innerTextOf(element)) : '';
    if (text.trim() === '') return;
    const code = this.#copy.createElement('code');
    const [inner] = query(element, 'code');
    code.className = `${attribute(element, 'class')} ${inner ? attribute(inner, 'class') : ''}`.trim().slice(0, MOST_ATTRIBUTE);
    code.textContent = text;
    const twin = this.#copy.createElement('pre');
    twin.append(code);
    into.append(twin);
  }
}
