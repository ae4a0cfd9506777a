/**
 * The SKILLs that ship, on the pages that their packages bring: right values, or the right outcome. Then on those pages
 * as a site may change them: never a wrong value.
 */
// lane: beside (its thousand calls take as long as ten other files)

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SkillCalls } from '../lib/skill-kit/calls.mjs';
import { extensionWith } from '../lib/skill-kit/extension.mjs';
import { KINDS } from '../lib/skill-kit/plan.mjs';
import { madeOf, runTest, sums } from '../lib/skill-kit/run.mjs';
import { allShipped, packageIn, shipped } from '../lib/skill-packages.mjs';

const only = process.env.SIDECAR_SKILL;
const all = await allShipped();
const names = all.filter((skill) => only === undefined || skill === only);
assert.notEqual(names.length, 0, `no SKILL is called ${only}; there are ${all.join(', ')}`);
const packages = new Map(await Promise.all(names.map(async (name) => [name, await packageIn(shipped(name))])));

describe('SKILLs on their fixtures', () => {
  let extension;
  /** @type {SkillCalls} */
  let calls;
  /** Begun at once: the tests only look at what came. @type {Map<object, Promise<import('../lib/skill-kit/run.mjs').TestRun>>} */
  const runs = new Map();
  before(async () => {
    extension = await extensionWith();
    calls = await SkillCalls.start({ extension: extension.folder });
    for (const [name, { tests, ...skill }] of packages) {
      for (const one of tests) {
        const run = runTest(calls, { ...skill, definition: extension.definitions.get(name) }, one);
        run.catch(() => {});
        runs.set(one, run);
      }
    }
  });
  after(async () => {
    await calls?.close();
    await extension?.remove();
  });

  const runsOf = (name) => Promise.all(packages.get(name).tests.map((one) => runs.get(one)));
  const telling = ({ kind, label, why, text }) => `${KINDS[kind]}${label && ` (${label})`}: ${why}\n${text}`;

  for (const [name, { tests }] of packages) {
    describe(name, () => {
      for (const one of tests) {
        test(`${one.tool}: ${one.about}`, async () => {
          const { problem, mutations } = await runs.get(one);
          assert.equal(problem, undefined);
          const wrong = mutations.filter(({ verdict }) => verdict === 'wrong');
          assert.deepEqual(wrong.map(telling), []);
        });
      }

      test(`SKILL case 28: no mutation of the pages of ${name} brings a wrong value`, async (t) => {
        assert.notEqual(tests.length, 0, `${name} ships without tests: write webmcp/tests/NAME.json, as docs/skills.md says`);
        const all = await runsOf(name);
        const { wrong, ...counts } = sums(all);
        t.diagnostic(`${name}: ${Object.entries(counts).map(([what, count]) => `${count} ${what}`).join(', ')}, ${wrong} wrong`);
        const unfit = all.flatMap(({ unfit }) => unfit).map(({ kind, label }) => `${kind}${label && ` (${label})`}`);
        t.diagnostic(`${name}, does not apply: ${[...new Set(unfit)].join(', ') || 'none'}`);
        assert.equal(wrong, 0);
      });
    });
  }

  test('SKILL case 28: each kind of mutation was made', { skip: only !== undefined }, async (t) => {
    const made = madeOf((await Promise.all(names.map(runsOf))).flat(), Object.keys(KINDS));
    t.diagnostic(Object.entries(made).map(([kind, count]) => `${kind} ${count}`).join(', '));
    assert.deepEqual(Object.keys(made).filter((kind) => made[kind] === 0), []);
  });

  test('the panel raised no errors', () => assert.deepEqual(calls.panel.problems, []));
});
