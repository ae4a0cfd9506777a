/** The workbench without a mouse, in both languages; what it says when its tab is missing; who may open its port. */

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

const LANGUAGES = [
  { code: 'zh-CN', named: 'Chinese', words: /\p{Script=Han}/u, city: '杭州' },
  { code: 'en', named: 'English', words: /^[\x20-\x7e]+$/, city: 'Hangzhou' },
];

for (const { code, named, words, city } of LANGUAGES) {
  test(`inspector case 49: by keyboard alone at 320 px, in ${named}: a fault is announced, mended, and the tool runs, twice`, async () => {
    if (code !== 'zh-CN') await stage.panel.set('language', code);
    await bench.page.waitForSelector(`:root[lang="${code}"]`);
    await bench.page.bringToFront();
    await page.evaluate(() => (window.got = []));
    const reach = async (id) => {
      for (let pressed = 0; pressed < 80; pressed++) {
        if (await bench.page.evaluate((selector) => document.activeElement?.matches(selector), testId(id))) return;
        await bench.page.keyboard.press('Tab');
      }
      assert.fail(`the keyboard does not reach ${id}`);
    };
    const press = async (id) => {
      await reach(id);
      await bench.page.keyboard.press('Enter');
    };
    const isFine = async (where) => {
      assert.equal(await bench.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, where);
      assert.deepEqual(await violations(bench.page), [], where);
    };
    /** What was there before is announced when its words change. */
    const listen = () => bench.page.evaluate(() => void (window.regions = [...document.querySelectorAll('[role="status"], [role="alert"]')]));
    const announced = () => bench.page.evaluate(() => window.regions.filter((region) => region.isConnected).map((region) => region.innerText.trim()).join('\n').trim());
    if (await bench.page.$(testId('bench-back'))) await press('bench-back');
    await bench.see('bench-row', '[data-name="book"]');
    await isFine('the list');
    await press('bench-row');
    await bench.see('form');
    await press('form-clear');
    await listen();
    await press('run-start');
    const said = await bench.text('run-blocked');
    assert.match(said, words);
    assert.ok((await announced()).split('\n').includes(said), await announced());
    const atFault = () => bench.page.evaluate(() => document.activeElement?.closest('[data-testid="field"]')?.dataset.key);
    // In the frame after the words.
    await until(async () => (await atFault()) === 'city', { what: 'the focus to go to what is missing' });
    const { described, invalid } = await bench.page.evaluate(() => ({
      described: document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText.trim(),
      invalid: document.activeElement.getAttribute('aria-invalid'),
    }));
    assert.match(described, words, 'and what is wrong is said there');
    assert.equal(invalid, 'true');
    await isFine('the fault');
    await bench.page.keyboard.type(city);
    await reach('run-start');
    await listen();
    await bench.page.keyboard.press('Enter');
    await bench.see('run-result', '[data-state="ok"]');
    assert.deepEqual(await page.evaluate(() => window.got), [{ city }]);
    const { line } = await bench.page.$eval(testId('run-result'), (shown) => ({ line: shown.querySelector('.run-line').innerText.trim() }));
    assert.ok((await announced()).includes(line), `${line}: ${await announced()}`);
    await isFine('the result');
    await press('bench-history');
    await press('run-entry-toggle');
    await bench.see('run-entry-arguments');
    await isFine('the history');
    await press('run-again');
    await until(async () => (await page.evaluate(() => window.got.length)) === 2, { what: 'the second run' });
  });
}

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

test('inspector case 57: the demo page, as it is in a browser, has no error and no warning', async () => {
  await stage.panel.set('language', 'en');
  // A service that takes all of a schema: what another one does not take is said of the tools.
  await stage.panel.set('provider', 'gemini');
  const demo = await stage.chromium.open(stage.flights.url(''));
  const tab = await stage.chromium.inWorker((url) => chrome.tabs.query({ url }).then(([{ id }]) => id), demo.url());
  const flights = await Workbench.open(stage.chromium, `tab=${tab}`);
  await until(async () => (await flights.page.$$(testId('bench-row'))).length === 4, { what: 'its four tools' });
  await flights.click('bench-lint');
  await flights.says('lint-status', /^(Errors: 0\. Warnings: 0\.|Nothing)/);
  const serious = await flights.page.$$eval(`${testId('lint-note')}:not([data-weight="info"])`, (notes) => notes.map(({ innerText }) => innerText));
  assert.deepEqual(serious, []);
  await flights.page.close();
  await demo.close();
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
