/** Tools of SKILLs in the panel: the demo shop, which has none of its own. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { offered } from '../lib/model.mjs';
import { SkillsView } from '../lib/packages.mjs';
import { SHOP } from '../lib/paths.mjs';
import { testId } from '../lib/panel.mjs';
import { serve } from '../lib/site.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** The demo shop with its SKILL, and the panel. @param {boolean} native */
function shopping(native) {
  const own = {
    /** @type {Stage} */
    stage: undefined,
    /** @type {import('../lib/site.mjs').Site} */
    shop: undefined,
    at: (file = '') => own.shop.url(file, `http://shop.localhost:${own.shop.port}`),
    told: async () => (await own.stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').at(-1).content,
    state: async () => (await own.stage.panel.calls()).at(-1).state,
    /** What a call came to: what the model was told, as JSON where it is. */
    call: async (name, input) => {
      await own.stage.panel.ask(`call ${name} ${JSON.stringify(input)}`);
      const text = await own.told();
      return { state: await own.state(), text, value: json(text) };
    },
    /** The same, of a call about which the user is asked. */
    callAndRun: async (name, input) => {
      await own.stage.panel.say(`call ${name} ${JSON.stringify(input)}`);
      await own.stage.panel.see('approval');
      await own.stage.panel.decide('run');
      await own.stage.panel.rest();
      return { state: await own.state(), text: await own.told() };
    },
  };
  before(async () => {
    [own.stage, own.shop] = await Promise.all([Stage.set({ native }), serve(SHOP)]);
    await own.stage.use('call-tool');
  });
  after(() => Promise.all([own.stage?.strike(), own.shop?.close()]));
  return own;
}

const json = (text) => {
  const found = text.match(/^\{.*\}$/m);
  return found ? JSON.parse(found[0]) : undefined;
};

/** Whether a text stands in the page or in what lies over it. */
const says = async (page, text) => {
  const session = await page.createCDPSession();
  await session.send('DOM.enable');
  const { nodes } = await session.send('DOM.getFlattenedDocument', { depth: -1, pierce: true });
  await session.detach();
  return nodes.some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue.includes(text));
};

forBothModes('tools of a SKILL', (native) => {
  const own = shopping(native);

  test('SKILL case 2: they join the catalogue where the SKILL is of use, and go with the page', async () => {
    const { stage, at } = own;
    const page = await stage.begin(at(), { tools: 5 });
    await page.goto(stage.site.url('empty.html'));
    await stage.panel.see('state-no-tools');
    await page.goto(at('search.html?q=tea'));
    await stage.panel.knows(6);
    await page.evaluate(() => history.pushState({}, '', '/item.html?id=kettle-harbour'));
    await stage.panel.knows(5);
    // The model is offered them for this tab, and not for another one beside it.
    const ofShop = async () => offered((await stage.model.requests()).at(-1)).filter(({ name }) => name.startsWith('shop_')).length;
    await stage.panel.ask('Hello');
    assert.equal(await ofShop(), 5);
    await stage.tab(stage.site.url('empty.html'));
    await stage.panel.knows(0);
    await stage.panel.ask('Hello');
    assert.equal(await ofShop(), 0);
    await page.bringToFront();
    await stage.panel.knows(5);
    await stage.panel.ask('Hello');
    assert.equal(await ofShop(), 5);
  });

  test('a tool reads through a navigation, in English and Chinese, without consent for the site', async () => {
    const { stage, at, call } = own;
    for (const [lang, query] of [['en', 'kettle'], ['zh', '水壶']]) {
      await stage.begin(at(`?lang=${lang}`), { tools: 5 });
      const { state, value, text } = await call('shop_search', { query, maxPrice: 2000 });
      assert.equal(state, 'ok', text);
      assert.ok(value.items.length > 0 && value.total >= value.items.length, text);
      for (const item of value.items) {
        assert.ok(item.price.amount <= 2000 && item.price.currency === 'CNY', text);
        assert.match(item.url, /^http:\/\/shop\.localhost:\d+\/item\.html\?id=/);
      }
      assert.equal(await stage.panel.shows('approval'), false);
    }
  });

  test('a tool that acts asks, and does what it says', async () => {
    const { stage, at, call, callAndRun } = own;
    const page = await stage.begin(at(), { tools: 5 });
    const { value } = await call('shop_search', { query: '', inStockOnly: true });
    const { state, text } = await callAndRun('shop_add_to_basket', { id: value.items[0].id, quantity: 2 });
    assert.equal(state, 'ok', text);
    assert.match(await page.$eval('[data-testid="basket-count"]', (node) => node.textContent), /2/);
  });

  test('the list of tools says where they come from', async () => {
    const { stage, at } = own;
    await stage.begin(at(), { tools: 5 });
    await stage.panel.view('tools');
    await until(async () => (await stage.panel.page.$$(`${testId('tool-row')}[data-source="skill"]`)).length === 5, { what: 'five tools of the SKILL' });
    await stage.panel.view('chat');
  });

  test('the panel raised no errors', () => assert.deepEqual(own.stage.panel.problems, []));
});

describe('tools of a SKILL on pages of a shop', () => {
  const own = shopping(false);

  test('SKILL cases 24, 25: what the page says is the outcome: nothing found, sign in', async () => {
    const { stage, at, call } = own;
    await stage.begin(at(), { tools: 5 });
    assert.match((await call('shop_search', { query: 'zzzz' })).text, /No product matches/);
    await stage.begin(at('?signedOut=1'), { tools: 5 });
    const { state, text } = await call('shop_search', { query: 'kettle' });
    assert.equal(state, 'failed');
    assert.match(text, /sign in/);
    await stage.begin(at('?signedOut=0'), { tools: 5 });
  });

  test('SKILL case 24: where a page wants proof of a person no tools are offered, and the SKILLs view says so', async () => {
    const { stage, at } = own;
    await stage.begin(at('?challenge=1'), { tools: 0 });
    const view = new SkillsView(stage.panel);
    await view.open();
    await view.state('demo-shop', 'challenge');
    await stage.begin(at('?challenge=0'), { tools: 5 });
    await view.open();
    await view.state('demo-shop', 'ok');
    await stage.panel.view('chat');
  });

  test('filters are set by hand of the tool, and read back', async () => {
    const { stage, at, callAndRun } = own;
    const page = await stage.begin(at('search.html?q='), { tools: 6 });
    const { state, text } = await callAndRun('shop_filter', { maxPrice: 500, color: 'blue', inStockOnly: true });
    assert.equal(state, 'ok', text);
    const { filters, items } = json(text);
    assert.deepEqual([filters.maxPrice, filters.color, filters.inStockOnly], [500, 'blue', true]);
    assert.ok(items.every(({ price, inStock }) => price.amount <= 500 && inStock), text);
    assert.match(page.url(), /max=500/);
  });

  test('a tool waits for what the user does in the page, and goes on', async () => {
    const { stage, at, told, state, call, callAndRun } = own;
    const page = await stage.begin(at(), { tools: 5 });
    const { value } = await call('shop_search', { query: '', inStockOnly: true });
    await callAndRun('shop_add_to_basket', { id: value.items[0].id });
    await stage.panel.say('call shop_draft_order {"name":"A. Tester","street":"Example Road 1","city":"Sampleton"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.see('waiting');
    await until(() => says(page, 'Look at the order form'), { what: 'the page to say what the user is to do' });
    assert.equal(await page.$eval('[name="city"]', (node) => node.value), 'Sampleton');
    assert.equal(await state(), 'waiting');
    assert.equal(await page.$eval('[autocomplete="cc-number"]', (node) => node.value), '', 'the card number is the user’s');
    await page.bringToFront();
    await page.click('[data-testid="save-draft"]');
    await stage.panel.rest();
    assert.equal(await state(), 'ok', await told());
    assert.match(await told(), /draft saved/);
  });

  test('Stop ends a tool that waits', async () => {
    const { stage, at } = own;
    await stage.begin(at(), { tools: 5 });
    await stage.panel.say('call shop_draft_order {"name":"A. Tester","street":"Example Road 1","city":"Sampleton"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('shop_draft_order', 'running');
    await stage.panel.click('stop');
    assert.equal((await stage.panel.rest()).why, 'stopped');
  });

  test('SKILL case 26: a page in another layout wears the locators out, and the values stay right', async () => {
    const { stage, at, call } = own;
    await stage.begin(at(), { tools: 5 });
    const usual = (await call('shop_search', { query: 'kettle' })).value;
    await stage.begin(at('?layout=new'), { tools: 5 });
    const { state, text, value } = await call('shop_search', { query: 'kettle' });
    assert.equal(state, 'ok', text);
    assert.deepEqual(value.items, usual.items);
    assert.match(text, /changed a little/);
    await stage.begin(at('?layout=usual'), { tools: 5 });
  });

  test('the panel raised no errors', () => assert.deepEqual(own.stage.panel.problems, []));
});
