/** Awake while there is work, asleep otherwise. What is measured here is time, so this takes minutes. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Panel } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** Twice what Chrome gives a worker that says nothing. */
const PAUSE = 60_000;

describe('the worker', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  test('is awake as long as an answer comes, with a minute between its pieces', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'pauses' });
    const started = Date.now();
    // Before the one word, and before each sign of the answer's end.
    await stage.panel.say(`Say 1 words, ${PAUSE} ms apart`);
    const { why } = await stage.panel.rest({ timeout: 6 * PAUSE });
    assert.equal(why, 'done');
    assert.ok(Date.now() - started >= 3 * PAUSE, `it took ${Date.now() - started} ms`);
    assert.equal((await stage.panel.transcript()).find(({ kind }) => kind === 'assistant').answer, '1');
    assert.equal((await stage.model.requests()).length, 1, 'nothing broke off');
  });

  test('goes to sleep when there is nothing to do, and wakes up with everything', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"before the nap"}');
    await stage.panel.page.close();
    // One that the test has looked into stays awake for that alone.
    await stage.chromium.killWorker();
    await page.reload();
    await until(() => stage.chromium.workerRuns(), { what: 'a worker that nobody looks into' });
    await until(() => !stage.chromium.workerRuns(), { what: 'the worker to go to sleep', timeout: 2 * PAUSE, every: 250 });
    stage.panel = await Panel.beside(stage.chromium, page);
    await until(async () => /before the nap/.test((await stage.panel.transcript()).at(-2)?.answer), { what: 'the conversation' });
    await stage.panel.ask('call echoText {"text":"after it"}');
    assert.match((await stage.panel.transcript()).at(-2).answer, /after it/);
  });
});
