/** Pressing and clicking, in the order of a hand's events; each phase in its own task. */

import { captured, focusFrom, mouse, moveTo, pointer } from './events.js';
import { attribute, closest, contains, getter, hasAttribute, hitAt, isConnected, tagOf } from './dom.js';
import { interruptions } from './interruptions.js';

/** Move the pointer over an element. */
export async function hoverOver({ hit, at }) {
  moveTo(hit, at);
  await interruptions.step();
}

/** Press the button down on what is at a point. @returns {{ mayMouse: boolean }} whether mouse events follow */
export function press(hit, at, { detail = 1, modifiers } = {}) {
  const hand = { buttons: 1, detail, modifiers };
  const mayMouse = pointer(hit, 'pointerdown', at, { ...hand, detail: 0 });
  // `preventDefault` on pointerdown stops the mouse's events, on mousedown the focus.
  const mayFocus = mayMouse && isConnected(hit) ? mouse(hit, 'mousedown', at, hand) : true;
  if (mayFocus && isConnected(hit)) focusFrom(hit);
  return { mayMouse };
}

/** Let the button go. */
export function release(element, at, { detail = 1, mayMouse = true, modifiers } = {}) {
  pointer(captured(element) ?? element, 'pointerup', at, { detail: 0, modifiers });
  if (mayMouse) mouse(element, 'mouseup', at, { detail, modifiers });
}

/** What lies at a point now; a hand's release goes there. */
const now = (hit, at) => {
  const found = hitAt(at.x, at.y);
  return isConnected(hit) && (found === null || contains(hit, found)) ? hit : (found ?? hit);
};

/** The element that both ends of a press lie in: the click goes there. */
const shared = (down, up) => (isConnected(down) ? closest(up, (one) => contains(one, down)) : null);

/**
 * Click once or twice. The caller has just seen, in this task, that `hit` is what lies at the point.
 * @param {{ hit: Element, at: { x: number, y: number } }} place
 * @param {{ count?: 1 | 2, modifiers?: object, again?: () => { hit: Element, at: { x: number, y: number } } }} [options]
 *   `again` tells, right before the press, what lies there after the pointer moved
 * @returns {Promise<{ isScriptLeft: boolean }>} whether the script of a link was left undone
 */
export async function click({ hit, at }, { count = 1, modifiers, again } = {}) {
  moveTo(hit, at, { modifiers });
  await interruptions.step();
  ({ hit, at } = again?.() ?? { hit, at });
  let isScriptLeft = false;
  for (let detail = 1; detail <= count; detail += 1) {
    const { mayMouse } = press(hit, at, { detail, modifiers });
    await interruptions.step();
    const up = now(hit, at);
    release(up, at, { detail, mayMouse, modifiers });
    // The browser sends mouseup and click in one task.
    const target = shared(hit, up);
    if (target) isScriptLeft = clickEvent(target, at, { detail, modifiers });
    await interruptions.step();
    if (!isConnected(hit)) hit = now(hit, at);
  }
  if (count === 2) mouse(hit, 'dblclick', at, { detail: 2, modifiers });
  return { isScriptLeft };
}

const protocolOf = getter(HTMLAnchorElement, 'protocol');
/** Scripts that do nothing: such links are buttons, and what they do is the page's handler's. */
const NO_SCRIPT = /^\s*javascript:\s*(\/\/.*|(void\s*\(?\s*(0|null|''|"")\s*\)?|undefined|false|null|''|""|\{\})?[\s;]*)$/i;

/** Whether an element is in a link whose address is a script that does something. */
function isScriptLink(element) {
  const link = closest(element, (one) => tagOf(one) === 'a' && hasAttribute(one, 'href') && protocolOf(one) === 'javascript:');
  return link !== null && !NO_SCRIPT.test(attribute(link, 'href'));
}

/**
 * The click itself. The policy of this world forbids the script of a link; the page's own handlers run.
 * @returns {boolean} whether a link's script was left undone
 */
export function clickEvent(target, at, { detail = 1, modifiers } = {}) {
  const isScript = isScriptLink(target);
  return pointer(target, 'click', at, { detail, modifiers }) && isScript;
}
