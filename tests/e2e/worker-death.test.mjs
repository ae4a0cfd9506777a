/** The service worker dies during a turn, and the turn goes on: nothing is lost, and nothing is done twice. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { lastLog, readLogs, writeRow } from '../lib/saved.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

const UNKNOWN = /unknown/i;

describe('a worker that died during a turn', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const runs = (page) => page.evaluate(() => window.runs.length);

  const running = async (tool) => {
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say(`call ${tool}`);
    await stage.panel.call(tool, 'running');
    await until(async () => (await runs(page)) === 1, { what: 'the tool to run' });
    return page;
  };

  const toldOfTools = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

  test('a module that traps during a turn is replaced, and the turn goes on', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.chromium.watchModules();
    // Twice, because the replacement may trap, too.
    for (const text of ['still here', 'here again']) {
      await stage.converse();
      await stage.model.fault({ delivery: { hold_after_event: 3 } });
      await stage.panel.say(`call echoText {"text":"${text}"}`);
      await stage.model.wait(1, 'held');
      await stage.chromium.spoilWorker();
      await stage.model.release();
      assert.equal((await stage.panel.rest()).why, 'done');
      await stage.panel.call('echoText', 'ok');
      const log = await lastLog(stage.panel.page);
      assert.equal(log.filter(({ event }) => event === 'turnRevived').length, 1);
    }
    // The next turn is a normal one.
    await stage.panel.ask('call echoText {"text":"after that"}');
    assert.match((await stage.panel.transcript()).at(-2).answer, /after that/);
    assert.equal(await stage.panel.toolCount(), 4);
  });

  test('a rejection of a module that trapped, told late, does not end its replacement', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.model.fault({ delivery: { hold_after_event: 3 } });
    await stage.panel.say('call echoText {"text":"once more"}');
    await stage.model.wait(1, 'held');
    await stage.chromium.inWorker(async () => {
      const error = new WebAssembly.RuntimeError('of the first module');
      const { setTimeout } = self;
      self.setTimeout = queueMicrotask;
      self.dispatchEvent(new ErrorEvent('error', { error }));
      self.setTimeout = setTimeout;
      // The replacement starts in a microtask. Rejections from before are told in a later task.
      for (let turn = 0; turn < 10; turn += 1) await undefined;
      self.dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason: error }));
    });
    await stage.model.release();
    assert.equal((await stage.panel.rest()).why, 'done');
    await stage.panel.call('echoText', 'ok');
    assert.equal((await lastLog(stage.panel.page)).filter(({ event }) => event === 'turnRevived').length, 1);
  });

  test('a tool that acts is not run again, the model is told that its effect is unknown, and the turn goes on', async () => {
    const page = await running('hang');
    await stage.chromium.killWorker();
    await stage.panel.call('hang', 'interrupted');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.equal(await runs(page), 1);
    assert.match((await toldOfTools())[0], UNKNOWN);
  });

  test('a read-only tool is run again, and the turn completes', async () => {
    const page = await running('takeTime');
    await stage.chromium.killWorker();
    const finished = () => page.evaluate(() => (window.finish?.(), true));
    await until(async () => (await finished()) && (await stage.panel.calls()).at(-1).state === 'ok', { what: 'the result' });
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.match((await toldOfTools())[0], /finished/);
  });

  test('an interrupted answer is requested again, and its shown part is kept', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.model.fault({ delivery: { hold_after_event: 60 } });
    await stage.panel.say('Write 100 tokens');
    await stage.model.wait(1, 'held');
    const answers = async () => (await stage.panel.transcript()).filter(({ kind }) => kind === 'assistant');
    const draft = () =>
      stage.panel.page.evaluate(async () => {
        const open = indexedDB.open('webmcp-sidecar');
        await new Promise((resolve) => (open.onsuccess = resolve));
        const drafts = open.result.transaction('drafts').objectStore('drafts').getAll();
        await new Promise((resolve) => (drafts.onsuccess = resolve));
        open.result.close();
        return drafts.result.at(-1);
      });
    await until(async () => JSON.parse((await draft()) ?? '{}').text?.includes('river'), { what: 'the draft to be saved' });
    await stage.chromium.killWorker();
    assert.equal((await stage.panel.rest()).why, 'done');
    const [cut, whole] = await answers();
    assert.deepEqual([cut.state, whole.state], ['cut', 'done']);
    assert.ok(cut.answer.length > 0 && whole.answer.length > cut.answer.length);
    assert.equal((await stage.model.requests()).length, 2);
  });

  test('an approval keeps waiting', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.set('mode', 'confirm');
    await stage.panel.say('call writeNote {"text":"asked before"}');
    await stage.panel.see('approval');
    await stage.chromium.killWorker();
    await until(() => stage.chromium.workerRuns(), { what: 'another worker' });
    await stage.panel.see('approval');
    // A click may come while no worker is running.
    await until(
      async () => {
        await stage.panel.page.evaluate(() => document.querySelector('[data-testid="approval"][data-ready="true"] [data-testid="approval-run"]')?.click());
        return (await stage.panel.calls()).at(-1).state === 'ok';
      },
      { what: 'the note to be written' },
    );
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.equal(await page.$eval('#note', (note) => note.textContent), 'asked before');
    await stage.panel.set('mode', 'automatic');
  });

  test('a turn whose worker dies repeatedly is interrupted, and Continue completes it', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.model.fault({ times: 4, delivery: { hold_after_event: 60 } });
    await stage.panel.say('Write 100 tokens');
    for (const request of [1, 2, 3, 4]) {
      // Sometimes a request to stop a worker also stops its successor.
      const isHeld = await stage.model.wait(request, 'held').then(() => true, () => false);
      if (isHeld) await stage.chromium.killWorker();
    }
    assert.equal((await stage.panel.rest()).why, 'interrupted');
    assert.equal((await stage.model.requests()).length, 4);
    await stage.panel.click('continue');
    await until(async () => (await stage.panel.transcript()).at(-1).why === 'done', { what: 'the end of the turn' });
  });

  test('a thread written by a newer version is not opened, and is left unchanged', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"from today"}');
    const [{ thread, position }] = (await readLogs(stage.panel.page)).slice(-1);
    await stage.panel.newChat();
    await writeRow(stage.panel.page, { thread, position: position + 1, text: '{"at":1,"event":"turnForked","from":"x"}' });
    const before = await readLogs(stage.panel.page);
    await stage.panel.click('threads');
    await stage.panel.click('thread-row', `[data-thread="${thread}"]`);
    assert.match(await stage.panel.text('alert'), /newer version/);
    assert.deepEqual(await readLogs(stage.panel.page), before);
  });
});
