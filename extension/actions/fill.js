/** Writing into fields: text by the browser's own editing, dates and the like by the prototype's setter. */

import { again, ready } from './checks.js';
import { click } from './click.js';
import { pause, twoFrames } from './clock.js';
import { attribute, deepActive, getter, hasAttribute, inputTypeOf, isConnected, isEditable, tagOf, valueOf } from './dom.js';
import { fillEditor } from './editors.js';
import { beforeInput, blur, changeEvent, focus, inputEvent } from './events.js';
import { edit, newElement, selectIn, typeEach } from './insert.js';
import { interruptions } from './interruptions.js';
import { lightNext } from './light.js';
import { valueText } from './state.js';
import { field, known } from './target.js';
import { ActionError } from './why.js';

const setter = (Interface) => Object.getOwnPropertyDescriptor(Interface.prototype, 'value').set;
const SET = { input: setter(HTMLInputElement), textarea: setter(HTMLTextAreaElement) };
const validityOf = { input: getter(HTMLInputElement, 'validity'), textarea: getter(HTMLTextAreaElement, 'validity') };
const messageOf = { input: getter(HTMLInputElement, 'validationMessage'), textarea: getter(HTMLTextAreaElement, 'validationMessage') };
const maxLengthOf = { input: getter(HTMLInputElement, 'maxLength'), textarea: getter(HTMLTextAreaElement, 'maxLength') };

/** Types whose value a script sets in normal form. */
const NORMAL_FORM = { date: '2026-11-23', time: '17:30', month: '2026-11', week: '2026-W48', 'datetime-local': '2026-11-23T17:30', range: '50', color: '#1a2b3c' };
const TEXTUAL = new Set(['text', 'search', 'tel', 'url', 'email', 'number']);
const MOST = 100_000;
/** Longer text is not typed key by key. */
const MOST_KEYS = 200;

const kind = (element) => (element instanceof HTMLTextAreaElement ? 'textarea' : 'input');
const isTextual = (element) => element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TEXTUAL.has(inputTypeOf(element)));
const isNormal = (element) => element instanceof HTMLInputElement && Object.hasOwn(NORMAL_FORM, inputTypeOf(element));

/** The browser writes colours in small letters. */
const normal = (element, text) => (element instanceof HTMLInputElement && inputTypeOf(element) === 'color' ? text.toLowerCase() : text);

/** Set a value past the page's own setters, so that frameworks see it as a person's. */
function set(element, text) {
  SET[kind(element)].call(element, text);
}

/** Whether a field holds what was asked for, perhaps with blanks, dashes or separators that the page put in. */
export function isAlike(wanted, there) {
  if (wanted === there) return true;
  const lines = (text) => text.replaceAll('\r\n', '\n');
  if (lines(wanted) === lines(there)) return true;
  if (wanted === '' || there === '') return false;
  const bare = (text) => text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const [a, b] = [bare(wanted), bare(there)];
  // Only what is digits for the most part is formatted; words have to stand as they were given.
  if (a === '' || !/^[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*$/u.test(a)) return wanted.trim() === there.trim();
  return a === b || (isNumber(wanted) && Number(wanted) === Number(there.replace(/[^\d.-]/g, '')));
}
const isNumber = (text) => text.trim() !== '' && Number.isFinite(Number(text));

/** Whether an element can be written in, else why not. */
function check(element, text, append) {
  if (typeof text !== 'string') throw new ActionError('badInput', 'malformed');
  if (text.length > MOST) throw new ActionError('tooLarge', 'tooLong');
  if (isNormal(element)) {
    checkNormal(element, text);
    return;
  }
  if (!isTextual(element)) {
    if (isEditable(element)) return;
    throw new ActionError('badInput', 'notEditable');
  }
  const most = maxLengthOf[kind(element)](element);
  const length = text.length + (append ? valueOf(element).length : 0);
  if (most >= 0 && length > most) throw new ActionError('badInput', 'tooLong', { text: `${length} > ${most}` });
  if (tagOf(element) === 'input' && inputTypeOf(element) === 'number' && text !== '' && !isNumber(text)) {
    throw new ActionError('badInput', 'malformed', { text });
  }
}

/** A field of the same type by itself: what does it take? */
function checkNormal(element, text) {
  const type = inputTypeOf(element);
  if (text === '' && type !== 'range' && type !== 'color') return;
  const like = newElement('input');
  like.type = type;
  like.value = text;
  const isWrong = type === 'color' ? !/^#[0-9a-f]{6}$/i.test(text) : type === 'range' ? !isNumber(text) : like.value === '';
  if (isWrong) throw new ActionError('badInput', 'malformed', { text: NORMAL_FORM[type] });
  const limits = ['min', 'max', 'step'].filter((name) => hasAttribute(element, name));
  const [least, most] = type === 'range' ? [attribute(element, 'min') || '0', attribute(element, 'max') || '100'] : [attribute(element, 'min'), attribute(element, 'max')];
  for (const name of limits) like.setAttribute(name, attribute(element, name));
  like.value = text;
  const { rangeUnderflow, rangeOverflow, stepMismatch } = like.validity;
  const isMoved = type === 'range' && Number(like.value) !== Number(text);
  if (rangeUnderflow || rangeOverflow || stepMismatch || isMoved) {
    throw new ActionError('badInput', 'outOfRange', { text: like.validationMessage, options: [least, most, attribute(element, 'step')].map((one, at) => one && `${['min', 'max', 'step'][at]} ${one}`).filter(Boolean) });
  }
}

/**
 * Fill fields one after the other. All are checked before the first is touched.
 * @param {{ target: string, text: string }[]} fields
 * @param {{ append?: boolean, approved?: object, until: number, begun: (place: import('./checks.js').Ready) => Promise<void> }} options
 * @returns {Promise<{ element: Element, filled: { ref: string, role: string, name: string, value: string }[], written: Element[] }>} `filled`: what
 *   stands in each; `written`: the fields that were touched
 */
export async function fill(fields, { append = false, approved, until, begun }) {
  const wanted = { retarget: field, editable: true, until };
  let place;
  for (const [at, { target, text }] of fields.entries()) {
    place = await ready(target, { ...wanted, approved: at === 0 ? approved : undefined });
    check(place.element, text, append);
  }
  const done = [];
  const written = [];
  // Some pages write a field anew when it is left.
  const filled = () => done.filter(isConnected).map((one) => ({ ...known(one), value: valueText(one).slice(0, 500) }));
  let last;
  let wantedLast = '';
  try {
    for (const [at, { target, text }] of fields.entries()) {
      place = await ready(target, wanted);
      if (at > 0) lightNext(place.element);
      if (at === 0) {
        await begun(place);
        place = { ...place, ...again(place, { editable: true, approved }) };
      }
      last = place.element;
      wantedLast = normal(last, append && !isNormal(last) ? valueOf(last) + text : text);
      written.push(last);
      await fillOne(place, text, append);
      done.push(last);
      interruptions.check();
    }
    await leave(last);
    // Some pages format, or take back, only when a field is left.
    if (!isEditable(last)) readBack(last, wantedLast, { isLate: true });
    return { element: last, filled: filled(), written };
  } catch (error) {
    if (last) await leave(last);
    throw Object.assign(error, { filled: filled(), written, element: last });
  }
}

/** Leave a field: the browser then tells of its change, which many pages wait for. */
async function leave(element) {
  if (isEditable(element) || !isConnected(element)) return;
  let hasChanged = false;
  const noteChange = () => (hasChanged = true);
  element.addEventListener('change', noteChange);
  if (deepActive() === element) blur(element);
  element.removeEventListener('change', noteChange);
  if (!hasChanged && dirty.has(element)) changeEvent(element);
  dirty.delete(element);
  await twoFrames();
}

/** Fields written by us for which no `change` was sent yet. @type {WeakSet<Element>} */
const dirty = new WeakSet();

async function fillOne(place, text, append) {
  const { element } = place;
  if (isNormal(element)) return fillNormal(element, normal(element, text));
  if (isEditable(element) && !isTextual(element)) return fillEditor(place, text, { append });
  await click(place, { again: () => again(place, { editable: true }) });
  if (deepActive() !== element) focus(element);
  if (!isConnected(element)) throw new ActionError('stale', 'gone');
  const before = valueOf(element);
  const wanted = append ? before + text : text;
  if (before === wanted) return;
  // Left without `change` where the browser does not tell of it: in documents that are not in front.
  dirty.add(element);
  element.addEventListener('change', () => dirty.delete(element), { once: true });
  selectIn(element, { atEnd: append });
  if (!beforeInput(element, 'insertReplacementText', text)) {
    // The page writes itself.
    await twoFrames();
    readBack(element, wanted);
    return;
  }
  write(element, text);
  await twoFrames();
  if (isAlike(wanted, valueOf(element))) return settleField(element, wanted);
  if (text.length <= MOST_KEYS && !append) {
    selectIn(element);
    edit(element, 'delete');
    await typeEach(element, text);
    await twoFrames();
    if (isAlike(wanted, valueOf(element))) return settleField(element, wanted);
  }
  set(element, wanted);
  inputEvent(element);
  await twoFrames();
  readBack(element, wanted);
}

function write(element, text) {
  if (text === '') edit(element, 'delete');
  else edit(element, 'insertText', text);
}

/** Some pages take a text back a moment later. */
async function settleField(element, wanted) {
  await pause(30);
  readBack(element, wanted);
}

async function fillNormal(element, text) {
  focus(element);
  if (deepActive() !== element && !isConnected(element)) throw new ActionError('stale', 'gone');
  set(element, text);
  inputEvent(element, 'insertReplacementText');
  changeEvent(element);
  await twoFrames();
  readBack(element, text);
}

/** Compare what stands in a field; say the browser's words about it. */
function readBack(element, wanted, { isLate = false } = {}) {
  if (!isConnected(element)) return;
  const there = valueOf(element);
  if (!isAlike(wanted, there) && !(isNormal(element) && Number(there) === Number(wanted) && there !== '')) {
    const isBack = there === '' || isLate;
    throw new ActionError('blocked', isBack ? 'reverted' : 'otherValue', { text: there, value: there });
  }
  const validity = validityOf[kind(element)](element);
  if (validity.typeMismatch || validity.patternMismatch || validity.tooLong || validity.rangeUnderflow || validity.rangeOverflow || validity.stepMismatch || validity.badInput || (validity.tooShort && wanted !== '')) {
    const code = validity.rangeUnderflow || validity.rangeOverflow || validity.stepMismatch ? 'outOfRange' : 'malformed';
    throw new ActionError('badInput', code, { text: messageOf[kind(element)](element), value: there });
  }
}

/**
 * For a field that suggests while one types: the same text once more, key by key.
 * @param {Element} element has the focus
 */
export async function retype(element, text) {
  focus(element);
  selectIn(element);
  edit(element, 'delete');
  await typeEach(element, text);
  dirty.add(element);
}
