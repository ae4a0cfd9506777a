/** Where in the viewport the picture is that the worker takes. The sign that the agent uses the page is not in it. */

import { twoFrames } from './clock.js';
import { method, rectOf } from './dom.js';
import { hideLight } from './light.js';
import { resolve } from './target.js';

const scrollIntoView = method(Element, 'scrollIntoView');

/**
 * @param {{ target?: string, done?: boolean }} message `done`: it is taken
 * @returns {Promise<{ x: number, y: number, width: number, height: number, view_width: number, view_height: number }>} in CSS
 *   pixels
 */
export async function screenshot({ target, done }) {
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
    part = within(rectOf(element), view);
  }
  hideLight(true);
  await twoFrames();
  return { ...part, view_width: view.width, view_height: view.height };
}

function within({ left, top, right, bottom }, { width, height }) {
  const [x, y] = [Math.max(left, 0), Math.max(top, 0)];
  return { x, y, width: Math.max(0, Math.min(right, width) - x), height: Math.max(0, Math.min(bottom, height) - y) };
}
