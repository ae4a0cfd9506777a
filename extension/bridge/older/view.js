/** `navigator.modelContext`, which browsers have dropped and older pages still call. */

import {
  abort, apply, create, getOwnPropertyDescriptor, getProperty, hasOwn, NativeAbortController, NativeEventTarget,
  NativeTypeError, ownKeys, setProperty, setPrototypeOf, signalOf,
} from '../captured.js';
import { backend, takeOver } from '../connection.js';
import { check, readRegisterOptions, readTool } from '../definition.js';
import { define, each, follow, isObject, oneOf, SafeMap } from '../safe.js';
import { asListOf, failing, optionsOf } from '../webidl.js';
import { withClient } from './client.js';

/**
 * Today's object with the methods that it once had. What is registered here appears in `document.modelContext`; the
 * older methods do not.
 *
 * @param {object} base the prototype of today's object
 */
function olderView(base) {
  /** Tools registered here. @type {Map<string, AbortController>} */
  const own = new SafeMap();

  /** Read and check a tool, which throws at once, as the older API did. */
  function prepare(tool, taken, fail) {
    const definition = readTool(tool, fail);
    check(definition, taken(definition.name), fail);
    return definition;
  }

  function add(definition, { exposedTo, signal }) {
    const { name } = definition;
    const controller = new NativeAbortController();
    const ended = signalOf(controller);
    own.set(name, controller);
    const promise = backend.register(
      { __proto__: null, ...definition, execute: withClient(name, definition.execute) },
      { __proto__: null, exposedTo, signal: signal === undefined ? ended : oneOf(ended, signal) },
    );
    // Some libraries of that time return `{ unregister }`, some nothing; a promise with that method suits the callers of all.
    define(promise, 'unregister', { value: () => abort(controller), writable: true, configurable: true });
    // Older pages do not expect a promise: its failure must be no unhandled rejection.
    return follow(promise, undefined, () => abort(controller));
  }

  function clear() {
    own.forEach((controller) => abort(controller));
    own.clear();
  }

  const methods = {
    registerTool(tool, options = undefined) {
      const fail = failing('registerTool');
      const definition = prepare(tool, backend.has, fail);
      return add(definition, readRegisterOptions(options, fail));
    },
    unregisterTool(tool) {
      // For some weeks the draft accepted the tool itself instead of its name.
      const name = `${isObject(tool) ? tool.name : tool}`;
      const controller = own.get(name);
      own.delete(name);
      if (controller !== undefined) abort(controller);
    },
    provideContext(options = undefined) {
      const fail = failing('provideContext');
      const definitions = new SafeMap();
      // All are checked before any is replaced: what throws leaves the earlier tools in place.
      const taken = (name) => definitions.has(name) || (backend.has(name) && !own.has(name));
      const asPrepared = (tool) => {
        const definition = prepare(tool, taken, fail);
        definitions.set(definition.name, definition);
      };
      optionsOf(options, 'ModelContextOptions', fail)('tools', asListOf(asPrepared));
      clear();
      definitions.forEach((definition) => add(definition, { __proto__: null }));
    },
    clearContext() {
      clear();
    },
  };

  const prototype = create(base);
  const show = (name, value) => {
    define(value, 'name', { value: name, configurable: true });
    define(prototype, name, { value, writable: true, enumerable: true, configurable: true });
  };
  each(ownKeys(methods), (name) => show(name, methods[name]));
  // Everything else is passed to the current document's object.
  const pass = (level) =>
    each(ownKeys(level), (name) => {
      const descriptor = getOwnPropertyDescriptor(level, name);
      setPrototypeOf(descriptor, null);
      const { value, get, set } = descriptor;
      if (name === 'constructor' || hasOwn(methods, name)) return;
      if (typeof value === 'function') {
        show(name, (...args) => apply(getProperty(backend.context(), name), backend.context(), args));
      } else if (get !== undefined) {
        define(prototype, name, {
          get: () => getProperty(backend.context(), name),
          set: set && ((to) => setProperty(backend.context(), name, to)),
          enumerable: true,
          configurable: true,
        });
      }
    });
  pass(NativeEventTarget.prototype);
  pass(base);
  return create(prototype);
}

/** `navigator.modelContext`, which is made when it is first asked for: most pages never do. */
export function offerOlderView() {
  const base = window.ModelContext?.prototype ?? NativeEventTarget.prototype;
  const owner = navigator;
  let view;
  // A page may put its own object here, as it could when this property was no browser's.
  const accessor = {
    get modelContext() {
      if (this !== owner) throw new NativeTypeError('Illegal invocation');
      takeOver();
      return (view ??= olderView(base));
    },
    set modelContext(value) {
      define(this, 'modelContext', { value, writable: true, enumerable: true, configurable: true });
    },
  };
  define(Navigator.prototype, 'modelContext', getOwnPropertyDescriptor(accessor, 'modelContext'));
}
