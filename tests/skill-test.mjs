/**
 * The tests of packages of SKILLs, in the browser, on their fixtures and on those as a site may change them. Called by
 * `cargo xtask skills test`, which makes the files of the SKILLs. Exits with 1 when a test failed, or a mutation brought a
 * wrong value.
 */

import path from 'node:path';
import { parseArgs } from 'node:util';

import { SkillCalls } from './lib/skill-kit/calls.mjs';
import { extensionWith } from './lib/skill-kit/extension.mjs';
import { KINDS } from './lib/skill-kit/plan.mjs';
import { madeOf, runTest, sums } from './lib/skill-kit/run.mjs';
import { packageIn } from './lib/skill-packages.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { skills: { type: 'string' } } });

const SIGNS = { right: '✓', worn: '✓', less: '✓', refused: '✓', wrong: '✗' };
const WORDS = { right: 'the right value', worn: 'the right value, worn', less: 'what is left', refused: 'no value', wrong: 'a wrong value' };

/** What was said of one test. @param {import('./lib/skill-kit/run.mjs').TestRun} run */
function tell({ test, problem, mutations, unfit }) {
  console.log(`  ${problem === undefined ? '✓' : '✗'} ${test.name}, ${test.tool}: ${problem ?? test.about}`);
  for (const { kind, label, verdict, why, text } of mutations) {
    const said = verdict === 'wrong' ? `\n      ${text.replaceAll('\n', '\n      ')}` : '';
    console.log(`    ${SIGNS[verdict]} ${KINDS[kind]}${label && ` (${label})`}: ${WORDS[verdict]}${why && `: ${why}`}${said}`);
  }
  for (const { kind, label } of unfit) console.log(`    – ${KINDS[kind]}${label && ` (${label})`}: does not apply`);
}

/** The tests of a package; prints what came of them. */
async function testPackage(calls, definitions, folder) {
  const { tests, ...skill } = await packageIn(folder);
  const id = path.basename(folder);
  console.log(`▸ ${id}`);
  if (tests.length === 0) throw new Error(`${id} has no tests: write webmcp/tests/NAME.json, as docs/skills.md says`);
  const runs = await Promise.all(tests.map((test) => runTest(calls, { ...skill, definition: definitions.get(id) }, test)));
  runs.forEach(tell);
  const made = Object.entries(madeOf(runs, Object.keys(KINDS)));
  console.log(`  mutations: ${made.map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  return runs;
}

/** Test the packages; whether all went well. */
async function testAll(folders) {
  const extension = await extensionWith({ skills: values.skills });
  let calls;
  try {
    calls = await SkillCalls.start({ extension: extension.folder });
    const runs = [];
    for (const folder of folders) runs.push(...(await testPackage(calls, extension.definitions, folder)));
    const failed = runs.filter(({ problem }) => problem !== undefined).length;
    const { all, right, worn, less, refused, wrong } = sums(runs);
    const isWell = failed + wrong === 0;
    console.log(
      `${isWell ? '✓' : '✗'} ${runs.length} tests, ${failed} failed; ${all} mutations: ${right} right, ${worn} worn, ${less} with what is left, ${refused} without a value, ${wrong} wrong`,
    );
    return isWell;
  } finally {
    await calls?.close();
    await extension.remove();
  }
}

const isWell = await testAll(positionals).catch((error) => console.log(`✗ ${error.message}`));
process.exitCode = isWell ? 0 : 1;
