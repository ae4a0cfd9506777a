/** `document.modelContext` and its interface, as the page sees them. */

import {
  apply, create, getOwnPropertyDescriptor, listen, NativeEventTarget, NativeTypeError, preventDefault, unlisten,
} from '../captured.js';
import { flushForms } from '../forms/find.js';
import { define, isObject } from '../safe.js';
import { viewOf } from './captured.js';
import { contextOf, ModelContext, stateOf } from './documents.js';
import { defineEvents, install } from './events.js';
import { methods } from './methods.js';

/** An event handler attribute: the first object set takes a place among the listeners, later ones keep it. */
function handlerAttribute(type) {
  const illegal = () => {
    throw new NativeTypeError('Illegal invocation');
  };
  const name = `on${type}`;
  const { get, set } = getOwnPropertyDescriptor(
    {
      get [name]() {
        return stateOf(this, illegal).handlers.get(type)?.callback ?? null;
      },
      set [name](value) {
        const { context, handlers } = stateOf(this, illegal);
        const handler = handlers.get(type);
        if (!isObject(value)) {
          if (handler !== undefined) unlisten(context, type, handler.listener);
          handlers.delete(type);
        } else if (handler !== undefined) {
          handler.callback = value;
        } else {
          const added = {
            __proto__: null,
            callback: value,
            listener: (event) => {
              if (typeof added.callback !== 'function') return;
              if (apply(added.callback, context, [event]) === false) preventDefault(event);
            },
          };
          handlers.set(type, added);
          listen(context, type, added.listener);
        }
      },
    },
    name,
  );
  define(ModelContext.prototype, name, { get, set, enumerable: true, configurable: true });
}

/** The getter of `document.modelContext`. */
let getter;

/** Whether the property was replaced: by native WebMCP that appeared late, or by the page. */
export const isCovered = () => getOwnPropertyDescriptor(Document.prototype, 'modelContext')?.get !== getter;

/** Define it in the page's world. */
export function defineInterface() {
  // The order of the members is the one in which native Chromium lists them.
  define(ModelContext, 'prototype', { value: create(NativeEventTarget.prototype) });
  handlerAttribute('toolchange');
  handlerAttribute('toolactivated');
  handlerAttribute('toolcancel');
  for (const name of ['executeTool', 'getTools', 'registerTool']) {
    define(ModelContext.prototype, name, { value: methods[name], writable: true, enumerable: true, configurable: true });
  }
  install(ModelContext, 'ModelContext', ModelContext.prototype, NativeEventTarget);
  defineEvents();

  // Configurable and on the prototype, so that a native implementation that comes late takes its place.
  const accessor = {
    get modelContext() {
      const view = viewOf(this);
      if (view !== null && view !== window) return view.document.modelContext;
      flushForms();
      return contextOf(this);
    },
  };
  const descriptor = getOwnPropertyDescriptor(accessor, 'modelContext');
  getter = descriptor.get;
  define(Document.prototype, 'modelContext', descriptor);
}
