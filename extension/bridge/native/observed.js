/** Observes runs by native WebMCP, and keeps a failing tool's error for whoever announced the call. */

import { origins } from '../calls.js';
import { apply, getProperty, isAborted, isArray, NativeProxy, wellFormed } from '../captured.js';
import { hearWindow } from '../connection.js';
import { isValidName } from '../definition.js';
import { take } from '../expected.js';
import { note } from '../facts.js';
import { append, isObject, SafeMap, settled } from '../safe.js';
import { giveUp } from '../skills.js';
import { errorText, render } from '../wire.js';

/** Names registered in this document and the signals that end them. @type {Map<string, AbortSignal | undefined>} */
const names = new SafeMap();
export const isRegistered = (name) => names.has(name) && !(names.get(name) !== undefined && isAborted(names.get(name)));

/** `execute` as native WebMCP is to call it. */
function observed(toolName, execute) {
  return function (...args) {
    const call = take(toolName(), args[0]);
    const signal = args[1]?.signal;
    if (call?.port !== undefined && signal !== undefined) origins.set(signal, call);

    // For an announced call the text is made here, so that a result that has none fails with its reason, and half a
    // surrogate pair does not become null, which means navigation. Any other result passes unchanged, unless it is a
    // Symbol: that would crash the tab.
    const pass = (value) => {
      if (call !== undefined) return wellFormed(render(value));
      return typeof value === 'symbol' ? render(value) : value;
    };
    const failed = (error) => {
      call?.failed(errorText(error));
      throw error;
    };
    let value;
    try {
      value = apply(execute, this, args);
      if (!isObject(value)) return pass(value);
    } catch (error) {
      return failed(error);
    }
    return settled(value).then(pass).then(undefined, failed);
  };
}

/** A stand-in for a dictionary, whose members `see` may replace as they are read. It hides no own property: its target is empty. */
const seen = (object, see) =>
  new NativeProxy({ __proto__: null }, { __proto__: null, get: (_, key) => see(key, getProperty(object, key)) });

/**
 * `registerTool` as pages are to call it.
 *
 * @param {Function} registerTool
 * @param {() => object} context the current document's object
 */
export function wrap(registerTool, context) {
  return new NativeProxy(registerTool, {
    __proto__: null,
    apply(target, self, args) {
      hearWindow();
      let name;
      let description;
      let signal;
      let exposedTo;
      if (args.length > 0 && isObject(args[0])) {
        args[0] = seen(args[0], (key, value) => {
          if (key === 'execute' && typeof value === 'function') return observed(() => name, value);
          if (key === 'description') description = value;
          if (key !== 'name' || value === undefined || typeof value === 'symbol') return value;
          name = `${value}`;
          if (self === context()) giveUp(name);
          return name;
        });
      }
      if (args.length > 1 && isObject(args[1])) {
        args[1] = seen(args[1], (key, value) => {
          if (key === 'signal') signal = value;
          if (key !== 'exposedTo' || !isArray(value)) return value;
          exposedTo = [];
          // Its entries as the browser reads them, which the page can count.
          return seen(value, (_, entry) => {
            if (typeof entry === 'string') append(exposedTo, entry);
            return entry;
          });
        });
      }
      const promise = apply(target, self, args);
      if (name !== undefined && isValidName(name) && description !== '' && self === context() && !isRegistered(name)) {
        names.set(name, signal);
        note(name, exposedTo);
      }
      return promise;
    },
  });
}
