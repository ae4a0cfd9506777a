/** Text put into what has the focus, as typing does it: the one way that gives the page a trusted `input`. */

import { deepActive, method } from './dom.js';
import { dispatch } from './events.js';
import { interruptions } from './interruptions.js';
import { keyEvents } from './keys.js';
import { pause } from './clock.js';

/** A page may name an element like any of these members of its document. */
const ofDocument = (name) => method(Document, name).bind(null, document);
const exec = ofDocument('execCommand');
export const selectionOf = ofDocument('getSelection');
export const newRange = ofDocument('createRange');
export const newElement = ofDocument('createElement');

const select = { input: method(HTMLInputElement, 'select'), textarea: method(HTMLTextAreaElement, 'select') };
const setRange = { input: method(HTMLInputElement, 'setSelectionRange'), textarea: method(HTMLTextAreaElement, 'setSelectionRange') };

/**
 * A command of editing, into this element only: where the focus is elsewhere, the browser would edit there.
 * @param {Element} element
 * @param {'insertText' | 'insertParagraph' | 'insertLineBreak' | 'delete' | 'forwardDelete' | 'selectAll'} command
 * @param {string} [text]
 * @returns {boolean} whether it was tried
 */
export function edit(element, command, text) {
  if (deepActive() !== element) return false;
  return exec(command, false, text);
}

const kind = (field) => (field instanceof HTMLTextAreaElement ? 'textarea' : 'input');

/** Select what stands in a text field, or put the caret at its end. */
export function selectIn(field, { atEnd = false } = {}) {
  const tag = kind(field);
  if (!atEnd) {
    select[tag](field);
    return;
  }
  const end = field.value.length;
  try {
    setRange[tag](field, end, end);
  } catch {
    // Types such as `email` and `number` have no caret that a script may set: their end is where typing begins.
    select[tag](field);
    selectionOf()?.collapseToEnd();
  }
}

/** Made at its first use: that takes longer than all else that acts. @type {Intl.Segmenter | undefined} */
let segmenter;

/** Characters of a text as a person sees them. */
const charactersOf = (text) => (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })).segment(text);

/** One character after the other, with the events of its key. */
export async function typeEach(field, text) {
  for (const { segment } of charactersOf(text)) {
    if (deepActive() !== field) return;
    interruptions.check();
    const { down, press, up } = keyEvents(segment);
    const mayType = dispatch(field, down()) && dispatch(field, press());
    if (mayType) edit(field, 'insertText', segment);
    dispatch(field, up());
    await pause(4);
  }
}
