/** Runs of tools of this document. */

import { NOT_FOUND, origins, takeCall } from '../calls.js';
import { abort, logError, NativeAbortController, parse, signalOf } from '../captured.js';
import { isObject, runSafely } from '../safe.js';
import { later, nextTask } from '../tasks.js';
import { errorText, render } from '../wire.js';
import { current, fire, toolOf } from './documents.js';
import { activatedEvent, cancelEvent } from './events.js';

/**
 * The outcome of a run: a text, or none if it navigated. The page gets an `UnknownError` for each failure,
 * with the words if
 * Chromium has any; a relay gets the code and the error's own words.
 *
 * @typedef {{ ok: false, code: 'threw' | 'notFound' | 'badArguments', words?: string, error?: unknown }} Failure
 * @typedef {{ ok: true, text: string | null } | Failure} Outcome
 */

/**
 * Run a tool, in a task of its own.
 *
 * @param {State} state
 * @param {string} name looked up when the task runs
 * @param {string} input JSON text
 * @param {{ port: MessagePort, requestId: string } | undefined} origin of a call over a port
 * @param {(outcome: Outcome) => void} finish
 * @returns {() => void} cancels the run, which does not keep `finish` from being called
 */
export function run(state, name, input, origin, finish) {
  const controller = new NativeAbortController();
  const signal = signalOf(controller);
  if (origin !== undefined) origins.set(signal, origin);
  let over = false;
  const end = (outcome) => {
    over = true;
    later(() => finish(outcome));
  };
  const failed = (error) => {
    logError('WebMCP tool execution failed:', error);
    end({ __proto__: null, ok: false, code: 'threw', error });
  };

  later(() => {
    const tool = toolOf(state, name);
    if (tool === undefined) {
      end({ __proto__: null, ok: false, code: 'notFound' });
      return;
    }
    const args = parse(input);
    const valid = tool.fill !== undefined || isObject(args);
    if (tool.fill !== undefined) {
      const refused = tool.fill(args, signal, origin, end);
      if (refused !== undefined) end(refused);
    } else if (valid) {
      runSafely(tool.execute, [args, { signal }]).then((value) => {
        let text;
        try {
          text = render(value);
        } catch (error) {
          failed(error);
          return;
        }
        end({ __proto__: null, ok: true, text });
      }, failed);
    }
    // A task of its own, so that what the tool did in its first turn, microtasks included, comes before the event.
    nextTask(() => {
      fire(state, activatedEvent(name));
      if (!valid) end({ __proto__: null, ok: false, code: 'badArguments' });
    });
  });

  return () =>
    later(() => {
      if (over) return;
      abort(controller);
      nextTask(() => fire(state, cancelEvent(name)));
    });
}

/** A call from a relay. */
export function call(port, calls, message) {
  const { requestId, toolName, args } = message;
  takeCall(port, calls, message, (_, { result, failure }) => {
    if (toolOf(current(), toolName) === undefined) {
      failure('notFound', NOT_FOUND);
      return () => {};
    }
    return run(current(), toolName, args, { __proto__: null, port, requestId }, (outcome) => {
      if (outcome.ok) result(outcome.text);
      else if (outcome.code === 'notFound') failure('notFound', NOT_FOUND);
      else failure(outcome.code, errorText(outcome.error));
    });
  });
}
