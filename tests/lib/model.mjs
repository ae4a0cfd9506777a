/** The scripted model server: a small program that speaks a provider's wire format from scenario files. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { SCENARIOS, scriptedModel } from './paths.mjs';
import { until, within } from './wait.mjs';

/** Any key but an empty one is accepted by the server unless a scenario says otherwise. */
export const SCRIPTED_KEY = 'scripted-key-7f3a9c';

/**
 * Start the server.
 *
 * @param {{ scenarios?: string }} [options]
 * @returns {Promise<ScriptedModel>}
 */
export async function startModel({ scenarios = SCENARIOS } = {}) {
  const process = spawn(scriptedModel(), ['--scenarios', scenarios], { stdio: ['pipe', 'pipe', 'pipe'] });
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

/** A running server. */
export class ScriptedModel {
  #process;
  #ended;
  #words;

  /**
   * @param {import('node:child_process').ChildProcess} process
   * @param {string} url
   * @param {Promise<number | null>} ended
   * @param {string[]} words what it wrote to stderr
   */
  constructor(process, url, ended, words) {
    this.#process = process;
    this.#ended = ended;
    this.#words = words;
    /** The base URL to enter as a provider's address. */
    this.url = url;
  }

  /** What the server wrote to stderr so far. */
  get words() {
    return this.#words.join('');
  }

  /** Let the server end: it does when its standard input closes. */
  async close() {
    this.#process.stdin.end();
    await within(this.#ended, { what: 'the scripted model server to end' });
  }
}
