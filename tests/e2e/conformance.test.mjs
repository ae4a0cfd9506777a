/** The conformance suite for WebMCP: what a page and the agent beside it can rely on, with native WebMCP and without. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { CASES, missing, section } from '../lib/conformance.mjs';
import { ROOT } from '../lib/paths.mjs';
import { compatibility } from './conformance/compatibility.mjs';
import { declarative } from './conformance/declarative.mjs';
import { documents } from './conformance/documents.mjs';
import { execution } from './conformance/execution.mjs';
import { registration } from './conformance/registration.mjs';

section('Registration and listing', registration);
section('Execution', execution);
section('Documents and frames', documents);
section('Compatibility', compatibility);
section('Declarative', declarative);

test('every case ran in every mode that it is demanded in', () => assert.deepEqual(missing(), []));

test('docs/webmcp-conformance.md has the same table', async () => {
  const text = await readFile(path.join(ROOT, 'docs', 'webmcp-conformance.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (\d+) \| ([NP]+) \| (.+) \|$/gm)].map(([, number, modes, says]) => [Number(number), modes, says]);
  const all = Object.values(CASES).flatMap((cases) => Object.entries(cases));
  assert.deepEqual(rows, all.map(([number, [modes, says]]) => [Number(number), modes, says]));
});
