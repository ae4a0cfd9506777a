/**
 * WebMCP in the page's own world (MAIN, `document_start`, all frames that are a secure context).
 *
 * Where the browser has no WebMCP this is a polyfill of `document.modelContext` that behaves as Chromium 156 does.
 * Where it has, the only change is that a failing tool's own words are kept for whoever announced the call. In both
 * cases `navigator.modelContext`, which browsers have dropped and older pages still call, is provided. Without the
 * extension that ships it this file is simply a polyfill.
 *
 * The extension's relay (ISOLATED world) finds this script by one window message that carries a `MessagePort`; all
 * further messages go over that port, unseen by the page. Names, shapes and caps are those of docs/protocol.md.
 *
 * The page runs in the same world and may change every prototype at any time. So whatever is used after the first turn
 * is captured first (captured.js), collections and promises are private copies of the built-in classes, nothing iterates
 * by protocol, and every descriptor or message is an object without a prototype (safe.js).
 */

import { getOwnPropertyDescriptor } from './captured.js';
import { serve } from './connection.js';
import { answerTests } from './for-tests.js';
import { reach } from './frames.js';
import { native } from './native/native.js';
import { offerOlderView } from './older/view.js';
import { polyfill } from './polyfill/polyfill.js';

/**
 * Whether an earlier polyfill serves this window. Around native WebMCP a second copy does no harm: it is put in only where
 * the first does not answer any more.
 */
function isHereAlready() {
  const earlier = 'modelContext' in navigator ? reach(window) : undefined;
  earlier?.hear();
  return earlier !== undefined;
}

/** Whether there is a WebMCP, of the browser's or of somebody else. The browser's is not made for that. */
function isThere() {
  const isInterface = typeof window.ModelContext?.prototype?.registerTool === 'function';
  if (isInterface && getOwnPropertyDescriptor(Document.prototype, 'modelContext')?.get !== undefined) return true;
  return document.modelContext?.registerTool !== undefined;
}

if (!isHereAlready()) {
  serve(isThere() ? native() : polyfill(), native);
  answerTests();
  if (!('modelContext' in navigator)) offerOlderView();
}
