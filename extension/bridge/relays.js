/** The relays that are connected. */

import { isArray, parse, postText, setPrototypeOf, stringify } from './captured.js';
import { isObject, SafeMap } from './safe.js';

/** Calls that came over a port, by request id, as the functions that cancel them. @typedef {Map<string, () => void>} Calls */
/** @type {Map<MessagePort, Calls>} */
export const relays = new SafeMap();

export const post = (port, message) => postText(port, stringify(setPrototypeOf(message, null) && message));

/** Tell one relay or, without a port, all of them. */
export function tell(port, message) {
  if (port !== undefined) post(port, message);
  else relays.forEach((_, each) => post(each, message));
}

/** The JSON object that a text is, if it is one. */
export function objectIn(text) {
  try {
    const value = parse(text);
    return isObject(value) && !isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
