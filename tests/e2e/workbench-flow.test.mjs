/** The workbench without a mouse, in Chinese, and in the browser's developer tools. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';
import { Workbench } from '../lib/workbench.mjs';

/** @type {Stage} */
let stage;
/** @type {import('puppeteer-core').Page} */
let page;
/** @type {Workbench} */
let bench;
before(async () => {
  stage = await Stage.set({ language: 'zh-CN' });
  page = await stage.begin(stage.site.url('empty.html'));
  await page.evaluate(() => {
    window.got = [];
    const schema = { type: 'object', required: ['city'], properties: { city: { type: 'string' }, rooms: { type: 'integer', minimum: 1 } } };
    return document.modelContext.registerTool({ name: 'book', description: 'Looks for rooms in a city.', inputSchema: schema, annotations: { readOnlyHint: true }, execute: (input) => (window.got.push(input), input) });
  });
  await stage.panel.knows(1);
  const tab = await stage.chromium.inWorker((url) => chrome.tabs.query({ url }).then(([{ id }]) => id), `${page.url()}*`);
  bench = await Workbench.open(stage.chromium, `tab=${tab}`);
  await bench.page.setViewport({ width: 320, height: 800 });
});
after(() => stage?.strike());

test('inspector case 49: by keyboard alone at 320 px, in Chinese: a fault is told, mended, and the tool runs', async () => {
  await bench.page.waitForSelector(':root[lang="zh-CN"]');
  await bench.see('bench-row', '[data-name="book"]');
  const reach = async (id) => {
    for (let pressed = 0; pressed < 60; pressed++) {
      if (await bench.page.evaluate((selector) => document.activeElement?.matches(selector), id)) return;
      await bench.page.keyboard.press('Tab');
    }
    assert.fail(`the keyboard does not reach ${id}`);
  };
  await reach(testId('bench-row'));
  await bench.page.keyboard.press('Enter');
  await bench.see('form');
  await reach(testId('run-start'));
  await bench.page.keyboard.press('Enter');
  await bench.see('run-blocked');
  const isAtFault = () => bench.page.evaluate(() => document.activeElement?.closest('[data-testid="field"]')?.dataset.key);
  // In the frame after the words.
  await until(async () => (await isAtFault()) === 'city', { what: 'the focus to go to what is missing' });
  const described = await bench.page.evaluate(() => document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText);
  assert.match(described, /\p{Script=Han}/u, 'and what is wrong is said there');
  assert.deepEqual(await violations(bench.page), []);
  await bench.page.keyboard.type('杭州');
  await reach(testId('run-start'));
  await bench.page.keyboard.press('Enter');
  await bench.see('run-result', '[data-state="ok"]');
  assert.deepEqual(await page.evaluate(() => window.got), [{ city: '杭州' }]);
  assert.equal(await bench.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await violations(bench.page), []);
});

test('a workbench without a tab asks for one, and one whose site is not open says so', async () => {
  const bare = await Workbench.open(stage.chromium, '');
  await bare.see('bench-empty');
  await bare.page.select(testId('bench-page'), await bare.page.$eval(`${testId('bench-page')} option:last-child`, (option) => option.value));
  await until(async () => (await bare.page.evaluate(() => location.hash)).includes('site='), { what: 'the address to name the site' });
  await bare.page.close();
  const missing = await Workbench.open(stage.chromium, 'tab=7&site=https%3A%2F%2Fshop.example');
  assert.match(await missing.text('notice-missing'), /shop\.example/);
  await missing.page.close();
});

test('only our own pages may open the workbench’s port', async () => {
  const answer = await page.evaluate((id) => {
    try {
      chrome.runtime.connect(id, { name: 'workbench' });
      return 'connected';
    } catch {
      return 'refused';
    }
  }, new URL(stage.chromium.extensionUrl('workbench.html')).host);
  assert.equal(answer, 'refused');
});
