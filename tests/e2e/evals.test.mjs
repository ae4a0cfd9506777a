/** The files for evals say what the pages of the tests register. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { launch } from '../lib/browser.mjs';
import { FLIGHTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';

test('the tools file of the flights suite has the tools of the page', async () => {
  const file = path.join(import.meta.dirname, '..', 'evals', 'flights.tools.json');
  const { tools } = JSON.parse(await readFile(file, 'utf8'));
  const site = await serve(FLIGHTS);
  const chromium = await launch({ native: true, extension: null });
  try {
    const page = await chromium.open(site.url(''));
    await page.waitForSelector('[data-tools="ready"]');
    const registered = await page.evaluate(async () =>
      (await document.modelContext.getTools()).map(({ name, description, inputSchema }) => ({ name, description, inputSchema: typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema })),
    );
    const sorted = (list) => list.toSorted((one, other) => one.name.localeCompare(other.name));
    assert.deepEqual(sorted(registered), sorted(tools));
  } finally {
    await Promise.all([chromium.close(), site.close()]);
  }
});
