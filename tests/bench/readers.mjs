/**
 * Readers of a Chat Completions stream in a page: ours, and those of JavaScript clients. Each takes the pieces of a
 * response body and returns the lengths of text, reasoning and arguments, ours in bytes and the others in UTF-16 units.
 */

import { createParser } from '/node_modules/eventsource-parser/dist/index.js';
import { Stream } from '/node_modules/openai/core/streaming.mjs';
import init, { decode } from './decoder.js';

await init({ module_or_path: new URL('./decoder_bg.wasm', import.meta.url) });

/** Our decoder, as WASM built like the worker. */
async function sidecar(pieces) {
  return [...decode(pieces)];
}

/** npm `openai`: the stream of its client for `stream: true`. */
async function openai(pieces) {
  let next = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (next === pieces.length) controller.close();
      else controller.enqueue(pieces[next++]);
    },
  });
  const answer = new Answer();
  for await (const chunk of Stream.fromSSEResponse(new Response(body), new AbortController())) answer.take(chunk);
  return answer.lengths();
}

/** npm `eventsource-parser` and `JSON.parse`. */
async function eventsourceParser(pieces) {
  const answer = new Answer();
  const parser = createParser({
    onEvent({ data }) {
      if (data !== '[DONE]') answer.take(JSON.parse(data));
    },
  });
  const decoder = new TextDecoder();
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  return answer.lengths();
}

/** The answer that a client collects from the chunks. */
class Answer {
  #text = '';
  #reasoning = '';
  #calls = [];

  take({ choices }) {
    const delta = choices[0]?.delta;
    if (!delta) return;
    if (delta.content) this.#text += delta.content;
    if (delta.reasoning_content) this.#reasoning += delta.reasoning_content;
    for (const call of delta.tool_calls ?? []) {
      const known = (this.#calls[call.index] ??= { name: '', arguments: '' });
      if (call.function.name) known.name += call.function.name;
      known.arguments += call.function.arguments;
    }
  }

  lengths() {
    return [this.#text.length, this.#reasoning.length, this.#calls.reduce((sum, call) => sum + call.arguments.length, 0)];
  }
}

/** The readers by name. */
export const READERS = { sidecar, openai, 'eventsource-parser': eventsourceParser };

/**
 * Read a body with each reader in turn, several times.
 *
 * @param {string} url where it is
 * @param {number} size of the pieces, in bytes
 * @param {{ warmUps: number, rounds: number }} times
 * @returns {Promise<Record<string, { lengths: number[], samples: number[] }>>} `samples`: milliseconds of each round
 */
export async function race(url, size, { warmUps, rounds }) {
  const body = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const pieces = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.slice(at, at + size));
  const results = Object.fromEntries(Object.keys(READERS).map((name) => [name, { lengths: [], samples: [] }]));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [name, read] of Object.entries(READERS)) {
      const started = performance.now();
      const lengths = await read(pieces);
      const took = performance.now() - started;
      results[name].lengths = lengths;
      if (round >= 0) results[name].samples.push(took);
    }
  }
  return results;
}
