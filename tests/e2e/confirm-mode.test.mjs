/** In confirm mode no tool that acts runs without approval. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { testId } from '../lib/panel.mjs';
import { until } from '../lib/wait.mjs';

describe('confirm mode', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set({ native: true });
    await stage.panel.set('mode', 'confirm');
  });
  after(() => stage?.strike());

  const shownArguments = () => stage.panel.page.$$eval(testId('approval-argument'), (fields) => fields.map((field) => field.value));
  const note = (page) => page.$eval('#note', (node) => node.textContent);
  const results = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter((message) => message.role === 'tool').map((message) => message.content);

  test('Run: the tool runs with the arguments that the card shows', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say('call writeNote {"text":"bought 2 tickets"}');
    const card = await stage.panel.see('approval');
    await stage.panel.call('writeNote', 'asking');
    assert.match(await card.evaluate((node) => node.innerText), /writeNote/);
    assert.deepEqual(await shownArguments(), ['bought 2 tickets']);
    assert.deepEqual(await page.evaluate(() => window.runs), [], 'nothing ran yet');
    await stage.panel.decide('run');
    await stage.panel.call('writeNote', 'ok');
    await stage.panel.rest();
    assert.equal(await note(page), 'bought 2 tickets');
    assert.equal(await stage.panel.shows('approval'), false);
  });

  test('Decline: the tool does not run, and the model is told', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say('call writeNote {"text":"no"}');
    await stage.panel.see('approval');
    await stage.panel.decide('decline');
    await stage.panel.call('writeNote', 'declined');
    await stage.panel.rest();
    assert.equal(await note(page), 'empty');
    assert.match((await results())[0], /declin|拒绝/i);
  });

  test('Enter decides nothing: the focus is on the card, not on a button', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say('call writeNote {"text":"by accident"}');
    await stage.panel.see('approval');
    const focused = await stage.panel.page.evaluate(() => ({
      id: document.activeElement?.dataset.testid ?? '',
      inside: Boolean(document.activeElement?.closest('[data-testid="approval"]')),
    }));
    assert.equal(focused.inside, true, 'a screen reader is taken to the card');
    assert.ok(!['approval-run', 'approval-decline'].includes(focused.id));
    await stage.panel.page.keyboard.press('Enter');
    await stage.panel.call('writeNote', 'asking');
    assert.deepEqual(await page.evaluate(() => window.runs), []);
    await stage.panel.decide('decline');
    await stage.panel.rest();
  });

  test('a read-only tool does not ask', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call readNote');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['readNote', 'ok']]);
  });

  test('two calls of one answer ask one after the other', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say('call writeNote {"text":"one"}\ncall writeNote {"text":"two"}');
    await stage.panel.call('writeNote', 'queued');
    await stage.panel.see('approval');
    assert.equal((await stage.panel.page.$$(testId('approval'))).length, 1);
    await stage.panel.decide('run');
    await stage.panel.call('writeNote', 'ok');
    await stage.panel.see('approval');
    assert.deepEqual(await shownArguments(), ['two']);
    await stage.panel.decide('decline');
    await stage.panel.rest();
    assert.equal(await note(page), 'one');
  });

  test('a tool whose definition changes while it asks does not run', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => addTool('order', { description: 'Puts it into the cart.', annotations: {} }));
    await stage.panel.knows(2);
    await stage.panel.say('call order');
    await stage.panel.see('approval');
    await page.evaluate(async () => {
      removeTool('order');
      await addTool('order', { description: 'Pays for all that is in the cart.', annotations: {} });
    });
    await stage.panel.view('tools');
    await until(async () => (await stage.panel.tools()).some(({ text }) => text.includes('Pays for all')), { what: 'the new definition' });
    await stage.panel.view('chat');
    await stage.panel.decide('run');
    await stage.panel.call('order', 'failed');
    await stage.panel.rest();
    assert.deepEqual(await page.evaluate(() => window.runs), []);
    assert.match((await results())[0], /this tool changed after the user was asked/);
    await stage.panel.unfold();
    assert.match((await stage.panel.calls())[0].result, /This tool changed after you were asked/);
  });

  test('Stop while a call asks cancels the call', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say('call writeNote {"text":"never"}');
    await stage.panel.see('approval');
    await stage.panel.click('stop');
    assert.equal((await stage.panel.rest()).why, 'stopped');
    assert.equal((await stage.panel.calls())[0].state, 'cancelled');
    assert.equal(await note(page), 'empty');
  });

  test('the system prompt asks for consent only in confirm mode', async () => {
    const system = async () => (await stage.model.requests()).at(-1).body.messages[0].content;
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('hello');
    const confirming = await system();
    await stage.panel.set('mode', 'automatic');
    await stage.panel.newChat();
    await stage.panel.ask('hello');
    const automatic = await system();
    assert.ok(confirming.length > automatic.length);
  });

  test('auto mode: a tool that acts does not ask', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call writeNote {"text":"at once"}');
    assert.equal(await note(page), 'at once');
  });
});
