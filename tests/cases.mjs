/**
 * Compares the document of a suite of numbered cases with the results of a run (files of `lib/results.mjs`), or with
 * `--write` writes them into it. Exits with 1 when they differ, a case failed, or a numbered case has no test any more.
 */

import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { CaseResults } from './lib/cases.mjs';
import { INSPECTOR } from './lib/inspector-cases.mjs';
import { PAGE_ACTIONS } from './lib/page-cases.mjs';
import { ROOT } from './lib/paths.mjs';
import { SKILLS } from './lib/skill-cases.mjs';

/** @type {Record<string, import('./lib/cases.mjs').CaseSuite>} */
const SUITES = { inspector: INSPECTOR, 'page-actions': PAGE_ACTIONS, skills: SKILLS };
const START = '<!-- what the last run saw -->\n';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { suite: { type: 'string', default: 'page-actions' }, write: { type: 'boolean', default: false } },
});
const suite = SUITES[values.suite];
if (suite === undefined) throw new Error(`There is no suite ${values.suite}.`);
const lines = (await Promise.all(positionals.map((file) => readFile(file, 'utf8')))).join('').split('\n');
const results = new CaseResults(suite, lines.filter(Boolean).map((line) => JSON.parse(line)), await unitTests());

const wrong = results.problems;
const document = path.join(ROOT, suite.file);
const text = await readFile(document, 'utf8');
const start = text.indexOf(START);
if (start === -1) wrong.push(`${suite.file} has no line ${START}`);
else {
  const found = `${text.slice(0, start + START.length)}\n${results.tables}`;
  if (values.write) await writeFile(document, found);
  else if (found !== text) wrong.push(`${suite.file} differs from this run: look at what changed, then run "${suite.command}", which writes it`);
}
for (const line of wrong) console.log(`✗ ${line}`);
if (wrong.length === 0) console.log(`✓ ${suite.file} has the results of this run`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** The unit tests of the crates. @returns {Promise<import('./lib/cases.mjs').UnitTest[]>} */
async function unitTests() {
  const found = [];
  const crates = path.join(ROOT, 'crates');
  const files = (await readdir(crates, { recursive: true })).map((entry) => [path.join(crates, entry), entry.split(path.sep)[0]]);
  const own = path.join(ROOT, 'xtask', 'tests');
  files.push(...(await readdir(own)).map((entry) => [path.join(own, entry), 'xtask']));
  for (const [file, crate] of files.sort()) {
    if (!file.endsWith('.rs')) continue;
    const text = await readFile(file, 'utf8');
    for (const [, name] of text.matchAll(/#\[test\]\s*(?:async )?fn (\w+)\(\)/g)) found.push({ crate, name });
  }
  return found;
}
