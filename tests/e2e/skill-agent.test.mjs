/** The agent with the tools of a SKILL: a whole task in the demo shop, and a SKILL that is switched off meanwhile. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SkillsView } from '../lib/packages.mjs';
import { SHOP } from '../lib/paths.mjs';
import { testId } from '../lib/panel.mjs';
import { serve } from '../lib/site.mjs';
import { Stage } from '../lib/stage.mjs';

describe('the agent with a SKILL', () => {
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/site.mjs').Site} */
  let shop;
  before(async () => {
    [stage, shop] = await Promise.all([Stage.set(), serve(SHOP)]);
  });
  after(() => Promise.all([stage?.strike(), shop?.close()]));

  const at = (file = '') => shop.url(file, `http://shop.localhost:${shop.port}`);
  const toolMessages = async () => (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool');

  test('SKILL case 57: a task is done with its tools, only acting asks, and calls, card and trace name SKILL and version', async () => {
    const page = await stage.begin(at(), { scenario: 'shop', tools: 5 });
    const { panel } = stage;
    await panel.say('Put the cheapest kettle below 400 yuan that is in stock into my basket.');
    const card = await panel.see('approval');
    assert.match(await card.evaluate((node) => node.innerText), /shop_add_to_basket[\s\S]*SKILL demo-shop \d+\.\d+\.\d+ · included/);
    assert.deepEqual((await panel.calls()).map(({ name, state }) => `${name} ${state}`), ['shop_search ok', 'shop_add_to_basket asking']);
    await panel.decide('run');
    const { why } = await panel.rest();
    assert.equal(why, 'done');
    assert.deepEqual((await panel.calls()).map(({ name, state }) => `${name} ${state}`), ['shop_search ok', 'shop_add_to_basket ok', 'shop_read_basket ok'], 'nothing else asked');
    const named = await panel.page.$$eval(testId('tool-skill'), (nodes) => nodes.map((node) => node.textContent));
    assert.equal(named.length, 3);
    for (const name of named) assert.match(name, /^demo-shop \d+\.\d+\.\d+$/);
    await panel.unfold();
    const passed = await panel.page.$$eval(testId('tool-passed'), (nodes) => nodes.map((node) => node.dataset.passed));
    assert.deepEqual(passed, ['readOnly', 'user', 'readOnly'], 'what let each call run');
    const view = new SkillsView(panel);
    await view.open();
    await view.unfold('demo-shop');
    const trace = await panel.page.waitForSelector(view.card('demo-shop', testId('skill-trace')));
    assert.match(await trace.evaluate((node) => node.textContent), /shop_read_basket/, 'the last run, step by step');
    const outcomes = await trace.$$eval(testId('skill-trace-step'), (rows) => rows.map(({ dataset }) => dataset.outcome));
    assert.ok(outcomes.length > 3 && outcomes.every((outcome) => outcome === 'ok'), outcomes.join());
    await panel.view('chat');
    await page.goto(at('basket.html'));
    await page.waitForSelector('[data-testid="line"]');
    assert.equal((await page.$$('[data-testid="line"]')).length, 1);
  });

  const DRAFT = 'shop_draft_order {"name":"A. Tester","street":"Example Road 1","city":"Sampleton"}';
  for (const [what, switchOff] of [
    [
      'everywhere',
      async (view) => {
        await view.unfold('demo-shop');
        await view.press('demo-shop', testId('skill-on'));
      },
    ],
    [
      'on a site',
      async (view) => {
        await view.unfold('demo-shop');
        await view.press('demo-shop', testId('skill-on-here'));
      },
    ],
  ]) {
    test(`SKILL case 58: a call ends when the SKILL is switched off ${what}, and no more come`, async () => {
      await stage.begin(at(), { scenario: 'call-tool', tools: 5 });
      const { panel } = stage;
      await panel.ask('call shop_search {"query":"kettle","inStockOnly":true}');
      const { items } = JSON.parse((await toolMessages()).at(-1).content.match(/^\{.*\}$/m)[0]);
      await panel.say(`call shop_add_to_basket ${JSON.stringify({ id: items[0].id, quantity: 1 })}`);
      await panel.decide('run');
      await panel.rest();
      await panel.say(`call ${DRAFT}`);
      await panel.decide('run');
      await panel.see('waiting');
      const view = new SkillsView(panel);
      await view.open();
      await switchOff(view);
      await panel.view('chat');
      await panel.call('shop_draft_order', 'interrupted');
      await panel.rest();
      assert.match((await toolMessages()).at(-1).content, /interrupted|not known/i);
      await panel.ask('call shop_search {"query":"kettle"}');
      const { tools = [] } = (await stage.model.requests()).at(-1).body;
      assert.deepEqual(tools.map((one) => one.function.name).filter((name) => name.startsWith('shop_')), []);
      await view.open();
      await switchOff(view);
      await panel.view('chat');
      await panel.knows(5);
    });
  }

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
