/** WebMCP where the browser has none. */

import * as NAMES from '../../shared/names.js';
import { hasNative } from '../browser.js';
import { apply, freeze, listen, NativeEvent, NativePromise, ownKeys, postText } from '../captured.js';
import { hearWindow } from '../connection.js';
import { beginForms, flushForms, stopForms } from '../forms/find.js';
import { append, each, follow } from '../safe.js';
import { failing } from '../webidl.js';
import { listAnswer } from '../wire.js';
import { lookAround, refusal } from './access.js';
import { capture, viewOf } from './captured.js';
import { contextOf, current, fire, isLive, namesOf, states, toolOf } from './documents.js';
import { activatedEvent, cancelEvent } from './events.js';
import { heir, inherit } from './heir.js';
import { defineInterface } from './interface.js';
import { methods } from './methods.js';
import { children, introduce, tie } from './peers.js';
import { changedText, listing, register, registerForm } from './registration.js';
import { call, run } from './run.js';

const own = freeze({
  __proto__: null,
  view: window,
  hear: () => hearWindow(),
  isOpen: () => heir === undefined && refusal === undefined,
  tools() {
    const state = current();
    const tools = [];
    each(namesOf(state), (name) => {
      const { title, description, schema, annotations } = state.tools.get(name);
      append(tools, { __proto__: null, name, title, description, schema, annotations });
    });
    return tools;
  },
  change: () => viewOf(document) !== null && fire(current(), new NativeEvent('toolchange')),
  run(name, input, finish) {
    if (toolOf(current(), name) === undefined) return undefined;
    const untie = tie(() => finish(undefined));
    return run(current(), name, input, undefined, (outcome) => {
      untie();
      finish(outcome);
    });
  },
  adopt(view) {
    children.set(view, true);
    return () => children.delete(view);
  },
  adopted: (visit) => children.forEach((_, view) => visit(view)),
  owns: (context) => states.has(context),
  invoke: (name, context, args) => apply(methods[name], context, args),
});

/** @returns {Backend} */
export function polyfill() {
  capture();
  lookAround();
  beginForms(registerForm);
  defineInterface();
  introduce(own);
  return {
    name: 'polyfill',
    isReplaced: hasNative,
    yieldTo(successor) {
      inherit(successor);
      stopForms();
      const state = current();
      state.tools.forEach((tool) => {
        // What native WebMCP refuses, the page has registered there itself meanwhile.
        if (isLive(tool)) follow(successor.register(tool, tool), undefined, () => {});
      });
      const copies = {
        __proto__: null,
        toolchange: () => new NativeEvent('toolchange'),
        toolactivated: ({ toolName }) => activatedEvent(toolName),
        toolcancel: ({ toolName }) => cancelEvent(toolName),
      };
      each(ownKeys(copies), (type) => listen(successor.context(), type, (event) => fire(state, copies[type](event))));
    },
    context() {
      flushForms();
      return contextOf(document);
    },
    has: (name) => toolOf(current(), name) !== undefined,
    register: (definition, options) =>
      new NativePromise((resolve, reject) => register(current(), definition, options, resolve, reject, failing('registerTool'))),
    greet: (port) => postText(port, changedText()),
    hear(port, calls, message) {
      switch (message.type) {
        case NAMES.LIST_TOOLS:
          postText(port, listAnswer(message.requestId, listing()));
          break;
        case NAMES.CALL_TOOL:
          call(port, calls, message);
          break;
        case NAMES.CANCEL_CALL:
          calls.get(message.requestId)?.();
          break;
      }
    },
  };
}
