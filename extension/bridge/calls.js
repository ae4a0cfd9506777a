/** Calls that relays make. */

import * as CAPS from '../shared/caps.js';
import * as NAMES from '../shared/names.js';
import { wellFormed } from './captured.js';
import { objectIn, post } from './relays.js';
import { SafeWeakMap } from './safe.js';

/**
 * Start a call for a relay, unless that id is already running.
 *
 * @param {MessagePort} port
 * @param {Calls} calls
 * @param {{ requestId: string, toolName: string, args: string }} message
 * @param {(input: object, answer: Answers) => () => void} begin gives the function that cancels
 * @typedef {{ result: (text: string | null) => void, failure: (code: string, error: string) => void }} Answers only the
 *   first one counts
 */
export function takeCall(port, calls, { requestId, args }, begin) {
  if (typeof requestId !== 'string' || calls.has(requestId)) return;
  const answer = (message) => {
    if (calls.delete(requestId)) post(port, { type: NAMES.TOOL_RESULT, requestId, ...message });
  };
  const answers = {
    __proto__: null,
    result(text) {
      if (text === null) answer({ ok: true });
      else if (text.length > CAPS.RESULT) answers.failure('tooLarge', `The result is larger than ${CAPS.RESULT} characters.`);
      else answer({ ok: true, result: wellFormed(text) });
    },
    failure: (code, error) => answer({ ok: false, code, error }),
  };
  let cancel = () => {};
  calls.set(requestId, () => {
    answers.failure('cancelled', 'The call was cancelled.');
    cancel();
  });
  const input = typeof args === 'string' && args.length <= CAPS.ARGUMENTS ? objectIn(args) : undefined;
  if (input === undefined) {
    answers.failure('badArguments', `The arguments must be a JSON object of at most ${CAPS.ARGUMENTS} characters.`);
  } else {
    cancel = begin(input, answers);
  }
}

export const NOT_FOUND = 'The page has no tool of this name.';

/**
 * The call of a run, by the signal that its tool was given: connects an interaction with its call.
 *
 * @type {WeakMap<AbortSignal, { port: MessagePort, requestId: string }>}
 */
export const origins = new SafeWeakMap();
