/** The methods of `document.modelContext`. */

import { apply, getProperty, NativePromise, parse } from '../captured.js';
import { takeOver } from '../connection.js';
import { readRegisterOptions, readTool } from '../definition.js';
import { append, each, find, isObject } from '../safe.js';
import { later } from '../tasks.js';
import { asSignal, asTexts, failing, optionsOf } from '../webidl.js';
import { demandAccess, demandSecureOrigins, ownOrigin } from './access.js';
import { sort } from './captured.js';
import { contextOf, stateOf, states } from './documents.js';
import { execute, readRegisteredTool } from './execute.js';
import { heir } from './heir.js';
import { peers } from './peers.js';
import { register } from './registration.js';

/** The page's own view of the tools: fresh objects, sorted, members in the order of a WebIDL dictionary. */
function registered() {
  const found = [];
  each(peers(), ({ tools, view }) => each(tools(), (tool) => append(found, { __proto__: null, tool, view })));
  sort(found, ({ tool: { name: one } }, { tool: { name: other } }) => (one < other ? -1 : one > other ? 1 : 0));
  const list = [];
  each(found, ({ tool: { name, title, description, schema, annotations }, view }) => {
    const inputSchema = schema === undefined ? undefined : parse(schema);
    // Chromium registers a tool whose schema turned into a primitive, and lists it nowhere.
    if (schema !== undefined && !isObject(inputSchema)) return;
    append(list, {
      ...(annotations && { annotations: { ...annotations } }),
      description,
      ...(inputSchema && { inputSchema }),
      name,
      origin: ownOrigin,
      title,
      window: view,
    });
  });
  return list;
}

/** Use native WebMCP if it has appeared, otherwise the polyfill. */
function passOn(name, self, args, act) {
  takeOver();
  // A method may be called on the object of another frame, and then belongs there.
  const owner = isObject(self) && !states.has(self) ? find(peers(), ({ owns }) => owns(self)) : undefined;
  if (owner !== undefined) return owner.invoke(name, self, args);
  if (heir === undefined || self !== contextOf(document)) return new NativePromise(act);
  const context = heir.context();
  return apply(getProperty(context, name), context, args);
}

export const methods = {
  executeTool(tool, inputObject = {}, options = undefined) {
    const given = arguments.length;
    return passOn('executeTool', this, arguments, (resolve, reject) => {
      const fail = failing('executeTool');
      const state = stateOf(this, fail);
      if (given === 0) fail('1 argument required, but only 0 present.');
      const target = readRegisteredTool(tool, fail);
      const signal = optionsOf(options, 'ExecuteToolOptions', fail)('signal', asSignal);
      execute(state, target, inputObject, signal, resolve, reject, fail);
    });
  },
  getTools(options = undefined) {
    return passOn('getTools', this, arguments, (resolve) => {
      const fail = failing('getTools');
      const state = stateOf(this, fail);
      const fromOrigins = optionsOf(options, 'ModelContextGetToolOptions', fail)('fromOrigins', asTexts);
      demandAccess(state);
      if (fromOrigins !== undefined) demandSecureOrigins(fromOrigins, 'fromOrigins');
      const tools = registered();
      later(() => resolve(tools));
    });
  },
  registerTool(tool, options = undefined) {
    const given = arguments.length;
    return passOn('registerTool', this, arguments, (resolve, reject) => {
      const fail = failing('registerTool');
      const state = stateOf(this, fail);
      if (given === 0) fail('1 argument required, but only 0 present.');
      register(state, readTool(tool, fail), readRegisterOptions(options, fail), resolve, reject, fail);
    });
  },
};
