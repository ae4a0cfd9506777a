/** A key goes one way, from the panel to the worker, and is nowhere else. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SCRIPTED_KEY } from '../lib/model.mjs';
import { Panel } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';

/** Enough of the key to know it by, wherever it is looked for. */
const TRACE = SCRIPTED_KEY.slice(-8);

describe('keys', () => {
  /** @type {Stage} */
  let stage;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    stage = await Stage.set();
    page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"with a key"}');
  });
  after(() => stage?.strike());

  test('the model got it, so there is something to look for', async () => {
    assert.ok((await stage.model.requests()).every((request) => request.key === 'right'));
  });

  test('it lies in storage.local of the worker, and nowhere else in storage', async () => {
    const found = await stage.chromium.inWorker(async (trace) => {
      const areas = {};
      for (const area of ['local', 'sync', 'session', 'managed']) {
        areas[area] = await chrome.storage[area].get(null).then(
          (all) => JSON.stringify(all).includes(trace),
          () => false,
        );
      }
      return areas;
    }, TRACE);
    assert.deepEqual(found, { local: true, sync: false, session: false, managed: false });
  });

  test('a content script is refused storage.local', async () => {
    const answer = await stage.chromium.inWorker(async (url) => {
      const [tab] = await chrome.tabs.query({ url });
      const func = () => chrome.storage.local.get(null).then((all) => `read ${Object.keys(all)}`, (error) => `refused: ${error.message}`);
      const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, world: 'ISOLATED', func });
      return result;
    }, page.url());
    assert.match(answer, /^refused: .*not allowed/i);
  });

  test('no database holds it', async () => {
    const { databases, found } = await stage.chromium.inWorker(async (trace) => {
      const hits = [];
      let records = 0;
      const asked = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const list = await indexedDB.databases();
      for (const { name } of list) {
        const database = await asked(indexedDB.open(name));
        for (const store of database.objectStoreNames) {
          const objects = database.transaction(store).objectStore(store);
          const [values, keys] = await Promise.all([asked(objects.getAll()), asked(objects.getAllKeys())]);
          records += values.length;
          if (JSON.stringify([values, keys]).includes(trace)) hits.push(`${name}/${store}`);
        }
        database.close();
      }
      return { databases: records, found: hits };
    }, TRACE);
    assert.ok(databases > 0, 'the conversation was kept');
    assert.deepEqual(found, []);
  });

  test('the panel does not show it, not even in its fields', async () => {
    for (const view of ['settings', 'chat', 'tools']) {
      await stage.panel.view(view);
      const found = await stage.panel.page.evaluate((trace) => {
        const fields = [...document.querySelectorAll('input, textarea')].map((field) => field.value);
        return document.documentElement.outerHTML.includes(trace) || fields.some((value) => value.includes(trace));
      }, TRACE);
      assert.equal(found, false, view);
    }
    await stage.panel.view('settings');
    assert.match(await stage.panel.text('key-state'), /\S/);
  });

  test('a panel that opens later never gets it', async () => {
    await stage.panel.page.close();
    stage.panel = await Panel.beside(stage.chromium, page);
    const session = await stage.panel.page.createCDPSession();
    const chunks = [];
    session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
    await stage.panel.view('settings');
    await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    assert.ok(chunks.length > 0);
    assert.equal(chunks.join('').includes(TRACE), false, 'its whole heap is without the key');
  });

  test('the page sees nothing of it, nor of the extension', async () => {
    const found = await page.evaluate((trace) => {
      const seen = [document.documentElement.outerHTML, JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
      for (const name of Object.getOwnPropertyNames(window)) {
        try {
          seen.push(String(JSON.stringify(window[name])));
        } catch {
          // Some globals cannot be written down; none of ours is among them.
        }
      }
      return seen.some((text) => text.includes(trace));
    }, TRACE);
    assert.equal(found, false);
    const world = await page.evaluate(() => [document.documentElement.outerHTML, ...document.scripts].map(String).join(''));
    assert.equal(world.includes(stage.chromium.extensionId), false);
  });

  test('the conversation that the model sees does not hold it', async () => {
    const bodies = JSON.stringify((await stage.model.requests()).map((request) => [request.body, request.headers]));
    assert.equal(bodies.includes(TRACE), false);
  });

  test('a key for one address is not sent to another', async () => {
    await stage.panel.set('base-url', stage.model.url.replace('127.0.0.1', 'localhost'));
    await stage.panel.say('call readNote');
    await stage.panel.rest();
    assert.notEqual((await stage.model.requests()).at(-1)?.key, 'right');
    await stage.use('call-tool');
  });

  test('forgetting it forgets it', async () => {
    await stage.panel.view('settings');
    await stage.panel.click('forget-key');
    await stage.panel.click('forget-key-yes');
    await stage.panel.see('key-state', '[data-saved="false"]');
    const left = await stage.chromium.inWorker(async (trace) => JSON.stringify(await chrome.storage.local.get(null)).includes(trace), TRACE);
    assert.equal(left, false);
  });
});
