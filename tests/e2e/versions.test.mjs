/** Versions: edited messages, answers given again, and the way back to earlier versions. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { withoutPage } from '../lib/page-mark.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('versions', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const kinds = async () => (await stage.panel.transcript()).map(({ kind }) => kind).join(' ');
  const told = async () => (await stage.model.requests()).at(-1).body.messages.slice(1).map(({ content }) => (typeof content === 'string' ? withoutPage(content) : content));
  const version = async () => {
    const lines = await stage.panel.page.$$eval(testId('item-versions'), (nodes) => nodes.map(({ dataset }) => `${dataset.version}/${dataset.of}`));
    return lines.join(' ');
  };
  const seeVersion = (wanted) => until(async () => (await version()) === wanted, { what: `version ${wanted}` });
  const keys = () => stage.panel.page.keyboard;

  test('editing an earlier message sends nothing of what followed it', async () => {
    await stage.begin(stage.site.url('echo.html'), { scenario: 'echo' });
    await stage.panel.ask('one');
    await stage.panel.ask('two');
    const [edit] = await stage.panel.page.$$(testId('edit-message'));
    await edit.click();
    await stage.panel.see('editing');
    assert.equal(await stage.panel.typed(), 'one');
    // The focus comes with a frame; a space before that would press the button again.
    await stage.panel.page.waitForFunction((input) => document.activeElement?.matches(input), {}, testId('composer-input'));
    await keys().type(' or three');
    await keys().press('Enter');
    await stage.panel.gone('editing');
    await seeVersion('2/2');
    await stage.panel.rest();
    assert.equal(await kinds(), 'user versions assistant rest');
    assert.deepEqual(await told(), ['one or three']);
  });

  test('the replaced version is one click away and can be continued', async () => {
    await stage.panel.click('version-earlier');
    await seeVersion('1/2');
    assert.equal(await kinds(), 'user versions assistant rest user assistant rest');
    await stage.panel.ask('four');
    const users = (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'user');
    assert.deepEqual(users.map(({ content }) => withoutPage(content)), ['one', 'two', 'four']);
    await stage.panel.click('version-later');
    await seeVersion('2/2');
    await stage.panel.click('version-earlier');
    await until(async () => (await stage.panel.transcript()).some(({ text }) => text === 'four'), { what: 'the version as it was left' });
  });

  test('ArrowUp in an empty composer edits the last message, and Escape cancels', async () => {
    await stage.begin(stage.site.url('echo.html'), { scenario: 'echo' });
    await stage.panel.ask('hello');
    await stage.panel.click('composer-input');
    await keys().press('ArrowUp');
    await stage.panel.see('editing');
    assert.equal(await stage.panel.typed(), 'hello');
    await keys().press('Escape');
    await stage.panel.gone('editing');
    assert.equal(await stage.panel.typed(), '');
    assert.equal(await kinds(), 'user assistant rest');
  });

  test('a draft is kept while an earlier message is edited', async () => {
    await stage.panel.type('a draft');
    await stage.panel.page.hover(testId('item-user'));
    await stage.panel.click('edit-message');
    await until(async () => (await stage.panel.typed()) === 'hello', { what: 'the words to change' });
    await stage.panel.click('edit-cancel');
    assert.equal(await stage.panel.typed(), 'a draft');
    const isFocused = (selector) => document.activeElement?.matches(selector);
    await until(() => stage.panel.page.evaluate(isFocused, testId('composer-input')), { what: 'the focus in the composer' });
    await keys().press('Enter');
    await until(async () => (await stage.panel.transcript()).filter(({ kind }) => kind === 'user').length === 2, { what: 'the draft as a new message' });
    await stage.panel.rest();
  });

  test('switching to a version without the edited message cancels the edit', async () => {
    await stage.begin(stage.site.url('echo.html'), { scenario: 'echo' });
    await stage.panel.ask('one');
    await stage.panel.click('composer-input');
    await keys().press('ArrowUp');
    await keys().type(' more');
    await keys().press('Enter');
    await seeVersion('2/2');
    await stage.panel.rest();
    await stage.panel.ask('two');
    await stage.panel.click('composer-input');
    await keys().press('ArrowUp');
    await stage.panel.see('editing');
    await stage.panel.click('version-earlier');
    await seeVersion('1/2');
    await stage.panel.gone('editing');
    assert.equal(await stage.panel.typed(), '');
  });

  test('answering again reruns no tool and keeps the first answer', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call writeNote {"text":"once"}');
    await stage.panel.page.hover(testId('item-rest'));
    await stage.panel.click('answer-again');
    await seeVersion('2/2');
    await stage.panel.rest();
    assert.equal(await kinds(), 'user assistant tool assistant versions rest');
    const [, second, third] = await stage.model.requests();
    assert.deepEqual(third.body, second.body);
    assert.equal(await page.evaluate(() => window.runs.length), 1);
    await stage.panel.click('version-earlier');
    await seeVersion('1/2');
    assert.equal(await kinds(), 'user assistant tool assistant versions rest');
    await stage.panel.page.reload();
    await stage.panel.ready();
    assert.equal(await version(), '1/2', 'the version that was shown is shown again');
  });

  test('a result is quoted in the composer, and sent only with the message', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call writeNote {"text":"once"}');
    const asked = (await stage.model.requests()).length;
    await stage.panel.unfold();
    await stage.panel.type('What is this?');
    await stage.panel.click('quote-result');
    await until(async () => (await stage.panel.typed()) !== 'What is this?', { what: 'the quotation' });
    const [question, ...quoted] = (await stage.panel.typed()).trimEnd().split('\n');
    assert.equal(question, 'What is this?');
    assert.ok(quoted.length > 0 && quoted.every((line) => line.startsWith('> ')), quoted.join('|'));
    assert.match(quoted.join(''), /"written": ?4/);
    assert.equal((await stage.model.requests()).length, asked);
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
