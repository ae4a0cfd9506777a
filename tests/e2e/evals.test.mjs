/** The files for evals say what the pages of the tests register, and suites are tried out in a page. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { launch } from '../lib/browser.mjs';
import { FLIGHTS, xtask } from '../lib/paths.mjs';
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

describe('inspector: smoke runs', () => {
  let site;
  let folder;
  before(async () => {
    site = await serve(FLIGHTS);
    folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-evals-'));
  });
  after(async () => {
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Run a suite of these calls in the flight page. */
  const smoke = async (calls) => {
    const suite = path.join(folder, 'suite.json');
    await writeFile(suite, JSON.stringify([{ name: 'Flights', messages: [], expectedCall: calls }]));
    const program = spawn(xtask(), ['evals', '--suite', suite, '--mode', 'smoke', '--url', site.url('')]);
    let said = '';
    program.stdout.on('data', (text) => (said += text));
    program.stderr.on('data', (text) => (said += text));
    const [code] = await once(program, 'close');
    return { code, said };
  };
  const search = { functionName: 'searchFlights', arguments: { origin: { $pattern: '^PEK$' }, destination: 'SHA', date: { $type: 'string' } } };

  test('inspector case 73: the tools of the flight page work', async () => {
    const { code, said } = await smoke([search, { functionName: 'listFlights', arguments: {} }]);
    assert.equal(code, 0, said);
    assert.match(said, /✓ 1\/1 pass: Flights/);
  });

  test('inspector case 73: a tool that fails, and one that is missing, are named', async () => {
    const wrong = await smoke([{ ...search, arguments: { ...search.arguments, date: 'never' } }]);
    assert.equal(wrong.code, 1, wrong.said);
    assert.match(wrong.said, /searchFlights failed/);
    const missing = await smoke([{ functionName: 'teleport', arguments: {} }]);
    assert.equal(missing.code, 1, missing.said);
    assert.match(missing.said, /no tool teleport/);
  });

  test('a suite without calls to make is refused', async () => {
    const { code, said } = await smoke(null);
    assert.equal(code, 2, said);
  });
});
