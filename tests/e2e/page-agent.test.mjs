/** The agent reads and acts on a page that offers no tools: consent by site, cards, what it is told, and Stop in the page. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { testId } from '../lib/panel.mjs';
import { until } from '../lib/wait.mjs';

describe('the agent on a page without tools', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
  });
  after(() => stage?.strike());

  const shop = () => stage.site.url('actions/tea.html');
  const lastRequest = async () => (await stage.model.requests()).at(-1).body;
  const offered = async () => (await lastRequest()).tools.map((tool) => tool.function.name);
  const results = async () => (await lastRequest()).messages.filter((message) => message.role === 'tool').map((message) => message.content);
  const card = () => stage.panel.see('approval').then((node) => node.evaluate((it) => it.innerText));
  const takeBack = async () => {
    await stage.panel.view('settings');
    while (await stage.panel.shows('grant-take-back')) {
      const rows = (await stage.panel.page.$$(testId('grant-row'))).length;
      await stage.panel.click('grant-take-back');
      await until(async () => (await stage.panel.page.$$(testId('grant-row'))).length < rows, { what: 'a row to go' });
    }
    await stage.panel.view('chat');
  };

  test('case 91: off: only the request is offered; its card is the consent, and the turn goes on by itself', async () => {
    await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"read"}\nthen\ncall snapshot');
    assert.match(await card(), /read .*\?/i);
    assert.deepEqual(await offered(), ['request_page_access', 'ask_user']);
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['request_page_access', 'ok'], ['snapshot', 'ok']]);
    const [, snapshot] = await results();
    assert.match(snapshot, /Tea shop/);
    assert.match(snapshot, /- textbox "City" \[ref=e\d+\]/);
    assert.match(snapshot, /- button "Place order" \[ref=e\d+\]/);
    assert.ok(!(await offered()).includes('click_element'), 'reading is not acting');
  });

  test('the consent of a chat ends with the chat', async () => {
    await stage.converse();
    await stage.panel.say('call snapshot');
    await stage.panel.rest();
    assert.deepEqual(await offered(), ['request_page_access', 'ask_user']);
  });

  test('case 95: consent for good stands in Settings, holds in the next chat, and is taken back there', async () => {
    await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}');
    await stage.panel.see('approval');
    await stage.panel.decide('always');
    await stage.panel.rest();
    await stage.converse();
    await stage.panel.ask('call page_text');
    const [text] = await results();
    assert.match(text, /We sell three teas/);
    assert.ok((await offered()).includes('click_element'));
    await stage.panel.view('settings');
    const row = await stage.panel.see('grant-row');
    assert.match(await row.evaluate((node) => node.innerText), /Use its pages/);
    await takeBack();
    await stage.converse();
    await stage.panel.ask('call snapshot');
    assert.deepEqual(await offered(), ['request_page_access', 'ask_user']);
  });

  test('it types, chooses and clicks, and is told what became of the page', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall input_text {"selector":"#city","text":"Lyon"}\nthen\ncall select_option {"selector":"#tea","values":["Black"]}\nthen\ncall click_element {"selector":"#more"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    const told = await results();
    assert.match(told[1], /ok: input_text textbox "City".*Lyon/);
    assert.match(told[2], /ok: select_option combobox "Tea".*Black/);
    assert.match(told[3], /ok: click_element button "Show more".*The page changed/);
    assert.deepEqual(await page.evaluate(() => [city.value, tea.value, list.children.length]), ['Lyon', 'Black', 1]);
  });

  test('case 94: an order asks in automatic mode, on a card in our own words, and runs once', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#place"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('click_element', 'asking');
    const text = await card();
    assert.match(text, /Click “Place order”/);
    assert.match(text, /Checkout/);
    assert.match(text, /pay or order/);
    assert.equal(await stage.panel.shows('approval-always'), false, 'nobody allows that for good');
    assert.deepEqual(await page.evaluate(() => window.log), []);
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.equal((await page.evaluate(() => window.log)).length, 1);
  });

  test('case 40: what is no longer what the user was asked about is not done', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#place"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('click_element', 'asking');
    await page.evaluate(() => (document.querySelector('#place').textContent = 'Pay twice'));
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await page.evaluate(() => window.log), []);
    assert.match((await results()).at(-1), /changed/i);
  });

  test('case 79: a link leads to the next page, and its refs are others', async () => {
    await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall snapshot\nthen\ncall click_element {"selector":"a"}\nthen\ncall snapshot');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    const told = await results();
    assert.match(told[2], /The tab is now at .*done\.html, "About us"/);
    const refs = (text) => [...text.matchAll(/ref=e(\d+)/g)].map(([, number]) => Number(number));
    assert.ok(Math.min(...refs(told[3])) > Math.max(...refs(told[1])), 'numbers are not used again');
  });

  test('case 82: a dialog does not hang the turn', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    let dialog;
    page.once('dialog', (opened) => (dialog = opened));
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#ask"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.match((await results()).at(-1), /dialog/i);
    await dialog.accept();
  });

  test('case 82: Stop ends a turn whose page has a dialog open, and the next turn leaves the page', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    const opened = new Promise((resolve) => page.once('dialog', resolve));
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#ask"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await opened;
    await stage.panel.click('stop');
    await stage.panel.rest();
    assert.equal((await stage.panel.calls()).at(-1).state, 'cancelled');
    await stage.panel.ask(`call navigate_to {"url":"${stage.site.url('actions/done.html')}"}`);
    assert.match((await results()).at(-1), /The tab is now at .*done\.html|the tab is now at .*done\.html/);
  });

  test('the page says that it is used, and Stop there stops the turn', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall wait_for {"text":"never there","seconds":30}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('wait_for', 'running');
    await page.bringToFront();
    const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
    const hosts = () => page.evaluate(() => [...document.documentElement.children].filter((node) => node.tagName.startsWith('X')).length);
    await until(async () => (await hosts()) === 1, { what: 'the sign in the page' });
    // Stop is at the lower edge; where exactly depends on the words.
    for (let x = width / 2; x < width / 2 + 240 && (await stage.panel.shows('stop')); x += 12) await page.mouse.click(x, height - 26);
    await stage.panel.rest();
    assert.equal((await stage.panel.calls()).at(-1).state, 'cancelled');
    await until(async () => (await hosts()) === 0, { what: 'the sign to go with the turn' });
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
