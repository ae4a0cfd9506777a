/** Connects relays with the implementation of `document.modelContext`. */

import * as NAMES from '../shared/names.js';
import { VERSION } from '../shared/version.js';
import {
  closePort, listen, messageData, messagePorts, messageSource, ownKeys, startPort, stopImmediatePropagation,
} from './captured.js';
import { hearOfFacts } from './facts.js';
import { objectIn, post, relays } from './relays.js';
import { isObject, SafeMap } from './safe.js';
import { hearOfSkills, withdraw } from './skills.js';

/**
 * The implementation of `document.modelContext` in this document.
 *
 * @typedef {object} Backend
 * @property {'native' | 'polyfill'} name
 * @property {() => boolean} isReplaced whether native WebMCP has come in its place
 * @property {(successor: Backend) => void} [yieldTo] gives it everything
 * @property {() => object} context the current document's object
 * @property {(name: string) => boolean} has
 * @property {(definition: Definition, options: RegisterOptions) => Promise<undefined>} register `definition` has been checked
 * @property {(port: MessagePort) => void} greet a relay that has just connected
 * @property {(port: MessagePort, calls: Calls, message: object) => void} hear a relay
 */

/**
 * Relays that may be connected at once: an extension that is reloaded leaves its last one behind, and no event tells that
 * the other end of a port was closed.
 */
const MAX_RELAYS = 8;

/** The current implementation. @type {Backend} */
export let backend;

/** Makes the backend for native WebMCP. @type {() => Backend} */
let makeNative;

/** Serve relays with this backend until native WebMCP appears. */
export function serve(first, native) {
  backend = first;
  makeNative = native;
  hearWindow();
}

/** The property `type` of a message that has no other. */
function loneType(data) {
  if (!isObject(data)) return undefined;
  const keys = ownKeys(data);
  return keys.length === 1 && keys[0] === 'type' ? data.type : undefined;
}

function onWindowMessage(event) {
  // Ports first: to read `data` is to deserialise it, and nearly all messages have no port.
  const ports = messagePorts(event);
  if (ports.length !== 1 || !event.isTrusted || messageSource(event) !== window) return;
  if (loneType(messageData(event)) !== NAMES.CONNECT) return;
  stopImmediatePropagation(event);
  connect(ports[0]);
}

function connect(port) {
  const calls = new SafeMap();
  if (relays.size >= MAX_RELAYS) {
    let oldest;
    relays.forEach((_, one) => (oldest ??= one));
    relays.delete(oldest);
    closePort(oldest);
  }
  relays.set(port, calls);
  listen(port, 'message', (event) => {
    const text = messageData(event);
    const message = typeof text === 'string' ? objectIn(text) : undefined;
    takeOver();
    if (message === undefined || hearOfFacts(port, message) || hearOfSkills(port, message, backend)) return;
    backend.hear(port, calls, message);
  });
  startPort(port);
  takeOver();
  withdraw();
  greet(port);
}

function greet(port) {
  post(port, { type: NAMES.BRIDGE_READY, version: VERSION, backend: backend.name });
  backend.greet(port);
}

/** Listen to the window. `document.open()` takes every listener off it, so this is done again whenever there is an occasion. */
export const hearWindow = () => listen(window, 'message', onWindowMessage, true);

/** Native WebMCP may appear late, with an origin-trial token of the page: it then replaces the polyfill. */
export function takeOver() {
  hearWindow();
  if (!backend.isReplaced()) return;
  const { yieldTo } = backend;
  backend = makeNative();
  yieldTo(backend);
  relays.forEach((_, port) => greet(port));
}
