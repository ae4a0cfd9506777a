/** The agent asks the user a question, answered by a choice, in the user's own words, or skipped. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';

const QUESTION = 'call ask_user {"question":"Which day shall I take?","choices":["Monday","Tuesday, in the evening"]}';

describe('questions of the agent', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  /** The last message sent to the model. */
  const told = async () => (await stage.model.requests()).at(-1).body.messages.at(-1).content;
  const asked = async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say(QUESTION);
    await stage.panel.see('item-question', '[data-state="asking"]');
  };

  test('a click on a choice answers the question', async () => {
    await asked();
    assert.equal(await stage.panel.text('question-text'), 'Which day shall I take?');
    const choices = await stage.panel.page.$$eval(testId('question-choice'), (nodes) => nodes.map((node) => node.textContent));
    assert.deepEqual(choices, ['Monday', 'Tuesday, in the evening']);
    assert.deepEqual(await violations(stage.panel.page), []);
    await stage.panel.answer('question-choice', ':nth-of-type(2)');
    await stage.panel.rest();
    assert.equal(await told(), 'The user answered: Tuesday, in the evening');
    assert.equal(await stage.panel.text('question-answered'), 'Tuesday, in the evening');
    assert.equal(await stage.panel.shows('question-choice'), false);
    assert.deepEqual(await stage.panel.calls(), [], 'no tool of the page ran');
  });

  test('the user can answer in own words, with the keyboard alone', async () => {
    await asked();
    await stage.panel.page.focus(testId('question-words'));
    await stage.panel.page.keyboard.type('  neither, thank you ');
    await stage.panel.page.keyboard.press('Enter');
    await stage.panel.rest();
    assert.equal(await told(), 'The user answered: neither, thank you');
  });

  test('a question can be skipped', async () => {
    await asked();
    assert.equal(await stage.panel.page.$eval(testId('question-answer'), (button) => button.disabled), true);
    await stage.panel.answer('question-skip');
    await stage.panel.rest();
    assert.match(await told(), /^The user did not answer\./);
    await stage.panel.see('item-question', '[data-state="declined"]');
  });

  test('a question still waits after the worker died', async () => {
    await asked();
    await stage.chromium.killWorker();
    await stage.panel.see('item-question', '[data-state="asking"]');
    await stage.panel.answer('question-choice');
    await stage.panel.rest();
    assert.equal(await told(), 'The user answered: Monday');
  });

  test('an answer that a dying worker did not receive reaches the next one', async () => {
    await asked();
    await stage.panel.see('question-choices', '[data-ready="true"]');
    await stage.panel.clickUnaware('question-choice', () => stage.chromium.killWorker());
    await stage.panel.rest();
    assert.equal(await told(), 'The user answered: Monday');
  });

  test('a question is not listed in the log of calls', async () => {
    await asked();
    await stage.panel.answer('question-skip');
    await stage.panel.rest();
    await stage.panel.ask('call echoText {"text":"x"}');
    await stage.panel.view('log');
    await stage.panel.see('log-row', '[data-name="echoText"]');
    const names = await stage.panel.page.$$eval(testId('log-row'), (rows) => rows.map((row) => row.dataset.name));
    assert.ok(!names.includes('ask_user'), names.join(' '));
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
