/**
 * What ends an action between two of its steps: the user's own hand in the page, or a worker that is gone. Each step is a
 * sign of life for the worker, which gives up a document that says nothing.
 */

import { connection, post } from './channel.js';
import { turn } from './clock.js';
import { isOwn } from './dom.js';
import { ActionError } from './why.js';

const KINDS = ['pointerdown', 'keydown', 'wheel'];
/** The least time between two signs of life, in ms. */
const EVERY = 1000;

class Interruptions {
  #hasUserActed = false;
  #signal;
  #told = 0;

  /** Watch while an action runs. @returns {() => void} ends it */
  begin() {
    this.#hasUserActed = false;
    this.#signal = connection();
    this.#told = performance.now();
    const heed = (event) => {
      // Our own events are not trusted. Stop is heard by the overlay itself.
      if (event.isTrusted && !isOwn(event.target)) this.#hasUserActed = true;
    };
    for (const kind of KINDS) addEventListener(kind, heed, { capture: true, passive: true });
    return () => {
      for (const kind of KINDS) removeEventListener(kind, heed, { capture: true });
    };
  }

  /** Throws if the action must not go on. */
  check() {
    if (this.#signal?.aborted) throw new ActionError('interrupted');
    if (this.#hasUserActed) throw new ActionError('interrupted', 'userActed');
    const now = performance.now();
    if (now - this.#told < EVERY) return;
    this.#told = now;
    post({ event: 'progress' });
  }

  /** Let the page work, then see whether to go on. */
  async step() {
    await turn();
    this.check();
  }
}

export const interruptions = new Interruptions();
