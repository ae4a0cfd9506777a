/** A private window: its chats work, and nothing of them is written to disk or visible outside it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { everything } from '../lib/everything.mjs';
import { Panel, testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** The files in a folder that contain a word. */
async function holds(folder, word) {
  const found = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (bytes.includes(word) || bytes.includes(Buffer.from(word, 'utf16le'))) found.push(path.relative(folder, file));
  }
  return found;
}

describe('a private window', () => {
  const marker = randomUUID().slice(0, 13);
  const usual = randomUUID().slice(0, 13);
  /** @type {Stage} */
  let stage;
  /** @type {string} */
  let profile;
  /** @type {Panel} */
  let panel;
  /** @type {import('puppeteer-core').Page} */
  let page;
  /** @type {string} the extension's data before a private window was opened */
  let untouched;
  const address = () => stage.site.url(`changing.html?${marker}`);
  const open = async () => {
    page = await stage.chromium.openPrivateWindow(address());
    panel = await Panel.beside(stage.chromium, page);
  };
  const close = async () => {
    await page.close();
    await until(() => !stage.chromium.hasPrivateTargets(), { what: 'the private window and its worker to be gone' });
  };
  const look = () => stage.chromium.inWorker(everything);
  const grants = () => panel.page.$$eval(testId('grant-row'), (nodes) => nodes.map(({ dataset: { name, policy } }) => [name, policy]));

  before(async () => {
    profile = await mkdtemp(path.join(os.tmpdir(), 'sidecar-profile-'));
    stage = await Stage.set({ incognito: true, profile });
    await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await stage.panel.ask(`call always {"text":"${usual}"}`);
    // Record everything that the regular window's panel is sent from here on.
    await stage.panel.page.evaluate(async () => {
      const { id: windowId } = await chrome.windows.getCurrent();
      window.toldHere = [];
      const port = chrome.runtime.connect({ name: 'panel' });
      port.onMessage.addListener((text) => window.toldHere.push(text));
      const hello = { version: 1, windowId, browserLanguage: 'en' };
      port.postMessage(JSON.stringify({ id: 1, body: { hello } }));
    });
    await stage.pageShows(stage.panel.page, () => window.toldHere.length, (count) => count > 3, 'the welcome, and what comes with it');
    untouched = await look();
  });
  after(async () => {
    await stage?.strike();
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  test('its chat announces that nothing is kept, uses the saved settings and lists no earlier chat', async () => {
    await open();
    assert.match(await panel.text('private-window'), /leaves nothing/);
    assert.deepEqual(await violations(panel.page), []);
    assert.equal(await panel.shows('new-temporary'), false);
    assert.equal(await panel.shows('state-no-key'), false);
    await panel.click('threads');
    await panel.see('thread-list');
    assert.deepEqual(await panel.page.$$(testId('thread-row')), []);
    await panel.click('threads-close');
    await panel.view('log');
    await panel.see('log-empty');
    await panel.view('settings');
    await panel.see('private-settings');
    assert.deepEqual(await violations(panel.page), []);
    await panel.view('chat');
  });

  test('a turn, a policy, a hidden site, a pinned tab and a queued message change nothing outside it', async () => {
    await page.evaluate(() => addTool('order', { description: 'Pays for seats.', annotations: {}, inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }));
    await panel.knows(2);
    await panel.click('pin-tab');
    await panel.see('pinned-tab');
    await panel.say(`call order {"to":"${marker}"}`);
    await panel.see('approval');
    await panel.type(`call always {"text":"${marker} waits"}`);
    await panel.page.keyboard.press('Enter');
    await panel.see('queued');
    assert.equal(await look(), untouched, 'while it asks');
    assert.equal(await stage.chromium.inWorker(() => chrome.action.getBadgeText({})), '');
    await panel.decide('always');
    await until(async () => (await panel.transcript()).filter(({ kind }) => kind === 'rest').length === 2, { what: 'two turns' });
    assert.deepEqual((await panel.calls()).map(({ name, state }) => [name, state]), [['order', 'ok'], ['always', 'ok']]);
    assert.equal((await page.evaluate(() => window.runs.length)), 2);
    await panel.view('settings');
    await until(async () => (await grants()).length === 1, { what: 'the word for good' });
    await panel.view('tools');
    await panel.click('hide-site');
    await panel.view('settings');
    await panel.see('hidden-row');
    await panel.set('limit-calls', '7');
    assert.equal(await look(), untouched, 'while the window is open');
  });

  test('its policies survive the end of its worker, and its chat does not', async () => {
    await panel.view('chat');
    await stage.chromium.killWorker(await stage.chromium.privateWorkerTarget());
    await until(async () => /temporary chat is over/.test(await panel.text('alert')), { what: 'the word that it is over' });
    assert.deepEqual(await panel.transcript(), []);
    await panel.view('settings');
    assert.deepEqual(await grants(), [['order', 'allow']]);
    await panel.see('hidden-row');
  });

  test('after it is closed, no panel, store or file has anything of it', async () => {
    await close();
    const now = await look();
    assert.equal(now, untouched);
    for (const word of [marker, 'temporary-']) assert.ok(!now.includes(word), word);
    assert.ok(now.includes(usual), 'the usual chat is kept');
    const told = await stage.panel.page.evaluate(() => window.toldHere.join('\n') + document.body.innerText);
    assert.ok(!told.includes(marker) && !told.includes('temporary-'), 'the usual panel');
    await open();
    await panel.view('settings');
    await panel.see('private-settings');
    assert.deepEqual(await grants(), []);
    assert.equal(await panel.shows('hidden-row'), false);
    assert.deepEqual(await panel.transcript(), []);
    await close();
    await stage.chromium.close();
    assert.notDeepEqual(await holds(profile, usual), [], 'the usual chat is in a file');
    assert.deepEqual(await holds(profile, marker), []);
  });
});
