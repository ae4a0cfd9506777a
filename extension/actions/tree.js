/**
 * The tree of a snapshot while it is built: when an element is left, it stays, or gives way to what is in it.
 *
 * @typedef {object} Node
 * @property {string} role empty: generic; `text`
 * @property {string} name
 * @property {Node[]} children
 * @property {Element} [element]
 * @property {string} [label] what is written in place of a missing name
 * @property {string} [text]
 * @property {string[]} [states]
 * @property {string} [value]
 * @property {string} [url]
 * @property {string} [placeholder]
 * @property {string} [ref]
 * @property {string} [token] of a frame
 * @property {boolean} [isKept] it has a line, if it is not empty
 * @property {boolean} [isTarget] it takes clicks without a role that says so
 * @property {boolean} [isInline]
 */

import { rectOf } from './dom.js';
import { isControl, isLeaf, isNamedByContent } from './role.js';

/** Between two blocks: words on both sides are not joined. */
export const BREAK = { role: 'break', name: '', children: [] };

/** @returns {Node} */
export const textNode = (text) => ({ role: 'text', name: '', text, children: [] });

const set = (words) => new Set(words.split(' '));
/** Kept without a name and without content. */
const SOLID = set('iframe canvas video audio embed object progressbar meter math dialog alertdialog');
/** Nothing without a name, or something in them. */
const WITH_NAME = set('group figure img separator');
/** Without words they keep the others in their columns. */
const CELLS = set('cell gridcell columnheader rowheader');
/** One control in them says all. */
const WRAPS = set('listitem cell gridcell figure');
/** Longest text of a line. */
const MAX_TEXT = 4_000;

const isBreak = (node) => node === BREAK;

/** Join texts up to the next block, without blanks at their ends and without what stands in a name beside it. */
function joined(children) {
  const list = [];
  let run = null;
  const close = () => {
    if (run === null) return;
    const text = run.text.replace(/ +/g, ' ').trim();
    if (text !== '') list.push({ ...run, text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}… ${text.length - MAX_TEXT} more characters` : text });
    run = null;
  };
  for (const child of children) {
    if (child.role === 'text') {
      if (run === null) run = { ...child };
      else {
        run.text += child.text;
        run.parent ??= child.parent;
      }
    } else {
      close();
      list.push(child);
    }
  }
  close();
  return list;
}

/** Text that only repeats the name of its neighbour. */
const withoutEchoes = (list) =>
  list.filter((child, at) => {
    if (child.role !== 'text') return true;
    const beside = [list[at + 1], list[at - 1], isBreak(list[at + 1] ?? child) ? list[at + 2] : undefined];
    return !beside.some((one) => one && one.role !== 'text' && one.name === child.text && one.name !== '');
  });

/**
 * @param {Node} node
 * @param {Node} parent
 */
export function leave(node, parent) {
  const own = settle(node);
  const { children } = parent;
  const isBlock = !node.isInline;
  if (own !== null) {
    if (isBlock && children.length && !isBreak(children.at(-1))) children.push(BREAK);
    children.push(own);
    if (isBlock) children.push(BREAK);
    return;
  }
  if (isBlock && children.length && !isBreak(children.at(-1))) children.push(BREAK);
  // Boxes in a line stand apart, though nothing is between them.
  if (node.isInline && node.canGroup) node.children = [textNode(' '), ...node.children, textNode(' ')];
  // A deep chain of wrappers hands the same list up.
  if (children.length === 0) parent.children = node.children;
  else for (const child of node.children) children.push(child);
  if (isBlock && parent.children.length && !isBreak(parent.children.at(-1))) parent.children.push(BREAK);
}

/** The node if it stays; null if its children take its place. */
function settle(node) {
  if (!node.isKept) return group(node);
  const { role } = node;
  node.children = withoutEchoes(joined(node.children)).filter((child) => !isBreak(child));
  if (node.name && isLeaf(role)) cover(node);
  else if (node.isTarget) node.children = node.children.filter((child) => child.role !== 'img' || child.isTarget || child.name !== node.label);
  single(node);
  const isEmpty = node.children.length === 0;
  if (isControl(role) || SOLID.has(role) || node.isModal) return node;
  if (node.isTarget) return wrapsOneControl(node) || (isEmpty && node.isHollow) ? null : node;
  if (node.canScroll && !isEmpty) return node;
  if (WITH_NAME.has(role)) return node.label ? node : isEmpty ? null : role === 'group' || role === 'figure' ? group(node) : null;
  if (role === 'heading') return node.name || !isEmpty ? node : null;
  if (isEmpty && !node.name) return CELLS.has(role) ? node : null;
  return WRAPS.has(role) && wrapsOneControl(node) && !node.states.length ? null : node;
}

const wrapsOneControl = ({ children, name }) => children.length === 1 && name === '' && isControl(children[0].role);

/** A generic element stays if it groups several things that are not only words. */
function group(node) {
  const list = withoutEchoes(joined(node.children));
  node.children = list;
  const hasBreak = list.slice(1, -1).some(isBreak);
  const nodes = list.filter((child) => !isBreak(child));
  if (!node.canGroup || !hasBreak || nodes.length < 2 || !nodes.some((child) => child.role !== 'text')) return null;
  node.children = nodes;
  Object.assign(node, { role: '', name: '', states: [], value: '', isGroup: true });
  return node;
}

/** A group that is all there is in its parent says nothing. */
function single(node) {
  while (node.children.length === 1 && node.children[0].isGroup) node.children = node.children[0].children;
}

/** The name of a leaf has its words: below it only what can be used stays. */
function cover(node) {
  const isCut = node.name.endsWith('…');
  if (isCut && isNamedByContent(node.role)) return;
  const usable = [];
  const pick = (list) => {
    for (const child of list) {
      if (child.role === 'text') {
        if (!isNamedByContent(node.role) || !node.name.includes(child.text.slice(0, 150))) usable.push(child);
      } else if (isControl(child.role) || child.isTarget || child.token) usable.push(child);
      else pick(child.children);
    }
  };
  pick(node.children);
  // Words that the name leaves out are told with it, unless they are the same said otherwise.
  node.children = usable;
}

/** Finish the root: what was walked is below it. */
export function finish(root) {
  root.children = withoutEchoes(joined(root.children)).filter((child) => !isBreak(child));
  single(root);
  return root;
}

/** Call for each node below, parents first. A page's depth is no depth of calls. */
export function each(root, visit) {
  const stack = [...root.children].reverse().map((node) => [node, root]);
  while (stack.length) {
    const [node, parent] = stack.pop();
    visit(node, parent);
    for (let at = node.children.length - 1; at >= 0; at -= 1) stack.push([node.children[at], node]);
  }
}

/** Whether a node is in view; asked for only where it decides. */
export function isInView({ element, parent }) {
  const one = element ?? parent;
  if (!one) return false;
  const { top, bottom, left, right } = rectOf(one);
  return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}
