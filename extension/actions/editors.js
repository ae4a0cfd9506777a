/**
 * Rich editors keep a model of their own, and differ in what they take. One way at a time, read back after each: two ways at
 * once double the text.
 */

import { again } from './checks.js';
import { click } from './click.js';
import { pause } from './clock.js';
import {
  attribute, childrenOf, closest, contains, deepActive, hasAttribute, isConnected, isEditable, isEditingHost, isElement, isHiddenTab, parentOf, query,
  rootsOf, tagOf, textContentOf,
} from './dom.js';
import { beforeInput, dispatch, focus } from './events.js';
import { edit, newRange, selectionOf } from './insert.js';
import { fold } from './text.js';
import { ActionError } from './why.js';

/** Until an editor has heard of a selection, and until it shows a text. */
const HEARS = 120;
const SHOWS = 300;

const innerText = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'innerText').get;

/** An editor's text as shown, without what only stands there while it is empty. */
function textOf(editor) {
  const copy = fold(innerText.call(editor).replace(/[\u200b\ufeff]/g, ''));
  const hint = query(editor, '[data-slate-placeholder], .cm-placeholder, [data-placeholder]:empty').map((one) => fold(textContentOf(one))).join(' ').trim();
  return hint && copy.trim() === hint ? '' : copy.trim();
}

/** All the editors and fields of the document besides one: nothing may change there. */
const neighbours = (editor) =>
  rootsOf().flatMap((root) => query(root, '[contenteditable]:not([contenteditable=false])')).filter((one) => isEditingHost(one) && one !== editor).slice(0, 100);

/** Select everything in an editor, or put the caret at its end. */
function select(editor, atEnd) {
  const selection = selectionOf();
  const range = newRange();
  const [first, last] = [edge(editor, 0), edge(editor, -1)];
  range.setStart(first.node, 0);
  range.setEnd(last.node, last.length);
  if (atEnd) range.collapse(false);
  selection.removeAllRanges();
  selection.addRange(range);
  return range;
}

/** Select, and again where an editor that just got the focus puts back the selection it remembers. */
async function selected(editor, atEnd) {
  for (let tries = 0; ; tries += 1) {
    const range = select(editor, atEnd);
    await pause(HEARS);
    const now = selectionOf()?.rangeCount ? selectionOf().getRangeAt(0) : undefined;
    const isSame = now && contains(editor, elementOf(now.startContainer)) && now.toString() === range.toString() && now.collapsed === range.collapsed;
    if (isSame) return now;
    if (tries === 2) return select(editor, atEnd);
  }
}

const elementOf = (node) => (isElement(node) ? node : parentOf(node));

/** The first or last place for text: editors with models do not know of places between their blocks. */
function edge(editor, at) {
  let node = editor;
  for (;;) {
    const inner = isElement(node) ? childrenOf(node).filter((one) => (isElement(one) ? isEditable(one) && tagOf(one) !== 'br' : one.nodeType === 3 && one.data !== '')) : [];
    if (inner.length === 0) break;
    node = inner.at(at);
  }
  return { node, length: node.nodeType === 3 ? node.data.length : at === 0 ? 0 : node.childNodes.length };
}

/** What must be there in the end. */
const wantedText = (before, text, append) => fold(append ? `${before} ${text}` : text).trim();
const bare = (text) => text.replace(/\s+/g, '');
const isThere = (editor, wanted) => bare(textOf(editor)) === bare(wanted);

/**
 * Write into an editor.
 * @param {import('./checks.js').Ready} place of an element in or of the editor
 * @param {string} text
 * @param {{ append: boolean }} options
 */
export async function fillEditor(place, text, { append }) {
  const editor = closest(place.element, isEditingHost) ?? place.element;
  await click(place, { again: () => again(place, { editable: true }) });
  if (deepActive() !== editor) focus(editor);
  if (!isConnected(editor) || (deepActive() !== editor && !contains(editor, deepActive() ?? editor))) throw new ActionError('blocked', 'noReaction');
  const before = textOf(editor);
  const others = neighbours(editor).map((one) => ({ one, text: textContentOf(one) }));
  const wanted = wantedText(before, text, append);
  const shape = () => editor.innerHTML;
  const original = shape();
  // CodeMirror looks at the selection only in tabs that are shown, and would insert where its caret was.
  if (isHiddenTab() && before !== '' && closest(editor, (one) => attribute(one, 'class').split(/\s+/).includes('cm-editor'))) throw new ActionError('timeout', 'frontOnly');
  if (wanted === bare(before) && text === '') return;

  const range = await selected(editor, append);
  if (text === '') await clear(editor, range);
  else {
    const isLong = text.includes('\n');
    if (isLong) {
      if (!paste(editor, text)) await shows();
      else await byInput(editor, text, range);
    } else await byInput(editor, text, range);
    // Nothing at all happened: the one case in which another way cannot double the text.
    if (!isThere(editor, wanted) && shape() === original && text !== '' && !isLong) {
      await selected(editor, append);
      paste(editor, text);
      await shows();
    }
  }
  const there = textOf(editor);
  if (!isThere(editor, wanted)) throw new ActionError('blocked', there === before ? 'reverted' : 'otherValue', { text: there, value: there.slice(0, 500) });
  const touched = others.find(({ one, text: was }) => isConnected(one) && textContentOf(one) !== was);
  if (touched) throw new ActionError('blocked', 'otherValue', { text: textContentOf(touched.one) });

  async function shows() {
    await pause(SHOWS);
  }

  async function byInput(target, data, at) {
    // Prevented: the editor took it itself.
    if (!beforeInput(target, 'insertText', data, { ranges: [staticRange(at)] })) return shows();
    await pause(0);
    if (isThere(target, wanted)) return shows();
    // Slate's model would not hear of what the browser does to its text.
    if (!hasAttribute(target, 'data-slate-editor') && shape() === original) insertLines(target, data);
    return shows();
  }
}

/** Line by line where the editor leaves it to the browser. */
function insertLines(editor, text) {
  text.split(/\r?\n/).forEach((one, at) => {
    if (at > 0) edit(editor, 'insertParagraph');
    if (one !== '') edit(editor, 'insertText', one);
  });
}

async function clear(editor, range) {
  if (beforeInput(editor, 'deleteContentBackward', null, { ranges: [staticRange(range)] }) && !hasAttribute(editor, 'data-slate-editor')) edit(editor, 'delete');
  await pause(SHOWS);
}

const staticRange = ({ startContainer, startOffset, endContainer, endOffset }) => new StaticRange({ startContainer, startOffset, endContainer, endOffset });

/** A paste as of plain text; false if the editor took it. */
function paste(editor, text) {
  const transfer = new DataTransfer();
  transfer.setData('text/plain', text);
  return dispatch(editor, new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true, clipboardData: transfer }));
}
