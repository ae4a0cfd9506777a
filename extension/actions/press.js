/** Keys: their events, and what the browser does for a key of a hand, which it does not for ours. */

import { clickEvent } from './click.js';
import {
  attribute, bodyElement, childrenOf, contains, deepActive, formOf, getter, hasAttribute, inputTypeOf, isChecked, isEditable, isElement, isFocusable,
  method, optionsOf, query, rectOf, rootElement, rootsOf, scroller, tabIndexOf, tagOf,
} from './dom.js';
import { beforeInput, blur, changeEvent, dispatch, focus, inputEvent } from './events.js';
import { edit, selectionOf } from './insert.js';
import { interruptions } from './interruptions.js';
import { isPrinting, keyEvent, keyOf, parseKey } from './keys.js';
import { isSecret } from './secrets.js';
import { isShown, topModal } from './shown.js';
import { isDisabled } from './state.js';
import { defaultButton, isSubmittedByEnter, submitForm } from './submit.js';
import { ActionError } from './why.js';

const TEXT = /^(text|search|tel|url|email|number|password)$/;
const isTextInput = (element) => element instanceof HTMLInputElement && TEXT.test(inputTypeOf(element));
const isArea = (element) => element instanceof HTMLTextAreaElement;
const takesText = (element) => isTextInput(element) || isArea(element) || isEditable(element);

/**
 * Press a key on what has the focus.
 * @param {string} text `Enter`, `Control+a`
 * @param {string[]} [more] modifiers
 */
export async function pressKey(text, more = []) {
  const parsed = typeof text === 'string' && text.length <= 60 && Array.isArray(more) ? parseKey(text, more) : undefined;
  if (!parsed) throw new ActionError('badInput', 'malformed', { text: String(text) });
  const { key, modifiers } = parsed;
  const target = () => deepActive() ?? bodyElement() ?? rootElement();
  if (isPrinting(key) && isSecret(target())) throw new ActionError('refused', 'secretField');
  const down = [];
  for (const name of modifiers) {
    down.push(name);
    dispatch(target(), keyEvent('keydown', keyOf(name), down));
  }
  const held = key.isShifted && !modifiers.includes('Shift') ? [...modifiers, 'Shift'] : modifiers;
  const element = target();
  let mayDo = dispatch(element, keyEvent('keydown', key, held));
  const isCommand = modifiers.some((one) => one !== 'Shift');
  if (mayDo && !isCommand && (isPrinting(key) || key.key === 'Enter')) mayDo = dispatch(target(), keyEvent('keypress', key, held));
  await interruptions.step();
  // A handler may have moved the focus: the effect is of what has it now.
  if (mayDo) await effect(target(), key, modifiers, isCommand);
  const up = target();
  const mayClick = dispatch(up, keyEvent('keyup', key, held));
  if (mayDo && mayClick && key.key === ' ' && !isCommand && up === element && isPressedBySpace(up)) await clickBy(up);
  for (const name of modifiers.toReversed()) {
    down.pop();
    dispatch(target(), keyEvent('keyup', keyOf(name), down));
  }
  return { element };
}

const middle = (element) => {
  const { left, top, width, height } = rectOf(element);
  return { x: left + width / 2, y: top + height / 2 };
};
/** A click by the keyboard has no count. */
const clickBy = (element) => clickEvent(element, middle(element), { detail: 0 });

const isButton = (element) => tagOf(element) === 'button' || tagOf(element) === 'summary' || (element instanceof HTMLInputElement && ['button', 'submit', 'reset', 'image', 'color', 'file'].includes(inputTypeOf(element)));
const isPressedBySpace = (element) => (isButton(element) || (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(inputTypeOf(element)))) && !isDisabled(element);

async function effect(element, key, modifiers, isCommand) {
  const isShift = modifiers.includes('Shift');
  if (isCommand) {
    if (key.key.toLowerCase() === 'a' && takesText(element) && (modifiers.includes('Control') || modifiers.includes('Meta'))) edit(element, 'selectAll');
    return;
  }
  switch (key.key) {
    case 'Enter': return enter(element, isShift);
    case 'Tab': return tab(isShift);
    case 'Escape': return escape();
    case 'Backspace': return remove(element, 'delete', 'deleteContentBackward');
    case 'Delete': return remove(element, 'forwardDelete', 'deleteContentForward');
    case 'ArrowUp': case 'ArrowDown': case 'ArrowLeft': case 'ArrowRight': case 'Home': case 'End': case 'PageUp': case 'PageDown':
      return move(element, key.key, isShift);
    default:
      if (isPrinting(key) && takesText(element)) type(element, key.key);
      else if (key.key === ' ' && !isPressedBySpace(element) && isPage(element)) scrollPage(isShift ? -0.875 : 0.875);
  }
}

const isPage = (element) => element === bodyElement() || element === rootElement();

function type(element, text) {
  if (beforeInput(element, 'insertText', text)) edit(element, 'insertText', text);
}

function remove(element, command, inputType) {
  if (takesText(element) && beforeInput(element, inputType, null)) edit(element, command);
}

async function enter(element, isShift) {
  if (isArea(element)) {
    if (beforeInput(element, 'insertLineBreak', null)) edit(element, 'insertText', '\n');
  } else if (isEditable(element)) {
    const isBreak = isShift || /^plaintext-only$/i.test(attribute(element, 'contenteditable'));
    if (beforeInput(element, isBreak ? 'insertLineBreak' : 'insertParagraph', null)) edit(element, isBreak ? 'insertLineBreak' : 'insertParagraph');
  } else if (isButton(element) || ((tagOf(element) === 'a' || tagOf(element) === 'area') && hasAttribute(element, 'href'))) {
    if (!isDisabled(element)) await clickBy(element);
  } else if (element instanceof HTMLInputElement) {
    changeIfDirty(element);
    await implicitSubmit(element);
  }
}

/** Enter ends the editing of a field: `change` comes before `submit`. */
function changeIfDirty(element) {
  if (!isTextInput(element)) return;
  blur(element);
  focus(element);
}

/** What Enter in a field does: its form's first button is clicked; without one, the form is submitted. */
async function implicitSubmit(element) {
  const form = formOf(element);
  if (!form || !isSubmittedByEnter(form)) return;
  const button = defaultButton(form);
  if (button) await clickEvent(button, { x: 0, y: 0 }, { detail: 0 });
  else submitForm(form);
}

/** Elements in the order of the Tab key, through shadow roots. */
function tabStops() {
  const modal = topModal();
  const stops = [];
  const visit = (element) => {
    const own = [];
    for (const one of childrenOf(element)) {
      if (!isElement(one) || hasAttribute(one, 'inert')) continue;
      const index = tabIndexOf(one);
      const inner = visit(one);
      const isStop = isFocusable(one) && index >= 0 && !isDisabled(one) && isShown(one) && !isSkippedRadio(one);
      if (isStop) own.push({ index, list: [one] });
      own.push(...inner);
    }
    return own;
  };
  const all = visit(modal ?? rootElement());
  const sorted = all.map((one, at) => ({ ...one, at })).sort((a, b) => (a.index || Infinity) - (b.index || Infinity) || a.at - b.at);
  for (const { list } of sorted) stops.push(...list);
  return stops;
}

/** Of a group of radio buttons only the checked one, else the first, is a stop. */
function isSkippedRadio(element) {
  if (!(element instanceof HTMLInputElement) || inputTypeOf(element) !== 'radio' || isChecked(element)) return false;
  const group = radios(element);
  return group.some(isChecked) || group[0] !== element;
}

const radios = (element) => {
  const name = attribute(element, 'name');
  const form = formOf(element);
  return name === '' ? [element] : rootsOf().flatMap((root) => query(root, 'input[type=radio]')).filter((one) => attribute(one, 'name') === name && formOf(one) === form && !isDisabled(one));
};

function tab(isBack) {
  const stops = tabStops();
  if (stops.length === 0) return;
  const active = deepActive();
  const at = active ? stops.findIndex((one) => one === active) : -1;
  const next = at < 0 ? (isBack ? stops.at(-1) : stops[0]) : stops[(at + (isBack ? -1 : 1) + stops.length) % stops.length];
  focus(next);
  if (isTextInput(next)) next.select();
}

const requestClose = 'requestClose' in HTMLDialogElement.prototype ? method(HTMLDialogElement, 'requestClose') : method(HTMLDialogElement, 'close');
const hidePopover = method(HTMLElement, 'hidePopover');

function escape() {
  const open = rootsOf().flatMap((root) => query(root, ':popover-open')).filter((one) => attribute(one, 'popover') !== 'manual');
  const dialog = rootsOf().flatMap((root) => query(root, 'dialog:modal')).at(-1);
  const popover = open.at(-1);
  if (popover && (!dialog || contains(dialog, popover))) hidePopover(popover);
  else if (dialog && attribute(dialog, 'closedby') !== 'none') requestClose(dialog);
}

const stepUp = { 1: method(HTMLInputElement, 'stepUp'), [-1]: method(HTMLInputElement, 'stepDown') };
const setSelectedIndex = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'selectedIndex').set;
const selectedIndex = getter(HTMLSelectElement, 'selectedIndex');

function move(element, key, isShift) {
  const isForth = key === 'ArrowDown' || key === 'ArrowRight' || key === 'End' || key === 'PageDown';
  if (element instanceof HTMLInputElement && inputTypeOf(element) === 'radio') return moveRadio(element, isForth ? 1 : -1);
  if (element instanceof HTMLSelectElement) return moveSelect(element, key, isForth);
  if (element instanceof HTMLInputElement && ['range', 'number'].includes(inputTypeOf(element)) && !/Left|Right/.test(inputTypeOf(element) === 'number' ? key : '')) return moveRange(element, key);
  if (takesText(element)) return moveCaret(element, key, isForth, isShift);
  if (key === 'PageUp' || key === 'PageDown') scrollPage(isForth ? 0.875 : -0.875);
  else if (key === 'Home' || key === 'End') scrollPage(isForth ? 1e6 : -1e6);
  else if (isPage(element)) scrollBy({ [/Left|Right/.test(key) ? 'left' : 'top']: isForth ? 40 : -40, behavior: 'instant' });
}

function scrollPage(screens) {
  scroller()?.scrollBy({ top: innerHeight * screens, behavior: 'instant' });
}

function moveRadio(element, by) {
  const group = radios(element);
  const next = group[(group.indexOf(element) + by + group.length) % group.length];
  if (next === element) return undefined;
  focus(next);
  return clickBy(next);
}

function moveSelect(element, key, isForth) {
  const options = optionsOf(element);
  const usable = options.map((one, at) => ({ one, at })).filter(({ one }) => !isDisabled(one));
  const now = selectedIndex(element);
  const next = key === 'Home' ? usable[0] : key === 'End' ? usable.at(-1) : isForth ? usable.find(({ at }) => at > now) : usable.findLast(({ at }) => at < now);
  if (!next || next.at === now) return;
  setSelectedIndex.call(element, next.at);
  inputEvent(element, '');
  changeEvent(element);
}

const valueNow = getter(HTMLInputElement, 'value');
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;

function moveRange(element, key) {
  const before = valueNow(element);
  const isUp = key === 'ArrowUp' || key === 'ArrowRight' || key === 'PageUp';
  if (key === 'Home' || key === 'End') {
    if (inputTypeOf(element) === 'number') return;
    setValue.call(element, attribute(element, key === 'Home' ? 'min' : 'max') || (key === 'Home' ? '0' : '100'));
  } else {
    try {
      stepUp[isUp ? 1 : -1](element, key.startsWith('Page') ? 10 : 1);
    } catch {
      // `step="any"` has no steps.
      setValue.call(element, String(Number(before) + (isUp ? 1 : -1)));
    }
  }
  if (valueNow(element) === before) return;
  inputEvent(element, '');
  changeEvent(element);
}

function moveCaret(element, key, isForth, isShift) {
  if (key.startsWith('Page')) return;
  const amount = /Left|Right/.test(key) ? 'character' : /Home|End/.test(key) ? 'lineboundary' : 'line';
  const direction = /Left|Right/.test(key) ? (isForth ? 'right' : 'left') : isForth ? 'forward' : 'backward';
  selectionOf()?.modify(isShift ? 'extend' : 'move', direction, amount);
}
