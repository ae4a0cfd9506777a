/** Waits until a document has not changed for some time. */

import { connection, post } from '../channel.js';
import { pause } from '../clock.js';
import { Watch } from '../settle.js';

const LONGEST = 30_000;
const EVERY = 50;
/** The worker hears of it so often. */
const SIGN = 1_000;

const between = (value, usual) => (Number.isFinite(value) ? Math.min(Math.max(value, 0), LONGEST) : usual);

/**
 * @param {{ for?: number, timeout?: number }} message milliseconds
 * @param {AbortSignal} [signal] of who asks
 */
export async function quiet({ for: length, timeout }, signal = connection()) {
  const [calm, most] = [between(length, 300), between(timeout, 5_000)];
  const watch = new Watch();
  const begun = performance.now();
  let told = begun;
  let seen = 0;
  try {
    while (!signal.aborted) {
      watch.take();
      const now = performance.now();
      if (now - watch.last >= calm) return { quiet: true };
      if (now - begun >= most) break;
      if (watch.count !== seen) {
        // What came may have roots of its own.
        watch.look();
        seen = watch.count;
      }
      if (now - told >= SIGN) {
        told = now;
        post({ event: 'progress' });
      }
      await pause(Math.min(EVERY, most - (now - begun)));
    }
    return { quiet: false };
  } finally {
    watch.end();
  }
}
