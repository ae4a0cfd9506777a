/** What lies at the points of an element: a script's click runs the handlers of covered elements too, a hand does not. */

import { ask } from './channel.js';
import { childrenOf, closest, contains, controlOf, hitAt, isElement, labelsOf, rectOf, rectsOf, tagOf } from './dom.js';

/** Whether what was hit stands for the element: it is in it, or is its label, or the control of its label. */
export function isPartOf(hit, element) {
  if (contains(element, hit)) return true;
  const label = closest(hit, (one) => tagOf(one) === 'label');
  if (label && controlOf(label) === element) return true;
  if (tagOf(element) === 'label') {
    const control = controlOf(element);
    return control !== null && contains(control, hit);
  }
  return labelsOf(element).some((one) => contains(one, hit));
}

/** Boxes of an element; `display: contents` has those of its children. */
function boxesOf(element) {
  const list = [...rectsOf(element)].filter(({ width, height }) => width > 0 && height > 0);
  return list.length ? list : childrenOf(element).filter(isElement).map((one) => rectOf(one)).filter(({ width, height }) => width > 0 && height > 0);
}

/**
 * Points of an element that are in the viewport, the best one first: the middle, four inner points, each line of a text.
 * @param {Element} element
 * @returns {{ x: number, y: number }[]}
 */
export function pointsOf(element) {
  const boxes = boxesOf(element);
  const points = [];
  for (const box of boxes.slice(0, 8)) {
    const [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)];
    const [width, height] = [Math.min(box.right, innerWidth) - left, Math.min(box.bottom, innerHeight) - top];
    if (width <= 0 || height <= 0) continue;
    const at = (h, v) => ({ x: left + width * h, y: top + height * v });
    points.push(at(0.5, 0.5), at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75), at(0.04, 0.5), at(0.96, 0.5));
  }
  // Of several boxes, the middles first.
  return points.length > 7 ? points.toSorted((a, b) => (points.indexOf(a) % 7) - (points.indexOf(b) % 7)) : points;
}

/**
 * The point at which a hand would reach an element.
 * @param {Element} element
 * @returns {{ at: { x: number, y: number }, hit: Element } | { hit?: Element }}
 */
export function reach(element) {
  let first;
  for (const at of pointsOf(element)) {
    const hit = hitAt(at.x, at.y);
    if (hit && isPartOf(hit, element)) return { at, hit };
    first ??= hit ?? undefined;
  }
  return { hit: first };
}

/** Ask the documents above whether a point of this one is covered there: what lies over a frame only they can see. @returns {Promise<{role: string, name: string, ref: string} | undefined>} */
export async function coveredAbove({ x, y }) {
  return top !== self ? (await ask('cover', { x, y })).covered : undefined;
}
