/** The workbench in the browser's own developer tools: bound to the tab that they inspect. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { inspect } from '../lib/dev-tools.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage, forBothModes } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** Offer tools that take a text and return it. */
const offer = (...names) => {
  window.got = [];
  for (const name of names) {
    document.modelContext.registerTool({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      execute: (input) => (window.got.push([name, input]), `heard ${input.text}`),
    });
  }
};

forBothModes('the developer tools', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('puppeteer-core').Page} */
  let page;
  /** @type {import('../lib/workbench.mjs').Workbench} */
  let bench;
  before(async () => {
    stage = await Stage.set({ native });
    page = await stage.begin(stage.site.url('empty.html'), { tools: 0 });
    await page.evaluate(offer, 'say', 'other');
    bench = await inspect(page);
  });
  after(() => stage?.strike());

  const names = (of = bench) => of.page.$$eval(testId('bench-row'), (rows) => rows.map((row) => row.dataset.name).toSorted().join());
  const lists = (expected, of = bench) => until(async () => (await names(of)) === expected, { what: `the tools ${expected}` });

  test('their panel has the tools of the tab that they inspect, and offers no other tab', async () => {
    await lists('other,say');
    assert.equal(await bench.page.$(testId('bench-page')), null);
    assert.deepEqual(await violations(bench.page), []);
  });

  test('a tool runs through its form, what is copied reaches the clipboard, and the run is in the history', async () => {
    await bench.openTool('say');
    await bench.see('form');
    await bench.press('text', 'field-empty');
    await bench.type('text', 'tea');
    const { state, text } = await bench.run();
    assert.equal(state, 'ok');
    assert.match(text, /heard tea/);
    assert.deepEqual(await page.evaluate(() => window.got), [['say', { text: 'tea' }]]);

    // It stands there for a moment only.
    const said = bench.page.waitForFunction((button) => /^Copied$/.test(document.querySelector(button).parentElement.querySelector('[role="status"]').textContent), { polling: 'mutation' }, testId('run-copy'));
    await bench.click('run-copy');
    await said;
    await page.evaluate(() => void document.body.append(document.createElement('textarea')));
    await page.focus('textarea');
    await page.keyboard.down('Control');
    await page.keyboard.press('v', { commands: ['Paste'] });
    await page.keyboard.up('Control');
    assert.equal(await page.$eval('textarea', (field) => field.value), 'heard tea');

    await bench.click('bench-history');
    await bench.see('run-entry');
    await bench.click('bench-tools');
  });

  test('a run that is watched has the pictures of before and after, as its page is in sight', async () => {
    await page.bringToFront();
    await bench.click('run-watch');
    await bench.run();
    await bench.see('page-change');
    await until(async () => (await bench.page.$$(testId('run-picture'))).length === 2, { what: 'both pictures' });
  });

  test('it stays with its tab, through a new document and beside the tools of another tab', async () => {
    await page.goto(stage.site.url('empty.html?next'));
    await page.evaluate(offer, 'next');
    await lists('next');

    const second = await stage.chromium.open(stage.site.url('empty.html?second'));
    await second.evaluate(offer, 'second');
    const another = await inspect(second);
    await lists('second', another);
    assert.equal(await names(), 'next');
    await second.close();
    await page.evaluate(offer, 'later');
    await lists('later,next');
  });
});
