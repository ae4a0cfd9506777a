/** The flat tree as far as a page shows it to others: with open shadow roots. What is in closed ones is the component's own. */

import { ELEMENT, firstChildOf, getter, isElement, isOwn, method, nextOf, parentNodeOf, query, rootNodeOf, shadowOf, typeOf } from '../dom.js';

const MOST_ROOTS = 2_000;

const shadowRootOf = getter(Element, 'shadowRoot');
const hostOf = getter(ShadowRoot, 'host');
const assignedTo = method(HTMLSlotElement, 'assignedNodes');
const holdsNode = method(Node, 'contains');

/** @param {Element} element @returns {ShadowRoot | null} */
export const openRootOf = (element) => (isOwn(element) ? null : shadowRootOf(element));

/**
 * A document, root or element, and all open shadow roots in it.
 * @param {Document | Element} start
 * @returns {(Document | Element | ShadowRoot)[]}
 */
export function openRootsOf(start) {
  const roots = [start];
  const add = (element) => {
    const root = openRootOf(element);
    if (root !== null && roots.length < MOST_ROOTS) roots.push(root);
  };
  if (typeOf(start) === ELEMENT) add(start);
  for (let at = 0; at < roots.length; at += 1) for (const element of query(roots[at], '*')) add(element);
  return roots;
}

/** The nodes below an element as they are rendered. Of those that a closed root may show, the elements. @returns {Node[]} */
export function openChildrenOf(element) {
  const root = openRootOf(element);
  if (root === null && element instanceof HTMLSlotElement) {
    const assigned = assignedTo(element, { flatten: true });
    if (assigned.length) return assigned;
  }
  const isClosed = root === null && shadowOf(element) !== null;
  const list = [];
  for (let node = firstChildOf(root ?? element); node; node = nextOf(node)) if (!isClosed || isElement(node)) list.push(node);
  return list;
}

/** The element above a node: its parent, or the host of its root. @returns {Element | null} */
export function openParentOf(node) {
  const parent = parentNodeOf(node);
  if (parent instanceof ShadowRoot) return hostOf(parent);
  return parent !== null && isElement(parent) ? parent : null;
}

/** Whether `outer` is `inner` or holds it, over the borders of shadow roots. */
export function holds(outer, inner) {
  for (let one = inner; one !== null; ) {
    if (holdsNode(outer, one)) return true;
    const root = rootNodeOf(one);
    one = root instanceof ShadowRoot ? hostOf(root) : null;
  }
  return false;
}
