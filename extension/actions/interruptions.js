/** What ends an action between two of its steps: the user's own hand in the page, or a worker that is gone. */

import { connection } from './channel.js';
import { turn } from './clock.js';
import { isOwn } from './dom.js';
import { ActionError } from './why.js';

const KINDS = ['pointerdown', 'keydown', 'wheel'];

class Interruptions {
  #hasUserActed = false;
  #signal;

  /** Watch while an action runs. @returns {() => void} ends it */
  begin() {
    this.#hasUserActed = false;
    this.#signal = connection();
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
  }

  /** Let the page work, then see whether to go on. */
  async step() {
    await turn();
    this.check();
  }
}

export const interruptions = new Interruptions();
