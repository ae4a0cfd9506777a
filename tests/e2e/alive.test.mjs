/** The worker stays awake while there is work, and sleeps otherwise. Waiting for Chrome's idle time takes minutes. */
// lane: beside (it waits for Chrome to stop an idle worker)

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Panel } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { pause, until } from '../lib/wait.mjs';

/** Twice the idle time after which Chrome stops a worker, in milliseconds. */
const PAUSE = 60_000;

describe('the worker', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  /** Replace the worker by one without a DevTools session, which would keep it awake. `wakes` starts the new worker. */
  const unseen = async (wakes) => {
    await stage.chromium.killWorker();
    await wakes();
    await until(() => stage.chromium.workerRuns(), { what: 'a worker that nobody looks into' });
  };

  test('stays awake during an answer with a pause of a minute', async () => {
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

  test('goes to sleep when idle, and has the conversation when it wakes', async () => {
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
