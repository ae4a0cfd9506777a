/** Tools that are registered and removed: the panel follows within half a second. */
// lane: alone (it checks limits in milliseconds)

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch } from '../lib/browser.mjs';
import { Panel } from '../lib/panel.mjs';
import { EXTENSION, PAGES } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** How soon the panel must show a change, in milliseconds. */
const SOON = 500;

forBothModes('tools that come and go', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  const names = async () => (await stage.panel.tools()).map((tool) => tool.name).sort();

  test('a tool registered later appears, and one removed disappears', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => addTool('later'));
    await stage.panel.knows(2, { timeout: SOON });
    assert.deepEqual(await names(), ['always', 'later']);
    await page.evaluate(() => removeTool('always'));
    await stage.panel.knows(1, { timeout: SOON });
    assert.deepEqual(await names(), ['later']);
  });

  test('a burst of changes ends with the right list', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => {
      for (let number = 0; number < 40; number += 1) addTool(`burst${number}`);
      for (let number = 0; number < 38; number += 1) removeTool(`burst${number}`);
    });
    await stage.panel.knows(3, { timeout: SOON });
    assert.deepEqual(await names(), ['always', 'burst38', 'burst39']);
  });

  test('a reload lists the tools once, and a navigation lists those of the new page', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await page.reload();
    await stage.panel.knows(4, { timeout: SOON });
    assert.deepEqual(await names(), ['echo', 'echoText', 'readNote', 'writeNote']);
    await page.goto(stage.site.url('changing.html'));
    await stage.panel.knows(1, { timeout: SOON });
    assert.deepEqual(await names(), ['always']);
    await page.goto(stage.site.url('empty.html'));
    await stage.panel.knows(0, { timeout: SOON });
    await page.goBack();
    await stage.panel.knows(1, { timeout: SOON });
  });

  test('each tool shows its risk and its source', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(async () => {
      await addTool('setName', { annotations: {} });
      await addTool('payNow');
      await addTool('list', { annotations: { readOnlyHint: true, consequentialHint: true } });
      document.body.insertAdjacentHTML('beforeend', '<form toolname="search" tooldescription="Searches."><input name="a"></form>');
    });
    await stage.panel.knows(5);
    const source = 'site';
    const marks = (await stage.panel.tools()).map(({ name, text }) => [name, ...text.split('\n').slice(1, -1).map((mark) => mark.trim())]);
    assert.deepEqual(marks, [
      ['always', 'read-only', source],
      ['list', 'consequential', source],
      ['payNow', 'consequential', source],
      ['search', 'form', source],
      ['setName', source],
    ]);
  });

  test('the toolbar icon shows the number of tools', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    const badge = () =>
      stage.chromium.inWorker(async (url) => {
        const [tab] = await chrome.tabs.query({ url });
        return chrome.action.getBadgeText({ tabId: tab.id });
      }, page.url());
    assert.equal(await badge(), '1');
    await page.evaluate(() => addTool('second'));
    await until(async () => (await badge()) === '2', { what: 'the badge to say 2', timeout: SOON });
    await page.goto(stage.site.url('empty.html'));
    await until(async () => (await badge()) === '', { what: 'an empty badge', timeout: SOON });
  });

  test('two hundred tools are listed and can be found', async () => {
    await stage.begin(stage.site.url('many.html?count=200'), { tools: 200 });
    assert.equal((await stage.panel.tools()).length, 200);
    const filter = await stage.panel.see('tool-filter');
    await filter.type('tool0123');
    await until(async () => (await stage.panel.tools()).length === 1, { what: 'the filtered list' });
    assert.deepEqual(await names(), ['tool0123']);
    await filter.click({ count: 3 });
    await stage.panel.page.keyboard.press('Backspace');
  });

  test('tools work on a page with a strict Content Security Policy', async () => {
    const page = await stage.begin(stage.site.url('strict-csp.html'), { tools: 1 });
    await stage.panel.ask('call echo {"a": "策略"}');
    await stage.panel.call('echo', 'ok');
    assert.deepEqual(await page.evaluate(() => window.runs), [{ tool: 'echo', args: { a: '策略' } }]);
  });

  test('after an update, open tabs use the new extension only', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => addTool('before'));
    await stage.panel.knows(2);
    await stage.chromium.reinstall();
    stage.panel = await Panel.beside(stage.chromium, page);
    await stage.panel.knows(2);
    await page.evaluate(() => addTool('after'));
    await stage.panel.knows(3, { timeout: SOON });
    await stage.panel.ask('call after');
    await stage.panel.call('after', 'ok');
    assert.deepEqual(await page.evaluate(() => window.runs.map((run) => run.tool)), ['after'], 'it ran once');
  });
});

describe('a tab that was open before the extension was installed', () => {
  for (const native of [true, false]) {
    test(`works, native WebMCP ${native ? 'on' : 'off'}`, async (t) => {
      const site = await serve(PAGES);
      t.after(() => site.close());
      const chromium = await launch({ native, extension: null, installable: true });
      t.after(() => chromium.close());
      const page = await chromium.open(site.url('changing.html'));
      await chromium.install(EXTENSION);
      const panel = await Panel.beside(chromium, page);
      // Without native WebMCP the page could register nothing before the installation.
      await panel.knows(native ? 1 : 0);
      await until(() => page.evaluate(() => Boolean(document.modelContext)), { what: 'WebMCP in the open page' });
      await page.evaluate(() => addTool('fresh'));
      await panel.knows(native ? 2 : 1, { timeout: SOON });
    });
  }
});
