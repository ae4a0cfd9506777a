/** While a page waits for its user, the panel says so, the tool's time stands still, and the way there is one click. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

forBothModes('a page that waits for its user', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set({ native });
    await stage.panel.set('limit-tool-seconds', '1');
  });
  after(() => stage?.strike());

  /** Call a tool of the page, from a tab in front of it if so wanted, and wait until the panel says that it waits. */
  const begin = async (call) => {
    const page = await stage.begin(stage.site.url('asking.html'), { tools: 2 });
    await stage.panel.say(`call ${call}`);
    const card = await stage.panel.call(call.split(' ')[0], 'waiting');
    return { page, card };
  };

  const outlast = (page) => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_000)));

  const told = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

  /** What the page says, as the model reads it. */
  const data = (text) => `<page_data origin="${stage.site.origin}">\n${text}\n</page_data>`;

  const state = async () => (await stage.panel.calls()).at(-1).state;

  test('a question of the page may take longer than a tool, and its answer is the result', async () => {
    const { page, card } = await begin('askFirst');
    assert.match(await card.evaluate((node) => node.innerText), /waiting for you/);
    // Twice the time that a tool has: what is measured is that the limit does not run.
    await outlast(page);
    assert.equal(await state(), 'waiting');
    await page.click('#yes');
    await stage.panel.call('askFirst', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.deepEqual(await told(), [data('The user said yes.')]);
    assert.equal(await stage.panel.shows('waiting'), false);
  });

  test('a refusal reaches the tool and the model', async () => {
    const { page } = await begin('askFirst');
    await page.click('#no');
    await stage.panel.call('askFirst', 'failed');
    await stage.panel.rest();
    assert.deepEqual(await told(), [`Error: ${data('The user said no.')}`]);
  });

  test('the page that waits is one click away', async () => {
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

  test('a form that is filled in waits until it is sent', async () => {
    const { page, card } = await begin('orderSeats {"seats":"2"}');
    assert.match(await card.evaluate((node) => node.innerText), /form on the page is filled in/);
    await outlast(page);
    assert.equal(await state(), 'waiting');
    await page.click('#send');
    await stage.panel.call('orderSeats', 'ok');
    await stage.panel.rest();
    assert.deepEqual(await told(), [data('Ordered 2 seats.')]);
  });

  test('a panel that is opened again still says it, and Stop ends it', async () => {
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

  test('a tool that takes long is given up later when the user waits longer', async () => {
    await stage.panel.set('limit-tool-seconds', '6');
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call takeTime');
    // Three seconds are left. A panel that is opened meanwhile says it, too.
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

  test('it is said in Chinese', async () => {
    await stage.panel.set('language', 'zh-CN');
    const { page, card } = await begin('orderSeats {"seats":"3"}');
    assert.match(await card.evaluate((node) => node.innerText), /等你操作[\s\S]*表单已经填好[\s\S]*显示页面/);
    await page.click('#send');
    await stage.panel.rest();
    await stage.panel.set('language', 'en');
  });
});
