/** A seeded random number generator (mulberry32). */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /**
   * An integer from 0 to below a limit.
   *
   * @param {number} limit
   */
  below(limit) {
    return Math.floor(this.next() * limit);
  }

  /**
   * A shuffled copy.
   *
   * @template T
   * @param {T[]} things
   */
  shuffled(things) {
    const all = [...things];
    for (let at = all.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1);
      [all[at], all[other]] = [all[other], all[at]];
    }
    return all;
  }
}
