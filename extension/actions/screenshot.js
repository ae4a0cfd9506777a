/** Where in the viewport the picture is that the worker takes. The sign that the agent uses the page is not in it. */

import { twoFrames } from './clock.js';
import { method, rectOf } from './dom.js';
import { hideLight } from './light.js';
import { resolve } from './target.js';

const scrollIntoView = method(Element, 'scrollIntoView');

/** Number of the latest message. */
let latest = 0;

/**
 * @param {{ target?: string, margin?: number, done?: boolean }} message `margin` in CSS pixels, around the target;
 *   `done`: it is taken
 * @returns {Promise<{ x: number, y: number, width: number, height: number, view_width: number, view_height: number }>} in CSS
 *   pixels
 */
export async function screenshot({ target, margin = 0, done }) {
  const mine = (latest += 1);
  if (done) {
    hideLight(false);
    return {};
  }
  const view = { x: 0, y: 0, width: innerWidth, height: innerHeight };
  let part = view;
  if (target) {
    const element = resolve(target);
    scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    await twoFrames();
    part = within(rectOf(element), margin, view);
  }
  // The worker may have given up meanwhile.
  if (mine !== latest) return {};
  hideLight(true);
  await twoFrames();
  return { ...part, view_width: view.width, view_height: view.height };
}

function within({ left, top, right, bottom }, margin, { width, height }) {
  const [x, y] = [Math.max(left - margin, 0), Math.max(top - margin, 0)];
  const [to, down] = [Math.min(right + margin, width), Math.min(bottom + margin, height)];
  return { x, y, width: Math.max(0, to - x), height: Math.max(0, down - y) };
}
