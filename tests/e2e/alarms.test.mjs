/** An alarm revives a turn whose worker died, and no alarm is left behind. */
// lane: beside (Chrome's alarms fire at most twice a minute)

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Panel } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** A minute, in milliseconds, with some room: the alarm fires every half minute. */
const WITHIN_A_MINUTE = 75_000;

/** Wait until no alarm is set. */
const noAlarm = (stage, timeout) =>
  until(() => stage.panel.page.evaluate(async () => (await chrome.alarms.getAll()).length === 0), {
    what: 'the alarm to be taken back',
    timeout,
  });

describe('a worker that died during a turn', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  test('an alarm revives the turn within a minute, without a panel', async () => {
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call takeTime');
    await stage.panel.call('takeTime', 'running');
    await until(() => page.evaluate(() => window.runs.length === 1), { what: 'the tool to run' });
    await stage.panel.page.close();
    await stage.chromium.killWorker();
    await page.evaluate(() => window.finish());
    await until(async () => (await stage.model.requests())[1]?.phase === 'finished', {
      what: 'the turn to go on',
      timeout: WITHIN_A_MINUTE,
      every: 250,
    });
    stage.panel = await Panel.beside(stage.chromium, page);
    await stage.panel.call('takeTime', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    await noAlarm(stage);
  });
});

describe('a browser that was closed during a turn', () => {
  test('shows the turn as interrupted after a restart, and does not continue it by itself', async (t) => {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'sidecar-kept-'));
    t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    let stage = await Stage.set({ profile });
    try {
      await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
      await stage.panel.say('call hang');
      await stage.panel.call('hang', 'running');
    } finally {
      await stage.strike();
    }
    stage = await Stage.set({ profile });
    try {
      await stage.panel.view('chat');
      await stage.panel.click('threads');
      await stage.panel.click('thread-row');
      assert.equal((await stage.panel.rest()).why, 'interrupted');
      // A browser that quits closes the page first; the worker may still be running and record the call as failed.
      assert.match((await stage.panel.calls())[0].state, /^(interrupted|failed)$/);
      // An alarm may survive the restart; it fires once and finds nothing to do.
      await noAlarm(stage, WITHIN_A_MINUTE);
    } finally {
      await stage.strike();
    }
  });
});
