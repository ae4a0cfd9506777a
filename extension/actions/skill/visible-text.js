/** The text of an element as it can be read, in one line. */

import { dataOf, ELEMENT, isOwn, isRendered, styleOf, tagOf, TEXT, typeOf } from '../dom.js';
import { fold } from '../text.js';
import { openChildrenOf } from './open-tree.js';

/** Characters and nodes that are looked at for one text. */
const MOST = 100_000;
const MOST_NODES = 20_000;

/** No text of the page, or what a field holds, which may be the user's. */
const WITHOUT_TEXT = new Set('audio canvas desc head iframe input metadata meter noscript object progress script select style template textarea title video'.split(' '));
/** What the user may have written. */
const FIELDS = new Set(['textarea', 'select']);
/** Elements that stand apart where no style says so. */
const BLOCKS = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table td th tr ul'.split(' '),
);

/** Whether what is in an element can be text of the page. */
export const mayHaveText = (element) => !WITHOUT_TEXT.has(tagOf(element));

/** Whether what an element holds is judged by its look: not where nothing is rendered, or it itself is not. */
export const judges = (element, isLive) => isLive && (isRendered(element) || styleOf(element).display === 'contents');

/** Whether an element has no text that may be read. */
export const isMute = (element, isJudged) => FIELDS.has(tagOf(element)) || (isJudged && !mayHaveText(element));

/**
 * What a text needs to know of an element; null if it adds none.
 * @param {Element} element
 * @param {boolean} isJudged by its look
 * @returns {{ isSeen: boolean, isApart: boolean } | null}
 */
export function lookOf(element, isJudged) {
  const tag = tagOf(element);
  if (WITHOUT_TEXT.has(tag) || isOwn(element)) return null;
  if (!isJudged) return { isSeen: true, isApart: BLOCKS.has(tag) };
  const style = styleOf(element);
  if (style.display === 'contents') return { isSeen: style.visibility === 'visible', isApart: false };
  return isRendered(element) ? { isSeen: style.visibility === 'visible', isApart: !style.display.startsWith('inline') } : null;
}

/**
 * @param {Element} element
 * @param {boolean} isLive it is in a document that is rendered
 * @returns {string}
 */
export function textOf(element, isLive) {
  const isJudged = judges(element, isLive);
  if (isMute(element, isJudged)) return '';
  let text = '';
  let nodes = 0;
  const stack = [];
  const push = (parent, isSeen) => {
    const children = openChildrenOf(parent);
    for (let at = children.length - 1; at >= 0; at -= 1) stack.push([children[at], isSeen]);
  };
  push(element, !isJudged || styleOf(element).visibility === 'visible');
  while (stack.length && text.length < MOST && nodes < MOST_NODES) {
    nodes += 1;
    const [node, isSeen] = stack.pop();
    if (node === null) text += ' ';
    else if (typeOf(node) === TEXT) text += isSeen ? dataOf(node) : '';
    else if (typeOf(node) === ELEMENT) {
      const look = lookOf(node, isJudged);
      if (look === null) continue;
      if (look.isApart || tagOf(node) === 'br') text += ' ';
      if (look.isApart) stack.push([null, false]);
      push(node, look.isSeen);
    }
  }
  return fold(text).trim();
}
