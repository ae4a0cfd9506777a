/** When a document has come to rest after an action: the part of *settled* that only the document can tell. */

import { pause } from './clock.js';
import { closest, ELEMENT, isOwn, rootsOf, typeOf } from './dom.js';

/** Milliseconds without a change after which a document is at rest. */
const QUIET = 150;
const EVERY = 30;
/** More records than a page makes for one action: it changes all the time. */
const STORM = 5000;
const OPTIONS = { subtree: true, childList: true, attributes: true, characterData: true };

/** Looks for changes of the document, its shadow roots included; those of our own overlay do not count. */
export class Watch {
  /** @type {Set<Node>} nodes that were added or whose text or attributes changed */
  changed = new Set();
  hasChanged = false;
  count = 0;
  last = performance.now();
  #observer = new MutationObserver((records) => this.#take(records));
  #roots = new WeakSet();

  constructor() {
    this.look();
  }

  /** Observe shadow roots that are new. */
  look() {
    for (const root of rootsOf()) {
      if (this.#roots.has(root)) continue;
      this.#roots.add(root);
      this.#observer.observe(root, OPTIONS);
    }
  }

  /** Note a change that no mutation shows. */
  note() {
    this.hasChanged = true;
    this.last = performance.now();
  }

  take() {
    this.#take(this.#observer.takeRecords());
  }

  end() {
    this.take();
    this.#observer.disconnect();
  }

  get isStorm() {
    return this.count > STORM;
  }

  #take(records) {
    for (const record of records) {
      if (isOurs(record)) continue;
      this.count += 1;
      this.note();
      if (this.changed.size > 500) continue;
      const nodes = record.type === 'childList' ? record.addedNodes : [record.target];
      for (const node of nodes) this.changed.add(node);
    }
  }
}

const isOurs = ({ type, target, addedNodes, removedNodes, attributeName }) => {
  if (attributeName?.startsWith('data-webmcp-sidecar')) return true;
  if (typeOf(target) === ELEMENT && closest(target, isOwn)) return true;
  const nodes = [...addedNodes, ...removedNodes];
  return type === 'childList' && nodes.length > 0 && nodes.every(isOwn);
};

/**
 * Wait until a document is at rest.
 * @param {Watch} watch
 * @param {{ limit?: number, reaction?: number }} [options] `limit`: milliseconds at most; `reaction`: how long to wait for
 *   the first change
 * @returns {Promise<{ changed: boolean, still: boolean }>}
 */
export async function settle(watch, { limit = 2000, reaction = 0 } = {}) {
  const started = performance.now();
  for (;;) {
    watch.take();
    const now = performance.now();
    if (watch.isStorm) return { changed: true, still: false };
    if (watch.hasChanged ? now - watch.last >= QUIET : now - started >= Math.max(reaction, QUIET)) return { changed: watch.hasChanged, still: true };
    if (now - started >= limit) return { changed: true, still: false };
    await pause(EVERY);
  }
}
