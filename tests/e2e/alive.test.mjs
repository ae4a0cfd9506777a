/** Awake while there is work, asleep otherwise. What is measured here is time, so this takes two minutes. */
// lane: idle (it waits for Chrome to end what is idle)

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Panel } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { pause, until } from '../lib/wait.mjs';

/** Twice what Chrome gives a worker that says nothing. */
const PAUSE = 60_000;

describe('the worker', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  /** One that the test has looked into stays awake for that alone. What `wakes` does brings another. */
  const unseen = async (wakes) => {
    await stage.chromium.killWorker();
    await wakes();
    await until(() => stage.chromium.workerRuns(), { what: 'a worker that nobody looks into' });
  };

  test('is awake as long as an answer comes, with a minute between two of its pieces', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await unseen(() => stage.panel.page.reload());
    await stage.panel.ready();
    await stage.model.fault({ delivery: { hold_after_event: 10 } });
    await stage.panel.say('Write 20 tokens');
    await stage.model.wait(1, 'held');
    await pause(PAUSE);
    await stage.model.release();
    const { why } = await stage.panel.rest();
    assert.equal(why, 'done');
    const answers = (await stage.panel.transcript()).filter(({ kind }) => kind === 'assistant');
    assert.deepEqual(answers.map(({ state }) => state), ['done']);
    assert.equal((await stage.model.requests()).length, 1, 'nothing broke off');
  });

  test('goes to sleep when there is nothing to do, and wakes up with everything', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"before the nap"}');
    await stage.panel.page.close();
    await unseen(() => page.reload());
    await until(() => !stage.chromium.workerRuns(), { what: 'the worker to go to sleep', timeout: 2 * PAUSE, every: 250 });
    stage.panel = await Panel.beside(stage.chromium, page);
    await until(async () => /before the nap/.test((await stage.panel.transcript()).at(-2)?.answer), { what: 'the conversation' });
    await stage.panel.ask('call echoText {"text":"after it"}');
    assert.match((await stage.panel.transcript()).at(-2).answer, /after it/);
  });
});
