/** The second argument of tools that were registered the older way. */

import * as NAMES from '../../shared/names.js';
import { origins } from '../calls.js';
import { NativePromise, NativeTypeError } from '../captured.js';
import { tell } from '../relays.js';
import { runSafely, whenAborted } from '../safe.js';
import { invalidState } from '../webidl.js';

/**
 * Give a tool that was registered the older way the second argument of that way, and that of today.
 *
 * @param {string} toolName
 * @param {Function} execute
 */
export function withClient(toolName, execute) {
  return (input, options) => {
    const signal = options?.signal;
    const origin = signal === undefined ? undefined : origins.get(signal);
    let waiting = 0;
    let over = false;
    const report = (phase) =>
      tell(origin?.port, { type: NAMES.USER_INTERACTION, requestId: origin?.requestId ?? null, toolName, phase, kind: 'callback' });
    const end = () => {
      over = true;
      if (waiting > 0) report('ended');
      waiting = 0;
    };
    const client = {
      signal,
      requestUserInteraction(callback) {
        return new NativePromise((resolve, reject) => {
          if (typeof callback !== 'function') {
            throw new NativeTypeError(
              "Failed to execute 'requestUserInteraction' on 'ModelContextClient': parameter 1 is not of type 'Function'.",
            );
          }
          if (over) throw invalidState('The tool call is over.');
          waiting += 1;
          if (waiting === 1) report('started');
          const answered = (settle) => (value) => {
            if (!over) {
              waiting -= 1;
              if (waiting === 0) report('ended');
            }
            settle(value);
          };
          runSafely(callback, []).then(answered(resolve), answered(reject));
        });
      },
    };
    const deafen = signal && whenAborted(signal, end);
    const run = runSafely(execute, [input, client]);
    const done = () => {
      deafen?.();
      end();
    };
    run.then(done, done);
    return run;
  };
}
