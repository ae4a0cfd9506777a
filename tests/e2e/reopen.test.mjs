/** Conversations survive the end of panel, worker and browser. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Panel } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('reopening', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const reopen = async (page) => {
    const open = stage.chromium.panelTargets().length;
    await stage.panel.page.close();
    await until(() => stage.chromium.panelTargets().length === open - 1, { what: 'the panel to close' });
    stage.panel = await Panel.beside(stage.chromium, page);
  };

  test('a panel whose port nobody hears opens another one', async () => {
    const page = await stage.begin(stage.site.url('empty.html'));
    const { identifier } = await stage.panel.page.evaluateOnNewDocument(() => {
      const { connect } = chrome.runtime;
      window.ports = 0;
      chrome.runtime.connect = (...details) => {
        window.ports += 1;
        if (window.ports > 1) return connect.apply(chrome.runtime, details);
        // As a port to a worker that is about to end.
        const never = { addListener() {}, removeListener() {} };
        return { name: details.at(-1)?.name, postMessage() {}, disconnect() {}, onMessage: never, onDisconnect: never };
      };
    });
    await stage.panel.page.reload();
    await stage.panel.ready();
    assert.equal(await stage.panel.page.evaluate(() => window.ports), 2);
    await stage.panel.page.removeScriptToEvaluateOnNewDocument(identifier);
    await reopen(page);
  });

  test('a panel closed during a stream and reopened shows the whole answer', async () => {
    const page = await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.model.fault({ delivery: { hold_after_event: 60 } });
    await stage.panel.say('Write 200 tokens');
    await stage.model.wait(1, 'held');
    await reopen(page);
    const answer = async () => (await stage.panel.transcript()).find((entry) => entry.kind === 'assistant');
    await until(async () => (await answer())?.answer, { what: 'what had come' });
    assert.equal((await answer()).state, 'streaming');
    const early = (await answer()).answer.length;
    await stage.model.release(1);
    await stage.panel.rest();
    assert.ok((await answer()).answer.length > early);
    assert.equal((await stage.model.requests()).length, 1, 'nothing was asked twice');
  });

  test('a turn goes on while no panel is open', async () => {
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call takeTime');
    await stage.panel.call('takeTime', 'running');
    await stage.panel.page.close();
    await until(() => page.evaluate(() => Boolean(window.finish)), { what: 'the tool to run' });
    await page.evaluate(() => window.finish());
    await stage.model.wait(2, 'finished');
    stage.panel = await Panel.beside(stage.chromium, page);
    await stage.panel.call('takeTime', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.equal(await page.evaluate(() => window.runs.length), 1);
  });

  test('an approval still waits when the panel is reopened', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.set('mode', 'confirm');
    await stage.panel.say('call writeNote {"text":"later"}');
    await stage.panel.see('approval');
    await reopen(page);
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('writeNote', 'ok');
    await stage.panel.rest();
    assert.equal(await page.$eval('#note', (note) => note.textContent), 'later');
    await stage.panel.set('mode', 'automatic');
  });

  test('a call that asks while no panel is open is notified, until a panel shows it', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    const notices = () => stage.chromium.inWorker(() => chrome.notifications.getAll().then((all) => Object.keys(all).length));
    await stage.panel.set('mode', 'confirm');
    await stage.model.fault({ delivery: { hold_after_event: 1 } });
    await stage.panel.say('call writeNote {"text":"unseen"}');
    await stage.model.wait(1, 'held');
    await stage.panel.page.close();
    await stage.model.release(1);
    await until(async () => (await notices()) === 1, { what: 'the notification' });
    stage.panel = await Panel.beside(stage.chromium, page);
    await stage.panel.see('approval');
    await until(async () => (await notices()) === 0, { what: 'the notification to be cleared' });
    await stage.panel.decide('decline');
    await stage.panel.rest();
    await stage.panel.set('mode', 'automatic');
  });

  test('the worker restarts with the conversation after it died', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"before"}');
    const before = await stage.panel.transcript();
    await stage.chromium.killWorker();
    await stage.panel.ask('call echoText {"text":"after"}');
    const now = await stage.panel.transcript();
    assert.deepEqual(now.slice(0, before.length).map((entry) => entry.text), before.map((entry) => entry.text));
    assert.match(now.at(-2).answer, /after/);
    assert.equal(await stage.panel.toolCount(), 4);
  });
});

describe('a restart of the browser', () => {
  test('keeps the conversation', async (t) => {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'sidecar-kept-'));
    t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    let stage = await Stage.set({ profile });
    try {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      await stage.panel.ask('call echoText {"text":"yesterday"}');
    } finally {
      await stage.strike();
    }
    stage = await Stage.set({ profile });
    try {
      await stage.panel.view('chat');
      await stage.panel.click('threads');
      await stage.panel.click('thread-row');
      await until(async () => (await stage.panel.transcript()).length > 0, { what: 'the conversation' });
      const told = await stage.panel.transcript();
      assert.deepEqual(told.map((entry) => entry.kind), ['user', 'assistant', 'tool', 'assistant', 'rest']);
      assert.match(told[3].answer, /yesterday/);
    } finally {
      await stage.strike();
    }
  });
});
