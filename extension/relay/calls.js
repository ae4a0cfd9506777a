/** Runs calls: each id runs once, and its answer is kept for a while. */

import * as CAPS from '../shared/caps.js';
import * as NAMES from '../shared/names.js';
import { backend } from './announce.js';
import { bridge } from './bridge.js';
import { failure, notFound } from './outcomes.js';
import { all, isNative, toolNameOf } from './own.js';
import { pause } from './pace.js';
import { parseObject, send, toText } from './worker.js';

/** Maximum number of kept results, and maximum characters in all. */
const KEPT_RESULTS = 100;
const KEPT_CHARACTERS = 16777216;

/** Milliseconds until a form that was filled and not refused waits for the user. */
const FORM_PATIENCE = 100;

/**
 * Runs under way, by request id. `sending` is the event with which a form was sent meanwhile that is the run's tool.
 *
 * @typedef {{ toolName: string, controller: AbortController, sending?: SubmitEvent }} Run
 * @type {Map<string, Run>}
 */
export const running = new Map();

/** Answers by request id, also of runs under way; `null` for one that is no longer kept. @type {Map<string, Promise<string> | null>} */
const answers = new Map();

/** Finished runs whose answers are kept, oldest first. @type {{ requestId: string, size: number }[]} */
const kept = [];

const resultText = (requestId, outcome) => toText({ type: NAMES.TOOL_RESULT, requestId, ...outcome });

/** Run a tool, or return the answer of an earlier run with this id: an id never runs twice. */
export function answer({ requestId, toolName, args }) {
  const known = answers.get(requestId);
  if (known === null) {
    return Promise.resolve(resultText(requestId, failure('tooLarge', 'The tool did run; its result is no longer kept.')));
  }
  if (known !== undefined) return known;
  const text = perform(requestId, toolName, args).then((outcome) => resultText(requestId, outcome));
  answers.set(requestId, text);
  void text.then(({ length: size }) => keep({ requestId, size }));
  return text;
}

function keep(finished) {
  kept.push(finished);
  let characters = kept.reduce((sum, { size }) => sum + size, 0);
  while (kept.length > KEPT_RESULTS || (characters > KEPT_CHARACTERS && kept.length > 1)) {
    const { requestId, size } = kept.shift();
    answers.set(requestId, null);
    characters -= size;
  }
}

async function perform(requestId, toolName, args) {
  if (typeof toolName !== 'string') return notFound();
  if (typeof args !== 'string' || args.length > CAPS.ARGUMENTS || !isObjectText(args)) {
    return failure('badArguments', `The arguments must be a JSON object of at most ${CAPS.ARGUMENTS} characters.`);
  }
  const controller = new AbortController();
  const { signal } = controller;
  running.set(requestId, { toolName, controller });
  // An abort ends the call, whatever the page does.
  const ended = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
  const outcome = Promise.race([ended, backend.call(requestId, toolName, args, signal)]);
  void tellOfForm(requestId, toolName, outcome);
  try {
    return await outcome;
  } catch (error) {
    return failure('threw', `${error?.message ?? error}`);
  } finally {
    running.delete(requestId);
  }
}

/** Report a form that the browser has filled in and that the user has to submit. The bridge reports its own forms. */
async function tellOfForm(requestId, toolName, outcome) {
  if (!isNative && bridge.backend !== 'native') return;
  if (!all('form[toolname]:not([toolautosubmit])').some((form) => toolNameOf(form) === toolName)) return;
  let over = false;
  const end = outcome.then(
    () => (over = true),
    () => (over = true),
  );
  await Promise.race([end, pause(FORM_PATIENCE)]);
  if (over) return;
  const tell = (phase) => send({ type: NAMES.USER_INTERACTION, requestId, toolName, phase, kind: 'form' });
  void tell('started');
  await end;
  void tell('ended');
}

function isObjectText(text) {
  const value = parseObject(text);
  return value !== undefined && !Array.isArray(value);
}

/**
 * End all calls.
 *
 * @param {(run: Run) => object} answerTo what is to be answered
 */
export const endAll = (answerTo) => running.forEach((run) => run.controller.abort(answerTo(run)));
