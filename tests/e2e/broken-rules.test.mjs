/** Malformed tool calls: what is unambiguous is repaired and marked, and a repaired call that acts asks first. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';

describe('a model that makes malformed calls', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.panel.set('mode', 'automatic');
  });
  after(() => stage?.strike());

  const note = (page) => page.$eval('#note', (node) => node.textContent);

  /** Record every text that an answer in the panel ever showed. */
  const watch = () =>
    stage.panel.page.evaluate(() => {
      window.shown = [];
      window.watcher?.disconnect();
      window.watcher = new MutationObserver(() => {
        for (const answer of document.querySelectorAll('[data-testid="answer"]')) window.shown.push(answer.innerText);
      });
      window.watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
    });

  test('a tool call written as text is never shown, asks even in auto mode, and runs', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { scenario: 'leaks', tools: 4 });
    await watch();
    await stage.panel.say('two tickets');
    await stage.panel.see('approval');
    await stage.panel.see('tool-repaired');
    assert.equal(await note(page), 'empty');
    await stage.panel.decide('run');
    await stage.panel.call('writeNote', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.equal(await note(page), 'two tickets');
    const shown = await stage.panel.page.evaluate(() => window.shown);
    assert.ok(shown.some((text) => text.includes('I will use the note.')));
    assert.deepEqual(shown.filter((text) => /<|DSML|invoke/.test(text)), []);
  });

  test('a tool call written as text to a read-only tool runs without asking', async () => {
    await stage.begin(stage.site.url('echo.html'), { scenario: 'leaks', tools: 4 });
    await stage.panel.say('read the note');
    await stage.panel.call('readNote', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    await stage.panel.see('tool-repaired');
  });

  test('a tool name and arguments that are nearly right are repaired', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { scenario: 'nearly-json', tools: 4 });
    await stage.panel.say('by train');
    const argument = await stage.panel.see('approval-argument');
    assert.equal(await argument.evaluate((field) => field.value), 'by train');
    await stage.panel.see('tool-repaired');
    await stage.panel.decide('run');
    await stage.panel.call('writeNote', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.equal(await note(page), 'by train');
  });

  test('a repeated call is not run the second time, and asks the third time', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { scenario: 'call-tool', tools: 4 });
    const call = 'call writeNote {"text":"milk"}';
    await stage.panel.say([call, call, call].join('\nthen '));
    await stage.panel.see('approval');
    const whys = await stage.panel.page.$$eval('[data-testid="approval-why"]', (nodes) => nodes.map((node) => node.dataset.why));
    assert.deepEqual(whys, ['repeated']);
    const states = async () => (await stage.panel.calls()).map(({ state }) => state);
    assert.deepEqual(await states(), ['ok', 'repeated', 'asking']);
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await states(), ['ok', 'repeated', 'ok']);
    assert.equal(await page.evaluate(() => window.runs.length), 2);
  });

  test('arguments that do not match a pattern in the schema are refused once, then run and marked', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { scenario: 'call-tool', tools: 1 });
    await page.evaluate(() => {
      const time = { type: 'string', pattern: '^[1-12]:[0-5][0-9] (AM|PM)$' };
      return addTool('wake', { description: 'Changes a label.', annotations: {}, inputSchema: { type: 'object', properties: { time } } });
    });
    await stage.panel.knows(2);
    const call = 'call wake {"time":"10:00 AM"}';
    await stage.panel.ask(`${call}\nthen ${call}`);
    assert.deepEqual((await stage.panel.calls()).map(({ state }) => state), ['failed', 'ok']);
    assert.deepEqual(await page.evaluate(() => window.runs.map(({ args }) => args)), [{ time: '10:00 AM' }]);
    await stage.panel.see('tool-off-pattern');
  });
});
