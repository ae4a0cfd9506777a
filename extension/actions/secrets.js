/** Fields whose content nobody but the user may read or write. */

import { attribute, byId, inputTypeOf, isHtml, labelsOf, styleOf, textContentOf } from './dom.js';

const PURPOSES = /(^|\s)(cc-(?!type|name)[\w-]+|one-time-code|(current|new)-password)(\s|$)/i;
const NAMES = /passw|pwd|passcode|\bpin\b|pin-?code|cvv|cvc|\bcsc\b|security-?code|card-?(num|no\b)|cc-?num|\biban\b|\bssn\b|social-?security|\botp\b|one-?time|verification-?code|secret|密码|验证码|卡号|安全码/i;
/** Types of inputs that hold no text. */
const NO_TEXT = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'range', 'color', 'file', 'hidden', 'date', 'time', 'month', 'week', 'datetime-local']);
/** Types whose content is none of these, whatever their label speaks of. */
const OTHER = new Set(['email', 'search', 'url']);
/** A name comes first; what follows it are sentences. */
const LONGEST_LABEL = 60;
/** `cardNumber`, `card_number`, `card number`: all `card-number`. */
const words = (text) => text.replace(/([a-z])([A-Z])/g, '$1-$2').replace(/[\s_.[\]]+/g, '-');

/**
 * Whether a field holds a password, a payment detail or a one-time code: by type, purpose, name, label, or because it shows
 * dots.
 * @param {Element} element
 */
export function isSecret(element) {
  const isInput = element instanceof HTMLInputElement;
  if (!isInput && !(element instanceof HTMLTextAreaElement)) return false;
  if (isInput) {
    const type = inputTypeOf(element);
    if (type === 'password') return true;
    if (NO_TEXT.has(type)) return false;
  }
  if (PURPOSES.test(attribute(element, 'autocomplete'))) return true;
  if (['name', 'id', 'aria-label', 'placeholder'].some((name) => NAMES.test(words(attribute(element, name))))) return true;
  if (!(isInput && OTHER.has(inputTypeOf(element))) && labelsFor(element).some((text) => NAMES.test(words(text.slice(0, LONGEST_LABEL))))) return true;
  return isHtml(element) && styleOf(element).webkitTextSecurity !== 'none';
}

/** The words of what names a field from outside. */
const labelsFor = (element) =>
  [...labelsOf(element), ...attribute(element, 'aria-labelledby').split(/\s+/).filter(Boolean).map((id) => byId(element, id)).filter(Boolean)]
    .map((one) => textContentOf(one).trim());
