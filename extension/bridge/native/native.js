/**
 * The browser's own WebMCP, or a stranger's polyfill: listed and called from elsewhere. What is done here is to keep the
 * words of a failing tool, of which native callers are told nothing, and to serve relays whose own world has no WebMCP: one
 * that was there before the page's token was, or beside a stranger's polyfill.
 */

import * as CAPS from '../../shared/caps.js';
import * as NAMES from '../../shared/names.js';
import { isProvided } from '../browser.js';
import { NOT_FOUND, takeCall } from '../calls.js';
import {
  abort, apply, getOwnPropertyDescriptor, listen, matches, NativeAbortController, NativePromise, NativeTypeError, parse, postText, signalOf,
  stringify, uncurry,
} from '../captured.js';
import { expected, MAX_EXPECTED } from '../expected.js';
import { paced } from '../pace.js';
import { objectIn, post, relays } from '../relays.js';
import { append, define, each, isObject, outcomeOf, runSafely, SafeMap, settled } from '../safe.js';
import { isShown } from '../skills.js';
import { errorText, listAnswer, listOf, render, wireOf } from '../wire.js';
import { isRegistered, wrap } from './observed.js';

/** The current document's object. @type {() => object} */
let context;

/** Its methods, as they were when this began. @type {{ executeTool: Function, getTools: Function, registerTool: Function }} */
let methods;

/** An own property of `document`, where the browser defines none. @type {object | undefined} */
let found;

/** Whether it is the browser's own, once somebody asked. @type {boolean | undefined} */
let isBrowsers;

/** @returns {'native' | 'polyfill'} */
function backendName() {
  isBrowsers ??= found === undefined && isProvided();
  return isBrowsers ? 'native' : 'polyfill';
}

/** Handles of this document's tools as last listed, by name. @type {Map<string, object>} */
let handles = new SafeMap();

/** Whether a relay has requested the list, and has to be told of changes. */
let isWatched = false;

/** Characters of the list as last given. */
let size = 0;

const isBlocking = (error) => error?.name === 'NotAllowedError' || error?.name === 'SecurityError';

/** The list as the last members of a JSON object. */
function list() {
  const listed = (tools) => {
    handles = new SafeMap();
    const wires = [];
    each(tools, (tool) => {
      if (isShown(tool.name) || (tool.window !== undefined && tool.window !== window)) return;
      const { inputSchema } = tool;
      // It was text once, and still is with some polyfills.
      const schema = isObject(inputSchema) ? stringify(inputSchema) : inputSchema;
      handles.set(tool.name, tool);
      append(wires, wireOf({ __proto__: null, ...tool, title: `${tool.title ?? ''}`, description: `${tool.description}`, schema }));
    });
    const text = listOf(backendName(), wires.length, (at) => wires[at], false);
    size = text.length;
    return text;
  };
  const refused = (error) => listOf(backendName(), 0, undefined, isBlocking(error));
  return runSafely(() => outcomeOf(apply(methods.getTools, context(), [])), []).then(listed).then(undefined, refused);
}

/** Make a relay request the list. A relay with WebMCP in its own world ignores this. */
const invite = (port) => postText(port, `{"type":"${NAMES.TOOLS_CHANGED}","backend":"${backendName()}"}`);

function watch() {
  if (isWatched) return;
  isWatched = true;
  const inviteAll = paced(() => {
    relays.forEach((_, port) => invite(port));
    return size;
  });
  listen(context(), 'toolchange', inviteAll);
}

function call(port, calls, message) {
  const { requestId, toolName, args } = message;
  takeCall(port, calls, message, (input, { result, failure }) => {
    const controller = new NativeAbortController();
    const options = { signal: signalOf(controller) };
    const one = { __proto__: null, port, requestId, toolName, args: input, failed: (words) => (one.words = words), words: undefined };
    const run = (given) => runSafely(() => outcomeOf(apply(methods.executeTool, context(), [handles.get(toolName), given, options])), []);
    const start = () => {
      if (!handles.has(toolName)) {
        failure('notFound', NOT_FOUND);
        return undefined;
      }
      expected.set(requestId, one);
      // Chrome before 154 and some polyfills want JSON text. Neither error comes after the tool has run: native WebMCP
      // tells nothing of a tool's own TypeError.
      const again = (error) => {
        const isType = backendName() === 'native' && error instanceof NativeTypeError;
        if (isType || matches(/^Failed to parse input/, `${error?.message}`) !== null) return run(args);
        throw error;
      };
      // Some polyfills give a result as it is.
      return run(input).then(undefined, again).then((value) => result(value === null || value === '' ? value : render(value)));
    };
    const failed = (error) => {
      if (one.words !== undefined) failure('threw', one.words);
      else if (isBlocking(error)) failure('blocked', errorText(error));
      // This error means that the tool ran; it may have unregistered itself.
      else if (matches(/^Tool was executed/, `${error?.message}`) !== null) failure('threw', errorText(error));
      // To look for it in a new list is for the relay, which knows when the browser must not be asked.
      else failure('unsure', errorText(error));
    };
    const ready = handles.has(toolName) ? settled(undefined) : list();
    ready.then(start).then(undefined, failed).then(() => expected.delete(requestId));
    return () => {
      expected.delete(requestId);
      abort(controller);
    };
  });
}

/** @returns {Backend} */
export function native() {
  const descriptor = getOwnPropertyDescriptor(Document.prototype, 'modelContext');
  const read = descriptor?.get && !getOwnPropertyDescriptor(document, 'modelContext') ? uncurry(descriptor.get) : undefined;
  found = read === undefined ? document.modelContext : undefined;
  context = () => found ?? read(document);

  const prototype = window.ModelContext?.prototype;
  const own = prototype && getOwnPropertyDescriptor(prototype, 'registerTool');
  const unwrapped = typeof own?.value === 'function' ? own.value : undefined;
  if (unwrapped !== undefined) define(prototype, 'registerTool', { ...own, value: wrap(unwrapped, context) });
  // The browser takes longer to make its object than all else here: whoever uses it first has it made.
  const { executeTool, getTools, registerTool } = read !== undefined && typeof prototype?.getTools === 'function' ? prototype : context();
  methods = { __proto__: null, executeTool, getTools, registerTool };
  return {
    get name() {
      return backendName();
    },
    isReplaced: () => false,
    context,
    has: isRegistered,
    register({ name, title, description, schema, annotations, execute, isSkill }, { exposedTo, signal }) {
      const tool = { __proto__: null, name, title, description, execute, annotations, inputSchema: schema && parse(schema) };
      // A SKILL's is not registered where the page's own registration could not take its name.
      if (isSkill && unwrapped === undefined) return new NativePromise((_, reject) => reject());
      return apply(isSkill ? unwrapped : registerTool, context(), [tool, { __proto__: null, exposedTo, signal }]);
    },
    greet: invite,
    hear(port, calls, message) {
      const { type, requestId, toolName, args } = message;
      if (typeof requestId !== 'string') return;
      switch (type) {
        case NAMES.EXPECT_CALL: {
          if (typeof args !== 'string' || args.length > CAPS.ARGUMENTS || expected.size >= MAX_EXPECTED) return;
          const failed = (error) => post(port, { type: NAMES.EXPECTED_CALL, requestId, phase: 'failed', error });
          expected.set(requestId, { __proto__: null, port, requestId, toolName, args: objectIn(args), failed });
          post(port, { type: NAMES.EXPECTED_CALL, requestId, phase: 'expecting' });
          break;
        }
        case NAMES.LIST_TOOLS:
          watch();
          list().then((text) => postText(port, listAnswer(requestId, text)));
          break;
        case NAMES.CALL_TOOL:
          call(port, calls, message);
          break;
        case NAMES.CANCEL_CALL:
          calls.get(requestId)?.();
          expected.delete(requestId);
          break;
      }
    },
  };
}
