/** Messages sent while the agent works are queued, sent when it rests, and not lost. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('queued messages', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const waiting = () => stage.panel.page.$$eval(testId('queued'), (nodes) => nodes.map((node) => node.innerText.trim()));
  const seeWaiting = (wanted) => until(async () => (await waiting()).join('|') === wanted.join('|'), { what: `${wanted.length} messages to wait` });
  const said = async () => (await stage.panel.transcript()).filter(({ kind }) => kind === 'user').map(({ text }) => text);
  const enter = async (text) => {
    await stage.panel.type(text);
    await stage.panel.page.keyboard.press('Enter');
  };
  /** Begin a turn and hold its answer in the middle. */
  const hold = async () => {
    const page = await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.model.fault({ delivery: { hold_after_event: 20 } });
    await stage.panel.say('Write 100 tokens');
    await stage.model.wait(1, 'held');
    return page;
  };

  const empty = async () => {
    await (await stage.panel.see('composer-input')).focus();
    await stage.panel.page.keyboard.down('Control');
    await stage.panel.page.keyboard.press('a');
    await stage.panel.page.keyboard.up('Control');
    await stage.panel.page.keyboard.press('Backspace');
  };

  test('are sent in order, each when the turn before it has ended', async () => {
    await hold();
    await enter('Write 2 tokens');
    await stage.panel.type('Write 3 tokens');
    await stage.panel.click('send');
    await seeWaiting(['Write 2 tokens', 'Write 3 tokens']);
    assert.deepEqual(await said(), ['Write 100 tokens']);
    await stage.model.release(1);
    await seeWaiting([]);
    await until(async () => (await stage.panel.transcript()).filter(({ kind }) => kind === 'rest').length === 3, { what: 'three turns' });
    assert.deepEqual(await said(), ['Write 100 tokens', 'Write 2 tokens', 'Write 3 tokens']);
    assert.equal((await stage.model.requests()).length, 3);
  });

  test('can be taken back with their button or ArrowUp', async () => {
    await hold();
    await enter('Write 2 tokens');
    await seeWaiting(['Write 2 tokens']);
    await stage.panel.page.keyboard.press('ArrowUp');
    await seeWaiting([]);
    await until(async () => (await stage.panel.typed()) === 'Write 2 tokens', { what: 'the words in the composer' });
    await stage.panel.page.keyboard.press('Enter');
    await seeWaiting(['Write 2 tokens']);
    await stage.panel.click('queued-take-back');
    await seeWaiting([]);
    await stage.model.release(1);
    await stage.panel.rest();
    assert.deepEqual(await said(), ['Write 100 tokens']);
    assert.equal(await stage.panel.typed(), 'Write 2 tokens');
    await empty();
  });

  test('return to the composer only once after two clicks on Take back', async () => {
    await hold();
    await enter('Write 2 tokens');
    await seeWaiting(['Write 2 tokens']);
    await stage.panel.page.$eval(testId('queued-take-back'), (button) => {
      button.click();
      button.click();
    });
    await seeWaiting([]);
    await until(async () => (await stage.panel.typed()) !== '', { what: 'the words in the composer' });
    await stage.model.release(1);
    await stage.panel.rest();
    assert.equal(await stage.panel.typed(), 'Write 2 tokens');
    await empty();
  });

  test('get the tools of the page in front when they are sent', async () => {
    const page = await hold();
    await enter('Write 2 tokens');
    await seeWaiting(['Write 2 tokens']);
    await stage.panel.click('stop');
    await stage.panel.see('send-queued');
    await stage.tab(stage.site.url('echo.html'));
    await page.close();
    await stage.panel.knows(4);
    await stage.panel.click('send-queued');
    await seeWaiting([]);
    await until(async () => (await said()).length === 2, { what: 'the message to be said' });
    await stage.panel.rest();
    const { tools } = (await stage.model.requests()).at(-1).body;
    assert.ok(tools.some((tool) => JSON.stringify(tool).includes('echoText')), JSON.stringify(tools));
  });

  test('are appended to a draft when taken back', async () => {
    await hold();
    await enter('Write 2 tokens');
    await seeWaiting(['Write 2 tokens']);
    await stage.panel.type('And thank you');
    await stage.panel.click('queued-take-back');
    await seeWaiting([]);
    await until(async () => (await stage.panel.typed()) === 'And thank you\n\nWrite 2 tokens', { what: 'both in the composer' });
    await stage.model.release(1);
    await stage.panel.rest();
    await empty();
  });

  test('wait for the user after Stop, even when panel and worker end', async () => {
    await hold();
    await enter('Write 2 tokens');
    await seeWaiting(['Write 2 tokens']);
    assert.equal(await stage.panel.shows('send-queued'), false, 'not while the agent works');
    await stage.panel.click('stop');
    await stage.panel.see('send-queued');
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
    await seeWaiting(['Write 2 tokens']);
    assert.deepEqual(await said(), ['Write 100 tokens']);
    await stage.panel.click('send-queued');
    await seeWaiting([]);
    await until(async () => (await said()).length === 2, { what: 'the message to be said' });
    assert.equal((await stage.panel.rest()).why, 'done');
  });

  test('are limited to ten, and an eleventh stays in the composer', async () => {
    await hold();
    const messages = Array.from({ length: 10 }, (_, n) => `Write ${n + 1} tokens`);
    for (const message of messages) await enter(message);
    await seeWaiting(messages);
    await enter('one too many');
    await stage.panel.see('alert');
    assert.equal(await stage.panel.typed(), 'one too many');
    await stage.panel.click('stop');
    await stage.panel.rest();
    await (await stage.panel.see('composer-input')).click({ count: 3 });
    await stage.panel.page.keyboard.press('Backspace');
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
