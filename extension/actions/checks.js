/**
 * What has to hold before an element is acted on, waited for: found, shown, enabled, editable, at rest, in view, not covered.
 * Untrusted events run the handlers of disabled, inert and covered elements too: these checks are the only guard.
 */

import { nextFrame, pause } from './clock.js';
import { coverOf } from './cover.js';
import { animations, contains, getter, isConnected, isFile, isHiddenTab, rectOf, scrollIntoView } from './dom.js';
import { formWords } from './describe.js';
import { coveredAbove, reach } from './hit.js';
import { nameOf } from './name.js';
import { roleOf } from './role.js';
import { isSecret } from './secrets.js';
import { hiddenBecause } from './shown.js';
import { isDisabled, isReadOnly } from './state.js';
import { faces, resolve } from './target.js';
import { interruptions } from './interruptions.js';
import { ActionError } from './why.js';

const EVERY = 50;
export const PATIENCE = 5000;
const effectTarget = getter(KeyframeEffect, 'target');

/**
 * @typedef {object} Ready
 * @property {Element} element acted on
 * @property {Element} hit what a hand would touch: the element, what is in it, or its label
 * @property {{ x: number, y: number }} at where, in the viewport
 *
 * @typedef {object} Wanted
 * @property {(element: Element) => Element} [retarget]
 * @property {boolean} [editable] is to be written in
 * @property {{ role: string, name: string, form: string }} [approved] what the user's card said
 * @property {number} [until] by `performance.now()`
 */

/**
 * Wait until an element can be acted on.
 * @param {string} target
 * @param {Wanted} [wanted]
 * @returns {Promise<Ready>}
 */
export async function ready(target, { retarget = (element) => element, editable = false, approved, until = performance.now() + PATIENCE } = {}) {
  const blocks = ['nearest', 'center', 'end', 'start'];
  let round = 0;
  let isHeld = false;
  for (;;) {
    interruptions.check();
    const before = performance.now();
    let failure;
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof ActionError) || isForEver(error)) throw error;
      failure = error;
    }
    // An animation's time may run out there without the page hearing of its end.
    isHeld ||= isHiddenTab() && ['notFound', 'covered', 'timeout'].includes(failure.outcome) && isHeldBack(target, retarget);
    if (performance.now() >= until) throw isHeld ? new ActionError('timeout', 'frontOnly') : failure;
    await pause(Math.max(0, Math.min(EVERY - (performance.now() - before), until - performance.now())));
    round += 1;
  }

  async function once() {
    const element = retarget(resolve(target));
    refuse(element, editable);
    const face = faceOf(element);
    if (isDisabled(element)) throw new ActionError('disabled');
    if (editable && isReadOnly(element)) throw new ActionError('disabled', 'readOnly');
    await atRest(face);
    isStillApproved(element, approved);
    return reached(element, face);
  }

  /** Bring into view and look what lies there. */
  async function reached(element, face) {
    let found = {};
    let covered;
    for (const block of blocks) {
      const at = rectOf(face);
      const isInside = at.top >= 0 && at.left >= 0 && at.bottom <= innerHeight && at.right <= innerWidth;
      // The first try leaves the page as it is where it can.
      if (block !== 'nearest' || !isInside) scrollIntoView(face, { block, inline: 'nearest', behavior: 'instant' });
      found = reach(face);
      covered = undefined;
      if (found.at) {
        covered = await coveredAbove(found.at);
        // The documents above were asked in between.
        if (!covered) found = reach(face);
        if (!covered && found.at) return { element, hit: found.hit, at: found.at };
      }
      // Once is enough where it does not help.
      if (round > 20) break;
    }
    if (covered) throw new ActionError('covered', 'coveredBy', { by: covered });
    if (!found.hit) throw new ActionError('covered', 'outOfView');
    throw new ActionError('covered', 'coveredBy', { by: coverOf(found.hit, face) });
  }
}

/**
 * Look again, in the task of the press, what lies there: the page went on while the worker wrote down what is begun, or while
 * the pointer moved.
 * @param {Ready} place
 * @param {Pick<Wanted, 'editable' | 'approved'>} [wanted]
 * @returns {{ hit: Element, at: { x: number, y: number } }}
 */
export function again({ element, hit: before }, { editable = false, approved } = {}) {
  if (!isConnected(element)) throw new ActionError('stale', 'gone');
  isStillApproved(element, approved);
  refuse(element, editable);
  if (isDisabled(element)) throw new ActionError('disabled');
  if (editable && isReadOnly(element)) throw new ActionError('disabled', 'readOnly');
  // The label of a box that cannot be seen is what was touched.
  for (const one of [element, before]) {
    const now = isConnected(one) ? reach(one) : {};
    if (now.at) return now;
  }
  const { hit } = reach(element);
  throw new ActionError('covered', hit ? 'coveredBy' : 'outOfView', { by: hit && coverOf(hit, element) });
}

/** What nobody but the user may write in. */
export function refuse(element, editable) {
  if (isFile(element)) throw new ActionError('refused', 'fileField');
  if (editable && isSecret(element)) throw new ActionError('refused', 'secretField');
}

/** What waiting does not change. */
const isForEver = ({ outcome, why }) => ['badInput', 'refused', 'stale', 'interrupted'].includes(outcome) || ['notApproved', 'several', 'notEditable'].includes(why?.code);

/** What of an element a hand can touch: itself, or its label where a styled box hides the real one. */
function faceOf(element) {
  const why = hiddenBecause(element);
  if (why === 'inert') throw new ActionError('disabled', 'hidden', { text: why });
  const rect = rectOf(element);
  const isTiny = rect.width < 3 || rect.height < 3;
  if (why === '' && !isTiny) return element;
  const label = faces(element).find((one) => one !== element && hiddenBecause(one) === '');
  if (label) return label;
  if (why === '') return element;
  throw new ActionError('notFound', 'hidden', { text: why });
}

/** The same box twice, a frame apart. */
async function atRest(element) {
  const first = rectOf(element);
  await (isHiddenTab() ? pause(16) : Promise.all([pause(16), nextFrame()]));
  const second = rectOf(element);
  if (first.x !== second.x || first.y !== second.y || first.width !== second.width || first.height !== second.height) {
    throw new ActionError('timeout', 'keepsMoving');
  }
}

/** The role, name and form must be those of the card. Another one has to be asked for anew. */
export function isStillApproved(element, approved) {
  if (!approved) return;
  const role = roleOf(element);
  if (role === approved.role && nameOf(element, role) === approved.name && formWords(element) === (approved.form ?? '')) return;
  throw new ActionError('changed', 'notApproved', { text: `${role} ${nameOf(element, role)}` });
}

/** Whether a target waits for an animation: in a hidden tab none goes on, so it only works in front. */
function isHeldBack(target, retarget) {
  let element;
  try {
    element = retarget(resolve(target));
  } catch {
    return false;
  }
  return animations().some(({ playState, effect }) => {
    const animated = playState === 'running' && effect instanceof KeyframeEffect ? effectTarget(effect) : null;
    return animated && (contains(animated, element) || contains(element, animated));
  });
}
