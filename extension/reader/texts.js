/** The text of a page and what is selected on it, as shown: what the user attaches. */

import { deepActive, getter, method, rootElement, textContentOf } from '../actions/dom.js';
import { isSecret } from '../actions/secrets.js';

/** Maximum number of characters that the worker accepts; the rest is only counted. */
const MOST = 100_000;

const innerTextOf = getter(HTMLElement, 'innerText');
const selectionIn = method(Document, 'getSelection').bind(null, document);

const passage = (text) => ({ text: text.slice(0, MOST).toWellFormed(), unread: Math.max(0, text.length - MOST) });

/** The visible text of the document. A document that is no HTML has no `innerText`. */
export function shownText() {
  const root = rootElement();
  if (root === null) return '';
  return root instanceof HTMLElement ? innerTextOf(root) : textContentOf(root);
}

/** The selected text, unless it is in a field whose content is nobody's to read. */
export function selectedText() {
  const active = deepActive();
  return active !== null && isSecret(active) ? '' : String(selectionIn() ?? '');
}

export const texts = () => ({ origin: self.origin, url: location.href, page: passage(shownText()), selection: passage(selectedText()) });
