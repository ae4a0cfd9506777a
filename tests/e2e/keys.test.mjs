/** An API key goes from the panel to the worker only, and is nowhere else. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SCRIPTED_KEY } from '../lib/model.mjs';
import { Panel } from '../lib/panel.mjs';
import { called, DONE, said, startService } from '../lib/service.mjs';
import { Stage } from '../lib/stage.mjs';

/** The part of the key that the tests search for. */
const TRACE = SCRIPTED_KEY.slice(-8);

describe('an API key', () => {
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

  test('is sent to the model', async () => {
    assert.ok((await stage.model.requests()).every((request) => request.key === 'right'));
  });

  test('is in storage.local of the worker, and in no other storage area', async () => {
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

  test('cannot be read by a content script: storage.local is refused', async () => {
    const ask = () =>
      stage.chromium.inWorker(async (url) => {
        const [tab] = await chrome.tabs.query({ url });
        const func = () => chrome.storage.local.get(null).then((all) => `read ${Object.keys(all)}`, (error) => `refused: ${error.message}`);
        const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, world: 'ISOLATED', func });
        return result;
      }, page.url());
    assert.match(await ask(), /^refused: .*not allowed/i);
    // The browser keeps it when the worker ends.
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
    assert.match(await ask(), /^refused: .*not allowed/i);
  });

  /** The number of records in all databases, and the stores that contain a text. */
  const inDatabases = (text) =>
    stage.chromium.inWorker(async (trace) => {
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
    }, text);

  /** Whether the panel's document or fields contain a text. */
  const inPanel = (text) =>
    stage.panel.page.evaluate((trace) => {
      const fields = [...document.querySelectorAll('input, textarea')].map((field) => field.value);
      return document.documentElement.outerHTML.includes(trace) || fields.some((value) => value.includes(trace));
    }, text);

  test('is in no database', async () => {
    const { databases, found } = await inDatabases(TRACE);
    assert.ok(databases > 0, 'the conversation was kept');
    assert.deepEqual(found, []);
  });

  test('is not shown by the panel, not even in its fields', async () => {
    for (const view of ['settings', 'chat', 'tools']) {
      await stage.panel.view(view);
      assert.equal(await inPanel(TRACE), false, view);
    }
    await stage.panel.view('settings');
    assert.match(await stage.panel.text('key-state'), /\S/);
  });

  test('is not sent to a panel that is opened later', async () => {
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

  test('is not visible to the page, and neither is the extension’s ID', async () => {
    const found = await page.evaluate((trace) => {
      const seen = [document.documentElement.outerHTML, JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
      for (const name of Object.getOwnPropertyNames(window)) {
        try {
          seen.push(String(JSON.stringify(window[name])));
        } catch {
          // Some globals cannot be serialized; none of them is ours.
        }
      }
      return seen.some((text) => text.includes(trace));
    }, TRACE);
    assert.equal(found, false);
    const world = await page.evaluate(() => [document.documentElement.outerHTML, ...document.scripts].map(String).join(''));
    assert.equal(world.includes(stage.chromium.extensionId), false);
  });

  test('is in no request body and no other request header', async () => {
    const bodies = JSON.stringify((await stage.model.requests()).map((request) => [request.body, request.headers]));
    assert.equal(bodies.includes(TRACE), false);
  });

  test('is masked where a service repeats it in an answer or a question: not shown, saved or sent on', async () => {
    const key = 'sk-repeated-55d1e0b7c2';
    const trace = key.slice(-8);
    const service = await startService(({ body, key: given }) => {
      const results = body.messages.filter(({ role }) => role === 'tool');
      if (results.length) return [said('Thanks.'), DONE];
      return [said('Your key is '), ...[...given].map(said), said('. Right?'), called('ask_user', { question: `Is it ${given}?` }), DONE];
    });
    try {
      await stage.panel.newChat();
      await stage.panel.fill('base-url', service.url);
      await stage.panel.saveKey(key);
      await stage.panel.view('chat');
      await stage.panel.say('Which key do I have?');
      await stage.panel.see('question-text');
      assert.match(await stage.panel.text('question-text'), /^Is it …\?$/);
      assert.equal(await inPanel(trace), false);
      await stage.panel.answer('question-skip');
      await stage.panel.rest();
      const answers = (await stage.panel.transcript()).filter(({ kind }) => kind === 'assistant').map(({ answer }) => answer);
      assert.deepEqual(answers, ['Your key is …. Right?', 'Thanks.']);
      assert.equal(await inPanel(trace), false);
      assert.deepEqual((await inDatabases(trace)).found, []);
    } finally {
      await service.close();
    }
    await stage.use('call-tool');
    await stage.panel.ask('call readNote');
    const told = JSON.stringify((await stage.model.requests()).at(-1)?.body);
    assert.match(told, /Your key is …\. Right\?/);
    assert.equal(told.includes(trace), false);
  });

  test('is not sent to another address', async () => {
    await stage.panel.set('base-url', stage.model.url.replace('127.0.0.1', 'localhost'));
    await stage.panel.say('call readNote');
    await stage.panel.rest();
    assert.notEqual((await stage.model.requests()).at(-1)?.key, 'right');
    await stage.use('call-tool');
  });

  test('is erased from storage when the user forgets it', async () => {
    await stage.panel.view('settings');
    await stage.panel.click('forget-key');
    await stage.panel.click('forget-key-yes');
    await stage.panel.see('key-state', '[data-saved="false"]');
    const left = await stage.chromium.inWorker(async (trace) => JSON.stringify(await chrome.storage.local.get(null)).includes(trace), TRACE);
    assert.equal(left, false);
  });
});
