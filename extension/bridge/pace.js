import { LARGE, MAX_PACE, PACE } from '../shared/pace.js';
import { delay, now, soon } from './captured.js';

/**
 * Send the newest list: at once after a pause, otherwise after a delay, which doubles with each list that
 * had to wait.
 *
 * @param {() => number} send gives the list's length in characters
 * @returns {() => void} to be called when the list has changed
 */
export function paced(send) {
  let isPlanned = false;
  let wait = PACE;
  let next = 0;
  const run = () => {
    isPlanned = false;
    const size = send();
    const due = size > LARGE ? (wait * size) / LARGE : wait;
    next = now() + (due < MAX_PACE ? due : MAX_PACE);
  };
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    const rest = next - now();
    if (rest > 0) {
      wait = wait * 2 < MAX_PACE ? wait * 2 : MAX_PACE;
      delay(run, rest);
    } else {
      wait = PACE;
      soon(run);
    }
  };
}
