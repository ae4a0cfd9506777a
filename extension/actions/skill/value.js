/** One value of the page. */

import { Finder, told } from './locate.js';
import { rawOf } from './raw.js';

/** @param {{ locator: import('./locate.js').Locator } & import('./raw.js').Reading} message */
export function value({ locator, ...reading }) {
  const finder = new Finder();
  const found = finder.find(locator);
  return { ...told(found), ...rawOf(found, reading, finder.place) };
}
