/**
 * What the agent wrote in this document and nobody has sent: the browser asks before such a page is left only where the user
 * wrote, so the worker asks instead.
 */

import { formOf, isConnected, tagOf } from './dom.js';
import { isSubmitButton } from './submit.js';
import { roleOf } from './role.js';
import { valueText } from './state.js';

/** The value of each field as it was written. @type {Map<Element, string>} */
const written = new Map();

const forget = (fits) => {
  for (const element of written.keys()) if (fits(element)) written.delete(element);
};

// Heard before the page: whoever sends the form, what stands in it is sent.
addEventListener('submit', ({ target }) => forget((element) => formOf(element) === target), { capture: true, passive: true });

/** @param {Element | undefined} element a field that was filled, chosen from or switched */
export function wrote(element) {
  if (element !== undefined && tagOf(element) !== 'body') written.set(element, valueText(element));
}

/** A button outside of any form may have sent what stands in none. */
export function pressed(element) {
  if (element !== undefined && roleOf(element) === 'button' && !formOf(element)) forget((one) => !formOf(one));
  else if (element !== undefined && isSubmitButton(element)) forget((one) => formOf(one) === formOf(element));
}

/** The number of fields that still have what was written. @param {HTMLFormElement | null} [besides] one that is about to be sent */
export function unsent(besides = null) {
  forget((element) => !isConnected(element) || valueText(element) !== written.get(element));
  return [...written.keys()].filter((element) => besides === null || formOf(element) !== besides).length;
}

export const unsaved = () => ({ count: unsent() });
