/** What lies at the points of an element: a script's click runs the handlers of covered elements too, a hand does not. */

import { ask } from './channel.js';
import { childrenOf, closest, contains, controlOf, getter, hitAt, isElement, labelsOf, method, parentOf, rectOf, rectsOf, styleOf, tagOf } from './dom.js';
import { content, nameOf } from './name.js';
import { refOf } from './refs.js';
import { roleOf } from './role.js';
import { line } from './text.js';
import { frameOfToken } from './frames.js';

export const scrollIntoView = method(Element, 'scrollIntoView');

/** Roles by which a person would call what lies over something. */
const NAMED = /^(dialog|alertdialog|banner|region|complementary|navigation|form|alert|status|menu|listbox|tooltip|iframe|contentinfo|toolbar)$/;

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

/** What covers an element, as a person would call it. */
export function coverOf(hit, element) {
  const over = [];
  for (let one = hit; one && !contains(one, element); one = parentOf(one)) over.push(one);
  const who = over.findLast((one) => NAMED.test(roleOf(one))) ?? over.find((one) => roleOf(one) !== '' && nameOf(one) !== '') ?? over.at(-1) ?? hit;
  const role = roleOf(who);
  const name = nameOf(who, role);
  return { role: role || 'generic', name: name || line(content(who), 80), ref: refOf(who, role, name) };
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

/** Whether this document is in a frame: what lies over the frame only the documents above can see. */
export const isFramed = () => top !== self;

/** Ask the documents above whether a point of this one is covered there. @returns {Promise<{role: string, name: string, ref: string} | undefined>} */
export async function coveredAbove({ x, y }) {
  return isFramed() ? (await ask('cover', { x, y })).covered : undefined;
}

const clientLeft = getter(Element, 'clientLeft');
const clientTop = getter(Element, 'clientTop');

/**
 * A child's question: is its frame what lies at this point of it? Scrolls the frame into view where it has to.
 * @param {{ token: string, x: number, y: number }} message
 */
export function probe({ token, x, y }) {
  const frame = frameOfToken(token);
  if (!frame) return {};
  const place = () => {
    const { left, top: up, width, height } = rectOf(frame);
    const style = styleOf(frame);
    const scale = { x: width / (frame.offsetWidth || width || 1), y: height / (frame.offsetHeight || height || 1) };
    return { x: left + (clientLeft(frame) + parseFloat(style.paddingLeft) + x) * scale.x, y: up + (clientTop(frame) + parseFloat(style.paddingTop) + y) * scale.y };
  };
  const isIn = (at) => at.x >= 0 && at.y >= 0 && at.x < innerWidth && at.y < innerHeight;
  const hits = (at) => {
    const hit = isIn(at) ? hitAt(at.x, at.y) : null;
    return { hit, isFrame: hit !== null && contains(frame, hit) };
  };
  let at = place();
  let seen = hits(at);
  for (const block of ['nearest', 'center', 'end', 'start']) {
    if (seen.isFrame) return at;
    scrollIntoView(frame, { block, inline: 'nearest', behavior: 'instant' });
    at = place();
    // A frame taller than the viewport: its point, not its edge, has to be in view.
    if (!isIn(at)) scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' });
    at = place();
    seen = hits(at);
  }
  if (seen.isFrame) return at;
  return { ...at, covered: seen.hit ? coverOf(seen.hit, frame) : { role: '', name: '', ref: '' } };
}
