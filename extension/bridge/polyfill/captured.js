/** The browser's functions that only the polyfill needs. Captured when it begins, in the first turn. */

import { member, natively } from '../captured.js';

export let sort;
export let viewOf;
export let framesIn;
export let around, top;
export let urlHostname, urlOrigin, urlProtocol;
export let NativeURL;

export function capture() {
  NativeURL = URL;
  ({ sort } = natively(Array));
  ({ defaultView: viewOf } = natively(Document));
  framesIn = member(window, 'length');
  ({ parent: around, top } = window);
  ({ hostname: urlHostname, origin: urlOrigin, protocol: urlProtocol } = natively(URL));
}
