/** Choosing options: of native lists by their own members, of custom ones as a hand does. */

import { again, isStillApproved, ready } from './checks.js';
import { click, press as pressDown, release } from './click.js';
import { pause, twoFrames } from './clock.js';
import {
  attribute, byId, closest, contains, getter, isChecked, isConnected, isMultiple, labelOfOption, optionsOf, parentOf, query, rectOf,
  rootElement, rootsOf, scrollIntoView, selectedOf, styleOf, tagOf, textContentOf, valueOf,
} from './dom.js';
import { changeEvent, dispatch, focus, inputEvent, moveTo } from './events.js';
import { interruptions } from './interruptions.js';
import { edit, selectIn, typeEach } from './insert.js';
import { keyEvent, keyOf } from './keys.js';
import { content, nameOf } from './name.js';
import { refOf } from './refs.js';
import { roleOf } from './role.js';
import { isShown } from './shown.js';
import { isDisabled } from './state.js';
import { below, chooser, isChoice, isGroup, OPTIONS } from './target.js';
import { fold, folded } from './text.js';
import { ActionError } from './why.js';

const setSelected = (() => {
  const { set } = Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected');
  return (option, value) => set.call(option, value);
})();
const optionValue = getter(HTMLOptionElement, 'value');
const LISTS = '[role=listbox], [role=menu], [role=tree], [role=grid], [popover], datalist';
const MAX_SCROLLS = 30;
const OPENS = 1500;

const same = (text) => folded(fold(text)).trim();

/** The one option that is meant: exact words first, then its value, then without case, width and accents. */
function pick(options, wanted, wordsOf, valueOfOption = () => undefined) {
  const exact = fold(wanted).trim();
  return options.find((one) => fold(wordsOf(one)).trim() === exact)
    ?? options.find((one) => valueOfOption(one) === wanted)
    ?? options.find((one) => same(wordsOf(one)) === same(wanted))
    ?? only(options.filter((one) => same(wordsOf(one)).startsWith(same(wanted))));
}
const only = (list) => (list.length === 1 ? list[0] : undefined);

/**
 * @param {string} target
 * @param {{ values: string[], approved?: object, until: number, begun: (place: import('./checks.js').Ready) => Promise<void> }} options
 * @returns {Promise<{ element: Element, value: string }>}
 */
export async function choose(target, { values, approved, until, begun }) {
  if (!Array.isArray(values) || values.length === 0 || values.length > 100 || !values.every((one) => typeof one === 'string')) throw new ActionError('badInput', 'malformed');
  const place = await ready(target, { retarget: chooser, approved, until });
  const run = tagOf(place.element) === 'select' ? chooseNative : isGroup(place.element) ? chooseInGroup : chooseCustom;
  return run(place, values, { approved, until, begun });
}

/** The options of a native list. Nothing opens it: no synthetic event does. */
async function chooseNative(place, values, { approved, begun }) {
  const { element } = place;
  const options = optionsOf(element);
  if (values.length > 1 && !isMultiple(element)) throw new ActionError('badInput', 'malformed');
  const chosen = values.map((value) => {
    const option = pick(options, value, labelOfOption, optionValue);
    if (!option) throw new ActionError('notFound', 'optionMissing', { text: value, options: options.map(labelOfOption) });
    if (isDisabled(option)) throw new ActionError('disabled', 'optionDisabled', { text: labelOfOption(option) });
    return option;
  });
  await begun(place);
  const first = again(place, { approved });
  moveTo(first.hit, first.at);
  await interruptions.step();
  const { hit, at } = again(place, { approved });
  const { mayMouse } = pressDown(hit, at);
  await interruptions.step();
  release(hit, at, { mayMouse });
  focus(element);
  const before = selectedOf(element);
  const isSame = before.length === chosen.length && chosen.every((one) => before.includes(one));
  if (!isSame) {
    if (isMultiple(element)) for (const option of options) setSelected(option, chosen.includes(option));
    else setSelected(chosen[0], true);
    inputEvent(element, '');
    changeEvent(element);
  }
  await twoFrames();
  // The page may have made its options anew.
  const now = selectedOf(element).map((one) => [labelOfOption(one), optionValue(one)].join('\n'));
  const wanted = chosen.map((one) => [labelOfOption(one), optionValue(one)].join('\n'));
  if (isConnected(element) && (now.length !== wanted.length || !wanted.every((one) => now.includes(one)))) throw new ActionError('blocked', 'reverted', { value: valueOf(element) });
  return { element, value: valueOf(element) };
}

/** Radio buttons, boxes and open lists: the ones that are meant are pressed. */
async function chooseInGroup(place, values, { approved, until, begun }) {
  const { element } = place;
  const choices = below(element, isChoice, 2000);
  const chosen = values.map((value) => found(choices, value));
  await begun(place);
  isStillApproved(element, approved);
  for (const one of chosen) if (!isChosen(one)) await pressOption(one, until);
  await twoFrames();
  return { element, value: values.join(', ') };
}

function found(choices, value) {
  const one = pick(choices, value, nameOf);
  if (!one) throw new ActionError('notFound', 'optionMissing', { text: value, options: choices.map((each) => nameOf(each)) });
  if (isDisabled(one)) throw new ActionError('disabled', 'optionDisabled', { text: nameOf(one) });
  return one;
}

const isChosen = (one) => (one instanceof HTMLInputElement ? isChecked(one) : attribute(one, 'aria-selected') === 'true' || attribute(one, 'aria-checked') === 'true');

async function pressOption(option, until) {
  const place = await ready(refOf(option), { until: Math.max(until, performance.now() + 1000) });
  await click(place, { again: () => again(place) });
}

/** A custom list: opened, looked through, pressed. */
async function chooseCustom(place, values, { approved, until, begun }) {
  const { element } = place;
  await begun(place);
  isStillApproved(element, approved);
  for (const [at, value] of values.entries()) {
    const before = new Set(candidates());
    const wasOpen = attribute(element, 'aria-expanded') === 'true' && listsOf(element).length > 0;
    if (!wasOpen) {
      const opener = at === 0 ? place : await ready(refOf(element), { until: Math.max(until, performance.now() + 1000) });
      await click(opener, { again: () => again(opener, { approved: at === 0 ? approved : undefined }) });
    }
    let options = await opened(element, wasOpen ? new Set() : before);
    const input = tagOf(element) === 'input' ? element : only(listsOf(element).concat(newPopups(before)).flatMap((list) => query(list, 'input:not([type=hidden]):not([type=checkbox]):not([type=radio])')).slice(0, 2));
    let option = pick(options, value, words);
    if (!option && input && isWritable(input)) {
      focus(input);
      selectIn(input);
      edit(input, 'delete');
      await typeEach(input, value);
      options = await opened(element, before, value);
      option = pick(options, value, words);
    }
    const seen = new Set(options.map(words));
    if (!option) option = await inVirtualList(element, before, value, seen);
    if (!option) {
      close(element);
      throw new ActionError('notFound', 'optionMissing', { text: value, options: [...seen] });
    }
    if (isDisabled(option)) {
      close(element);
      throw new ActionError('disabled', 'optionDisabled', { text: words(option) });
    }
    await pressOption(option, until);
    await readBack(element, option, value);
  }
  return { element, value: shownValue(element) };
}

const isWritable = (input) => !input.readOnly && !isDisabled(input);
const words = (option) => nameOf(option) || content(option);

/** Lists that an opener names or that are open. */
function listsOf(element) {
  const ids = `${attribute(element, 'aria-controls')} ${attribute(element, 'aria-owns')}`.split(/\s+/).filter(Boolean);
  return ids.map((id) => byId(element, id)).filter((one) => one && isShown(one));
}

const newPopups = (before) => rootsOf().flatMap((root) => query(root, LISTS)).filter((one) => !before.has(one) && isShown(one)).slice(0, 10);

/** What could be an option, anywhere in the document: lists are often at the end of the body. */
const candidates = () => rootsOf().flatMap((root) => query(root, `${OPTIONS}, ${LISTS}, li, button, [tabindex], a[href]`)).filter(isShown);

/** Wait for the options of an opener, and until no more come. */
async function opened(element, before, filter) {
  const end = performance.now() + OPENS;
  let last = -1;
  for (;;) {
    const options = optionsNow(element, before);
    if (options.length > 0 && options.length === last && (!filter || pick(options, filter, words) || performance.now() > end - OPENS / 2)) return options;
    if (performance.now() > end) return options;
    last = options.length;
    await pause(80);
  }
}

function optionsNow(element, before) {
  const lists = listsOf(element);
  const within = lists.flatMap((list) => query(list, OPTIONS)).filter(isShown);
  if (within.length) return within.slice(0, 2000);
  const fresh = rootsOf().flatMap((root) => query(root, OPTIONS)).filter((one) => isShown(one) && !before.has(one));
  if (fresh.length) return fresh.slice(0, 2000);
  // Lists without roles: what is new and can be pressed.
  const others = rootsOf().flatMap((root) => query(root, 'li, button, a[href], [tabindex], [data-value], [onclick]')).filter((one) => isShown(one) && !before.has(one) && one !== element && !contains(one, element));
  const inLists = lists.flatMap((list) => query(list, 'li, button, a[href], [tabindex], [data-value]')).filter(isShown);
  return (inLists.length ? inLists : others).slice(0, 2000);
}

/** Long lists have only the options in view: scroll through. */
async function inVirtualList(element, before, value, seen) {
  const options = optionsNow(element, before);
  const view = options[0] && closest(options[0], (one) => ['auto', 'scroll'].includes(styleOf(one).overflowY) && one.scrollHeight > one.clientHeight + 1);
  if (!view) return undefined;
  view.scrollTop = 0;
  for (let at = 0; at < MAX_SCROLLS; at += 1) {
    view.dispatchEvent(new Event('scroll'));
    await pause(60);
    interruptions.check();
    const now = optionsNow(element, before);
    for (const one of now) seen.add(words(one));
    const option = pick(now, value, words);
    if (option) {
      scrollIntoView(option, { block: 'nearest', behavior: 'instant' });
      return option;
    }
    const was = view.scrollTop;
    view.scrollTop += rectOf(view).height * 0.8;
    if (view.scrollTop === was) return undefined;
  }
  return undefined;
}

/** Escape, as a person leaves a list without choosing. */
function close(element) {
  const target = isConnected(element) ? element : rootElement();
  dispatch(target, keyEvent('keydown', keyOf('Escape')));
  dispatch(target, keyEvent('keyup', keyOf('Escape')));
}

function shownValue(element) {
  return tagOf(element) === 'input' ? valueOf(element) : content(element) || nameOf(element);
}

/** The opener, or the option, must say what was chosen. */
async function readBack(element, option, value) {
  const chosen = words(option);
  const end = performance.now() + 1000;
  const around = () => closest(element, (one) => roleOf(one) === 'combobox') ?? element;
  const isIn = () => {
    if (isConnected(option) && isChosen(option)) return true;
    const host = isConnected(element) ? around() : null;
    const text = host ? same([shownValue(element), nameOf(element), textContentOf(host).slice(0, 5000), parentOf(host) ? textContentOf(parentOf(host)).slice(0, 5000) : ''].join(' ')) : '';
    return host === null || text.includes(same(value)) || text.includes(same(chosen));
  };
  while (!isIn()) {
    if (performance.now() > end) {
      // Of a menu nothing stays: what was pressed is gone.
      if (!/^(combobox|textbox|searchbox)$/.test(roleOf(element)) && !(isConnected(option) && isShown(option))) return;
      throw new ActionError('blocked', 'otherValue', { text: shownValue(element), value: shownValue(element) });
    }
    await pause(50);
  }
}
