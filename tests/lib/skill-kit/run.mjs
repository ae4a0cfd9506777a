/** A package's tests, and all mutations of their pages, one after the other and many at once. */

import { isDeepStrictEqual } from 'node:util';

import { forbiddenIn, formProblem, otherAlternative } from './expected.mjs';
import { NUMBER, patientName } from './extension.mjs';
import { judge } from './judge.mjs';
import { plan } from './plan.mjs';
import { navigatesFirst } from './uses.mjs';

/**
 * @typedef {object} TestRun
 * @property {import('../skill-packages.mjs').SkillTest} test
 * @property {string | undefined} problem what is wrong without any mutation; then none was made
 * @property {{ kind: string, label: string, verdict: string, why: string, text: string }[]} mutations
 * @property {{ kind: string, label: string }[]} unfit mutations that do not apply to its pages
 */

/** The number of the last call with a number. */
let last = 0;

/** Outcomes that say something of the page, which another page may not bring. */
const OF_PAGES = ['ok', 'empty', 'notFound', 'changed'];

/**
 * @param {import('./calls.mjs').SkillCalls} calls
 * @param {{ definition: object, fixture: (file: string) => Promise<string>, fixtures: string[] }} skill
 * @param {import('../skill-packages.mjs').SkillTest} test
 * @returns {Promise<TestRun>}
 */
export async function runTest(calls, skill, test) {
  const malformed = formProblem(test.expect, skill.definition);
  if (malformed !== undefined) return { test, problem: malformed, mutations: [], unfit: [] };
  const files = Object.entries({ [test.url]: test.fixture, ...test.pages });
  const pages = new Map(await Promise.all(files.map(async ([url, file]) => [new URL(url).href, await skill.fixture(file)])));
  const { id } = skill.definition;
  const answer = await calls.call({ ...test, pages, skill: id, isTraced: test.expect.alternative !== undefined });
  const problem = problemOf(test.expect, answer);
  if (problem !== undefined || !OF_PAGES.includes(test.expect.outcome)) return { test, problem, mutations: [], unfit: [] };

  const read = new Map(answer.read.map((url) => [url, pages.get(url)]));
  const { mutated, unfit } = await plan(skill, test, read, calls.editor);
  const tool = skill.definition.tools.find(({ name }) => name === test.tool);
  const isAnywhere = !read.has(new URL(test.url).href) && (tool.pages ?? []).length === 0 && navigatesFirst(tool.steps);
  const mutations = await Promise.all(
    mutated.map(async (one) => {
      last += 1;
      const call = { ...test, skill: id, isAnywhere, tool: patientName(test.tool), input: { ...test.input, [NUMBER]: last }, pages: new Map([...pages, ...one.pages]) };
      const seen = await calls.call(call);
      const forbidden = seen.outcome === 'ok' ? forbiddenIn(test.expect, seen) : undefined;
      const verdict = forbidden === undefined ? judge(one, test.expect, seen) : { verdict: 'wrong', why: forbidden };
      return { kind: one.kind, label: one.label, ...verdict, text: seen.text };
    }),
  );
  return { test, problem: undefined, mutations, unfit };
}

/** What is not as a test wants it. */
export function problemOf(wanted, answer) {
  const { outcome, value, worn, text } = answer;
  if (outcome !== wanted.outcome) return `the outcome is not ${wanted.outcome}: ${text}`;
  if (outcome === 'ok' && !isDeepStrictEqual(value, wanted.value)) return `the value is not the one that is expected: ${text}`;
  if (outcome === 'ok' && !isDeepStrictEqual(worn, wanted.worn ?? [])) return `worn are ${JSON.stringify(worn)}, not ${JSON.stringify(wanted.worn ?? [])}`;
  return forbiddenIn(wanted, answer) ?? otherAlternative(wanted, answer);
}

/** How many mutations had which verdict. @param {TestRun[]} runs */
export function sums(runs) {
  const all = runs.flatMap(({ mutations }) => mutations);
  const count = (verdict) => all.filter((one) => one.verdict === verdict).length;
  return { all: all.length, right: count('right'), worn: count('worn'), less: count('less'), refused: count('refused'), wrong: count('wrong') };
}

/** How often each kind was made. @param {TestRun[]} runs */
export function madeOf(runs, kinds) {
  const all = runs.flatMap(({ mutations }) => mutations);
  return Object.fromEntries(kinds.map((kind) => [kind, all.filter((one) => one.kind === kind).length]));
}
