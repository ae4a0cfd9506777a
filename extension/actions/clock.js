/**
 * Time. Hidden tabs have no animation frames, and their timers are aligned to seconds, later to minutes: there the worker
 * ticks.
 */

import { ask } from './channel.js';
import { isHiddenTab } from './dom.js';

const timer = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {number} ms */
export async function pause(ms) {
  if (!isHiddenTab()) await timer(ms);
  else await ask('tick', { ms: Math.ceil(ms) });
}

/** The next animation frame; a tick where there are none. */
export async function nextFrame() {
  if (isHiddenTab()) await ask('tick', { ms: 16 });
  // A tab that is covered or just hidden may get no frame any more.
  else await Promise.race([new Promise((resolve) => requestAnimationFrame(resolve)), timer(250)]);
}

/** After the next frame was painted. */
export async function twoFrames() {
  await nextFrame();
  await nextFrame();
}

/** Milliseconds of work in one go. */
const SLICE = 8;

const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()?.();

/** Lets the page work, without waiting for a timer. */
export const turn = () =>
  globalThis.scheduler?.yield?.() ??
  new Promise((resolve) => {
    turns.push(resolve);
    channel.port2.postMessage(0);
  });

/** Tells when it is time for others. */
export function slices(length = SLICE) {
  let end = performance.now() + length;
  return {
    isOver: () => performance.now() > end,
    async rest() {
      await turn();
      end = performance.now() + length;
    },
  };
}
