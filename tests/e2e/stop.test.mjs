/** Stop takes effect at once: the stream ends, the tool is aborted, and nothing shown is lost. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('Stop', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native: true })));
  after(() => stage?.strike());

  for (const way of ['button', 'Escape']) {
    test(`during a stream, by ${way}: the connection is closed and the text is kept`, async () => {
      await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
      await stage.model.fault({ delivery: { hold_after_event: 40 } });
      await stage.panel.say('Write 300 tokens');
      await stage.model.wait(1, 'held');
      const text = async () => (await stage.panel.transcript()).find((entry) => entry.kind === 'assistant')?.answer ?? '';
      await until(async () => (await text()).length > 0, { what: 'the first words' });
      if (way === 'button') await stage.panel.click('stop');
      else await stage.panel.page.keyboard.press('Escape');
      assert.equal((await stage.model.wait(1, 'aborted')).phase, 'aborted');
      assert.equal((await stage.panel.rest()).why, 'stopped');
      const [, answer] = await stage.panel.transcript();
      assert.equal(answer.state, 'stopped');
      assert.ok((await text()).length > 0, 'what came is kept');
    });
  }

  test('during a tool call: the tool is aborted, and the conversation can go on', async () => {
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call hang');
    await stage.panel.call('hang', 'running');
    await until(() => page.evaluate(() => window.runs.length === 1), { what: 'the tool to run' });
    await stage.panel.click('stop');
    await stage.panel.call('hang', 'cancelled');
    assert.equal((await stage.panel.rest()).why, 'stopped');
    await until(() => page.evaluate(() => window.aborted.length === 1), { what: 'the abort of its signal' });
    assert.equal((await stage.model.requests()).length, 1, 'the model is not asked again');

    await stage.panel.say('call takeTime');
    await until(() => page.evaluate(() => Boolean(window.finish)), { what: 'the second tool' });
    await page.evaluate(() => window.finish());
    await stage.panel.call('takeTime', 'ok');
    await stage.panel.rest();
    const told = (await stage.model.requests()).at(1).body.messages.filter((message) => message.role === 'tool');
    assert.equal(told.length, 1, 'the stopped call is answered in the history');
  });

  test('with a call still queued: it never runs', async () => {
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call hang\ncall takeTime');
    await stage.panel.call('hang', 'running');
    await stage.panel.click('stop');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [
      ['hang', 'cancelled'],
      ['takeTime', 'cancelled'],
    ]);
    assert.deepEqual(await page.evaluate(() => window.runs.map((run) => run.tool)), ['hang']);
  });
});
