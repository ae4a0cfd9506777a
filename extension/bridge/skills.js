/**
 * Tools of SKILLs that the relay has registered here, so that other agents find them in this page. They are no tools of the
 * page: no list for the relay has them, and a tool that the page registers itself takes the name.
 */

import * as CAPS from '../shared/caps.js';
import * as NAMES from '../shared/names.js';
import { abort, isAborted, isArray, NativeAbortController, NativePromise, NativeTypeError, reasonOf, signalOf, stringify } from './captured.js';
import { post } from './relays.js';
import { append, each, follow, isObject, SafeMap, whenAborted } from './safe.js';

/** What ends the registrations, by name, and what was registered. @type {Map<string, { controller: AbortController, text: string }>} */
const shown = new SafeMap();

/** Calls without an answer, by id. @type {Map<string, (message: object) => void>} */
const waiting = new SafeMap();

/** The relay that shows them, and its last request. @type {MessagePort | undefined} */
let port;
let requestId = '';

/** Number of calls so far. */
let calls = 0;

/** Whether the tool of this name is a SKILL's. */
export const isShown = (name) => shown.has(name);

/** The names of all of them. */
export function shownNames() {
  const names = [];
  shown.forEach((_, name) => append(names, name));
  return names;
}

/**
 * Hear a relay.
 * @param {MessagePort} from
 * @param {object} message
 * @param {import('./connection.js').Backend} backend with which tools are registered
 * @returns {boolean} whether its message was about SKILLs
 */
export function hearOfSkills(from, message, backend) {
  if (message.type === NAMES.SHOW_SKILLS) show(from, message, backend);
  else if (message.type === NAMES.SKILL_RESULT) waiting.get(message.requestId)?.(message);
  else return false;
  return true;
}

function show(from, message, backend) {
  port = from;
  requestId = message.requestId;
  const wanted = new SafeMap();
  each(isArray(message.tools) ? message.tools : [], (tool) => {
    if (isObject(tool)) wanted.set(tool.name, tool);
  });
  shown.forEach(({ controller, text }, name) => {
    if (stringify(wanted.get(name)) === text) {
      wanted.delete(name);
      return;
    }
    shown.delete(name);
    abort(controller);
  });
  wanted.forEach((tool) => begin(tool, backend));
  tellShown();
}

/** Another relay comes, and will say what it wants: the one before may be left over. */
export function withdraw() {
  port = undefined;
  shown.forEach(({ controller }, name) => {
    shown.delete(name);
    abort(controller);
  });
}

function begin(tool, backend) {
  const { name, title, description, inputSchema: schema, annotations } = tool;
  const controller = new NativeAbortController();
  shown.set(name, { controller, text: stringify(tool) });
  const gone = () => {
    if (shown.get(name)?.controller !== controller) return;
    shown.delete(name);
    tellShown();
  };
  const hint = (which) => annotations?.[which] === true;
  const definition = {
    __proto__: null,
    name,
    title: title ?? '',
    description,
    schema,
    annotations: {
      __proto__: null,
      consequentialHint: hint('consequentialHint'),
      debugging: false,
      readOnlyHint: hint('readOnlyHint'),
      untrustedContentHint: hint('untrustedContentHint'),
    },
    execute: (input, options) => new NativePromise((resolve, reject) => call(name, input, options?.signal, resolve, reject)),
    isSkill: true,
  };
  // Where the page has a tool of this name, ours is refused.
  follow(backend.register(definition, { __proto__: null, signal: signalOf(controller) }), undefined, gone);
}

/** The page registers a tool of this name itself. Done before the browser compares the names. */
export function giveUp(name) {
  const one = shown.get(name);
  if (one === undefined) return;
  shown.delete(name);
  abort(one.controller);
  tellShown();
}

function tellShown() {
  if (port !== undefined) post(port, { type: NAMES.SKILLS_SHOWN, requestId, names: shownNames() });
}

function call(toolName, input, signal, resolve, reject) {
  const args = stringify(input);
  if (port === undefined || args === undefined || args.length > CAPS.ARGUMENTS) {
    throw new NativeTypeError(`The arguments must be an object of at most ${CAPS.ARGUMENTS} characters as JSON.`);
  }
  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
  calls += 1;
  const id = `${calls}`;
  const deafen = signal && whenAborted(signal, () => {
    waiting.delete(id);
    reject(reasonOf(signal));
  });
  waiting.set(id, ({ ok, text }) => {
    waiting.delete(id);
    deafen?.();
    // Callers are told nothing of why a tool failed. What does not succeed is therefore a result that says so, as the Model
    // Context Protocol has it.
    resolve(ok ? text : { isError: true, content: [{ type: 'text', text }] });
  });
  post(port, { type: NAMES.SKILL_CALLED, requestId: id, toolName, args });
}
