/**
 * Reads and does things in one document, on the worker's word (ISOLATED world). It is put into a frame only when something
 * is to be read or done there. The messages: docs/protocol.md.
 */

import { actions } from './act.js';
import { post, take } from './channel.js';
import { announceTokens, hello, listenForTokens, pair } from './frames.js';
import { find } from './find.js';
import { light, point } from './light.js';
import { next } from './refs.js';
import { screenshot } from './screenshot.js';
import { snapshot } from './snapshot.js';

/** What the worker can ask for. @type {Record<string, (message: any) => any>} */
const HANDLERS = { hello, pair, snapshot, find, light, point, screenshot, text, ...actions };

/** The main text, by the reader, which the worker puts into the document before it asks for it. */
function text({ offset, maxChars }) {
  return globalThis.webmcpSidecarReader.read({ offset, maxChars });
}

/** One a document: a second injection changes nothing. */
const PLACE = 'webmcp-sidecar-actions';

async function handle(message) {
  const { id } = message;
  try {
    const handler = Object.hasOwn(HANDLERS, message.do) ? HANDLERS[message.do] : undefined;
    if (handler === undefined) throw new Error(`Nothing is known of ${message.do}.`);
    const result = await handler(message);
    if (!post({ id, next: next(), result })) post({ id, next: next(), result: { outcome: 'tooLarge' } });
  } catch (error) {
    post({ id, next: next(), error: String(error?.message ?? error).slice(0, 1000) });
  }
}

if (!globalThis[PLACE]) {
  globalThis[PLACE] = true;
  listenForTokens();
  chrome.runtime.onConnect.addListener((port) => {
    if (port.name !== 'actions') return;
    take(port, handle);
    announceTokens();
  });
}
