/** Tools of SKILLs come and go with pages, addresses and the tools of the site. */
// lane: alone (checks a limit of one second)

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { SkillsView } from '../lib/packages.mjs';
import { SHOP } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

const SECOND = { timeout: 1_000 };
const HOME = ['shop_add_to_basket', 'shop_draft_order', 'shop_read_basket', 'shop_read_item', 'shop_search'];
const RESULTS = [...HOME, 'shop_filter'];

/** A browser and the demo shop. */
function shopping(native) {
  const own = {
    /** @type {Stage} */
    stage: undefined,
    at: (file = '') => own.shop.url(file, `http://shop.localhost:${own.shop.port}`),
    sourceOf: async (name) => (await own.stage.panel.tools()).filter((tool) => tool.name === name).map(({ source }) => source).join(),
  };
  before(async () => {
    [own.stage, own.shop] = await Promise.all([Stage.set({ native }), serve(SHOP)]);
    // A document that must not be stored never comes back as it was.
    own.shop.put('search.html', await readFile(path.join(SHOP, 'search.html')), { 'Cache-Control': 'no-cache' });
    await own.stage.use('call-tool');
  });
  after(() => Promise.all([own.stage?.strike(), own.shop?.close()]));
  return own;
}

forBothModes('tools of a SKILL that come and go', (native) => {
  const own = shopping(native);

  test('SKILL case 19: with the address of the document, and with one that comes back, within a second and none twice', async () => {
    const { stage, at } = own;
    const page = await stage.begin(at('search.html?q=tea'), { tools: 6 });
    await stage.panel.seeTools(RESULTS);
    await page.evaluate(() => history.pushState({}, '', '/index.html'));
    await stage.panel.seeTools(HOME, SECOND);
    await page.evaluate(() => history.replaceState({}, '', '/search.html?q=mug'));
    await stage.panel.seeTools(RESULTS, SECOND);
    await page.evaluate(() => (location.hash = '#filters'));
    await page.evaluate(() => history.back());
    await stage.panel.seeTools(RESULTS, SECOND);
    await page.evaluate(() => addEventListener('pageshow', ({ persisted }) => (globalThis.isRestored = persisted)));
    await page.goto(stage.site.url('empty.html'));
    await stage.panel.seeTools([]);
    await page.goBack();
    await stage.panel.seeTools(RESULTS, SECOND);
    assert.equal(await page.evaluate(() => globalThis.isRestored), true, 'the document was in the back-forward cache');
  });

  test('SKILL case 21: the site’s own tool of the same name is used while it is there', async () => {
    const { stage, at, sourceOf } = own;
    const page = await stage.begin(at(), { tools: 5 });
    assert.equal(await sourceOf('shop_search'), 'skill');
    await page.evaluate(() => {
      globalThis.gone = new AbortController();
      const tool = { name: 'shop_search', description: 'The site searches.', inputSchema: { type: 'object', properties: { query: { type: 'string' } } }, annotations: { readOnlyHint: true }, execute: () => 'by the site itself' };
      return document.modelContext.registerTool(tool, { signal: globalThis.gone.signal });
    });
    await until(async () => (await sourceOf('shop_search')) !== 'skill', { what: 'the tool of the site' });
    assert.doesNotMatch(await sourceOf('shop_search'), /,/);
    await stage.panel.ask('call shop_search {"query":"kettle"}');
    assert.match((await stage.model.requests()).at(-1).body.messages.at(-1).content, /by the site itself/);
    await page.evaluate(() => globalThis.gone.abort());
    await until(async () => (await sourceOf('shop_search')) === 'skill', { what: 'the tool of the SKILL' });
    await stage.panel.seeTools(HOME);
  });

  test('the panel raised no errors', () => assert.deepEqual(own.stage.panel.problems, []));
});

describe('pages of no SKILL', () => {
  const own = shopping(false);

  test('SKILL case 22: nothing of a SKILL is read, and no file for SKILLs put in', async () => {
    const { stage, at } = own;
    // The panel's list of SKILLs is read once, for any page. Wait until the tools of all of them are.
    const view = new SkillsView(stage.panel);
    await view.open();
    await stage.panel.click('skills-elsewhere-toggle');
    await view.state('demo-shop', 'elsewhere');
    const all = await stage.panel.page.$$eval('[data-testid="skill-card"]', (cards) => cards.map((card) => card.dataset.id));
    assert.ok(all.length > 1);
    for (const id of all) {
      await view.unfold(id);
      await stage.panel.page.waitForSelector(view.card(id, '[data-testid="skill-tool"]'));
    }
    await stage.panel.view('chat');
    const worker = await (await stage.chromium.workerTarget()).createCDPSession();
    const read = [];
    await worker.send('Network.enable');
    worker.on('Network.requestWillBeSent', ({ request }) => read.push(new URL(request.url).pathname));
    /** The extension's scripts that a page came to have. */
    const scriptsAt = async (url) => {
      const page = await stage.tab('about:blank');
      const session = await page.createCDPSession();
      const files = [];
      session.on('Debugger.scriptParsed', (script) => files.push(script.url));
      await session.send('Debugger.enable');
      await page.goto(url);
      return { page, files: () => files.filter((file) => file.startsWith('chrome-extension:')).map((file) => new URL(file).pathname) };
    };
    const other = await scriptsAt(stage.site.url('echo.html'));
    await stage.panel.knows(4);
    assert.deepEqual(other.files().filter((file) => file.includes('actions')), []);
    assert.deepEqual(read.filter((file) => file.startsWith('/skills/')), []);
    // The same way of looking sees what a page of the SKILL gets.
    const shop = await scriptsAt(at());
    await stage.panel.knows(5);
    await until(() => shop.files().includes('/actions-skill.js'), { what: 'the script for SKILLs' });
    assert.ok(read.some((file) => file.startsWith('/skills/demo-shop')), read.join());
  });
});
