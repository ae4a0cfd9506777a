/** The scripted model server: a small program that speaks a provider's wire format from scenario files. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { SCENARIOS, scriptedModel } from './paths.mjs';
import { until, within } from './wait.mjs';

/** The tests' API key: easy to search for where no key may be, and valid only at the scripted server. */
export const SCRIPTED_KEY = 'sk-scripted-7f3a9c41';

/**
 * @typedef {object} Request a chat request as the server saw it
 * @property {number} number from 1, in order of arrival
 * @property {'missing' | 'wrong' | 'right'} key
 * @property {any} body
 * @property {Record<string, string>} headers
 * @property {number} status
 * @property {string | null} refusal
 * @property {'open' | 'held' | 'finished' | 'aborted' | 'cut' | 'refused'} phase
 * @property {number} events
 */

/**
 * Start the server.
 *
 * @param {{ scenarios?: string }} [options]
 * @returns {Promise<ScriptedModel>}
 */
export async function startModel({ scenarios = SCENARIOS } = {}) {
  const process = spawn(scriptedModel(), ['--scenarios', scenarios, '--key', SCRIPTED_KEY], { stdio: ['pipe', 'pipe', 'pipe'] });
  const words = [];
  process.stderr.setEncoding('utf8').on('data', (text) => words.push(text));
  const ended = new Promise((resolve) => process.once('close', resolve));
  const failed = new Promise((_, reject) => {
    process.once('error', reject);
    void ended.then((code) =>
      reject(new Error(`The scripted model server ended with ${code} before it was ready: ${words.join('')}`)),
    );
  });
  const lines = createInterface({ input: process.stdout });
  const [line] = await within(Promise.race([once(lines, 'line'), failed]), { what: 'the scripted model server' });
  failed.catch(() => {});
  return new ScriptedModel(process, JSON.parse(line).url, ended, words);
}

/**
 * The page tools that a request offers: all but the agent's own.
 *
 * @param {Request} request
 * @returns {{ name: string, description: string, parameters: object }[]}
 */
export function offered({ body }) {
  return (body.tools ?? []).map((tool) => tool.function).filter(({ name }) => !['ask_user', 'request_page_access'].includes(name));
}

/** A running server. */
export class ScriptedModel {
  #process;
  #ended;
  #words;

  /**
   * @param {import('node:child_process').ChildProcess} process
   * @param {string} url
   * @param {Promise<number | null>} ended
   * @param {string[]} words its stderr so far
   */
  constructor(process, url, ended, words) {
    this.#process = process;
    this.#ended = ended;
    this.#words = words;
    /** The base URL to enter as a provider's address. */
    this.url = url;
  }

  /** The server's stderr so far. */
  get words() {
    return this.#words.join('');
  }

  /**
   * The chat requests so far, oldest first.
   *
   * @returns {Promise<Request[]>}
   */
  async requests() {
    return (await this.#control('GET', 'requests')).requests;
  }

  /**
   * Wait until a request has reached a state.
   *
   * @param {number} request its number
   * @param {'seen' | 'held' | 'finished' | 'aborted' | 'ended'} state
   * @returns {Promise<Request>}
   */
  async wait(request, state) {
    return this.#control('GET', `wait?request=${request}&until=${state}`);
  }

  /**
   * Release held answers: that of one request, or all.
   *
   * @param {number} [request]
   */
  async release(request) {
    return this.#control('POST', 'release', request === undefined ? {} : { request });
  }

  /**
   * Make the next requests fail, or change how their answers are delivered.
   *
   * @param {{ model?: string, times?: number, refuse?: { status: number, message?: string, retry_after?: number }, delivery?: object }} fault
   */
  async fault(fault) {
    await this.#control('POST', 'faults', fault);
  }

  /** Send answers without pauses until the next reset, for tests that do not depend on their pace. */
  async hurry() {
    await this.fault({ times: 1_000, delivery: { delay_ms: 0 } });
  }

  /** Forget requests, faults and holds. */
  async reset() {
    await this.#control('POST', 'reset');
  }

  async #control(method, route, body) {
    const response = await fetch(`${this.url}/__scripted/${route}`, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** Stop the server by closing its standard input. */
  async close() {
    this.#process.stdin.end();
    await within(this.#ended, { what: 'the scripted model server to end' });
  }
}
