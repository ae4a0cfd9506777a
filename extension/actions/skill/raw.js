/** What is read of an element, before it becomes a number, a date. */

import { attributeOf, hasAttribute, inputTypeOf, isChecked, isEditable, isFile, sentBy, valueOf } from '../dom.js';
import { isSecret } from '../secrets.js';
import { seen } from '../text.js';
import { ActionError } from '../why.js';
import { markdownOf } from './markdown.js';
import { textOf } from './visible-text.js';

/** Characters of a value. */
const MOST = 20_000;

/**
 * @typedef {{ what: 'text' | 'attr' | 'value' | 'count' | 'exists' | 'markdown', attr?: string, first?: boolean, address?: boolean }} Reading
 *   `address`: the attribute is one, and is given whole
 * @typedef {{ raw: string | number | boolean | null, secret?: true, cut?: true }} Raw
 */

/**
 * Of what was found. Null where it is not clear of which element it would be.
 * @param {import('./locate.js').Found} found
 * @param {Reading} reading
 * @param {import('./place.js').Place} place
 * @returns {Raw}
 */
export function rawOf({ elements, agrees, fault }, reading, place) {
  if (!agrees || fault !== undefined) return { raw: null };
  if (reading.what === 'count') return { raw: elements.length };
  if (reading.what === 'exists') return { raw: elements.length > 0 };
  if (elements.length === 0 || (elements.length > 1 && !reading.first)) return { raw: null };
  return ofElement(elements[0], reading, place);
}

/** @param {Element} element @returns {Raw} */
export function ofElement(element, { what, attr, address = false }, place) {
  switch (what) {
    case 'text': return capped(textOf(element, place.isLive));
    case 'markdown': return capped(markdownOf(element, place));
    case 'attr': return ofAttribute(element, String(attr), address, place);
    case 'value': return isHeld(element) ? { raw: null, secret: true } : ofField(element, place);
    case 'exists': return { raw: true };
    case 'count': return { raw: 1 };
    default: throw new ActionError('badInput', 'malformed');
  }
}

/** Whether what a field holds is the user's alone. */
const isHeld = (element) => isFile(element) || isSecret(element);

function ofAttribute(element, name, isAddress, place) {
  if (name.toLowerCase() === 'value' && isHeld(element)) return { raw: null, secret: true };
  const text = attributeOf(element, name);
  if (text === null || !isAddress) return capped(text);
  return capped(place.address(text));
}

function ofField(element, place) {
  if (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(inputTypeOf(element))) return { raw: isChecked(element) };
  // The words of an option differ from language to language.
  if (element instanceof HTMLSelectElement) return capped(sentBy(element));
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return capped(valueOf(element));
  if (hasAttribute(element, 'aria-checked')) return { raw: attributeOf(element, 'aria-checked') === 'true' };
  return isEditable(element) ? capped(textOf(element, place.isLive)) : { raw: null };
}

function capped(text) {
  if (text === null) return { raw: null };
  const whole = seen(text);
  return whole.length > MOST ? { raw: whole.slice(0, MOST).toWellFormed(), cut: true } : { raw: whole };
}
