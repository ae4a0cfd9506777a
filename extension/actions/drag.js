/** Dragging: by the browser's drag and drop, or by pointer moves as the libraries for sorting and sliders follow them. */

import { again, ready } from './checks.js';
import { press, release } from './click.js';
import { nextFrame, pause } from './clock.js';
import { coverOf } from './cover.js';
import {
  attribute, childrenOf, closest, contains, hasAttribute, hitAt, inputTypeOf, isConnected, isElement, isFocusable, parentOf, rectOf, scrollIntoView,
  styleOf, tagOf, textContentOf,
} from './dom.js';
import { captured, dispatch, focus, moveTo, pointer } from './events.js';
import { coveredAbove, isPartOf } from './hit.js';
import { interruptions } from './interruptions.js';
import { pressKey } from './press.js';
import { roleOf } from './role.js';
import { hiddenBecause } from './shown.js';
import { resolve } from './target.js';
import { ActionError } from './why.js';

const MOVES = 12;
/** Libraries for touch wait for a long press. */
const HOLD = 150;

/** What the browser itself would drag. */
const draggable = (element) =>
  closest(element, (one) => attribute(one, 'draggable') === 'true' || (attribute(one, 'draggable') !== 'false' && ((tagOf(one) === 'a' && hasAttribute(one, 'href')) || tagOf(one) === 'img')));

/**
 * @param {string} target
 * @param {{ to: string | { dx: number, dy: number }, approved?: object, until: number, begun: (place: import('./checks.js').Ready) => Promise<void> }} options
 */
export async function drag(target, { to, approved, until, begun }) {
  const goal = destination(to);
  let place = await ready(target, { approved, until });
  const { element } = place;
  if (element instanceof HTMLInputElement && inputTypeOf(element) === 'range') throw new ActionError('badInput', 'unsupported');
  if (tagOf(element) === 'canvas') throw new ActionError('blocked', 'canvas');
  const before = picture(element, goal.element);
  await begun(place);
  place = { element, ...again(place, { approved }) };
  const dragged = draggable(place.hit);
  const end = () => goal.at(place.at);
  if (dragged && isPartOf(dragged, draggable(element) ?? element)) await byBrowser(place, dragged, end, goal.element);
  else {
    await byPointer(place, end);
    await nextFrame();
    if (picture(element, goal.element) === before) await byPointer({ element, ...again(place) }, end, HOLD);
    await nextFrame();
    if (picture(element, goal.element) === before) await byKeys(place.hit, place.at, goal);
  }
  await pause(50);
  return { element, isMoved: picture(element, goal.element) !== before };
}

/** Where to: an element, or so many pixels further. */
function destination(to) {
  if (typeof to === 'string') {
    const element = resolve(to);
    const middle = () => {
      const { left, top, width, height } = rectOf(element);
      return { x: left + width / 2, y: top + height / 2 };
    };
    const at = (from) => {
      const { x, y } = middle();
      if (x >= 0 && y >= 0 && x < innerWidth && y < innerHeight) return { x, y };
      scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
      return { from, ...middle() };
    };
    return { element, at };
  }
  if (Number.isFinite(to?.dx) && Number.isFinite(to?.dy)) return { at: ({ x, y }) => ({ x: x + to.dx, y: y + to.dy }) };
  throw new ActionError('badInput', 'malformed');
}

/** The order and place of what is dragged, to see whether anything came of it. */
function picture(element, goal) {
  const about = [element, goal, parentOf(element), goal && parentOf(goal)].filter(Boolean);
  return about.map((one) => {
    const parent = isConnected(one) ? parentOf(one) : null;
    const { x, y, width, height } = rectOf(one);
    return [parent ? childrenOf(parent).indexOf(one) : -1, childrenOf(one).length, [x, y, width, height].map(Math.round), attribute(one, 'style'), attribute(one, 'aria-valuenow'), parent && textContentOf(parent).slice(0, 2000)].join();
  }).join('\n');
}

const between = (from, to, part) => ({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });

/** The one of a list's entries that an element is in. */
const entryOf = (element, list) => closest(element, (one) => parentOf(one) === list);

/**
 * Tells why something dragged cannot be dropped: what it is dragged to is gone, out of sight, elsewhere or under something.
 * @param {Element | undefined} goal none where it is dragged so many pixels further
 * @param {Element} source what is dragged
 */
function dropCheck(goal, source) {
  const list = goal && parentOf(goal);
  const before = new Set(list && childrenOf(list));
  return async (at, isTaken) => {
    const by = await coveredAbove(at);
    if (by) return new ActionError('covered', 'coveredBy', { by });
    if (!goal) return undefined;
    if (!isConnected(goal)) return new ActionError('stale', 'gone');
    const text = hiddenBecause(goal);
    if (text !== '') return new ActionError('notFound', 'hidden', { text });
    const hit = hitAt(at.x, at.y);
    if (hit === null) return new ActionError('covered', 'outOfView');
    if (isPartOf(hit, goal) || contains(source, hit)) return undefined;
    const entry = entryOf(hit, list);
    const isNew = entry && !before.has(entry);
    // A place to drop at, which the page lays over it.
    if (isNew && isTaken && tagOf(list) !== 'body') return undefined;
    const { left, top, right, bottom } = rectOf(goal);
    if (at.x >= left && at.x < right && at.y >= top && at.y < bottom) return new ActionError('covered', 'coveredBy', { by: coverOf(hit, goal) });
    // A list makes room for what is dragged: there lies something new now, or the next one in the same list.
    return isNew || (entry && entryOf(source, list)) ? undefined : new ActionError('changed');
  };
}

/** Events of drag and drop, with one DataTransfer that the page fills and reads. */
async function byBrowser({ hit, at }, source, end, target) {
  const transfer = new DataTransfer();
  const send = (element, type, where, isCancelable = true, related = null) =>
    dispatch(element, new DragEvent(type, {
      bubbles: true, composed: true, cancelable: isCancelable, view: window, dataTransfer: transfer, clientX: where.x, clientY: where.y,
      screenX: screenX + where.x, screenY: screenY + Math.max(0, outerHeight - innerHeight) + where.y, buttons: 1, relatedTarget: related,
    }));
  const check = dropCheck(target, source);
  moveTo(hit, at);
  press(hit, at);
  await interruptions.step();
  const goal = end();
  for (let move = 1; move <= 3; move += 1) moveTo(hitAt(at.x, at.y) ?? hit, { x: at.x + move * 2, y: at.y + move }, { buttons: 1 });
  if (!send(source, 'dragstart', at)) {
    // The page drags by itself.
    release(hit, at);
    throw new ActionError('blocked', 'noReaction');
  }
  pointer(source, 'pointercancel', at, { buttons: 0 });
  let over = null;
  let mayDrop = false;
  let failure;
  const moveOver = (under, where) => {
    if (under !== over) {
      const last = over;
      send(under, 'dragenter', where, true, last);
      if (last && isConnected(last)) send(last, 'dragleave', where, false, under);
      over = under;
    }
    mayDrop = !send(over, 'dragover', where);
  };
  try {
    for (let move = 1; move <= 6; move += 1) {
      const where = between(at, goal, move / 6);
      await nextFrame();
      interruptions.check();
      if (isConnected(source)) send(source, 'drag', where);
      moveOver(hitAt(where.x, where.y) ?? source, where);
    }
    failure = await check(goal, mayDrop);
    interruptions.check();
    // The page may have put something else there meanwhile, as what was looked at just now.
    const under = hitAt(goal.x, goal.y) ?? source;
    if (failure === undefined && under !== over) moveOver(under, goal);
  } catch (error) {
    failure = error;
  }
  // A target that does not say it takes the thing gets nothing, and where something failed the drag ends as by Escape.
  mayDrop &&= failure === undefined;
  if (mayDrop && over) send(over, 'drop', goal);
  else if (over && isConnected(over)) send(over, 'dragleave', goal, false);
  if (!mayDrop) transfer.dropEffect = 'none';
  if (isConnected(source)) send(source, 'dragend', goal, false);
  if (failure) throw failure;
  await interruptions.step();
}

/** Lists that say they can be sorted by keys: taken up and put down by Space, moved by arrows. */
async function byKeys(hit, from, goal) {
  const handle = closest(hit, (one) => isFocusable(one) && ['aria-roledescription', 'aria-describedby', 'aria-grabbed'].some((name) => hasAttribute(one, name)));
  if (!handle) return;
  const to = goal.at(from);
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const arrow = Math.abs(dy) >= Math.abs(dx) ? (dy > 0 ? 'ArrowDown' : 'ArrowUp') : dx > 0 ? 'ArrowRight' : 'ArrowLeft';
  const [mine, other] = [placeIn(handle, goal.element), goal.element ? placeIn(goal.element, handle) : -1];
  const steps = mine >= 0 && other >= 0 ? Math.min(50, Math.abs(other - mine)) : 1;
  focus(handle);
  await pressKey(' ');
  for (let step = 0; step < steps; step += 1) {
    await pause(30);
    await pressKey(arrow);
  }
  await pressKey(' ');
}

/** The place of an element among the children of what holds both. */
function placeIn(element, other) {
  const item = closest(element, (one) => parentOf(one) !== null && other && contains(parentOf(one), other));
  return item ? childrenOf(parentOf(item)).filter(isElement).indexOf(item) : -1;
}

/** A slider's moves stay with its thumb, as with a pointer that it captured. */
const keepsPointer = (element) => closest(element, (one) => /^(slider|separator|scrollbar)$/.test(roleOf(one)) || styleOf(one).touchAction === 'none');

async function byPointer({ hit, at }, end, hold = 0) {
  if (!isConnected(hit)) return;
  moveTo(hit, at);
  const { mayMouse } = press(hit, at);
  if (hold) await pause(hold);
  await interruptions.step();
  const goal = end();
  const distance = Math.hypot(goal.x - at.x, goal.y - at.y) || 1;
  const holder = keepsPointer(hit);
  let last = hit;
  for (let move = 0; move <= MOVES; move += 1) {
    // The first step is long enough to count as a drag.
    const part = Math.min(1, Math.max(10 / distance, move / MOVES));
    const where = between(at, goal, part);
    last = (isConnected(hit) && captured(hit)) || (holder && isConnected(hit) ? hit : hitAt(where.x, where.y)) || last;
    if (mayMouse) moveTo(last, where, { buttons: 1 });
    else pointer(last, 'pointermove', where, { buttons: 1 });
    await pause(16);
    interruptions.check();
  }
  release(holder && isConnected(hit) ? hit : (hitAt(goal.x, goal.y) ?? last), goal, { mayMouse });
  await interruptions.step();
}
