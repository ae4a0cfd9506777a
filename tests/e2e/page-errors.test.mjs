/** When a tool or its page fails: the page's error message reaches user and model, and the turn goes on. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

forBothModes('page errors', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  /** The results of this turn's calls, as sent to the model. */
  const told = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter((message) => message.role === 'tool').map((message) => message.content);

  const FAILURES = {
    throwError: /The seat map has no row 99\./,
    rejectPromise: /The payment desk is closed\./,
    throwText: /out of paper/,
    rejectNothing: /./,
    giveCycle: /./,
  };
  for (const [name, words] of Object.entries(FAILURES)) {
    test(`${name}: the call fails with the page’s error message`, async () => {
      await stage.begin(stage.site.url('throwing.html'), { tools: 6 });
      await stage.panel.ask(`call ${name}\nthen call works`);
      await stage.panel.unfold();
      const [failed, works] = await stage.panel.calls();
      assert.deepEqual([failed.name, failed.state], [name, 'failed']);
      assert.match(failed.text, words);
      assert.deepEqual([works.name, works.state], ['works', 'ok'], 'the page is alive');
      assert.match((await told())[0], words);
    });
  }

  test('arguments that are not JSON never reach the page', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echo {"a": ');
    assert.deepEqual((await stage.panel.calls()).map((call) => call.state), ['failed']);
    assert.deepEqual(await page.evaluate(() => window.runs), []);
    assert.ok((await told())[0].length > 0);
  });

  test('a call to an unknown tool fails, and the model is told why', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call teleport {}');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['teleport', 'failed']]);
    assert.match((await told())[0], /teleport|no tool|没有/i);
  });

  test('a call to a tool that was removed meanwhile fails', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await stage.model.fault({ delivery: { hold_after_event: 1 } });
    await stage.panel.say('call always');
    await stage.model.wait(1, 'held');
    await page.evaluate(() => removeTool('always'));
    await stage.panel.knows(0);
    await stage.model.release(1);
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['always', 'failed']]);
  });

  test('the call limit pauses the turn, and Continue goes on', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.set('limit-calls', '2');
    await stage.panel.say('call readNote {"n":1}\nthen call readNote {"n":2}\nthen call readNote {"n":3}');
    assert.equal((await stage.panel.rest()).why, 'callLimit');
    assert.equal(await page.evaluate(() => window.runs.length), 2);
    await stage.panel.click('continue');
    await until(async () => (await stage.panel.transcript()).at(-1).why === 'done', { what: 'the end of the turn' });
    assert.equal(await page.evaluate(() => window.runs.length), 3);
    await stage.panel.set('limit-calls', '10');
  });

  test('the tool time limit pauses the turn, and Continue goes on', async () => {
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.set('limit-tool-seconds', '2');
    await stage.panel.set('limit-turn-seconds', '1');
    await stage.panel.say('call takeTime\nthen call takeTime');
    assert.equal((await stage.panel.rest()).why, 'timeLimit');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [
      ['takeTime', 'timedOut'],
      ['takeTime', 'queued'],
    ]);
    assert.deepEqual(await page.evaluate(() => [window.runs.length, window.aborted]), [1, ['takeTime']]);
    await stage.panel.click('continue');
    await until(() => page.evaluate(() => window.runs.length === 2), { what: 'the call that waited' });
    await page.evaluate(() => window.finish());
    await until(async () => (await stage.panel.transcript()).at(-1).why === 'done', { what: 'the end of the turn' });
    await stage.panel.set('limit-turn-seconds', '60');
    await stage.panel.set('limit-tool-seconds', '10');
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
