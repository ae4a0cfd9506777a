/** Tools of SKILLs that are registered in the page, where other agents find and call them. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { SkillsView, allowUserScripts, filesOf, shopSkill, tool, zip } from '../lib/packages.mjs';
import { testId } from '../lib/panel.mjs';
import { SHOP } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** A page on which the shop's tools read without leading anywhere. */
const ITEM = 'item.html?id=kettle-harbour';

forBothModes('tools of SKILLs in the page', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/site.mjs').Site} */
  let shop;
  before(async () => {
    [stage, shop] = await Promise.all([Stage.set({ native }), serve(SHOP)]);
    await stage.use('call-tool');
  });
  after(() => Promise.all([stage?.strike(), shop?.close()]));

  const at = (file = '') => shop.url(file, `http://shop.localhost:${shop.port}`);
  /** As another agent in the page sees them: descriptions by name. */
  const seen = (page) =>
    page.evaluate(async () => Object.fromEntries((await document.modelContext.getTools()).map((tool) => [tool.name, tool.description])));
  const sees = (page, wanted, what) => until(async () => wanted(await seen(page)), { what });
  const inBasket = (page) => page.evaluate(() => document.querySelector('[data-testid="basket-count"]').textContent);
  /** Call one as such an agent does. A page may call one a second. */
  const call = async (page, name, input = {}) => {
    await new Promise((resolve) => setTimeout(resolve, 1100));
    return page.evaluate(
      async (name, input) => {
        const tool = (await document.modelContext.getTools()).find((one) => one.name === name);
        const text = await document.modelContext.executeTool(tool, input).catch((error) => `failed: ${error.message}`);
        try {
          return JSON.parse(text);
        } catch {
          return text;
        }
      },
      name,
      input,
    );
  };
  const begin = async () => {
    const page = await stage.begin(at(ITEM), { tools: 5 });
    await sees(page, (tools) => 'shop_read_item' in tools, 'the tools in the page');
    return page;
  };

  test('another agent in the page finds a tool, calls it and gets its value; the panel lists it once', async () => {
    const page = await begin();
    const product = await call(page, 'shop_read_item');
    assert.deepEqual([product.id, product.name, product.price?.currency], ['kettle-harbour', 'Harbour kettle', 'CNY'], JSON.stringify(product));
    await stage.panel.view('tools');
    const names = (await stage.panel.tools()).map(({ name }) => name);
    assert.equal(names.filter((name) => name === 'shop_read_item').length, 1, names.join());
    assert.equal(names.length, 5);
    await stage.panel.view('log');
    await until(() => stage.panel.page.$(`${testId('log-row')}[data-name="shop_read_item"][data-outcome="ok"]`), { what: 'the call in the log' });
    await stage.panel.view('chat');
  });

  test('SKILL case 45: a page that calls a tool that acts waits for a card, which names the page, the SKILL and its level', async () => {
    const page = await begin();
    const before = await inBasket(page);
    const { page: panel } = stage.panel;
    await panel.focus(testId('composer-input'));
    const bought = call(page, 'shop_add_to_basket', { quantity: 1 });
    const card = await panel.waitForSelector(`${testId('direct-calls')} ${testId('approval')}`);
    const text = await card.evaluate((card) => card.innerText);
    assert.match(text, /shop_add_to_basket on shop\.localhost/);
    assert.match(text, /SKILL demo-shop \d+\.\d+\.\d+ · included/);
    assert.match(text, /script of this page calls it/);
    assert.deepEqual(await panel.$$eval(testId('approval-always'), (found) => found.length), 0, 'it is asked about each time');
    assert.equal(await panel.evaluate(() => document.activeElement.dataset.testid), 'composer-input', 'the page does not take the focus from the user');
    assert.equal(await inBasket(page), before, 'nothing is done before the click');
    await stage.panel.decide('run');
    const result = await bought;
    assert.equal(result.isError, undefined, JSON.stringify(result));
    await until(async () => (await inBasket(page)) !== before, { what: 'the product in the basket' });
    await until(async () => (await panel.$(testId('direct-calls'))) === null, { what: 'the card to go' });
    await stage.panel.view('log');
    await until(() => panel.$(`${testId('log-row')}[data-name="shop_add_to_basket"][data-outcome="ok"]`), { what: 'the call in the log' });
    await stage.panel.view('chat');
  });

  test('SKILL case 45: a declined call does nothing, and the page cannot ask for it again', async () => {
    const page = await begin();
    const before = await inBasket(page);
    const declined = call(page, 'shop_add_to_basket', { quantity: 1 });
    await stage.panel.decide('decline');
    assert.match((await declined).content[0].text, /user declined/);
    assert.match((await call(page, 'shop_add_to_basket', { quantity: 1 })).content[0].text, /not asked again/);
    assert.equal(await stage.panel.page.$(testId('direct-calls')), null);
    assert.equal(await inBasket(page), before);
  });

  test('SKILL case 45: a page that calls what leads elsewhere, or needs the user, is told to ask the user’s agent', async () => {
    const page = await begin();
    const leads = await call(page, 'shop_search', { query: 'kettle' });
    assert.equal(leads.isError, true);
    assert.match(leads.content[0].text, /open another page/);
    assert.equal(page.url(), at(ITEM));
    assert.match((await call(page, 'shop_read_item', { id: 7 })).content[0].text, /id/);
    assert.equal('shop_draft_order' in (await seen(page)), false, 'what needs the user is not there');
  });

  test('a page may call one tool a second', async () => {
    const page = await begin();
    const both = await page.evaluate(async () => {
      const tool = (await document.modelContext.getTools()).find((one) => one.name === 'shop_read_item');
      return Promise.all([document.modelContext.executeTool(tool, {}), document.modelContext.executeTool(tool, {})]);
    });
    assert.equal(both.filter((text) => text.includes('one tool a second')).length, 1, both.join('\n'));
  });

  test('the page’s own tool of the name wins, also when it comes later, and ours returns', async () => {
    const page = await begin();
    await page.evaluate(async () => {
      globalThis.own = new AbortController();
      const tool = { name: 'shop_read_item', description: 'The shop’s own.', execute: async () => 'own' };
      await document.modelContext.registerTool(tool, { signal: own.signal });
    });
    assert.equal((await seen(page)).shop_read_item, 'The shop’s own.');
    assert.equal(await call(page, 'shop_read_item'), 'own');
    await stage.panel.ask('call shop_read_item {}');
    assert.match((await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').at(-1).content, /own/);
    await stage.panel.knows(5);
    await page.evaluate(() => own.abort());
    await sees(page, (tools) => /^Opens the page of a product/.test(tools.shop_read_item ?? ''), 'the tool to return');
    await stage.panel.knows(5);
    assert.notEqual(await call(page, 'shop_read_item'), 'own');
  });

  test('the older way to register takes a name as well', async () => {
    const page = await begin();
    await page.evaluate(() => navigator.modelContext.registerTool({ name: 'shop_read_item', description: 'Older.', execute: () => 'older' }));
    await sees(page, (tools) => tools.shop_read_item === 'Older.', 'the page’s tool');
    await page.evaluate(() => navigator.modelContext.unregisterTool('shop_read_item'));
    await sees(page, (tools) => /^Opens the page of a product/.test(tools.shop_read_item ?? ''), 'the tool to return');
  });

  test('they go and come with the address and with the switch', async () => {
    const page = await begin();
    await page.goto(stage.site.url('empty.html'));
    await stage.panel.see('state-no-tools');
    assert.deepEqual(await seen(page), {});
    await page.goto(at(ITEM));
    await sees(page, (tools) => 'shop_read_item' in tools, 'the tools in the page');
    const view = new SkillsView(stage.panel);
    await view.open();
    await view.unfold('demo-shop');
    await view.press('demo-shop', testId('skill-registered'));
    await sees(page, (tools) => Object.keys(tools).length === 0, 'the tools to go');
    await stage.panel.knows(5);
    await view.press('demo-shop', testId('skill-registered'));
    await sees(page, (tools) => 'shop_read_item' in tools, 'the tools to return');
    await stage.panel.view('chat');
  });

  test('a switch that is pressed twice at once is as it was', async () => {
    const page = await begin();
    const view = new SkillsView(stage.panel);
    await view.open();
    await view.unfold('demo-shop');
    const box = view.card('demo-shop', testId('skill-registered'));
    const pressed = await stage.panel.page.$eval(box, (box) => [0, 1].map(() => (box.click(), box.checked)));
    assert.deepEqual(pressed, [false, true], 'it shows what was pressed, not only what the worker said last');
    const tool = `${testId('skill-tool')}[data-name="shop_search"] ${testId('skill-tool-on')}`;
    await view.press('demo-shop', tool);
    await stage.panel.knows(4);
    await sees(page, (tools) => 'shop_read_item' in tools && !('shop_search' in tools), 'one tool less');
    assert.equal(await stage.panel.page.$eval(box, (box) => box.checked), true);
    await view.press('demo-shop', tool);
    await stage.panel.knows(5);
    await stage.panel.view('chat');
  });

  test('a switch whose choice cannot be kept goes back, and the user is told', async () => {
    const page = await begin();
    const view = new SkillsView(stage.panel);
    await view.open();
    await view.unfold('demo-shop');
    await stage.chromium.inWorker(() => {
      const { local } = chrome.storage;
      globalThis.put = local.set;
      local.set = () => new Promise((_, reject) => (globalThis.refuse = () => reject(new Error('There is no room.'))));
    });
    const box = view.card('demo-shop', testId('skill-registered'));
    const isOn = () => stage.panel.page.$eval(box, (box) => box.checked);
    await view.press('demo-shop', testId('skill-registered'));
    await until(() => stage.chromium.inWorker(() => globalThis.refuse !== undefined), { what: 'the choice to be written' });
    assert.equal(await isOn(), false);
    await stage.chromium.inWorker(() => {
      chrome.storage.local.set = globalThis.put;
      globalThis.refuse();
    });
    await stage.panel.see('alert');
    await until(isOn, { what: 'the switch to go back', timeout: 1_000 });
    await stage.panel.click('alert-close');
    await view.press('demo-shop', testId('skill-registered'));
    await sees(page, (tools) => !('shop_read_item' in tools), 'the tools to go, now that there is room');
    await view.press('demo-shop', testId('skill-registered'));
    await sees(page, (tools) => 'shop_read_item' in tools, 'the tools to return');
    await stage.panel.view('chat');
  });

  /** A SKILL whose tools read, act, are code, and reach another origin. */
  const withCode = () => {
    const skill = shopSkill({ id: 'page-notes' });
    const elsewhere = { path: '/elsewhere.json', origin: stage.site.otherOrigin };
    skill.endpoints = { elsewhere };
    skill.tools.push(
      tool('count_headings', { class: 'acting', code: { file: 'webmcp/count.js', world: 'isolated' } }),
      tool('ask_elsewhere', { steps: [{ do: 'fetch', endpoint: 'elsewhere', read: 'json', as: 'found' }, { do: 'return', value: { found: '{{found}}' } }] }),
    );
    skill.permissions = {
      ...skill.permissions,
      acts: ['press_search', 'count_headings'],
      fetch: [{ origin: elsewhere.origin, methods: ['GET'] }],
      code: 'isolated',
    };
    const code = 'document.documentElement.dataset.counted = "yes"; return document.querySelectorAll("h1").length;';
    return zip({ ...filesOf(skill), 'page-notes/webmcp/count.js': code });
  };

  /** Have the extension's own script in a page say that the page calls a tool, as if the page had found a way to it. */
  const forge = async (page, toolName) => {
    const session = await page.createCDPSession();
    const contexts = [];
    session.on('Runtime.executionContextCreated', ({ context }) => contexts.push(context));
    await session.send('Runtime.enable');
    const { id } = contexts.find(({ origin, auxData }) => auxData.type === 'isolated' && `${origin}/` === stage.chromium.extensionUrl(''));
    const message = JSON.stringify({ type: '__wmcp_skill_called', requestId: crypto.randomUUID(), toolName, args: '{}' });
    // What comes back comes when the call is over.
    const expression = `void chrome.runtime.sendMessage(${JSON.stringify(message)})`;
    const { exceptionDetails } = await session.send('Runtime.evaluate', { contextId: id, expression });
    await session.detach();
    assert.equal(exceptionDetails, undefined);
  };

  test('SKILL case 45: a page neither finds nor calls what is code or reaches another origin, and the user is not asked', async () => {
    stage.site.put('elsewhere.json', '{"from":"elsewhere"}');
    await allowUserScripts(stage, true);
    const view = new SkillsView(stage.panel);
    await view.choose('page-notes.zip', withCode());
    await view.install({ own: true });
    const page = await stage.begin(at(ITEM), { tools: 9 });
    const own = ['ask_elsewhere', 'count_headings', 'press_search', 'read_heading'];
    const listed = (await stage.panel.tools()).map(({ name }) => name);
    assert.deepEqual(own.filter((name) => listed.includes(name)), own, 'the user’s agent has all of them');
    await sees(page, (tools) => 'press_search' in tools, 'the tools in the page');
    const found = Object.keys(await seen(page));
    assert.deepEqual(own.filter((name) => found.includes(name)), ['press_search', 'read_heading']);

    const asked = async () => (await stage.panel.page.$(testId('direct-calls'))) !== null;
    const withheld = ['count_headings', 'ask_elsewhere'];
    for (const name of withheld) {
      const answer = await page.evaluate(async (name) => {
        const known = (await document.modelContext.getTools()).find((one) => one.name === 'press_search');
        return document.modelContext.executeTool({ ...known, name }, {}).catch(() => 'refused');
      }, name);
      assert.equal(answer, 'refused', name);
    }
    await stage.panel.view('log');
    const failed = (name) => stage.panel.page.$(`${testId('log-row')}[data-name="${name}"][data-outcome="failed"]`);
    for (const name of withheld) {
      await until(async () => (await forge(page, name), failed(name)), { what: `${name} to be refused` });
      assert.equal(await asked(), false, name);
    }
    assert.equal(await page.evaluate(() => document.documentElement.dataset.counted), undefined);
    assert.ok(!stage.site.asked.includes('/elsewhere.json'));
    await stage.panel.view('chat');
    await until(async () => (await forge(page, 'press_search'), asked()), { what: 'a card for what only acts in the page' });
    await stage.panel.decide('decline');
    await until(async () => !(await asked()), { what: 'the card to go' });

    // The user's agent calls both.
    await stage.panel.say('call count_headings {}\ncall ask_elsewhere {}');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => `${name} ${state}`), ['count_headings ok', 'ask_elsewhere ok']);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.counted), 'yes');
    assert.ok(stage.site.asked.includes('/elsewhere.json'));
  });
});
