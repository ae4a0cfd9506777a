/**
 * Nothing is sent anywhere but to the model's service. A proxy records all requests of the browser, also those of pages
 * with our scripts; the requests of worker and panel are recorded over DevTools, too.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startProxy } from '../lib/proxy.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** Hosts that the browser contacts by itself, without any extension. */
const BROWSERS_OWN = /(^|\.)(google|googleapis|gvt1)\.com(:\d+)?$/;

describe('network traffic', () => {
  /** @type {import('../lib/proxy.mjs').Proxy} */
  let proxy;
  /** @type {Stage} */
  let stage;
  /** URLs that the worker and the panel requested. @type {string[]} */
  const own = [];
  before(async () => {
    proxy = await startProxy();
    stage = await Stage.set({ args: proxy.switches });
    const worker = await (await stage.chromium.workerTarget()).worker();
    worker.client.on('Network.requestWillBeSent', ({ request }) => own.push(request.url));
    await worker.client.send('Network.enable');
    stage.panel.page.on('request', (request) => own.push(request.url()));
  });
  after(async () => {
    await stage?.strike();
    await proxy?.close();
  });

  /** Requests at the proxy, without those for open pages and the browser's own. */
  const beyondPages = () => {
    const pages = [stage.site, stage.flights].map(({ port }) => `localhost:${port}`);
    return proxy.wanted.filter(({ host }) => !pages.includes(host) && !BROWSERS_OWN.test(host));
  };

  /** The origins that the worker and the panel contacted, without the extension's own. */
  const askedByUs = () => [...new Set(own.filter((url) => !url.startsWith('chrome-extension:')).map((url) => new URL(url).origin))];

  test('a conversation with tools, the list of models and the connection test contact the model only', async () => {
    const { panel, model } = stage;
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await panel.ask('call echoText {"text":"over the network"}');
    await panel.view('settings');
    await panel.click('try-connection');
    await panel.text('trial-advice');

    assert.deepEqual(askedByUs(), [new URL(model.url).origin]);
    const asked = beyondPages();
    assert.deepEqual([...new Set(asked.map(({ host }) => host))], [new URL(model.url).host]);
    const paths = asked.map(({ method, path }) => `${method} ${path}`);
    assert.ok(paths.filter((path) => path === 'POST /chat/completions').length >= 2, `the conversation went through the proxy: ${paths}`);
    assert.ok(paths.includes('GET /models'), `so did the list of models: ${paths}`);
  });

  test('a request to another host is seen at the proxy and in the worker', async () => {
    await stage.chromium.inWorker(() => fetch('http://elsewhere.example/').catch(() => {}));
    await until(() => beyondPages().some(({ host }) => host === 'elsewhere.example'), { what: 'the request at the proxy' });
    await until(() => askedByUs().includes('http://elsewhere.example'), { what: 'the request of the worker' });
  });
});
