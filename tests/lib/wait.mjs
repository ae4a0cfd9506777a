/**
 * Waiting for things that tell no one when they happen. What can be awaited as an event should be.
 */

/** How long a condition may take before the test is told what did not happen, in milliseconds. */
export const PATIENCE = 10_000;

/**
 * Ask again and again until the answer is truthy, and give that answer.
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
 * A promise that does not wait for ever.
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
 * Time itself, for the few tests whose subject is time.
 *
 * @param {number} milliseconds
 */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
