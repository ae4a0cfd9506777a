/**
 * What ends an action between two of its steps: the user's own hand in the page or in a frame of it, or a worker that is gone.
 * Each step is a sign of life for the worker, which gives up a document that says nothing.
 */

import { connection, post } from './channel.js';
import { turn } from './clock.js';
import { userActs } from './user.js';
import { ActionError } from './why.js';

/** The least time between two signs of life, in ms. */
const EVERY = 1000;

class Interruptions {
  #acts = 0;
  #signal;
  #told = 0;

  /** An action begins to run. */
  begin() {
    this.#acts = userActs();
    this.#signal = connection();
    this.#told = performance.now();
  }

  /** Throws if the action must not go on. */
  check() {
    if (this.#signal?.aborted) throw new ActionError('interrupted');
    if (userActs() !== this.#acts) throw new ActionError('interrupted', 'userActed');
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
