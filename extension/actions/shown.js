/** What a person could see of the page, without looking at names. */

import {
  animations, attribute, bodyElement, closest, contains, deepActive, getter, hasAttribute, hitAt, hitsAt, isConnected, isHiddenTab, isRendered,
  matches, query, rectOf, rootNodeOf, styleOf, tagOf,
} from './dom.js';

export const TRANSPARENT = 'rgba(0, 0, 0, 0)';

/**
 * Why an element cannot be seen or used; empty if it can.
 * @param {Element} element
 * @param {Element | null} [dialog] what `topModal` says, if known: it looks through the document
 * @returns {'' | 'gone' | 'display' | 'visibility' | 'inert' | 'behind-dialog' | 'empty-box'}
 */
export function hiddenBecause(element, dialog) {
  if (!isConnected(element)) return 'gone';
  const style = styleOf(element);
  if (!isRendered(element)) return style.display === 'contents' && hasSize(element, style) ? '' : 'display';
  if (style.visibility !== 'visible') return 'visibility';
  if (closest(element, (one) => hasAttribute(one, 'inert'))) return 'inert';
  const modal = dialog === undefined ? topModal() : dialog;
  if (modal !== null && !contains(modal, element) && !isAbove(element, modal)) return 'behind-dialog';
  return hasSize(element, style) ? '' : 'empty-box';
}

/** @param {Element} element */
export const isShown = (element) => hiddenBecause(element) === '';

/** Whether an element has a box, or what is in it shows out of its empty one. */
function hasSize(element, style) {
  const { width, height } = rectOf(element);
  if (width > 0 && height > 0) return true;
  if (style.overflow !== 'visible' && style.display !== 'contents') return false;
  for (const one of query(element, '*')) {
    const rect = rectOf(one);
    if (rect.width > 0 && rect.height > 0 && isRendered(one)) return true;
  }
  return false;
}

const isDialog = (element) => hasAttribute(element, 'aria-modal') || tagOf(element) === 'dialog';

/** Whether an element holds the rest of the page back. */
export const isModal = (element) =>
  (tagOf(element) === 'dialog' && matches(element, ':modal')) || (attribute(element, 'aria-modal') === 'true' && isRendered(element, { checkVisibilityCSS: true }) && rectOf(element).width > 0);

/** Of several open dialogs the one that lies on top: it is hit at its middle, else it is the last. */
export function topOf(modals) {
  const hit = modals.findLast((modal) => {
    const { x, y, width, height } = rectOf(modal);
    const at = hitAt(x + width / 2, y + height / 2);
    return at !== null && contains(modal, at) && !modals.some((other) => other !== modal && contains(modal, other) && contains(other, at));
  });
  return hit ?? modals.at(-1) ?? null;
}

/** The dialog that holds the rest of the page back. @returns {Element | null} */
export function topModal() {
  const found = new Set();
  const roots = new Set([document]);
  // Roots that are in use: where the focus is, and what lies in the middle of the page.
  for (const one of [deepActive(), hitAt(innerWidth / 2, innerHeight / 2)]) if (one) roots.add(rootNodeOf(one));
  for (const root of roots) for (const one of query(root, 'dialog:modal, [aria-modal=true]')) if (isModal(one)) found.add(one);
  for (const one of [deepActive()]) {
    const modal = one && closest(one, (above) => isDialog(above) && isModal(above));
    if (modal) found.add(modal);
  }
  return topOf([...found]);
}

/** Whether something outside a dialog lies above it all the same, as the list of a select box in it does. */
export function isAbove(element, modal) {
  if (tagOf(modal) === 'dialog' && matches(modal, ':modal')) return false;
  const { x, y, width, height } = rectOf(element);
  const hit = hitAt(x + width / 2, y + height / 2);
  if (hit === null || !contains(element, hit)) return false;
  // What the dialog does not reach to lies beside it: the page behind.
  const under = hitsAt(x + width / 2, y + height / 2);
  return under.some((one) => contains(modal, one)) || closest(element, (one) => ['fixed', 'absolute'].includes(styleOf(one).position)) !== null;
}

const targetOf = getter(KeyframeEffect, 'target');

/**
 * Elements that are just being moved or faded.
 * @returns {Element[]}
 */
export function animated() {
  const list = [];
  for (const one of animations()) if (one.playState === 'running' && one.effect instanceof KeyframeEffect) list.push(targetOf(one.effect));
  return list.filter(Boolean);
}

/** [red, green, blue, opacity] of a computed colour; null if it is written in another way. */
export function colour(text) {
  if (!colours.has(text)) {
    if (colours.size > 500) colours.clear();
    colours.set(text, parsed(text));
  }
  return colours.get(text);
}

const colours = new Map();

function parsed(text) {
  const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
  return parts && [Number(parts[1]), Number(parts[2]), Number(parts[3]), parts[4] === undefined ? 1 : Number(parts[4])];
}

const isNear = (one, other) => Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]) + Math.abs(one[2] - other[2]) < 12;

/**
 * Whether text of an element has the colour of what lies under it. `ground` is the background in the tree; what is painted
 * there is asked for only if they are equal, because a picture may lie between.
 * @param {Element} element
 * @param {CSSStyleDeclaration} style
 * @param {string} ground a colour, empty if unknown
 */
export function isCamouflaged(element, style, ground) {
  const ink = colour(style.getPropertyValue('-webkit-text-fill-color') || style.getPropertyValue('color'));
  if (ink === null) return false;
  if (ink[3] < 0.05) return style.backgroundClip !== 'text' && style.webkitBackgroundClip !== 'text' && style.textShadow === 'none';
  const behind = ground === '' ? null : colour(ground);
  if (behind === null || !isNear(ink, behind) || style.textShadow !== 'none') return false;
  const { left, top, width, height } = rectOf(element);
  const hits = hitsAt(left + width / 2, top + height / 2);
  for (const one of hits) {
    const under = styleOf(one);
    if (under.backgroundImage !== 'none' || ['img', 'video', 'canvas', 'svg', 'picture'].includes(tagOf(one))) return false;
    if (under.backgroundColor !== TRANSPARENT) {
      const paint = colour(under.backgroundColor);
      return paint !== null && isNear(ink, paint);
    }
  }
  // Not in view: what lies under it is not known if it or something above it is taken out of the flow.
  return hits.length > 0 || closest(element, (one) => one !== bodyElement() && styleOf(one).position !== 'static') === null;
}

/** Whether opacity, place and colour say something here: hidden tabs do not finish their animations. */
export const canJudgeLooks = () => !isHiddenTab();

