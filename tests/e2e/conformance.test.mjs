/** The WebMCP conformance suite: what pages and the agent can rely on, with native WebMCP on and off. */
// lane: alone (it checks limits in milliseconds)

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';

import { CASES, missing, score, section, tables } from '../lib/conformance.mjs';
import { ROOT } from '../lib/paths.mjs';
import { compatibility } from './conformance/compatibility.mjs';
import { declarative } from './conformance/declarative.mjs';
import { documents } from './conformance/documents.mjs';
import { execution } from './conformance/execution.mjs';
import { registration } from './conformance/registration.mjs';

const DOCUMENT = path.join(ROOT, 'docs', 'webmcp-conformance.md');

section('Registration and listing', registration);
section('Execution', execution);
section('Documents and frames', documents);
section('Compatibility', compatibility);
section('Declarative', declarative);

test('every case ran in every mode that it requires', () => assert.deepEqual(missing(), []));

test('docs/webmcp-conformance.md has these results', async () => {
  const text = await readFile(DOCUMENT, 'utf8');
  const [start, end] = [text.indexOf(`## ${Object.keys(CASES)[0]}`), text.indexOf('## What cannot hold')];
  assert.ok(0 < start && start < end, 'the document has a place for the tables');
  const found = `${text.slice(0, start)}${tables()}\n${text.slice(end)}`;
  if (process.env.SIDECAR_WRITE_CONFORMANCE === '1') await writeFile(DOCUMENT, found);
  else assert.equal(found, text, 'Look at what changed, then run "cargo xtask test webmcp", which writes the document.');
});

after(() => console.log(score().join('\n')));
