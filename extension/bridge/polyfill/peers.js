/** The bridges in this tab's frames of this origin, and what ends with this window. */

import { clock, listen, stopImmediatePropagation } from '../captured.js';
import { MEET, reach } from '../frames.js';
import { append, define, find, SafeMap } from '../safe.js';
import { refusal } from './access.js';
import { around, framesIn, viewOf } from './captured.js';

/** The bridge in this window. @type {Peer} */
let own;

/** Whether this window is registered with the frame around it. */
let isJoined;

/** @param {Peer} peer the bridge in this window, which others find from now on */
export function introduce(peer) {
  own = peer;
  children = new SafeMap();
  ties = new SafeMap();
  isJoined = around === window;
  listen(clock, MEET, (event) => {
    stopImmediatePropagation(event);
    define(event, 'bridge', { value: own });
  });
}

/** Frames in shadow trees. @type {Map<Window, true>} */
export let children;

/** Callbacks for when this window goes away: they end runs between it and other windows. @type {Map<() => void, true>} */
let ties;
function onPageHide({ isTrusted }) {
  if (!isTrusted) return;
  ties.forEach((_, end) => end());
  ties.clear();
}

/** @returns {() => void} undoes it */
export function tie(end) {
  listen(window, 'pagehide', onPageHide, true);
  ties.set(end, true);
  return () => ties.delete(end);
}

/** The bridge in a window, if it can be reached; `null` if the window can, and has none. @returns {Peer | null | undefined} */
export function peerIn(view) {
  if (view === window) return own;
  try {
    return reach(view) ?? null;
  } catch {
    // It is of another origin: neither it nor any frame in it has tools here.
    return undefined;
  }
}

/** The bridges of this tab's documents of this origin, as the browser goes through them: level by level. @returns {Peer[]} */
export function peers() {
  let first = window;
  while (first !== first.parent && peerIn(first.parent) !== undefined) first = first.parent;
  const views = [first];
  const found = [];
  for (let at = 0; at < views.length; at += 1) {
    const peer = peerIn(views[at]);
    if (peer?.isOpen()) append(found, peer);
    if (peer === undefined) continue;
    for (let frame = 0; frame < framesIn(views[at]); frame += 1) append(views, views[at][frame]);
    peer?.adopted((view) => append(views, view));
  }
  if (own.isOpen() && find(found, (peer) => peer === own) === undefined) append(found, own);
  return found;
}

/** Register with the frame around this one if it is in a shadow tree, where no list of frames has it. */
export function join() {
  if (isJoined || viewOf(document) === null) return;
  const peer = refusal === undefined ? peerIn(around) : undefined;
  if (!peer) return;
  isJoined = true;
  for (let frame = 0; frame < framesIn(around); frame += 1) if (around[frame] === window) return;
  const undo = peer.adopt(window);
  tie(() => {
    undo();
    // It may come back, out of the back/forward cache.
    isJoined = false;
  });
}
