/** What assertions of a simulation ask of the document: elements by CSS, as `document.querySelectorAll` finds them. */

import { attributeOf, query, textContentOf } from './dom.js';
import { isSecret } from './secrets.js';

/** Assertions of one simulation, and characters of a text. */
const MOST = 500;
const MOST_CHARACTERS = 10_000;

/**
 * How many there are, and what the first is like. A selector that cannot be used says why.
 * @param {{ looks: { selector: string, attribute: string | null }[] }} message
 * @returns {{ seen: ({ count: number, text: string | null, attribute: string | null } | { wrong: string })[] }}
 */
export const elements = ({ looks }) => ({ seen: looks.slice(0, MOST).map(seenBy) });

function seenBy({ selector, attribute }) {
  try {
    const found = query(document, selector);
    if (found.length === 0) return { count: 0, text: null, attribute: null };
    const [first] = found;
    return { count: found.length, text: cut(textContentOf(first).trim()), attribute: attribute === null ? null : valueOf(first, attribute) };
  } catch (error) {
    return { wrong: error.message };
  }
}

/** A field for a secret may have one in its markup. */
const valueOf = (element, name) => (name.toLowerCase() === 'value' && isSecret(element) ? null : cut(attributeOf(element, name)));

const cut = (text) => text?.slice(0, MOST_CHARACTERS).toWellFormed() ?? null;
