/** Documents and their tools. */

import { construct, dispatch, isAborted, NativeEventTarget, NativeTypeError } from '../captured.js';
import { flushForms } from '../forms/find.js';
import { append, isObject, SafeMap, SafeWeakMap } from '../safe.js';
import { sort } from './captured.js';
import { join } from './peers.js';

/**
 * One document's tools.
 *
 * @typedef {object} State
 * @property {Document} document
 * @property {EventTarget} context
 * @property {Map<string, Tool>} tools
 * @property {Map<string, { callback: object, listener: Function }>} handlers the `on…` attributes that are set
 */
/** @typedef {Definition & RegisterOptions & { wire: string }} Tool `wire` is its description as JSON text for the relays */
/** @type {WeakMap<object, State>} */
export let states;
/** @type {WeakMap<Document, EventTarget>} */
let contexts;

/** Create the maps. */
export function beginDocuments() {
  states = new SafeWeakMap();
  contexts = new SafeWeakMap();
}

export function ModelContext() {
  throw new NativeTypeError(new.target ? "Failed to construct 'ModelContext': Illegal constructor" : 'Illegal constructor');
}

export function contextOf(one) {
  join();
  let context = contexts.get(one);
  if (context === undefined) {
    context = construct(NativeEventTarget, [], ModelContext);
    contexts.set(one, context);
    states.set(context, { __proto__: null, document: one, context, tools: new SafeMap(), handlers: new SafeMap() });
  }
  return context;
}

/** The state of the document that this window shows now: a window can outlive the empty document of a new frame. */
export const current = () => states.get(contextOf(document));

export function stateOf(context, fail) {
  return (isObject(context) && states.get(context)) || fail('Illegal invocation');
}

/** A tool whose signal is aborted is gone from that moment, before any listener of the signal runs. */
export const isLive = (tool) => tool !== undefined && !(tool.signal !== undefined && isAborted(tool.signal));

export function toolOf(state, name) {
  flushForms();
  const tool = state.tools.get(name);
  return isLive(tool) ? tool : undefined;
}

/** Names of the live tools by UTF-16 code unit. */
export function namesOf(state) {
  flushForms();
  const names = [];
  state.tools.forEach((tool, name) => {
    if (isLive(tool)) append(names, name);
  });
  return sort(names);
}

export const fire = (state, event) => dispatch(state.context, event);
