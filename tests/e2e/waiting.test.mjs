/** While a page waits for the user, the panel shows it, pauses the tool's time limit and leads to the page. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

forBothModes('a page that waits for the user', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set({ native });
    await stage.panel.set('limit-tool-seconds', '1');
  });
  after(() => stage?.strike());

  /** Call a tool of the page, and wait until the panel shows that the page waits for the user. */
  const begin = async (call) => {
    const page = await stage.begin(stage.site.url('asking.html'), { tools: 2 });
    await stage.panel.say(`call ${call}`);
    const card = await stage.panel.call(call.split(' ')[0], 'waiting');
    return { page, card };
  };

  const outlast = (page) => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_000)));

  const told = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

  /** Page text as the model gets it. */
  const data = (text) => `<page_data origin="${stage.site.origin}">\n${text}\n</page_data>`;

  const state = async () => (await stage.panel.calls()).at(-1).state;

  test('a page’s question may outlast the tool time limit, and its answer is the result', async () => {
    const { page, card } = await begin('askFirst');
    assert.match(await card.evaluate((node) => node.innerText), /waiting for you/);
    // Twice the tool time limit, to check that it is paused.
    await outlast(page);
    assert.equal(await state(), 'waiting');
    await page.click('#yes');
    await stage.panel.call('askFirst', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.deepEqual(await told(), [data('The user said yes.')]);
    assert.equal(await stage.panel.shows('waiting'), false);
  });

  test('the user’s refusal on the page reaches the tool and the model', async () => {
    const { page } = await begin('askFirst');
    await page.click('#no');
    await stage.panel.call('askFirst', 'failed');
    await stage.panel.rest();
    assert.deepEqual(await told(), [`Error: ${data('The user said no.')}`]);
  });

  test('a button brings the waiting page to the front', async () => {
    const { page } = await begin('askFirst');
    const other = await stage.tab(stage.site.url('empty.html'));
    const isInFront = (tab) => tab.evaluate(() => document.visibilityState === 'visible');
    await until(async () => !(await isInFront(page)), { what: 'the other tab in front' });
    await stage.panel.click('waiting-show');
    await until(async () => (await isInFront(page)) && !(await isInFront(other)), { what: 'the waiting page in front' });
    await page.click('#yes');
    await stage.panel.call('askFirst', 'ok');
    await stage.panel.rest();
  });

  test('a call that filled in a form waits until the user submits it', async () => {
    const { page, card } = await begin('orderSeats {"seats":"2"}');
    assert.match(await card.evaluate((node) => node.innerText), /form on the page is filled in/);
    await outlast(page);
    assert.equal(await state(), 'waiting');
    await page.click('#send');
    await stage.panel.call('orderSeats', 'ok');
    await stage.panel.rest();
    assert.deepEqual(await told(), [data('Ordered 2 seats.')]);
  });

  test('a reopened panel still shows the wait, and Stop ends it', async () => {
    await begin('askFirst');
    await stage.panel.page.reload();
    await stage.panel.ready();
    await stage.panel.call('askFirst', 'waiting');
    await stage.panel.see('waiting-show');
    await stage.panel.click('stop');
    await stage.panel.call('askFirst', 'cancelled');
    assert.equal((await stage.panel.rest()).why, 'stopped');
    assert.equal(await stage.panel.shows('waiting'), false);
  });

  test('Wait longer extends the time limit of a slow tool', async () => {
    await stage.panel.set('limit-tool-seconds', '6');
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call takeTime');
    // Shown when three seconds are left, also in a panel that is opened meanwhile.
    await stage.panel.see('wait-longer');
    await stage.panel.page.reload();
    await stage.panel.ready();
    await stage.panel.click('wait-longer');
    await outlast(page);
    await outlast(page);
    assert.equal(await state(), 'running');
    await page.evaluate(() => window.finish());
    await stage.panel.call('takeTime', 'ok');
    await stage.panel.rest();
    assert.equal(await stage.panel.shows('wait-longer'), false);
    await stage.panel.set('limit-tool-seconds', '1');
    await stage.panel.view('chat');
  });

  test('the card is translated into Chinese', async () => {
    await stage.panel.set('language', 'zh-CN');
    const { page, card } = await begin('orderSeats {"seats":"3"}');
    assert.match(await card.evaluate((node) => node.innerText), /等你操作[\s\S]*表单已经填好[\s\S]*显示页面/);
    await page.click('#send');
    await stage.panel.rest();
    await stage.panel.set('language', 'en');
  });
});
