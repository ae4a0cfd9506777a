/** Scrolling the page or a part of it, at once. */

import { pause, twoFrames } from './clock.js';
import { closest, getter, hitAt, isHiddenTab, query, rectOf, rootElement, rootsOf, scroller, scrollIntoView, styleOf } from './dom.js';
import { dispatch, wheel } from './events.js';
import { hiddenBecause, topModal } from './shown.js';
import { resolve } from './target.js';
import { ActionError } from './why.js';

const heightOf = getter(Element, 'scrollHeight');
const viewOf = getter(Element, 'clientHeight');
const topOf = getter(Element, 'scrollTop');
/** How much of a screen one step is, and how long a list may take to grow. */
const STEP = 0.85;
const GROWS = 1500;

const isScroller = (element) => heightOf(element) > viewOf(element) + 1 && viewOf(element) > 20 && (element === scroller() || /auto|scroll|overlay/.test(styleOf(element).overflowY));

/** What a wheel over an element would scroll; without one, the largest part of the page that can be scrolled. */
function scrollerFor(element) {
  const around = element && closest(element, isScroller);
  if (around) return around;
  const page = scroller();
  const modal = topModal();
  const inModal = modal && [modal, ...query(modal, '*')].find(isScroller);
  if (inModal) return inModal;
  if (page && isScroller(page) && !modal) return page;
  const area = (one) => {
    const { left, top, right, bottom } = rectOf(one);
    return Math.max(0, Math.min(right, innerWidth) - Math.max(left, 0)) * Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
  };
  const all = rootsOf().flatMap((root) => query(root, '*')).filter(isScroller);
  return all.reduce((best, one) => (area(one) > (best ? area(best) : 0) ? one : best), null) ?? page ?? rootElement();
}

/**
 * @param {string | undefined} target an element in what is scrolled
 * @param {{ to: string }} message `up`, `down`, `top`, `bottom`, or what is to come into view
 */
export async function scroll(target, { to }) {
  const where = ['up', 'down', 'top', 'bottom'].includes(to) ? to : undefined;
  const element = target ? resolve(target) : null;
  if (!where) return into(to);
  const view = scrollerFor(element);
  const isPage = view === scroller();
  const before = { top: topOf(view), height: heightOf(view) };
  const amount = { up: -STEP * viewOf(view), down: STEP * viewOf(view), top: -before.top, bottom: before.height }[where];
  const { left, top, width, height } = isPage ? { left: 0, top: 0, width: innerWidth, height: innerHeight } : rectOf(view);
  const at = { x: left + width / 2, y: top + height / 2 };
  const hit = hitAt(at.x, at.y) ?? view;
  // Some maps and lists move by the wheel alone.
  const isOurs = wheel(hit, at, amount);
  if (isOurs) view.scrollBy({ top: amount, behavior: 'instant' });
  if (isHiddenTab() && topOf(view) !== before.top) dispatch(isPage ? document : view, new Event('scroll', { bubbles: isPage }));
  await twoFrames();
  const isAtEnd = () => Math.abs(topOf(view) - before.top) < 1;
  // A list that grows does so only when its end is seen.
  const end = performance.now() + GROWS;
  const isLow = () => topOf(view) + viewOf(view) >= heightOf(view) - 2;
  while ((where === 'down' || where === 'bottom') && isLow() && heightOf(view) <= before.height && performance.now() < end) await pause(100);
  const grown = heightOf(view) > before.height;
  const isStuck = isAtEnd() && !grown && isOurs;
  return {
    element: view,
    scrolled: { y: Math.round(topOf(view)), height: heightOf(view), view: viewOf(view), ...(grown && { grown: heightOf(view) - before.height }) },
    ...(isStuck && { why: { code: 'atEnd' } }),
    // Lists that watch what comes into view do not hear of it there.
    isHeldBack: isHiddenTab() && !grown && (where === 'down' || where === 'bottom') && isLow(),
  };
}

/** Bring an element into view. */
async function into(to) {
  const element = resolve(to);
  const why = hiddenBecause(element);
  if (why === 'display' || why === 'gone') throw new ActionError('notFound', 'hidden', { text: why });
  scrollIntoView(element, { block: 'center', inline: 'nearest', behavior: 'instant' });
  if (isHiddenTab()) {
    const view = scrollerFor(element);
    dispatch(view === scroller() ? document : view, new Event('scroll', { bubbles: view === scroller() }));
  }
  await twoFrames();
  return { element };
}
