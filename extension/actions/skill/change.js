/** Waits until a document changes: what a step waits for may be there then. */

import { connection } from '../channel.js';
import { pause } from '../clock.js';
import { Watch } from '../settle.js';

const EVERY = 100;
const LONGEST = 1_000;
/** Changes before the first request were not watched, so that one ends soon. */
const FIRST = 100;

/** From the first request of somebody on: changes between two requests count. @type {WeakMap<AbortSignal, { watch: Watch, seen: number }>} */
const watched = new WeakMap();

function begin(signal) {
  const one = { watch: new Watch(), seen: 0 };
  watched.set(signal, one);
  signal.addEventListener('abort', () => one.watch.end(), { once: true });
  return one;
}

/**
 * @param {{ timeout?: number }} message milliseconds
 * @param {AbortSignal} [signal] of who asks
 */
export async function change({ timeout }, signal = connection()) {
  const known = watched.get(signal);
  const one = known ?? begin(signal);
  const most = Math.min(Number.isFinite(timeout) ? timeout : LONGEST, known === undefined ? FIRST : LONGEST);
  const begun = performance.now();
  let left = most;
  do {
    await pause(Math.min(EVERY, Math.max(left, 0)));
    one.watch.take();
    left = most - (performance.now() - begun);
  } while (left > 0 && one.watch.count === one.seen && !signal.aborted);
  const changed = one.watch.count !== one.seen;
  one.seen = one.watch.count;
  one.watch.changed.clear();
  // What came may have roots of its own.
  if (changed && !signal.aborted) one.watch.look();
  return { changed };
}
