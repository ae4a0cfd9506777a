/** The way to the service worker. */

export const { runtime } = chrome;

/** False once the extension was reloaded or removed: this script is then left over. */
export const alive = () => runtime?.id !== undefined;

/** What is done once the extension was reloaded or removed. */
let fallSilent = () => {};

/** @param {() => void} act what is done once the extension was reloaded or removed */
export function whenAbandoned(act) {
  fallSilent = act;
}

/** Rust reads no text with half a surrogate pair in it. */
export const toText = (message) =>
  JSON.stringify(message, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value));

/** Tell the worker. Comes back when it has answered, or cannot. */
export const send = (message) => sendText(toText(message));

export async function sendText(text) {
  try {
    await runtime.sendMessage(text);
  } catch {
    // A worker that does not answer asks for the list when it is there again.
  }
  if (!alive()) fallSilent();
}

export function parseObject(text) {
  try {
    const value = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
