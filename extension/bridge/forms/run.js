/** Calls of forms: each is filled in, and sent by the bridge or by its user. */

import * as NAMES from '../../shared/names.js';
import {
  delay, getOwnPropertyDescriptor, getProperty, isArray, listen, NativeTypeError, ownKeys, unlisten,
} from '../captured.js';
import { post } from '../relays.js';
import { append, define, each, isObject, SafeMap, SafeWeakMap, settled, whenAborted } from '../safe.js';
import { later, nextTask } from '../tasks.js';
import { invalidState } from '../webidl.js';
import { render } from '../wire.js';
import {
  complaintOf, currentTarget, defaultPrevented, elements, eventTarget, fits, focus, has, isConnected, nameOf, requestSubmit,
  tellPage, typeOf,
} from './dom.js';
import { textOf } from './fill.js';
import { controlsOf, parameterOf } from './schema.js';

const failure = (words, code = 'threw', error = words) => ({ __proto__: null, ok: false, code, words, error });
const refusal = (words) => failure(words, 'badArguments');
export const UPDATED = failure('Tool execution cancelled, since tool definition was updated');
export const NAVIGATED = { __proto__: null, ok: true, text: null };

/**
 * The call of each form that waits to be sent, or for what the page responds with.
 *
 * @typedef {object} FormCall
 * @property {(outcome: Outcome) => void} end
 * @property {() => void} sent the form's user is waited for no longer
 * @property {number} submitting how many `submit` events are under way
 * @type {Map<HTMLFormElement, FormCall>}
 */
export let running;

/** What the page did with the `submit` events of calls. @type {WeakMap<Event, { isOpen: boolean, promise?: Promise<unknown> }>} */
let responses;

/** Whether this script itself sends a form just now. */
let isSending = false;

/** Handles the changes of forms up to now. @type {() => void} */
let noteChanges;

function defaultButton(form) {
  let button = null;
  each(elements(form), (control) => {
    if (typeOf(control) === 'submit' && !fits(control, ':disabled')) button ??= control;
  });
  return button;
}

export const filler = (form, toolName) => (args, signal, origin, answer) => {
  if (running.has(form)) return failure('The form is in use by another call.');
  if (!isObject(args) || isArray(args)) return refusal('JSON input arguments must be an object');
  const isForUser = !has(form, 'toolautosubmit');
  const button = defaultButton(form);
  if (isForUser && button === null) {
    return failure('No submit button was found, but for a form without `toolautosubmit`, there must be a submit button');
  }
  const byName = controlsOf(form);
  const puts = [];
  const names = ownKeys(args);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at];
    const controls = byName.get(name);
    if (controls === undefined) return refusal(`Input contains a parameter "${name}" but there is no such parameter for the tool`);
    const value = getProperty(args, name);
    const putIn = parameterOf(controls)?.take(value);
    const text = textOf(value);
    if (putIn === undefined) return refusal(`Invalid value ${text === undefined ? '' : `"${text}" `}for parameter ${name}`);
    append(puts, putIn);
  }
  each(puts, (putIn) => putIn());
  if (!isConnected(form)) return UPDATED;

  let isWaiting = isForUser && origin !== undefined;
  const report = (phase) => {
    if (isWaiting) post(origin.port, { type: NAMES.USER_INTERACTION, requestId: origin.requestId, toolName, phase, kind: 'form' });
  };
  const call = {
    submitting: 0,
    sent() {
      report('ended');
      isWaiting = false;
    },
    end(outcome) {
      if (running.get(form) !== call) return;
      running.delete(form);
      deafen();
      call.sent();
      answer(outcome);
    },
  };
  const deafen = whenAborted(signal, () => call.end(UPDATED));
  running.set(form, call);
  report('started');
  if (isForUser) {
    focus(button);
  } else {
    isSending = true;
    requestSubmit(form, defaultButton(form));
    isSending = false;
    if (call.submitting === 0) call.end(failure(`Form validation failed: ${complaintsOf(form)}`));
  }
  return undefined;
};

/** The messages with which the browser refused to submit the form. */
function complaintsOf(form) {
  let complaints = '';
  each(elements(form), (control) => {
    if (fits(control, ':invalid:not(fieldset)')) complaints += `${nameOf(control)}: ${complaintOf(control)}. `;
  });
  return complaints;
}

const callOf = (event) => (event.isTrusted ? running.get(eventTarget(event)) : undefined);

export function onSubmit(event) {
  const call = callOf(event);
  if (call === undefined || responses.has(event)) return;
  const response = { isOpen: true, promise: undefined };
  responses.set(event, response);
  call.submitting += 1;
  const root = currentTarget(event);
  let isOver = false;
  /** Changes of the form before this do not matter to the call; later ones do. */
  const finish = () => {
    if (isOver) return;
    isOver = true;
    unlisten(root, 'submit', atEnd);
    noteChanges();
    call.submitting -= 1;
  };
  const atEnd = (one) => one === event && finish();
  // If the bridge sends the form, microtasks count as well: they come in the midst of an event of the browser's own.
  if (isSending) delay(finish);
  else listen(root, 'submit', atEnd);
  // Only when the event is over is it clear what the page made of it.
  later(() => {
    response.isOpen = false;
    finish();
    call.sent();
    if (response.promise !== undefined) {
      response.promise.then((value) => call.end(answerOf(value)), (error) => {
        tellPage(error);
        call.end(failure('respondWith promise was rejected', 'threw', error));
      });
    } else if (defaultPrevented(event)) {
      const mistake = "it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result";
      call.end(failure(`The site has a programming error: ${mistake}`));
    } else {
      call.end(NAVIGATED);
    }
  });
}

function answerOf(value) {
  try {
    return { __proto__: null, ok: true, text: value === '' ? '' : render(value) };
  } catch (error) {
    return failure('respondWith promise resolved with an object that could not be serialized to JSON', 'threw', error);
  }
}

export function onReset(event) {
  const call = callOf(event);
  // Before what is made of a `submit` event during which the page resets the form.
  if (call !== undefined) nextTask(() => defaultPrevented(event) || call.end(failure('Tool execution cancelled by a form reset')));
}

const members = {
  get agentInvoked() {
    // Throws the right error if this is not an event.
    defaultPrevented(this);
    return responses.has(this);
  },
  respondWith(response) {
    const isPrevented = defaultPrevented(this);
    const own = responses.get(this);
    if (arguments.length === 0) throw new NativeTypeError('1 argument required, but only 0 present.');
    const demand = (condition, message) => {
      if (!condition) throw invalidState(message);
    };
    demand(own !== undefined, 'You can only call respondWith on an submit event that has agentInvoked == true.');
    demand(isPrevented, 'To call respondWith, you must first call preventDefault.');
    demand(own.isOpen, 'To call respondWith, the event must be currently being dispatched.');
    own.promise = settled(response);
    // It may fail before it is looked at.
    own.promise.then(undefined, () => {});
  },
};

/**
 * Let events tell whether a call sent the form, and take the page's response.
 *
 * @param {() => void} note takes note of what has become of the forms until now
 */
export function beginRuns(note) {
  noteChanges = note;
  running = new SafeMap();
  responses = new SafeWeakMap();
  for (const key of ownKeys(members)) define(SubmitEvent.prototype, key, getOwnPropertyDescriptor(members, key));
}
