/** The bridge in this window, for the bridges of other windows. */

import { apply, freeze, NativeEvent } from '../captured.js';
import { hearWindow } from '../connection.js';
import { append, each } from '../safe.js';
import { refusal } from './access.js';
import { viewOf } from './captured.js';
import { current, fire, namesOf, states, toolOf } from './documents.js';
import { heir } from './heir.js';
import { methods } from './methods.js';
import { children, tie } from './peers.js';
import { run } from './run.js';

/** @returns {Peer} */
export const ownPeer = () =>
  freeze({
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
