/** One action: checks, the worker's log, events, and what became of it. */

import { Changes, linkKind } from './changes.js';
import { ask } from './channel.js';
import { check } from './check.js';
import { again, isStillApproved, PATIENCE, ready } from './checks.js';
import { choose } from './choose.js';
import { click, hoverOver } from './click.js';
import { attribute, bodyElement, closest, deepActive, hasAttribute, isConnected, isHiddenTab, tagOf } from './dom.js';
import { drag } from './drag.js';
import { fill, retype } from './fill.js';
import { focus, hasFocusIn } from './events.js';
import { interruptions } from './interruptions.js';
import { pressKey } from './press.js';
import { isControl, roleOf } from './role.js';
import { scroll } from './scroll.js';
import { isSecret } from './secrets.js';
import { formFrom, submitForm, usableButton } from './submit.js';
import { known, pressable, resolve } from './target.js';
import { pressed, wrote } from './unsaved.js';
import { ActionError } from './why.js';
import { valueText } from './state.js';

const LONGEST = 30_000;

/** What one action has: its time, and the note of the page before it. */
class Run {
  /** @type {Changes | undefined} */
  changes;

  constructor({ timeout, approved }) {
    this.until = performance.now() + Math.min(Math.max(Number(timeout ?? PATIENCE) || 0, 0), LONGEST);
    this.approved = approved;
    /** From here on something may have happened. The worker writes that down before the first event. */
    this.begun = async ({ element }) => {
      await ask('begun', {});
      interruptions.check();
      this.watch(element);
    };
  }

  /** Note the page as it is now. */
  watch(element) {
    this.changes?.end();
    this.changes = new Changes(element);
  }
}

/** How often an element that is replaced before the press is looked for again. */
const TRIES = 3;

/**
 * Click what a target is at the moment of the press.
 * @param {string} target
 * @param {{ retarget?: (element: Element) => Element, count?: 1 | 2 }} options
 * @param {Run} run
 */
async function clickOn(target, { retarget, count = 1 }, run) {
  for (let tries = 1; ; tries += 1) {
    const place = await ready(target, { retarget, approved: run.approved, until: run.until });
    if (tries === 1) await run.begun(place);
    else run.watch(place.element);
    const kind = linkKind(place.element);
    let isPressed = false;
    try {
      const { isScriptLeft } = await click(place, {
        count,
        again: () => {
          const now = again(place, { approved: run.approved });
          isPressed = true;
          return now;
        },
      });
      return { element: place.element, kind, isScriptLeft };
    } catch (error) {
      // Only the pointer was moved so far.
      if (isPressed || tries === TRIES || !['stale', 'covered'].includes(error.outcome)) throw error;
    }
  }
}

/** @type {Record<string, (message: any, run: Run) => Promise<object>>} */
const ACTS = {
  async click({ target, count = 1 }, run) {
    if (count !== 1 && count !== 2) throw new ActionError('badInput', 'malformed');
    const { element, kind, isScriptLeft } = await clickOn(target, { retarget: pressable, count }, run);
    return { element, kind, isScriptLeft, isControl: isPressable(element), mayBeSilent: closest(element, (one) => hasAttribute(one, 'contenteditable')) !== null };
  },
  async hover({ target }, run) {
    const place = await ready(target, { approved: run.approved, until: run.until });
    await run.begun(place);
    await hoverOver(place);
    return { element: place.element, isControl: true };
  },
  async fill({ fields, target, text, append = false, submit = false }, run) {
    const list = Array.isArray(fields) ? fields : [{ target, text }];
    if (list.length === 0 || list.length > 50) throw new ActionError('badInput', 'malformed');
    const done = await fill(list, { append, approved: run.approved, until: run.until, begun: run.begun });
    const { element } = done;
    try {
      if (list.length === 1 && !append && !submit && suggests(element)) await retype(element, list[0].text);
      if (submit) await submitFrom(element);
    } catch (error) {
      throw Object.assign(error, done);
    }
    return { ...done, value: valueText(element) };
  },
  async choose({ target, values }, run) {
    return choose(target, { values, ...run });
  },
  async check({ target, on = true }, run) {
    return check(target, { on: Boolean(on), ...run });
  },
  async press({ target, key, modifiers }, run) {
    const place = target ? await ready(target, { approved: run.approved, until: run.until }) : undefined;
    const element = place?.element ?? deepActive() ?? bodyElement();
    await run.begun({ element });
    if (place) again(place, { approved: run.approved });
    if (place && !hasFocusIn(element)) focus(element);
    await pressKey(key, modifiers);
    return { element };
  },
  async scroll({ target, to }, run) {
    await run.begun({ element: bodyElement() });
    return { ...(await scroll(target, { to })), isQuiet: true };
  },
  async drag({ target, to }, run) {
    const done = await drag(target, { to, ...run });
    if (!done.isMoved) run.failure = new ActionError('blocked', 'noReaction');
    return done;
  },
  async submit({ target }, run) {
    const element = resolve(target);
    const form = formFrom(element);
    if (!form) throw new ActionError('badInput', 'unsupported');
    isStillApproved(element, run.approved);
    const button = usableButton(form);
    const place = button && (await ready(known(button).ref, { until: run.until }));
    await run.begun({ element: button ?? form });
    isStillApproved(element, run.approved);
    if (place) await click(place, { again: () => again(place) });
    else submitForm(form);
    return { element: button ?? form, isControl: true, isSubmit: true };
  },
};

/** Whether a person would expect something to happen. */
const isPressable = (element) => isControl(roleOf(element)) || attribute(element, 'onclick') !== '' || tagOf(element) === 'summary' || tagOf(element) === 'canvas';

/** A field that lists what fits, and stayed silent when the text came at once. */
function suggests(element) {
  return roleOf(element) === 'combobox' && ['list', 'both'].includes(attribute(element, 'aria-autocomplete')) && tagOf(element) === 'input' && attribute(element, 'aria-expanded') === 'false';
}

async function submitFrom(element) {
  const form = isConnected(element) ? formFrom(element) : null;
  const button = form && usableButton(form);
  if (button) {
    const place = await ready(known(button).ref);
    await click(place, { again: () => again(place) });
  } else if (form) submitForm(form);
  else {
    focus(element);
    await pressKey('Enter');
  }
}

/** Why nothing came of a click. */
function silent(element) {
  if (tagOf(element) === 'canvas') return new ActionError('blocked', 'canvas');
  const inline = closest(element, (one) => /\bwindow\.open\s*\(|^\s*open\s*\(/.test(attribute(one, 'onclick')));
  return new ActionError('blocked', inline ? 'popup' : isHiddenTab() ? 'background' : 'noReaction');
}

/**
 * @param {{ act: string, target?: string, approved?: { role: string, name: string, form: string }, timeout?: number }} message
 * @returns {Promise<{ outcome: string, why?: object, target?: object, value?: string, became: { kind: string, text?: string }[] }>}
 */
export async function act(message) {
  const run = Object.hasOwn(ACTS, message.act) ? new Run(message) : undefined;
  if (!run) return { outcome: 'badInput', why: { code: 'unsupported' }, became: [] };
  interruptions.begin();
  try {
    return await outcomeOf(message, run);
  } finally {
    run.changes?.end();
  }
}

async function outcomeOf(message, run) {
  let done;
  let failure;
  try {
    done = await ACTS[message.act](message, run);
  } catch (error) {
    if (!(error instanceof ActionError)) throw error;
    failure = error;
    done = { element: error.element, filled: error.filled, written: error.written, value: error.value };
  }
  const { became, isAnything } = run.changes ? await run.changes.settled({ isControl: Boolean(done.isControl) && !done.kind }) : { became: [], isAnything: false };
  if (done.kind) became.unshift({ kind: done.kind });
  if (done.isHeldBack) became.push({ kind: 'background' });
  failure ??= run.failure && !isAnything ? run.failure : undefined;
  if (!failure && done.isSubmit && became.some(({ kind }) => kind === 'validation')) failure = new ActionError('badInput', 'invalidFields', { text: became.find(({ kind }) => kind === 'validation').text });
  // What the page made of the click itself counts: the user would do it once more.
  if (!failure && done.isScriptLeft && !isAnything) failure = new ActionError('blocked', 'scriptLink');
  // The focus alone is what our own press moved.
  if (!failure && done.isControl && !done.kind && !isAnything && !done.mayBeSilent && !(became.some(({ kind }) => kind === 'focus'))) failure = silent(done.element);
  const { element } = done;
  // What was written before something failed stands there as well.
  if (message.act === 'fill' && !(message.submit && !failure)) for (const one of done.written ?? []) wrote(one);
  if (!failure && ['choose', 'check'].includes(message.act)) wrote(element);
  if (!failure && message.act === 'click') pressed(element);
  return {
    outcome: failure?.outcome ?? 'ok',
    why: failure?.why ?? done.why,
    target: element && isConnected(element) ? known(element) : undefined,
    value: safeValue(element, failure?.value ?? done.value),
    filled: done.filled,
    scrolled: done.scrolled,
    became: became.length ? became : [{ kind: 'nothing' }],
  };
}

const safeValue = (element, value) => (value === undefined || (element && isSecret(element)) ? undefined : String(value).slice(0, 500));
