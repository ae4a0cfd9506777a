/** Pages with real frameworks and editors: their scripts, bundled from npm packages when a test asks for them. */

import path from 'node:path';

import { build } from 'esbuild';
import { compile } from 'svelte/compiler';
import { readFile } from 'node:fs/promises';

import { TESTS } from './paths.mjs';

const svelte = {
  name: 'svelte',
  setup(of) {
    of.onLoad({ filter: /\.svelte$/ }, async ({ path: file }) => ({ contents: compile(await readFile(file, 'utf8'), { filename: file, generate: 'client' }).js.code, loader: 'js' }));
  },
};

/**
 * The bundle of `tests/sites/kits/NAME.js`, a classic script.
 *
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function bundled(name) {
  const { outputFiles } = await build({
    entryPoints: [path.join(TESTS, 'sites', 'kits', `${name}.js`)],
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'error',
    conditions: ['browser'],
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
    plugins: [svelte],
  });
  return outputFiles[0].text;
}
