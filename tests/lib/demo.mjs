/** The frame of the demos: what they opened is closed, and their exit code says whether the task was done. */

import { Narrator } from './narrator.mjs';

/** Whether a window can be shown. */
export const hasDisplay = () => Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY) || ['darwin', 'win32'].includes(process.platform);

/**
 * @param {(narrator: Narrator, closers: (() => Promise<void>)[]) => Promise<boolean>} run whether the task was done, or none was given
 */
export async function play(run) {
  const narrator = new Narrator();
  const closers = [];
  try {
    process.exitCode = (await run(narrator, closers)) ? 0 : 1;
  } catch (error) {
    narrator.say(`The demo failed: ${error.message}`);
    process.exitCode = 1;
  } finally {
    for (const close of closers.reverse()) await close().catch(() => {});
  }
}
