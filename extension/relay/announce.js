/** Sends the list of tools to the worker. */

import * as NAMES from '../shared/names.js';
import { bridge } from './bridge.js';
import { bridged } from './bridged.js';
import { nativeBackend } from './native.js';
import { isNative } from './own.js';
import { paced } from './pace.js';
import { place } from './place.js';
import { restoreSkills, whenShownChange, withSkills } from './skills.js';
import { send, sendText, toText } from './worker.js';

/** The way to the document's tools. @type {Backend} */
export let backend;

/** Begin: the page has loaded, or is slow to load. */
export function choose() {
  backend = isNative ? nativeBackend(announce) : bridged;
  place.hasBegun(backend.asker);
  whenShownChange(() => void backend.renew?.().then(() => announce()));
}

/** The list that was last sent to the worker, as text. */
let told = '';

/**
 * Tell the worker the list, if it is another than before: native WebMCP tells every frame of each other's changes. The
 * bridge has told us the list with each change; the browser is asked.
 */
export const announce = paced(async () => {
  const list = withSkills(bridge.list ?? (await backend.list()));
  restoreSkills(list);
  const text = toText({ type: NAMES.TOOLS_CHANGED, ...list });
  if (text === told) return 0;
  told = text;
  void sendText(text);
  return text.length;
});

/** Answer with the list, which is empty while the page is being left. */
export async function tellList(requestId) {
  await place.hesitating;
  const list = withSkills(await backend.list(true));
  told = toText({ type: NAMES.TOOLS_CHANGED, ...list });
  void send({ type: NAMES.TOOLS_LIST, requestId, ...list });
}

/** Send the list again to a worker that may have forgotten it. */
export function announceAgain() {
  told = '';
  void announce();
}
