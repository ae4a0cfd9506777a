/**
 * The user's own hand in this document. It ends an action here between two of its steps; the worker hears of it and ends what
 * runs in other documents of the tab.
 */

import { connection, post } from './channel.js';
import { isOwn } from './dom.js';

const KINDS = ['pointerdown', 'keydown', 'wheel'];
/** The least time between two reports of keys, which repeat, and of a wheel that turns, in ms. */
const EVERY = 100;

let acts = 0;
const told = { keydown: -EVERY, wheel: -EVERY };

/** How often the user has acted. */
export const userActs = () => acts;

/** The worker's word: the user acted in another document of the tab. */
export function interrupt() {
  acts += 1;
  return {};
}

/** Listen as long as the worker is there: before the page's elements hear of it. */
export function watchUser() {
  for (const kind of KINDS) addEventListener(kind, heed, { capture: true, passive: true, signal: connection() });
}

function heed({ type, isTrusted, target, timeStamp }) {
  // Our own events are not trusted. Stop is heard by the overlay itself.
  if (!isTrusted || isOwn(target)) return;
  acts += 1;
  if (type in told) {
    if (timeStamp - told[type] < EVERY) return;
    told[type] = timeStamp;
  }
  post({ event: 'user', scrolls: type === 'wheel' });
}
