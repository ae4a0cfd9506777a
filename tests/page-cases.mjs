/**
 * Compares docs/page-actions.md with the results of a run (files of `lib/results.mjs`), or with `--write` writes them
 * into it. Exits with 1 when they differ, a case failed, or a numbered case has no test any more.
 */

import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { byCase, problems, tables } from './lib/page-cases.mjs';
import { ROOT } from './lib/paths.mjs';

const DOCUMENT = path.join(ROOT, 'docs', 'page-actions.md');
const START = '<!-- what the last run saw -->\n';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean', default: false } } });
const lines = (await Promise.all(positionals.map((file) => readFile(file, 'utf8')))).join('').split('\n');
const results = lines.filter(Boolean).map((line) => JSON.parse(line));

const wrong = problems(results, await unitTests());
for (const { file, name, ok } of [...byCase(results).values()].flat()) {
  if (!ok) wrong.push(`${file}: ${name} failed`);
}
const text = await readFile(DOCUMENT, 'utf8');
const start = text.indexOf(START);
if (start === -1) wrong.push(`docs/page-actions.md has no line ${START}`);
else {
  const found = `${text.slice(0, start + START.length)}\n${tables(results)}`;
  if (values.write) await writeFile(DOCUMENT, found);
  else if (found !== text) wrong.push('docs/page-actions.md differs from this run: look at what changed, then run "cargo xtask test page-actions", which writes it');
}
for (const line of wrong) console.log(`✗ ${line}`);
if (wrong.length === 0) console.log('✓ docs/page-actions.md has the results of this run');
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Tells whether `crate › function` is in that crate's source. */
async function unitTests() {
  const functions = new Set();
  const crates = path.join(ROOT, 'crates');
  for (const entry of await readdir(crates, { recursive: true })) {
    if (!entry.endsWith('.rs')) continue;
    const [crate] = entry.split(path.sep);
    for (const [, name] of (await readFile(path.join(crates, entry), 'utf8')).matchAll(/#\[test\]\s*(?:async )?fn (\w+)\(\)/g)) functions.add(`${crate} › ${name}`);
  }
  return (unit) => functions.has(unit);
}
