/** Events as a hand makes them, by constructors of this world. The page sees all of them as untrusted. */

import {
  closest, contains, deepActive, getter, hasAttribute, isConnected, isEditable, isFocusable, isHtml, method, parentOf, tagOf,
} from './dom.js';
import { isDisabled } from './state.js';

const dispatchOn = method(EventTarget, 'dispatchEvent');
const isPrevented = getter(Event, 'defaultPrevented');
const hasCapture = method(Element, 'hasPointerCapture');
const focusHtml = method(HTMLElement, 'focus');
const blurHtml = method(HTMLElement, 'blur');
const focusSvg = method(SVGElement, 'focus');
const blurSvg = method(SVGElement, 'blur');

/** The only pointer for which `setPointerCapture` takes what is not a hand's. */
const POINTER = 1;

/** Dispatch an event; false if the page prevented what would follow. */
export function dispatch(element, event) {
  dispatchOn(element, event);
  return !isPrevented(event);
}

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ buttons?: number, detail?: number, related?: EventTarget | null, modifiers?: object, bubbles?: boolean }} Hand */

function coordinates({ x, y }) {
  // What the browser's own frame takes is not known exactly; it lies above the page.
  return { clientX: x, clientY: y, screenX: screenX + x, screenY: screenY + Math.max(0, outerHeight - innerHeight) + y };
}

const common = { cancelable: true, composed: true, view: window };

/**
 * A pointer event.
 * @param {Element} element
 * @param {string} type
 * @param {Point} at
 * @param {Hand} [hand]
 */
export function pointer(element, type, at, { buttons = 0, detail = 0, related = null, modifiers, bubbles = true } = {}) {
  const isPress = type === 'pointerdown' || type === 'pointerup' || type === 'click';
  return dispatch(element, new PointerEvent(type, {
    ...common, ...coordinates(at), ...modifiers, bubbles, cancelable: bubbles, composed: bubbles, pointerId: POINTER, pointerType: 'mouse', isPrimary: type !== 'click', button: isPress ? 0 : -1,
    buttons, detail, relatedTarget: related, pressure: buttons ? 0.5 : 0, width: 1, height: 1,
  }));
}

/** A mouse event. */
export function mouse(element, type, at, { buttons = 0, detail = 0, related = null, modifiers, bubbles = true } = {}) {
  return dispatch(element, new MouseEvent(type, {
    ...common, ...coordinates(at), ...modifiers, bubbles, cancelable: bubbles, composed: bubbles, button: 0, buttons, detail, relatedTarget: related,
  }));
}

/** A wheel of the mouse; false if the page took it. */
export const wheel = (element, at, deltaY, deltaX = 0) => dispatch(element, new WheelEvent('wheel', { ...common, ...coordinates(at), bubbles: true, deltaX, deltaY }));

/** The element that the pointer was last moved over. @type {WeakRef<Element> | undefined} */
let under;

/** Elements from the outermost down to `element`, without those that hold `other` too. */
function entered(element, other) {
  const list = [];
  for (let one = element; one && !(other && contains(one, other)); one = parentOf(one)) list.push(one);
  return list.reverse();
}

/** Move the pointer: out of the element where it was, into the one where it is now. */
export function moveTo(element, at, hand = {}) {
  const last = under?.deref();
  const before = last && isConnected(last) ? last : null;
  if (before !== element) {
    const [from, to] = [entered(before, element).reverse(), entered(element, before)];
    for (const [send, kind] of [[pointer, 'pointer'], [mouse, 'mouse']]) {
      if (before) send(before, `${kind}out`, at, { ...hand, related: element });
      for (const one of from) send(one, `${kind}leave`, at, { ...hand, related: element, bubbles: false });
      send(element, `${kind}over`, at, { ...hand, related: before });
      for (const one of to) send(one, `${kind}enter`, at, { ...hand, related: before, bubbles: false });
    }
    under = new WeakRef(element);
  }
  const mayMouse = pointer(captured(element) ?? element, 'pointermove', at, hand);
  mouse(element, 'mousemove', at, hand);
  return mayMouse;
}

/** The element that took the pointer to itself; what the pointer does goes there. */
export const captured = (element) => closest(element, (one) => hasCapture(one, POINTER));

/** The element that a press would focus. */
const focusableFrom = (element) => closest(element, (one) => isFocusable(one) && !isDisabled(one) || (isEditable(one) && hasAttribute(one, 'contenteditable')));

/** Focus what a press on this element focuses, else take the focus from what has it. */
export function focusFrom(element) {
  const next = focusableFrom(element);
  const label = closest(element, (one) => tagOf(one) === 'label');
  // A press on a label leaves the focus to the click, which moves it to the control.
  if (next) focus(next);
  else if (!label && deepActive()) blur(deepActive());
}

const focusEvent = (element, type, related, bubbles) => dispatch(element, new FocusEvent(type, { bubbles, composed: true, relatedTarget: related, view: window }));

/** Whether an element or what is in its shadow root has the focus. */
export const hasFocusIn = (element) => {
  const active = deepActive();
  return active !== null && contains(element, active);
};

/**
 * Focus an element. Where the document is not in front the browser moves the focus without a word: then the events are ours.
 * @param {Element} element
 */
export function focus(element) {
  const before = deepActive();
  if (before === element) return;
  const wasHeard = listen(() => (isHtml(element) ? focusHtml : focusSvg)(element, { preventScroll: true }));
  const after = deepActive();
  if (wasHeard || after === before) return;
  if (before && isConnected(before)) {
    focusEvent(before, 'blur', after, false);
    focusEvent(before, 'focusout', after, true);
  }
  if (after) {
    focusEvent(after, 'focus', before, false);
    focusEvent(after, 'focusin', before, true);
  }
}

/** Take the focus from an element. */
export function blur(element) {
  const wasHeard = listen(() => (isHtml(element) ? blurHtml : blurSvg)(element));
  if (wasHeard || !isConnected(element)) return;
  focusEvent(element, 'blur', null, false);
  focusEvent(element, 'focusout', null, true);
}

/** Whether the browser itself sent focus events while something ran. */
function listen(run) {
  let was = false;
  const noteFocus = (event) => (was ||= event.isTrusted);
  for (const type of ['focus', 'blur']) addEventListener(type, noteFocus, true);
  run();
  for (const type of ['focus', 'blur']) removeEventListener(type, noteFocus, true);
  return was;
}

/** What an input method or a paste would tell: false if the page took it. */
export function beforeInput(element, inputType, data, { ranges, transfer } = {}) {
  return dispatch(element, new InputEvent('beforeinput', {
    bubbles: true, cancelable: true, composed: true, view: window, inputType, data, ...(ranges && { targetRanges: ranges }), ...(transfer && { dataTransfer: transfer }),
  }));
}

/** A field's value has changed. */
export const inputEvent = (element, inputType = 'insertReplacementText', data = null) =>
  dispatch(element, new InputEvent('input', { bubbles: true, composed: true, view: window, inputType, data }));

export const changeEvent = (element) => dispatch(element, new Event('change', { bubbles: true }));
