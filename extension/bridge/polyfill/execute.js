/** Tools that the page itself calls, in this window or in another. */

import { isAborted, isClosed, NativeDOMException, parse, reasonOf } from '../captured.js';
import { asAnnotations, jsonOf } from '../definition.js';
import { expected, take } from '../expected.js';
import { isObject, whenAborted } from '../safe.js';
import { later } from '../tasks.js';
import { asObject, asString, asText, asWindow, invalidState, membersOf } from '../webidl.js';
import { errorText } from '../wire.js';
import { demandAccess, originOf, ownOrigin } from './access.js';
import { top } from './captured.js';
import { current, toolOf } from './documents.js';
import { peerIn, tie } from './peers.js';
import { run } from './run.js';

export function readRegisteredTool(tool, fail) {
  if (!isObject(tool)) fail("The provided value is not of type 'RegisteredTool'.");
  const member = membersOf(tool, 'RegisteredTool', fail);
  member('annotations', asAnnotations);
  member('description', asString, true);
  member('inputSchema', asObject);
  const name = member('name', asString, true);
  const origin = member('origin', asText, true);
  member('title', asString);
  return { __proto__: null, name, origin, view: member('window', asWindow, true) };
}

const FAILED = 'Tool was executed but the invocation failed. For example, the script function threw an error';
const UNKNOWN = 'The operation failed for an unknown transient reason (e.g. out of memory).';
const unknownError = (message) => new NativeDOMException(message, 'UnknownError');

/** Run a tool in a window of this tab, if it is there. @returns {(() => void) | undefined} what cancels the run */
function begin(view, name, input, finish) {
  if (view === window) return toolOf(current(), name) && run(current(), name, input, undefined, finish);
  const peer = view.top === top ? peerIn(view) : undefined;
  return peer?.isOpen() ? peer.run(name, input, finish) : undefined;
}

export function execute(state, { name, origin, view }, input, signal, resolve, reject, fail) {
  demandAccess(state);
  const target = originOf(origin);
  if (target === null) throw new NativeDOMException('The provided origin is invalid.', 'NotSupportedError');
  if (target === 'null') {
    throw new NativeDOMException('Cannot execute tools that live in a document with an opaque origin.', 'NotSupportedError');
  }
  if (!isObject(input)) fail('invalid input object: value is not an object');
  const text = jsonOf(input, 'input object', fail);
  if (isClosed(view)) throw invalidState('Target frame is detached.');
  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);

  const call = expected.size > 0 && view === window ? take(name, parse(text)) : undefined;
  const cancel = target === ownOrigin ? begin(view, name, text, finish) : undefined;
  let isGone = false;
  const leave = () => {
    isGone = true;
    cancel();
  };
  // A run in another window ends with this one, too.
  const untie = cancel && view !== window ? tie(leave) : undefined;
  const failed = () => later(() => reject(unknownError(UNKNOWN)));
  if (cancel === undefined) failed();
  const deafen = signal && whenAborted(signal, () => {
    untie?.();
    reject(reasonOf(signal));
    cancel?.();
  });

  function finish(outcome) {
    untie?.();
    deafen?.();
    if (outcome?.code === 'threw') call?.failed(errorText(outcome.error));
    if (isGone) return;
    if (outcome === undefined) failed();
    else if (outcome.ok) resolve(outcome.text);
    else if (outcome.code === 'notFound') reject(unknownError(`Tool not found: ${name}`));
    else if (outcome.words !== undefined) reject(unknownError(outcome.words));
    else if (outcome.code === 'badArguments') reject(unknownError('Failed to parse input arguments'));
    else reject(unknownError(FAILED));
  }
}
