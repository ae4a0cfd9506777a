/** A text that is longer than a message is given in parts. */

import { connection } from '../channel.js';
import { ActionError } from '../why.js';

/** Characters of a part, and of it as JSON, where each quotation mark takes two. */
const MOST = 200_000;
const MOST_WRITTEN = 250_000;

/** The texts that were given last, each for as long as who asked is there. @type {WeakMap<AbortSignal, string>} */
const kept = new WeakMap();

/**
 * Begin to give a text.
 * @param {string} text
 * @param {AbortSignal} life
 * @returns {{ size: number, part: string, more?: number }} `more`: where the next part begins
 */
export function inParts(text, life) {
  const first = from(text, 0);
  if (first.more === undefined) kept.delete(life);
  else kept.set(life, text);
  life.addEventListener('abort', () => kept.delete(life), { once: true });
  return { size: text.length, ...first };
}

/** @param {{ from: number }} message @returns {{ part: string, more?: number }} */
export function part({ from: begin }, life = connection()) {
  const text = kept.get(life);
  if (text === undefined) throw new ActionError('stale', 'gone');
  if (!Number.isInteger(begin) || begin < 0 || begin > text.length) throw new ActionError('badInput', 'outOfRange');
  return from(text, begin);
}

function from(text, begin) {
  let end = Math.min(text.length, begin + MOST);
  while (JSON.stringify(text.slice(begin, end)).length > MOST_WRITTEN) end = begin + Math.floor((end - begin) * 0.8);
  // Not between the halves of a character.
  if (end < text.length && isFirstHalf(text.charCodeAt(end - 1))) end -= 1;
  return { part: text.slice(begin, end), ...(end < text.length && { more: end }) };
}

const isFirstHalf = (code) => code >= 0xd800 && code <= 0xdbff;
