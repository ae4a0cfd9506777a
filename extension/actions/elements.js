/** What assertions of a simulation ask of the document: elements by CSS, as `document.querySelectorAll` finds them. */

import { attributeOf, query, textContentOf } from './dom.js';
import { isSecret } from './secrets.js';

/** Characters of all answers together, as JSON. */
const MOST = 200_000;
const TOO_LONG = `what assertions look at is longer than ${MOST} characters`;

/**
 * How many there are, and what the first is like. What cannot be said says why: nothing is cut, as it would be judged.
 * @typedef {{ selector: string, attribute: string | null, text: boolean }} Look
 * @param {{ looks: Look[] }} message
 * @returns {{ seen: ({ count: number, text: string | null, attribute: string | null } | { wrong: string })[] }}
 */
export function elements({ looks }) {
  let left = MOST;
  const seen = looks.map((look) => {
    const one = seenBy(look);
    const length = JSON.stringify(one).length;
    if (length > left) return { wrong: TOO_LONG };
    left -= length;
    return one;
  });
  return { seen };
}

/** @param {Look} look */
function seenBy({ selector, attribute, text }) {
  try {
    const found = query(document, selector);
    if (found.length === 0) return { count: 0, text: null, attribute: null };
    const [first] = found;
    return { count: found.length, text: text ? textContentOf(first).trim().toWellFormed() : null, attribute: attribute === null ? null : valueOf(first, attribute) };
  } catch (error) {
    return { wrong: error.message };
  }
}

function valueOf(element, name) {
  // It may stand in the markup.
  if (name.toLowerCase() === 'value' && isSecret(element)) throw new Error('the field holds a secret');
  return attributeOf(element, name)?.toWellFormed() ?? null;
}
