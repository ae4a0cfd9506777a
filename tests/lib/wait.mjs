/**
 * Polling, for what has no event to wait for.
 */

/** The default timeout, in milliseconds. */
export const PATIENCE = 10_000;

/**
 * Call a function repeatedly until its result is truthy, and return that result.
 *
 * @template T
 * @param {() => T | Promise<T>} question
 * @param {{ what: string, timeout?: number, every?: number }} options `what` ends the sentence "waited N ms for …".
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(question, { what, timeout = PATIENCE, every = 25 }) {
  const started = performance.now();
  let last;
  for (;;) {
    let failure;
    try {
      last = await question();
      if (last) return last;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - started > timeout) {
      const seen = failure ? `it threw ${failure.message}` : `last answer: ${JSON.stringify(last)}`;
      throw new Error(`Waited ${timeout} ms for ${what}; ${seen}`, { cause: failure });
    }
    await pause(every);
  }
}

/**
 * A promise with a timeout.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {{ what: string, timeout?: number }} options
 * @returns {Promise<T>}
 */
export async function within(promise, { what, timeout = PATIENCE }) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${timeout} ms for ${what}`)), timeout);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Measure up to three times, until one measure is under the limit. A busy machine can only make things slower: what is
 * slow by itself is slow each time. What takes time only once begins anew in each measure, if it is what is tested.
 *
 * @param {number} limit in milliseconds.
 * @param {() => Promise<number>} measure what it took, in milliseconds.
 * @param {string} what begins the sentence "… took N, N, N ms".
 */
export async function quick(limit, measure, what) {
  const times = [];
  while (times.length < 3) {
    const took = await measure();
    if (took < limit) return;
    times.push(Math.round(took));
  }
  throw new Error(`${what} took ${times.join(', ')} ms; less than ${limit} were expected`);
}

/**
 * Wait, for the few tests whose subject is time.
 *
 * @param {number} milliseconds
 */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
