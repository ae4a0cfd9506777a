/** The flight search as most sites are: for people only. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { FLIGHTS } from './paths.mjs';

/**
 * Serve a copy of the flight page that registers no tools.
 *
 * @param {import('./site.mjs').Site} site one that serves the flights
 * @returns {Promise<string>} its address
 */
export async function withoutTools(site) {
  const page = await readFile(path.join(FLIGHTS, 'index.html'), 'utf8');
  const script = '<script type="module" src="tools.js"></script>';
  if (!page.includes(script)) throw new Error(`The flight page has no ${script}.`);
  return site.put('by-hand.html', page.replace(script, ''));
}
