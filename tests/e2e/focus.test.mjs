/** Keyboard focus after its element disappears, and what the keys do there. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('keyboard focus', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const focused = () => stage.panel.page.evaluate(() => document.activeElement?.dataset.testid ?? '');
  const isAt = (id) => until(async () => (await focused()) === id, { what: `the focus at ${id}` });
  const press = (key) => stage.panel.page.keyboard.press(key);
  /** Press a button with the keyboard. */
  const enter = async (id) => {
    await stage.panel.see(id, ':enabled');
    await stage.panel.page.focus(testId(id));
    await press('Enter');
  };

  test('in an open row of Tools, arrow keys move between rows only from a row’s header', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.view('tools');
    await stage.panel.click('tool-row-toggle');
    await stage.panel.see('tool-schema');
    await stage.panel.page.focus(`${testId('tool-schema')} pre`);
    await press('ArrowDown');
    assert.equal(await stage.panel.page.evaluate(() => document.activeElement.tagName), 'PRE');
    await stage.panel.page.focus(testId('tool-row-toggle'));
    await press('ArrowDown');
    const place = (selector) => [...document.querySelectorAll(selector)].indexOf(document.activeElement);
    assert.equal(await stage.panel.page.evaluate(place, testId('tool-row-toggle')), 1);
  });

  test('Escape closes the menu of texts to attach, and does not stop the agent', async () => {
    await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call hang');
    await stage.panel.call('hang', 'running');
    await enter('attach');
    await stage.panel.see('attach-choice');
    await press('Escape');
    await stage.panel.gone('attach-choice');
    await isAt('composer-input');
    await stage.panel.call('hang', 'running');
    await press('Escape');
    assert.equal((await stage.panel.rest()).why, 'stopped');
  });

  test('Escape cancels editing a message, wherever in the composer the focus is', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call readNote');
    await stage.panel.page.hover(testId('item-user'));
    await stage.panel.click('edit-message');
    await stage.panel.see('editing');
    await stage.panel.page.focus(testId('edit-cancel'));
    await press('Escape');
    await stage.panel.gone('editing');
    await isAt('composer-input');
  });

  test('the tool count in the header opens Tools, also from the list of chats', async () => {
    await stage.panel.click('threads');
    await stage.panel.see('thread-list');
    await stage.panel.click('tool-count');
    await stage.panel.gone('thread-list');
    await stage.panel.see('tool-filter');
  });

  test('pinning or renaming a chat keeps the focus on its button', async () => {
    await stage.panel.click('threads');
    await stage.panel.click('thread-more');
    await enter('thread-pin');
    await stage.panel.see('thread-unpin');
    await isAt('thread-unpin');
    await press('Enter');
    await stage.panel.see('thread-pin');
    await isAt('thread-pin');
    await enter('thread-rename');
    await isAt('thread-title');
    await press('Escape');
    await isAt('thread-rename');
    await press('Enter');
    await isAt('thread-title');
    await press('Enter');
    await isAt('thread-rename');
    await stage.panel.click('threads-close');
  });

  test('cancelling a confirmation in Settings or Log keeps the focus near it', async () => {
    await stage.panel.view('settings');
    await enter('forget-key');
    await stage.panel.see('forget-key-no');
    await isAt('forget-key-no');
    await press('Enter');
    await isAt('forget-key');
    await stage.panel.view('log');
    await enter('log-clear');
    await enter('log-clear-no');
    await stage.panel.gone('log-clear-no');
    await isAt('log-export');
  });

  test('a question of the agent takes the focus, and returns it to the composer', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say('call ask_user {"question":"Which day?","choices":["Monday","Tuesday"]}');
    await stage.panel.see('item-question', '[data-state="asking"]');
    await isAt('item-question');
    await stage.panel.page.waitForSelector('[data-testid="question-choices"][data-ready="true"]');
    await enter('question-choice');
    await stage.panel.rest();
    await isAt('composer-input');
  });

  test('closing a notice moves the focus to the composer', async () => {
    await stage.begin('chrome://version/');
    await stage.panel.click('attach');
    await stage.panel.click('attach-page');
    await stage.panel.see('alert');
    await enter('alert-close');
    await isAt('composer-input');
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
