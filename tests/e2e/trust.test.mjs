/** Only the panel can send requests: content scripts are refused. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';

describe('a content script', () => {
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

  test('cannot open a port as the panel', async () => {
    const before = await stage.panel.transcript();
    const heard = await stage.chromium.inWorker(async (url) => {
      const [tab] = await chrome.tabs.query({ url });
      /** Runs in the relay's world. Returns the worker's messages until it closed the port. */
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

  test('cannot send a request by message', async () => {
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
