/** A text that is longer than a message is given in parts. */

import { connection } from '../channel.js';
import { ActionError } from '../why.js';

/** Characters of a part, and of it as JSON, where each quotation mark takes two. */
const MOST = 200_000;
const MOST_WRITTEN = 250_000;

/** The text that was given last. @type {string | undefined} */
let kept;

/**
 * Begin to give a text.
 * @param {string} text
 * @returns {{ size: number, part: string, more?: number }} `more`: where the next part begins
 */
export function inParts(text) {
  const first = from(text, 0);
  kept = first.more === undefined ? undefined : text;
  connection().addEventListener('abort', () => (kept = undefined), { once: true });
  return { size: text.length, ...first };
}

/** @param {{ from: number }} message @returns {{ part: string, more?: number }} */
export function part({ from: begin }) {
  if (kept === undefined) throw new ActionError('stale', 'gone');
  if (!Number.isInteger(begin) || begin < 0 || begin > kept.length) throw new ActionError('badInput', 'outOfRange');
  return from(kept, begin);
}

function from(text, begin) {
  let end = Math.min(text.length, begin + MOST);
  while (JSON.stringify(text.slice(begin, end)).length > MOST_WRITTEN) end = begin + Math.floor((end - begin) * 0.8);
  // Not between the halves of a character.
  if (end < text.length && isFirstHalf(text.charCodeAt(end - 1))) end -= 1;
  return { part: text.slice(begin, end), ...(end < text.length && { more: end }) };
}

const isFirstHalf = (code) => code >= 0xd800 && code <= 0xdbff;
