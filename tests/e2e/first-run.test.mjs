/** The first run: one question, a key that is tested at once, and a message that waits for it. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SCRIPTED_KEY } from '../lib/model.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('the first run', () => {
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/panel.mjs').Panel} */
  let panel;
  before(async () => {
    stage = await Stage.set();
    panel = stage.panel;
  });
  after(() => stage?.strike());

  const pressed = () =>
    panel.page.$$eval(`${testId('service')}[aria-pressed="true"]`, (services) => services.map(({ dataset }) => dataset.provider));
  const service = (provider) => panel.click('service', `[data-provider="${provider}"]`);
  /** Type a key into the panel's first screen and save it. */
  const enter = async (key) => {
    await (await panel.see('setting-key')).type(key);
    await panel.click('save-key');
  };
  /** The user's messages in the transcript. */
  const messages = async () => (await panel.transcript()).filter(({ kind }) => kind === 'user').map(({ text }) => text);

  test('asks which service to use, and has chosen none', async () => {
    await panel.see('state-welcome');
    assert.deepEqual(await pressed(), []);
    assert.equal(await panel.shows('setting-key'), false);
    const groups = await panel.page.$$eval(`${testId('state-welcome')} [role="group"]`, (all) => all.map((group) => group.ariaLabel));
    assert.deepEqual(groups, ['free to start', 'paid', 'on this computer', 'other']);
    const offered = await panel.page.$$eval(testId('service'), (services) => services.map(({ dataset }) => dataset.provider));
    assert.equal(new Set(offered).size, offered.length);
    assert.ok(['gemini', 'deepseek', 'ollama', 'custom'].every((id) => offered.includes(id)), `${offered}`);
  });

  test('a message sent before there is a key is kept, and starts no chat', async () => {
    await panel.write('call readNote');
    await panel.page.keyboard.press('Enter');
    assert.match(await panel.text('held'), /Kept here[\s\S]*call readNote/);
    assert.equal(await panel.typed(), '');
    assert.deepEqual(await panel.transcript(), []);
    await panel.click('threads');
    // The list is read when it is opened.
    await until(async () => /No earlier chats yet/.test(await panel.text('thread-list')), { what: 'the list to say that there are none' });
    await panel.click('threads-close');
    await panel.gone('thread-list');
  });

  test('the kept message can be taken back and sent again', async () => {
    await panel.click('held-take-back');
    await panel.gone('held');
    assert.equal(await panel.typed(), 'call readNote');
    await panel.click('send');
    await panel.see('held');
  });

  test('a service leads to where its key is got', async () => {
    await service('gemini');
    await panel.see('setting-key', ':focus');
    assert.deepEqual(await pressed(), ['gemini']);
    assert.equal(await panel.page.$eval(testId('key-page'), (link) => link.href), 'https://aistudio.google.com/apikey');
    assert.deepEqual(await stage.model.requests(), []);
  });

  test('what cannot be a key is not saved, and the reason is given', async () => {
    await service('deepseek');
    await panel.set('base-url', stage.model.url);
    await panel.set('model', 'call-tool');
    await panel.view('chat');
    await enter('my key: sk-1');
    assert.match(await panel.text('setting-error'), /holds a space/);
    assert.equal(await panel.page.$eval(testId('key-state'), (state) => state.dataset.saved), 'false');
    await panel.page.$eval(testId('setting-key'), (field) => (field.value = ''));
  });

  test('a key is tested when it is saved, and the message waits while it is wrong', async () => {
    await enter('sk-wrong');
    assert.match(await panel.text('trial-advice'), /refused the key \(401\)/);
    await panel.see('state-welcome');
    assert.match(await panel.text('held'), /call readNote/);
    assert.deepEqual(await panel.transcript(), []);
    assert.ok((await stage.model.requests()).every(({ status }) => status === 401));
  });

  test('the message is sent when a key works', async () => {
    await stage.tab(stage.site.url('echo.html'));
    await panel.knows(4);
    await enter(SCRIPTED_KEY);
    await panel.call('readNote', 'ok');
    assert.equal((await panel.rest()).why, 'done');
    assert.deepEqual(await messages(), ['call readNote']);
    assert.equal(await panel.shows('held'), false);
  });
});
