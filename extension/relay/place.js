/** What the relays of one origin's frames know of each other: they share a world, and reach each other over `window`. */

import * as NAMES from '../shared/names.js';
import { pause } from './pace.js';
import { alive, runtime } from './worker.js';

/** Milliseconds until a page that was to be left, and is still here, is taken to stay, or the worker is asked. */
const LEAVING_PATIENCE = 1000;

/** Asks the worker whether the tab loads nothing. */
const PAGE_STAYS = `{"type":"${NAMES.PAGE_STAYS}"}`;

export const PLACE = Symbol.for('webmcp.relay');

/** This document's. */
export const place = {
  alive,

  /** Tells the list again, or begins to. */
  announceAgain() {},

  /** The list is another now; another frame's relay says so. */
  listChanged() {},

  /** Who asks the browser for this document's list, once this relay has begun. @type {Promise<object | undefined>} */
  asker: undefined,

  /** From `beforeunload` on, until the page is known to stay; settles then. @type {Promise<void> | undefined} */
  leaving: undefined,

  /** Comes back when the page is known to stay. Only when somebody waits for that, the worker is asked. */
  stays() {
    void askWhetherItStays();
    return place.leaving;
  },

  /** From `beforeunload` on: settles after a second, by when most pages that are left are gone. @type {Promise<void> | undefined} */
  hesitating: undefined,
};
place.asker = new Promise((resolve) => (place.hasBegun = resolve));

/** Ends `place.leaving`. */
let stay;

function onBeforeUnload({ isTrusted }) {
  if (!isTrusted) return;
  leave();
  const patience = pause(LEAVING_PATIENCE);
  place.hesitating = patience;
  void patience.then(() => {
    if (place.hesitating === patience) place.hesitating = undefined;
  });
}

let isAsking = false;

/** It was a download, or the user chose to stay, unless the server takes its time: the worker knows. */
async function askWhetherItStays() {
  if (isAsking) return;
  isAsking = true;
  while (place.alive() && place.leaving !== undefined) {
    await place.hesitating;
    const status = await runtime.sendMessage(PAGE_STAYS).catch(() => {});
    if (place.hesitating !== undefined || place.leaving === undefined) continue;
    if (status === 'complete') stay();
    else await pause(LEAVING_PATIENCE);
  }
  isAsking = false;
}

function onPageHide({ isTrusted }) {
  if (!isTrusted) return;
  leave();
  // Whatever the tab shows now: until this page comes back, it does not stay.
  place.hesitating = place.leaving;
}

function leave() {
  if (place.leaving !== undefined) return;
  place.leaving = new Promise((resolve) => {
    stay = () => {
      place.leaving = undefined;
      place.hesitating = undefined;
      resolve();
    };
  });
}

const listeners = {
  beforeunload: onBeforeUnload,
  pagehide: onPageHide,
  pageshow: ({ isTrusted, persisted }) => isTrusted && persisted && stay?.(),
};
/** Also again: `document.open()` takes every listener off the window. */
place.listen = () => Object.entries(listeners).forEach(([type, listener]) => window.addEventListener(type, listener));
place.retire = () => Object.entries(listeners).forEach(([type, listener]) => window.removeEventListener(type, listener));

/** The place of the tab's top document, once asked for. @type {typeof place | undefined} */
let topmost;

/**
 * The place of the tab's top document, if it is of this origin, else this one's own. Frames of the top document's origin
 * have the top relay ask for their lists, and are left with it.
 */
export function topPlace() {
  topmost ??= findTop();
  return topmost;
}

function findTop() {
  try {
    return top[PLACE]?.alive() ? top[PLACE] : place;
  } catch {
    return place;
  }
}

/** Comes back when neither this document nor the one around it may be on its way out. */
export async function stays() {
  place.listen();
  while (place.leaving ?? topPlace().leaving) await (place.leaving ? place.stays() : topPlace().stays());
}

/** Milliseconds to wait for a list that says whether a tool is there. */
const LEFT_PATIENCE = 1200;

/** Whether a tool is listed, or nobody knows: a page that may be left is not asked. */
export const unlessLeft = (isListed) => Promise.race([isListed, pause(LEFT_PATIENCE).then(() => true)]);
