/** The polyfill: WebMCP for browsers without it. */

import * as NAMES from '../../shared/names.js';
import { isProvided } from '../browser.js';
import { listen, NativeEvent, NativePromise, ownKeys, postText } from '../captured.js';
import { moving } from '../facts.js';
import { beginForms, flushForms, stopForms } from '../forms/find.js';
import { each, follow } from '../safe.js';
import { failing } from '../webidl.js';
import { listAnswer } from '../wire.js';
import { lookAround } from './access.js';
import { capture } from './captured.js';
import { beginDocuments, contextOf, current, fire, isLive } from './documents.js';
import { activatedEvent, cancelEvent } from './events.js';
import { inherit } from './heir.js';
import { defineInterface, isCovered } from './interface.js';
import { introduce } from './peers.js';
import { changedText, isTaken, listing, register, registerForm } from './registration.js';
import { call } from './run.js';
import { ownPeer } from './self.js';

/** @returns {Backend} */
export function polyfill() {
  capture();
  lookAround();
  beginDocuments();
  beginForms(registerForm);
  defineInterface();
  introduce(ownPeer());
  return {
    name: 'polyfill',
    isReplaced: () => isCovered() && isProvided(),
    yieldTo(successor) {
      inherit(successor);
      stopForms();
      const state = current();
      moving(() =>
        state.tools.forEach((tool) => {
          // If native WebMCP refuses a tool, the page has registered it there itself meanwhile.
          if (isLive(tool)) follow(successor.register(tool, tool), undefined, () => {});
        }),
      );
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
    has: (name) => isTaken(current(), name),
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
