/** While IndexedDB is busy, Stop does not wait for it, and one refused request does not end another. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Kept } from '../lib/database.mjs';
import { downloaded } from '../lib/download.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** The maximum of pinned tabs. */
const MOST_PINNED = 5;

describe('a busy disk', () => {
  /** @type {Stage} */
  let stage;
  /** @type {Kept} */
  let kept;
  let folder;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-disk-'));
    stage = await Stage.set({ native: true });
    kept = new Kept(stage.chromium);
  });
  after(async () => {
    await stage?.strike();
    await rm(folder, { recursive: true, force: true });
  });

  /** Open the list of chats and unfold import and export. */
  const openFiles = async () => {
    if (!(await stage.panel.shows('thread-list'))) await stage.panel.click('threads');
    await (await stage.panel.see('thread-files')).evaluate((fold) => (fold.open = true));
  };

  /** Begin an import, without waiting for its outcome. */
  const importFile = async (text) => {
    const file = path.join(folder, 'chats.json');
    await writeFile(file, text);
    const input = await stage.panel.page.$(testId('import-file'));
    await input.uploadFile(file);
    await input.evaluate((node) => node.dispatchEvent(new Event('change')));
    await stage.panel.see('import', ':disabled');
  };

  test('Stop ends the stream while an import and the list of chats wait for the disk', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"alpha"}');
    await openFiles();
    const { text } = await downloaded(stage.panel.page.browser(), () => stage.panel.click('export-json'));
    await stage.panel.click('threads-close');

    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.model.fault({ delivery: { hold_after_event: 40 } });
    await stage.panel.say('Write 300 tokens');
    await stage.model.wait(1, 'held');
    const free = await kept.hold();
    await openFiles();
    await importFile(text.replaceAll('alpha', 'omega'));
    await stage.panel.page.keyboard.press('Escape');
    await stage.panel.gone('thread-list');
    await stage.panel.click('stop');
    assert.equal((await stage.model.wait(1, 'aborted')).phase, 'aborted', 'the stream ends while the disk is held');
    assert.ok((await stage.panel.shows('stop')) === true, 'what cannot be written down yet is not over');
    await free();
    assert.equal((await stage.panel.rest()).why, 'stopped');
    await openFiles();
    await until(async () => /1 chat imported/.test(await stage.panel.text('import-outcome')), { what: 'the import to end' });
    await stage.panel.click('threads-close');
  });

  test('refusing to pin one more tab does not end an export that waits for the disk', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4, scenario: 'call-tool' });
    await stage.panel.ask('call echoText {"text":"beta"}');
    for (let count = 0; count < MOST_PINNED; count += 1) {
      if (count > 0) await stage.tab(stage.site.url(`empty.html?${count}`));
      await stage.panel.see('pin-tab', '[aria-pressed="false"]');
      await stage.panel.click('pin-tab');
      await until(async () => (await stage.panel.page.$$(testId('pinned-tab'))).length === count + 1, { what: `pin ${count + 1}` });
    }
    await stage.tab(stage.site.url('empty.html?last'));
    await stage.panel.see('pin-tab', '[aria-pressed="false"]');
    await openFiles();
    const free = await kept.hold();
    const { name, text } = await downloaded(stage.panel.page.browser(), async () => {
      await stage.panel.click('export-json');
      await stage.panel.see('export-json', ':disabled');
      await stage.panel.click('pin-tab');
      await stage.panel.see('alert');
      assert.ok(await stage.panel.page.$(`${testId('export-json')}:disabled`), 'the file is still on its way');
      await free();
    });
    assert.match(name, /\.json$/);
    assert.equal(JSON.parse(text).threads.filter(({ log }) => JSON.stringify(log).includes('beta')).length, 1);
  });

  test('a panel opens while the disk is held, and does not call a list of chats empty that has not come', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"gamma"}');
    await stage.panel.newChat();
    const free = await kept.hold();
    await stage.panel.page.reload();
    await stage.panel.ready();
    await stage.panel.click('threads');
    await stage.panel.see('thread-list');
    // The worker has had time to answer.
    await stage.chromium.inWorker(() => new Promise((resolve) => setTimeout(resolve, 100)));
    assert.equal(await stage.panel.page.$eval(testId('thread-status'), (status) => status.innerText), '');
    assert.equal(await stage.panel.page.$(testId('thread-row')), null);
    await free();
    await stage.panel.see('thread-row');
  });
});
