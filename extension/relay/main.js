/**
 * Between one document and the service worker (ISOLATED world, `document_start`, all frames).
 *
 * Where the browser has WebMCP, the relay lists, calls and observes the document's tools itself. Where it has not, the
 * bridge in the page's world does, over a `MessagePort` that is handed over once. What comes from there was written by a
 * page, or could have been: it is checked and cut before it goes on. Names, shapes and caps: docs/protocol.md.
 *
 * `document_start`, because Chrome has the page's `load` event wait for scripts at `document_idle`. But the relay only
 * begins once the page has loaded, or takes its time over that: what it does is no part of the page's loading.
 *
 * A world that exists before a page's origin-trial token is parsed never gets the page's native `document.modelContext`.
 * There, too, the bridge is the way.
 */

import { begin } from './life.js';
import { ofDocument } from './own.js';
import { PLACE, place } from './place.js';

/** Milliseconds between two looks at whether a page that still loads is parsed: then it waits for its pictures only. */
const LOADING_PATIENCE = 200;

let hasBegun = false;

function beginOnce() {
  if (!hasBegun) begin();
  hasBegun = true;
}

/** Begin when the page has loaded, or is parsed. */
function beginInTime() {
  // Put into a page that was there before the extension.
  if (ofDocument('readyState') === 'complete') {
    beginOnce();
    return;
  }
  // The browser tells of it in a task after the `load` event, in which no listener of ours then takes part.
  new PerformanceObserver(beginOnce).observe({ type: 'navigation' });
  const look = () => {
    if (ofDocument('readyState') === 'loading') setTimeout(look, LOADING_PATIENCE);
    else beginOnce();
  };
  setTimeout(look, LOADING_PATIENCE);
}

// One relay a world. A second injection finds the first one, which only tells its list again.
const earlier = globalThis[PLACE];
if (earlier?.alive()) {
  earlier.announceAgain();
} else {
  globalThis[PLACE] = place;
  place.announceAgain = beginOnce;
  // At once: who is not heard of before the page is left is not told of it.
  place.listen();
  beginInTime();
}
