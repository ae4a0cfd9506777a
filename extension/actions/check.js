/** Boxes, switches and radio buttons: pressed only if they stand otherwise. */

import { again, ready } from './checks.js';
import { click } from './click.js';
import { pause } from './clock.js';
import { attribute, isChecked, isMixed } from './dom.js';
import { roleOf } from './role.js';
import { box } from './target.js';
import { ActionError } from './why.js';

/** How long a page may take to show the new state. */
const PATIENCE = 1000;

/** @returns {boolean | 'mixed'} */
function stateOf(element) {
  if (element instanceof HTMLInputElement) return isMixed(element) ? 'mixed' : isChecked(element);
  const value = attribute(element, 'aria-checked') || attribute(element, 'aria-pressed');
  return value === 'mixed' ? 'mixed' : value === 'true';
}

/**
 * @param {string} target
 * @param {{ on: boolean, approved?: object, until: number, begun: (place: import('./checks.js').Ready) => Promise<void> }} options
 */
export async function check(target, { on, approved, until, begun }) {
  const place = await ready(target, { retarget: box, approved, until });
  const { element } = place;
  if (!/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio|button|option|treeitem)$/.test(roleOf(element))) throw new ActionError('badInput', 'unsupported');
  if (stateOf(element) === on) return { element, wasSo: true };
  // A radio button is only switched off by another one.
  if (!on && roleOf(element) === 'radio') throw new ActionError('badInput', 'unsupported');
  await begun(place);
  await press(place, approved);
  // From a third state the first press may lead to the other one.
  if (stateOf(element) !== on && stateOf(element) !== 'mixed' && (await hasSettled(element, on)) === false && wasMixed(place)) await press(await ready(target, { retarget: box, until }));
  if (!(await hasSettled(element, on))) throw new ActionError('blocked', 'reverted', { value: String(stateOf(element)) });
  return { element };
}

const mixed = new WeakSet();
const wasMixed = ({ element }) => mixed.has(element);

async function press(place, approved) {
  if (stateOf(place.element) === 'mixed') mixed.add(place.element);
  await click(place, { again: () => again(place, { approved }) });
}

/** Whether a state comes, and stays. */
async function hasSettled(element, on) {
  const until = performance.now() + PATIENCE;
  while (stateOf(element) !== on && performance.now() < until) await pause(50);
  await pause(100);
  return stateOf(element) === on;
}
