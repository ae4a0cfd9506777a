import { LARGE, MAX_PACE, PACE } from '../shared/pace.js';
import { alive } from './worker.js';

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * At most one at a time, each after a wait, and none forgotten. The wait grows with the size of what was done, and doubles
 * each time that more is wanted during it: a page that changes without pause is told of ever more rarely.
 *
 * @param {() => Promise<number>} work gives the size in characters
 * @returns {(isUrgent?: boolean) => Promise<void>} has it done; what is urgent waits as if nothing had been done before
 */
export function paced(work) {
  let wanted = false;
  let busy = false;
  let hurry = () => {};
  return async (isUrgent) => {
    wanted = true;
    if (isUrgent) hurry();
    if (busy) return;
    busy = true;
    let times = 1;
    while (wanted && alive()) {
      wanted = false;
      const hurried = new Promise((resolve) => (hurry = resolve));
      // What fails once may come about the next time.
      const size = await work().catch(() => 0);
      const least = Math.min(PACE * Math.max(1, size / LARGE), MAX_PACE);
      await pause(least);
      await Promise.race([hurried, pause(Math.min(least * times, MAX_PACE) - least)]);
      times *= 2;
    }
    busy = false;
  };
}
