/** The port to the worker: JSON text both ways. A later port, of a new worker, replaces the one before. */

/** Characters of a message. */
const MOST = 262_144;

/** @type {chrome.runtime.Port | undefined} */
let port;
/** Ends when the port does, and with it whatever was asked for over it. */
let life = new AbortController();
let asked = 0;
/** @type {Map<number, (answer: any) => void>} */
const waiting = new Map();

export class Disconnected extends Error {
  constructor() {
    super('The worker is gone.');
  }
}

/** Aborted when the worker that asked is gone. @returns {AbortSignal} */
export const connection = () => life.signal;

/**
 * Take a port of the worker.
 * @param {chrome.runtime.Port} taken
 * @param {(message: any) => void} handle requests
 */
export function take(taken, handle) {
  end();
  port?.disconnect();
  port = taken;
  life = new AbortController();
  taken.onDisconnect.addListener(() => {
    if (port !== taken) return;
    port = undefined;
    end();
  });
  taken.onMessage.addListener((text) => {
    if (port !== taken || typeof text !== 'string' || text.length > MOST) return;
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message === null || typeof message !== 'object') return;
    if (Number.isInteger(message.answer)) {
      const done = waiting.get(message.answer);
      waiting.delete(message.answer);
      done?.(message);
    } else if (Number.isInteger(message.id)) handle(message);
  });
}

function end() {
  life.abort(new Disconnected());
  waiting.clear();
}

/** Send something; false if there is nobody or it is too long. */
export function post(message) {
  if (port === undefined) return false;
  const text = JSON.stringify(message, (key, value) => (typeof value === 'string' ? value.toWellFormed() : value));
  if (text.length > MOST) return false;
  port.postMessage(text);
  return true;
}

/**
 * Ask the worker; rejects when it is gone.
 * @param {string} what
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export function ask(what, body = {}) {
  const signal = life.signal;
  return new Promise((resolve, reject) => {
    if (port === undefined) {
      reject(new Disconnected());
      return;
    }
    const number = (asked += 1);
    const stop = () => {
      waiting.delete(number);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    waiting.set(number, (answer) => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
    });
    post({ ask: number, what, ...body });
  });
}
