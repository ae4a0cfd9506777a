/** Only the panel gives commands: what runs in a page is turned away, even with all that a content script may do. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';

describe('what runs in a page', () => {
  /** @type {Stage} */
  let stage;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    stage = await Stage.set();
    page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"something to read"}');
  });
  after(() => stage?.strike());

  test('opens no port of the panel', async () => {
    const before = await stage.panel.transcript();
    const heard = await stage.chromium.inWorker(async (url) => {
      const [tab] = await chrome.tabs.query({ url });
      /** Runs in the world of the relay. Gives what the worker said until it closed the port. */
      const func = () =>
        new Promise((resolve) => {
          const said = [];
          const port = chrome.runtime.connect({ name: 'panel' });
          port.onMessage.addListener((text) => said.push(text));
          port.onDisconnect.addListener(() => resolve(said));
          const ask = (id, body) => port.postMessage(JSON.stringify({ id, body }));
          ask(1, { hello: { version: 1, windowId: 1, browserLanguage: 'en' } });
          ask(2, { chat: { send: { text: 'call echoText {"text":"from a page"}' } } });
        });
      const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, world: 'ISOLATED', func });
      return result;
    }, page.url());
    assert.deepEqual(heard, [], 'it is told nothing, and its port is closed');
    assert.deepEqual(await stage.panel.transcript(), before);
  });

  test('gives no command by message', async () => {
    const before = await stage.panel.transcript();
    const asked = (await stage.model.requests()).length;
    await stage.chromium.inWorker(async (url) => {
      const [tab] = await chrome.tabs.query({ url });
      const func = () => chrome.runtime.sendMessage(JSON.stringify({ id: 1, body: { chat: { send: { text: 'call echoText {"text":"from a page"}' } } } }));
      await chrome.scripting.executeScript({ target: { tabId: tab.id }, world: 'ISOLATED', func });
    }, page.url());
    assert.deepEqual(await stage.panel.transcript(), before);
    assert.equal((await stage.model.requests()).length, asked);
  });
});
