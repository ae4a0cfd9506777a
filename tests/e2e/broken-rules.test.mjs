/** When the model breaks the rules: what is plain is put right and marked, and nothing of it acts unseen. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';

describe('a model that breaks the rules', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.panel.set('mode', 'automatic');
  });
  after(() => stage?.strike());

  const note = (page) => page.$eval('#note', (node) => node.textContent);

  /** Keep everything that the panel's answers ever showed. */
  const watch = () =>
    stage.panel.page.evaluate(() => {
      window.shown = [];
      window.watcher?.disconnect();
      window.watcher = new MutationObserver(() => {
        for (const answer of document.querySelectorAll('[data-testid="answer"]')) window.shown.push(answer.innerText);
      });
      window.watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
    });

  test('a call in the text is never seen as markup, asks in automatic mode too, and runs', async () => {
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

  test('one of a tool that only reads asks nobody', async () => {
    await stage.begin(stage.site.url('echo.html'), { scenario: 'leaks', tools: 4 });
    await stage.panel.say('read the note');
    await stage.panel.call('readNote', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    await stage.panel.see('tool-repaired');
  });

  test('a name and arguments that are nearly right are put right', async () => {
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
});
