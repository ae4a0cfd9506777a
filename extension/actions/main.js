/**
 * Reads and does things in one document, on the worker's word (ISOLATED world). It is put into a frame only when something
 * is to be read or done there; `main-snapshot.js`, `main-act.js` and `main-skill.js` are entries of files that come in after
 * it, each before the first request that needs it. The messages: docs/protocol.md.
 */

import { take } from './channel.js';
import { probe } from './cover.js';
import { describe } from './describe.js';
import { find } from './find.js';
import { announceTokens, hello, inner, listenForTokens, pair } from './frames.js';
import { light, point } from './light.js';
import { handle, serve } from './requests.js';
import { screenshot } from './screenshot.js';
// Later files share it.
import './settle.js';
import { unsaved } from './unsaved.js';
import { interrupt, watchUser } from './user.js';
import { wait } from './wait-for.js';

/** The main text, by the reader, which the worker puts into the document before it asks for it. */
function text({ offset, maxChars }) {
  return globalThis.webmcpSidecarReader.read({ offset, maxChars });
}

serve({ hello, pair, inner, describe, find, interrupt, light, point, probe, screenshot, text, unsaved, wait });
listenForTokens();
chrome.runtime.onConnect.addListener((port) => {
  if (port.name !== 'actions') return;
  take(port, handle);
  watchUser();
  announceTokens();
});
