/**
 * Accessible names: labelledby (in its own root), aria-label, the element's own way (label, alt, legend, caption, value of
 * buttons, title of a picture), content for roles that allow it, title, placeholder. Through slots and shadow roots.
 */

import {
  attribute, attributeOf, byId, childrenOf, dataOf, ELEMENT, firstChildOf, getter, hasAttribute, inputTypeOf, isElement, isRendered, labelOfOption,
  labelsOf, namespaceOf, nextOf, styleOf, SVG, tagOf, TEXT, textContentOf, typeOf, valueOf,
} from './dom.js';
import { isControl, isField, isNamedByContent, roleOf } from './role.js';
import { isSecret } from './secrets.js';
import { line } from './text.js';

const MOST = 200;
/** A name needs no more nodes than these; what comes after is cut anyhow. */
const MAX_NODES = 1000;
const MAX_DEPTH = 100;

const OWN_CHILD = { fieldset: 'legend', table: 'caption', figure: 'figcaption' };
/** Glyphs of icon fonts are no words. */
const isWordless = (text) => /^[\s\p{Co}\p{P}]*$/u.test(text);

/**
 * The accessible name of an element, one line of at most 200 characters.
 * @param {Element} element
 * @param {string} [role] if known
 * @returns {string}
 */
export function nameOf(element, role = roleOf(element)) {
  // Most elements of a page have no name: nothing is asked that cannot be answered.
  return line(labelled(element) || ariaLabel(element) || own(element, role) || (isNamedByContent(role) && content(element)) || last(element, role) || (isControl(role) && !isField(role) && nickname(element)) || '', MOST);
}

const ariaLabel = (element) => attribute(element, 'aria-label').trim();

function labelled(element) {
  const ids = attributeOf(element, 'aria-labelledby');
  if (ids === null) return '';
  const words = [];
  for (const id of ids.split(/\s+/).slice(0, 20)) {
    const label = id && byId(element, id);
    if (label) words.push(part(label, label === element));
  }
  return words.join(' ').trim();
}

/** What an element adds to a name that refers to it, hidden or not. */
function part(element, isItself) {
  return ariaLabel(element) || own(element, roleOf(element)) || (isItself ? '' : embedded(element, roleOf(element))) || content(element, { isHidden: !isRendered(element) }) || attribute(element, 'title');
}

/** The way to a name that belongs to the element. */
function own(element, role) {
  const tag = tagOf(element);
  if (namespaceOf(element) === SVG) return tag === 'svg' || tag === 'a' || role !== '' ? childText(element, 'title') : '';
  switch (tag) {
    case 'input': {
      const type = inputTypeOf(element);
      if (type === 'submit' || type === 'reset' || type === 'button') return attributeOf(element, 'value') ?? { submit: 'Submit', reset: 'Reset', button: '' }[type];
      if (type === 'image') return attribute(element, 'alt') || attribute(element, 'value') || attribute(element, 'title') || 'Submit';
      return ofLabels(element);
    }
    case 'select': case 'textarea': case 'meter': case 'progress': case 'output': case 'button': return ofLabels(element);
    case 'img': case 'area': return attribute(element, 'alt').trim();
    case 'option': case 'optgroup': return tag === 'option' ? labelOfOption(element) : attribute(element, 'label');
    case 'iframe': case 'frame': return attribute(element, 'title').trim() || attribute(element, 'name');
    default: return Object.hasOwn(OWN_CHILD, tag) ? childText(element, OWN_CHILD[tag]) : tag.includes('-') ? ofLabels(element) : '';
  }
}

function ofLabels(element) {
  const labels = labelsOf(element);
  return labels.map((label) => ariaLabel(label) || content(label, { without: element })).join(' ').trim();
}

function childText(element, tag) {
  for (let node = firstChildOf(element); node; node = nextOf(node)) {
    if (typeOf(node) === ELEMENT && tagOf(node) === tag) return namespaceOf(node) === SVG ? textContentOf(node).slice(0, 1000) : content(node);
  }
  return '';
}

function last(element, role) {
  const title = attribute(element, 'title').trim();
  if (title) return title;
  const placeholder = isField(role) ? attribute(element, 'placeholder') || attribute(element, 'aria-placeholder') : '';
  return placeholder;
}

/**
 * The text in an element, as it would be read out: names of pictures and fields in it, blanks between blocks.
 * @param {Element} element
 * @param {{ without?: Element, isHidden?: boolean }} [options] `isHidden`: the element is not rendered and named all the same
 */
export function content(element, { without, isHidden = false } = {}) {
  let text = '';
  let nodes = 0;
  const visit = (parent, depth) => {
    for (const node of childrenOf(parent)) {
      nodes += 1;
      if (nodes > MAX_NODES || text.length > 4 * MOST) return;
      const type = typeOf(node);
      if (type === TEXT) text += dataOf(node);
      else if (type === ELEMENT && node !== without && depth < MAX_DEPTH) inner(node, depth);
    }
  };
  const inner = (node, depth) => {
    const tag = tagOf(node);
    if (tag === 'br' || tag === 'hr') { text += ' '; return; }
    if (tag === 'script' || tag === 'style' || tag === 'noscript' || tag === 'template') return;
    if (hasAttribute(node, 'aria-hidden') && attribute(node, 'aria-hidden') === 'true') return;
    const style = styleOf(node);
    if (!isHidden) {
      if (!isRendered(node) && style.display !== 'contents') return;
      if (style.visibility !== 'visible') { visit(node, depth + 1); return; }
    }
    const apart = !style.display.startsWith('inline') && style.display !== 'contents';
    if (apart || style.display === 'inline-block' || style.display === 'inline-flex') text += ' ';
    const role = roleOf(node);
    // The subtree of a tree's branch has names of its own.
    if (role === 'group' && roleOf(element) === 'treeitem') return;
    const named = labelled(node) || embedded(node, role) || ariaLabel(node) || own(node, role);
    if (named) text += named;
    else if (!isField(role) && role !== 'listbox') {
      const before = text.length;
      visit(node, depth + 1);
      if (text.length === before) text += attribute(node, 'title');
    }
    if (apart || style.display === 'inline-block' || style.display === 'inline-flex') text += ' ';
  };
  visit(element, 0);
  return text.trim() === '' && !isHidden ? painted(element) : text.trim();
}

/** A field inside a label counts with its value. */
function embedded(element, role) {
  if (!isField(role) && role !== 'slider') return '';
  return isSecret(element) ? '' : valueOf(element) || attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow');
}

/** Words that style sheets put before or after an element. */
function painted(element) {
  const words = ['::before', '::after'].map((pseudo) => {
    const { content: written } = styleOf(element, pseudo);
    return /^"/.test(written) ? written.replace(/^"|"( \/ ".*")?$/g, '') : '';
  });
  const text = words.join(' ').trim();
  return isWordless(text) ? '' : text;
}

const ICON_WORDS = /(?:^|[\s_-])(?:icon|ico|fa|mdi|bi|ti|glyphicon|material-icons?|lucide|ri)[-_]+([a-z][\w-]*)/i;
const hrefOf = getter(SVGUseElement, 'href');

/**
 * Words for a target without a name: the title of its picture, the class of its icon, what its developers call it.
 * @param {Element} element
 */
export function nickname(element) {
  let nodes = 0;
  const icon = (one, depth) => {
    for (const node of isElement(one) && depth < 4 ? childrenOf(one) : []) {
      if (!isElement(node) || (nodes += 1) > 12) continue;
      const tag = tagOf(node);
      if (tag === 'title' && namespaceOf(node) === SVG) return textContentOf(node);
      if (tag === 'use') return hrefOf(node).baseVal.split('#').at(-1).replace(/^(icon|ico)[-_]/, '');
      const words = attribute(node, 'aria-label') || attribute(node, 'title') || ICON_WORDS.exec(attribute(node, 'class'))?.[1]?.replace(/[-_]+/g, ' ') || icon(node, depth + 1);
      if (words) return words;
    }
    return '';
  };
  return line(icon(element, 0) || ICON_WORDS.exec(attribute(element, 'class'))?.[1]?.replace(/[-_]+/g, ' ') || attribute(element, 'data-testid') || attribute(element, 'data-test-id'), 60);
}
