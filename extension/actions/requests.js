/** The worker's requests, and who answers each. */

import { post } from './channel.js';
import { next } from './refs.js';
import { ActionError } from './why.js';

/** By their `do`. @type {Map<string, (message: any) => any>} */
const handlers = new Map();

/**
 * Every file of the page script adds what it answers.
 * @param {Record<string, (message: any) => any>} more
 */
export function serve(more) {
  for (const [name, handler] of Object.entries(more)) handlers.set(name, handler);
}

/** Answer a request: with the result, with why it cannot be done, or with an error of ours. */
export async function handle(message) {
  const { id } = message;
  try {
    const handler = handlers.get(message.do);
    if (handler === undefined) throw new Error(`Nothing is known of ${message.do}.`);
    const result = await handler(message);
    if (!post({ id, next: next(), result })) post({ id, next: next(), result: { outcome: 'tooLarge' } });
  } catch (error) {
    if (error instanceof ActionError) post({ id, next: next(), result: { outcome: error.outcome, why: error.why } });
    else post({ id, next: next(), error: String(error?.message ?? error).slice(0, 1000) });
  }
}
