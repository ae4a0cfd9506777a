/** `window.__wmcp_bridge`: where it is, and what a page's scripts do with it. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { launch } from '../lib/browser.mjs';
import { Panel, testId } from '../lib/panel.mjs';
import { chromium, EXTENSION, FLIGHTS, PAGES, ROOT, SHOP, TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** A page that notes whether the bridge was there before its first script, with frames of its own and of another origin. */
const own = (other) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Own tools</title>
    <script>window.atStart = typeof window.__wmcp_bridge;</script>
    <script src="tools.js"></script>
  </head>
  <body>
    <iframe id="same" src="onward.html?frame.html?name=inFrame"></iframe>
    <iframe id="other" src="${other}/frame.html?name=inOther" allow="tools"></iframe>
    <iframe id="sandboxed" sandbox="allow-scripts" src="frame.html?name=inSandbox"></iframe>
    <iframe id="empty" srcdoc="<p>empty</p>"></iframe>
    <script>
      offer({
        name: 'echo',
        title: 'Echo',
        description: 'Gives back its arguments.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
        annotations: { readOnlyHint: true },
        execute: (args) => args,
      });
      offer({ name: 'echoText', description: 'Gives back the text.', execute: ({ text }) => text });
      offer({ name: 'fail', description: 'Throws.', execute: () => { throw new RangeError('The seat map has no row 99.'); } });
      offer({ name: 'failLater', description: 'Rejects.', execute: async ({ why }) => { throw new Error(why); } });
    </script>
  </body>
</html>`;

const isThere = () => '__wmcp_bridge' in window;
const has = (frame) => frame.waitForFunction(isThere);
const lost = (frame) => frame.waitForFunction(() => !('__wmcp_bridge' in window));

/** Press the switch for the site of the tab in front. It shows at once what it was pressed to: pages know when it is so. */
async function press(panel, on) {
  await panel.view('tools');
  await panel.click('site-bridge');
  await panel.see('site-bridge', on ? ':checked' : ':not(:checked)');
}

/** What a method gives, or the message with which it rejects. */
const ask = (page, method, ...args) =>
  page.evaluate(
    (method, args) => __wmcp_bridge[method](...args).then((value) => ({ value }), (error) => ({ failed: `${error.name}: ${error.message}` })),
    method,
    args,
  );

forBothModes('the test bridge', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/site.mjs').Site} */
  let elsewhere;
  /** @type {import('../lib/site.mjs').Site} */
  let shop;
  before(async () => {
    [stage, elsewhere, shop] = await Promise.all([Stage.set({ native }), serve(PAGES), serve(SHOP)]);
    await stage.use('call-tool');
    for (const site of [stage.site, elsewhere]) site.put('own.html', own(stage.site.otherOrigin));
  });
  after(() => Promise.all([stage?.strike(), elsewhere?.close(), shop?.close()]));

  const begin = () => stage.begin(stage.site.url('own.html'));
  const frame = async (page, id) => (await page.waitForSelector(`#${id}`)).contentFrame();

  test('is off by default', async () => {
    const page = await begin();
    assert.equal(await page.evaluate(() => window.atStart), 'undefined');
    assert.equal(await page.evaluate(isThere), false);
    await stage.panel.view('tools');
    await stage.panel.see('site-bridge', ':not(:checked)');
    assert.deepEqual(await stage.chromium.inWorker(() => chrome.scripting.getRegisteredContentScripts()), []);
  });

  test('is there at once, and from then on before the page’s own scripts, in documents of the exact origin alone', async () => {
    const other = await stage.chromium.open(elsewhere.url('own.html'));
    const page = await begin();
    await press(stage.panel, true);
    await Promise.all([has(page), frame(page, 'same').then(has), frame(page, 'empty').then(has)]);
    const check = async () => {
      for (const id of ['other', 'sandboxed']) assert.equal(await (await frame(page, id)).evaluate(isThere), false, id);
      assert.equal(await other.evaluate(isThere), false, 'another port of the host');
    };
    await check();

    const said = [];
    page.on('console', (message) => said.push([message.type(), message.text()]));
    await Promise.all([page.reload(), other.reload()]);
    assert.equal(await page.evaluate(() => window.atStart), 'object');
    assert.equal(await other.evaluate(() => window.atStart), 'undefined');
    await check();
    const lines = said.filter(([, text]) => text.includes('__wmcp_bridge'));
    assert.deepEqual(lines.map(([type]) => type), ['info'], JSON.stringify(lines));
    assert.ok(lines[0][1].includes(`for ${stage.site.origin} `), lines[0][1]);

    const shape = await page.evaluate(() => {
      const { writable, enumerable } = Object.getOwnPropertyDescriptor(window, '__wmcp_bridge');
      return [Object.isFrozen(__wmcp_bridge), Object.keys(__wmcp_bridge), writable, enumerable];
    });
    assert.deepEqual(shape, [true, ['listTools', 'callTool', 'waitForTool'], false, false]);
    await other.close();
  });

  test('lists the document’s own tools', async () => {
    const page = await begin();
    await (await frame(page, 'same')).waitForFunction(() => document.readyState === 'complete');
    const { value } = await ask(page, 'listTools');
    assert.deepEqual(value.map(({ name }) => name).sort(), ['echo', 'echoText', 'fail', 'failLater']);
    const { annotations, ...echo } = value.find(({ name }) => name === 'echo');
    assert.equal(annotations.readOnlyHint, true);
    assert.deepEqual(echo, {
      name: 'echo',
      title: 'Echo',
      description: 'Gives back its arguments.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    });
    const plain = value.find(({ name }) => name === 'fail');
    assert.deepEqual([plain.inputSchema, 'title' in plain], [null, false]);
    assert.deepEqual((await ask(await frame(page, 'same'), 'listTools')).value.map(({ name }) => name), ['inFrame']);
  });

  test('calls a tool and gives the text of its result', async () => {
    const page = await begin();
    assert.deepEqual(await ask(page, 'callTool', 'echo', { text: 'hello', more: [1] }), { value: '{"text":"hello","more":[1]}' });
    assert.deepEqual(await ask(page, 'callTool', 'echo'), { value: '{}' });
    assert.deepEqual(await ask(page, 'callTool', 'echoText', { text: '{"not":"parsed"}' }), { value: '{"not":"parsed"}' });
    assert.deepEqual(await page.evaluate(() => window.runs[0]), { tool: 'echo', args: { text: 'hello', more: [1] } });
  });

  test('says why a call fails', async () => {
    const page = await begin();
    const failed = async (...args) => (await ask(page, 'callTool', ...args)).failed;
    assert.equal(await failed('fail'), 'Error: The tool “fail” failed: The seat map has no row 99.');
    assert.deepEqual(
      await Promise.all(['first', 'second'].map((why) => failed('failLater', { why }))),
      ['first', 'second'].map((why) => `Error: The tool “failLater” failed: ${why}`),
    );
    const unknown = await failed('ecco');
    assert.match(unknown, /^Error: The page has no tool “ecco”\. The page has: [^.]*echoText[^.]*\. /);
    assert.match(await failed('inFrame'), /has no tool “inFrame”/);
    for (const args of ['text', 7, null, [1]]) {
      assert.equal(await failed('echo', args), 'TypeError: The arguments of a tool must be an object. Give {} for none.');
    }
    const circular = await page.evaluate(() => {
      const args = {};
      args.self = args;
      return __wmcp_bridge.callTool('echo', args).catch((error) => error.message);
    });
    assert.match(circular, /^The arguments of a tool must be JSON\. They are not: /);
    assert.match(await failed(7), /^TypeError: The name of a tool must be a string/);
    assert.deepEqual(await page.evaluate(() => window.runs.filter(({ tool }) => tool === 'echo')), []);
  });

  test('waits for a tool', async () => {
    const page = await begin();
    assert.equal((await ask(page, 'waitForTool', 'echo')).value.name, 'echo');
    const waiting = ask(page, 'waitForTool', 'late');
    await page.evaluate(() => offer({ name: 'other', description: 'Another.', execute: () => 'other' }));
    await page.evaluate(() => offer({ name: 'late', description: 'Comes late.', execute: () => 'now' }));
    assert.equal((await waiting).value.description, 'Comes late.');
    assert.deepEqual(await ask(page, 'callTool', 'late'), { value: 'now' });

    const { failed } = await ask(page, 'waitForTool', 'never', { timeout: 100 });
    assert.match(failed, /^Error: The tool “never” was not registered within 100 ms\. The page has: /);
    for (const timeout of [0, -1, Infinity, 'soon']) {
      assert.match((await ask(page, 'waitForTool', 'never', { timeout })).failed ?? '', /^TypeError: The timeout must be/, `${timeout}`);
    }
  });

  test('has no tools of SKILLs', async () => {
    const page = await stage.begin(shop.url('item.html?id=kettle-harbour', `http://shop.localhost:${shop.port}`), { tools: 5 });
    const names = () => page.evaluate(async () => (await document.modelContext.getTools()).map(({ name }) => name));
    await until(async () => (await names()).includes('shop_read_item'), { what: 'the tools of the SKILL in the page' });
    await press(stage.panel, true);
    await has(page);
    assert.deepEqual(await ask(page, 'listTools'), { value: [] });
    assert.match((await ask(page, 'callTool', 'shop_read_item')).failed, /no tool “shop_read_item”\. The page has no tools\./);
    const waiting = ask(page, 'waitForTool', 'shop_read_item');
    await page.evaluate(() => document.modelContext.registerTool({ name: 'shop_read_item', description: 'The shop’s own.', execute: () => 'own' }));
    assert.equal((await waiting).value.description, 'The shop’s own.');
    assert.deepEqual(await ask(page, 'callTool', 'shop_read_item'), { value: 'own' });
    await press(stage.panel, false);
    await lost(page);
  });

  test('goes when it is switched off, or taken back in Settings', async () => {
    const page = await begin();
    await has(page);
    await press(stage.panel, false);
    await Promise.all([lost(page), frame(page, 'same').then(lost)]);
    await page.reload();
    assert.equal(await page.evaluate(() => window.atStart), 'undefined');

    await press(stage.panel, true);
    await has(page);
    await stage.panel.view('settings');
    const row = await stage.panel.see('grant-row');
    assert.match(await row.evaluate((node) => node.innerText), /__wmcp_bridge/);
    await stage.panel.click('grant-take-back');
    await stage.panel.gone('grant-row');
    await lost(page);
    await stage.panel.click('grant-undo');
    await has(page);
    await stage.panel.click('grant-take-back');
    await lost(page);
    assert.deepEqual(await stage.chromium.inWorker(() => chrome.scripting.getRegisteredContentScripts()), []);
  });
});

describe('the test bridge', () => {
  test('for an origin without a port is for no other port', async () => {
    const stage = await Stage.set();
    try {
      const page = await stage.tab('about:blank');
      await page.setRequestInterception(true);
      const body = '<script>window.atStart = typeof window.__wmcp_bridge;</script>';
      page.on('request', (request) => request.respond({ contentType: 'text/html', body }));
      for (const origin of ['http://sidecar.localhost', 'https://sidecar.example']) {
        await page.goto(`${origin}/`);
        await until(async () => (await stage.panel.text('site')).includes(new URL(origin).host), { what: 'the site in the panel' });
        await press(stage.panel, true);
        await has(page);
        await page.reload();
        assert.equal(await page.evaluate(() => window.atStart), 'object', origin);
        for (const other of [`${origin}:8123`, origin.replace(/^https?/, (scheme) => (scheme === 'http' ? 'https' : 'http'))]) {
          await page.goto(`${other}/`);
          assert.equal(await page.evaluate(() => window.atStart), 'undefined', other);
        }
      }
    } finally {
      await stage.strike();
    }
  });

  test('outlives the browser, and an update of the extension', async (t) => {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'sidecar-kept-'));
    t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const site = await serve(PAGES);
    t.after(() => site.close());
    site.put('own.html', own(site.otherOrigin));
    let stage = await Stage.set({ profile });
    try {
      const page = await stage.begin(site.url('own.html'));
      await press(stage.panel, true);
      await has(page);
    } finally {
      await stage.strike();
    }
    stage = await Stage.set({ profile });
    try {
      const page = await stage.begin(site.url('own.html'));
      assert.equal(await page.evaluate(() => window.atStart), 'object');
      await stage.panel.view('tools');
      await stage.panel.see('site-bridge', ':checked');
      await stage.chromium.reinstall();
      await until(async () => (await stage.chromium.inWorker(() => chrome.scripting.getRegisteredContentScripts())).length === 1, {
        what: 'the script to be registered again',
      });
      await page.reload();
      assert.equal(await page.evaluate(() => window.atStart), 'object');
    } finally {
      await stage.strike();
    }
  });

  test('is in private windows as the others have it, and cannot be switched on there', async (t) => {
    const browser = await launch({ incognito: true });
    t.after(() => browser.close());
    const [site, other] = await Promise.all([serve(PAGES), serve(PAGES)]);
    t.after(() => Promise.all([site.close(), other.close()]));
    for (const one of [site, other]) one.put('own.html', own(one.otherOrigin));
    const usual = await browser.open(site.url('own.html'));
    await press(await Panel.beside(browser, usual), true);
    await has(usual);
    const page = await browser.openPrivateWindow(site.url('own.html'));
    assert.equal(await page.evaluate(() => window.atStart), 'object');
    const panel = await Panel.beside(browser, page);
    await panel.view('tools');
    await panel.see('hide-site');
    assert.equal(await panel.page.$(testId('site-bridge')), null);
    await page.goto(other.url('own.html'));
    assert.equal(await page.evaluate(() => window.atStart), 'undefined');
  });
});

describe('the examples of docs/test-bridge.md', () => {
  const code = async (file) => (await readFile(path.join(ROOT, 'docs', file), 'utf8')).match(/(?<=^```js\n).*?(?=^```$)/gms);

  test('are the same in both languages, and run one after the other with one profile', async (t) => {
    const blocks = await code('test-bridge.md');
    assert.deepEqual(await code('test-bridge.zh-CN.md'), blocks);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-example-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const flights = await serve(FLIGHTS);
    t.after(() => flights.close());
    await symlink(path.join(TESTS, 'node_modules'), path.join(folder, 'node_modules'));
    const env = { ...process.env, CHROME: chromium(), EXTENSION, PAGE: flights.url(), PROFILE: path.join(folder, 'profile') };
    for (const name of ['with-puppeteer.mjs', 'with-playwright.mjs']) {
      const file = path.join(folder, name);
      await writeFile(file, blocks.find((block) => block.startsWith(`// ${name}\n`)));
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 60_000 });
      assert.match(stdout, /^ok: /, name);
    }
  });
});
