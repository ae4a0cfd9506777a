/** Scrolls to the end of a list, where more of it may come. */

import { nextFrame, pause } from '../clock.js';
import { closest, getter, isHiddenTab, method, scroller, scrollIntoView, styleOf } from '../dom.js';
import { Finder, told } from './locate.js';

const dispatchOn = method(EventTarget, 'dispatchEvent');
const heightOf = getter(Element, 'scrollHeight');
const viewOf = getter(Element, 'clientHeight');

/** @param {{ locator: import('./locate.js').Locator }} message */
export async function end({ locator }) {
  const found = new Finder().find(locator);
  const last = found.elements.at(-1);
  if (last !== undefined && found.agrees) {
    scrollIntoView(last, { block: 'end', inline: 'nearest', behavior: 'instant' });
    // Without frames nothing tells the page that it was scrolled.
    if (isHiddenTab()) tell(last);
    await nextFrame();
    await pause(0);
  }
  return told(found);
}

function tell(element) {
  const view = closest(element, (one) => heightOf(one) > viewOf(one) + 1 && /auto|scroll/.test(styleOf(one).overflowY));
  if (view !== null && view !== scroller()) dispatchOn(view, new Event('scroll'));
  dispatchOn(document, new Event('scroll', { bubbles: true }));
}
