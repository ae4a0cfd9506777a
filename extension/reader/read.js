/** A part of a document's main text as Markdown, for the model's tool `page_text`. */

import { getter, titleOfDocument } from '../actions/dom.js';
import { mainText } from './main-text.js';
import { selectedText, shownText } from './texts.js';

/** Characters of one answer, of the whole text, of a selection and of a title. */
const USUAL_PART = 16_000;
const MOST_PART = 100_000;
const MOST = 1_000_000;
const MOST_SELECTION = 4_000;
const MOST_TITLE = 300;
/** A part ends at a line's end if one is this near to where it would be cut, as a share of it. */
const LAST_SHARE = 0.8;

const contentType = getter(Document, 'contentType').bind(null, document);

/** The text whose parts were asked for last: the page may change while it is read on. @type {{ markdown: string, invisible: number, isWhole: boolean } | undefined} */
let current;

function whole() {
  const isHtml = ['text/html', 'application/xhtml+xml'].includes(contentType());
  const { markdown, invisible, isWhole } = isHtml ? mainText() : { markdown: shownText(), invisible: 0, isWhole: true };
  return { markdown: markdown.slice(0, MOST).toWellFormed(), invisible, isWhole: isWhole && markdown.length <= MOST };
}

const numberIn = (value, least, most, usual) => (Number.isFinite(value) ? Math.min(most, Math.max(least, Math.floor(value))) : usual);

/**
 * `offset` and `total` count UTF-16 units of the whole text. A reading from the beginning reads the page anew; others go on
 * in the text of the last one.
 *
 * @param {{ offset?: number, maxChars?: number }} [request]
 * @returns {{ title: string, origin: string, address: string, markdown: string, offset: number, total: number, invisible?: number, isWhole?: false, selection?: string }}
 *   `address` without query and fragment; `invisible` counts characters that are in the page but cannot be seen; `isWhole` is false if the
 *   page was too large to be read to its end
 */
export function read({ offset, maxChars } = {}) {
  const begin = numberIn(offset, 0, MOST, 0);
  if (begin === 0 || current === undefined) current = whole();
  const { markdown, invisible, isWhole } = current;
  const selection = selectedText().trim();
  return {
    title: titleOfDocument().trim().slice(0, MOST_TITLE).toWellFormed(),
    origin: self.origin,
    address: `${location.protocol}//${location.host}${location.pathname}`,
    markdown: part(markdown, begin, numberIn(maxChars, 1, MOST_PART, USUAL_PART)),
    offset: Math.min(begin, markdown.length),
    total: markdown.length,
    ...(invisible > 0 && { invisible }),
    ...(!isWhole && { isWhole }),
    ...(selection !== '' && { selection: selection.slice(0, MOST_SELECTION).toWellFormed() }),
  };
}

/** From `begin` at most `most` characters, to the end of a line if one is near. */
function part(text, begin, most) {
  if (text.length - begin <= most) return text.slice(begin);
  const end = text.lastIndexOf('\n', begin + most - 1) + 1;
  const cut = end - begin >= most * LAST_SHARE ? end : begin + most;
  // Not between the halves of a character.
  const isHalf = text.charCodeAt(cut) >= 0xdc00 && text.charCodeAt(cut) <= 0xdfff && cut - 1 > begin;
  return text.slice(begin, isHalf ? cut - 1 : cut);
}
