/** Calls that somebody announces before they are made, and of whose tool they then hear why it failed. */

import { getOwnPropertyDescriptor, getProperty, isArray, ownKeys } from './captured.js';
import { each, isObject, SafeMap } from './safe.js';

/** Maximum number of announced calls that have not begun. */
export const MAX_EXPECTED = 100;

/**
 * Announced calls, oldest first. The test bridge's have no port.
 *
 * @typedef {{ port?: MessagePort, requestId: string, toolName: string, args: object, failed: (words: string) => void }} Expected
 * @type {Map<string, Expected>}
 */
export const expected = new SafeMap();

/** Whether two values out of JSON are equal. Compared as text they would run the page's `toJSON`. */
function alike(one, other) {
  if (!isObject(one) || !isObject(other)) return one === other;
  const keys = ownKeys(one);
  if (isArray(one) !== isArray(other) || keys.length !== ownKeys(other).length) return false;
  return each(keys, (key) => {
    const match = getOwnPropertyDescriptor(other, key);
    return match !== undefined && alike(getProperty(one, key), match.value);
  });
}

/** The announced call that this run answers: the oldest of that name and with the same input. */
export function take(toolName, input) {
  let taken;
  try {
    expected.forEach((one) => {
      if (taken === undefined && one.toolName === toolName && alike(one.args, input)) taken = one;
    });
  } catch {
    // Nested too deeply to be compared.
  }
  if (taken !== undefined) expected.delete(taken.requestId);
  return taken;
}
