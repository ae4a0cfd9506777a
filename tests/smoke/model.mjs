/** A small real model on llama.cpp's server, from the PyPI packages that `cargo xtask smoke-model` installs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { TESTS } from '../lib/paths.mjs';
import { within } from '../lib/wait.mjs';

/** The timeout of the server's start, in milliseconds: the first start assembles the model from four parts. */
const START_TIME = 120_000;

/**
 * Start the server on a free port of loopback.
 *
 * @returns {Promise<{ url: string, name: string, close: () => Promise<void> }>} `url`: the base URL to enter in the settings
 */
export async function startSmallModel() {
  const python = process.env.SIDECAR_PYTHON;
  if (!python) throw new Error('SIDECAR_PYTHON names no Python that has the model; "cargo xtask smoke-model" sets it.');
  const server = spawn(python, [path.join(TESTS, 'smoke', 'serve.py')], { stdio: ['pipe', 'pipe', 'pipe'] });
  let words = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (words = (words + text).slice(-4_000)));
  const ended = once(server, 'close');
  const failed = Promise.race([once(server, 'error').then(([error]) => error.message), ended.then(([code]) => `it ended with ${code}`)]).then((why) => {
    throw new Error(`The model's server did not start: ${why}\n${words}`);
  });
  failed.catch(() => {});
  const [line] = await within(Promise.race([once(createInterface({ input: server.stdout }), 'line'), failed]), {
    what: "the model's server",
    timeout: START_TIME,
  });
  return {
    ...JSON.parse(line),
    close: async () => {
      server.stdin.end();
      await within(ended, { what: "the model's server to end" });
    },
  };
}
