/** The SKILLs that ship, on the pages that their packages bring: right values, or the right outcome. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { fixture, offline, tested, testsOf } from '../lib/skill-packages.mjs';
import { Stage } from '../lib/stage.mjs';

const only = process.env.SIDECAR_SKILL;
const skills = (await tested()).filter((skill) => only === undefined || skill === only);
const all = new Map(await Promise.all(skills.map(async (skill) => [skill, await testsOf(skill)])));

describe('SKILLs on their fixtures', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.use('call-tool');
  });
  after(() => stage?.strike());

  /** Open the test's page in a new tab in front, from which the network cannot be reached. */
  const open = async (skill, { url, fixture: first, pages = {}, mocks = [] }) => {
    const files = new Map([[url, first], ...Object.entries(pages)].map(([address, file]) => [new URL(address).href, file]));
    const page = await stage.tab('about:blank');
    await offline(page, async (address) => {
      const file = files.get(address.href);
      if (file !== undefined) return { body: await fixture(skill, file) };
      const mock = mocks.find(({ path }) => path === decodeURIComponent(address.pathname) || path === address.pathname);
      if (mock === undefined) return undefined;
      const isText = typeof mock.body === 'string';
      return { status: mock.status, type: mock.type ?? (isText ? 'text/html' : 'application/json'), body: isText ? mock.body : JSON.stringify(mock.body) };
    });
    await page.goto(url);
    return page;
  };

  /** What the model was told of the call. */
  const told = async () => (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').at(-1).content;

  const seen = (text) => {
    const failed = text.match(/\[[^\]\n]* [^\]\n]*, \w+(?:, .*)?: (\w+)\]/);
    if (text.startsWith('Error') || failed) return { outcome: failed?.[1] ?? text };
    const worn = text.match(/changed a little since the SKILL was made \(([^)]*)\)/)?.[1].split(', ') ?? [];
    const line = text.split('\n').find((one) => /^[[{"\d]/.test(one) && !one.startsWith('[there') && isJson(one));
    return { outcome: 'ok', value: line === undefined ? undefined : JSON.parse(line), worn };
  };
  const isJson = (text) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  for (const [skill, tests] of all) {
    describe(skill, () => {
      for (const one of tests) {
        test(`${one.tool}: ${one.about}`, async () => {
          await stage.begin(stage.site.url('empty.html'));
          await open(skill, one);
          await stage.panel.newChat();
          await stage.panel.happens(() => Number(document.querySelector('[data-testid="tool-count"]')?.dataset.count) > 0, [], { what: 'the tools of the SKILL' });
          await stage.panel.ask(`call ${one.tool} ${JSON.stringify(one.input)}`);
          const text = await told();
          const { outcome, value, worn } = seen(text);
          assert.equal(outcome, one.expect.outcome, text);
          if (one.expect.outcome === 'ok') {
            assert.deepEqual(value, one.expect.value, text);
            assert.deepEqual(worn, one.expect.worn ?? [], text);
          }
        });
      }
    });
  }

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
