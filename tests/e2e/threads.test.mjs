/** The list of conversations. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Kept, thread } from '../lib/database.mjs';
import { testId } from '../lib/panel.mjs';
import { withoutPage } from '../lib/page-mark.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('threads', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const rows = () => stage.panel.page.$$eval(testId('thread-row'), (nodes) => nodes.map((node) => node.innerText.trim()));

  test('each chat is listed by its first message, newest first', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    for (const text of ['call echoText {"text":"alpha"}', 'call echoText {"text":"beta"}', 'call echoText {"text":"gamma"}']) {
      await stage.panel.newChat();
      await stage.panel.ask(text);
    }
    await stage.panel.click('threads');
    await stage.panel.see('thread-list');
    await until(async () => (await rows()).length === 3, { what: 'three conversations' });
    const [first, second, third] = await rows();
    assert.match(first, /gamma/);
    assert.match(second, /beta/);
    assert.match(third, /alpha/);
  });

  test('an earlier chat opens unchanged and can be continued', async () => {
    const third = (await stage.panel.page.$$(testId('thread-row')))[2];
    await third.click();
    await until(async () => /alpha/.test((await stage.panel.transcript())[0]?.text ?? ''), { what: 'the conversation' });
    assert.deepEqual((await stage.panel.transcript()).map((entry) => entry.kind), ['user', 'assistant', 'tool', 'assistant', 'rest']);
    await stage.panel.ask('call echoText {"text":"delta"}');
    const { messages } = (await stage.model.requests()).at(-1).body;
    assert.deepEqual(
      messages.filter((message) => message.role === 'user').map((message) => withoutPage(message.content)),
      ['call echoText {"text":"alpha"}', 'call echoText {"text":"delta"}'],
    );
    await stage.panel.click('threads');
    await until(async () => /alpha/.test((await rows())[0] ?? ''), { what: 'it to be first in the list' });
    await stage.panel.click('threads-close');
    await stage.panel.gone('thread-list');
  });

  test('an empty chat is not listed', async () => {
    await stage.panel.newChat();
    await stage.panel.click('threads');
    await until(async () => (await rows()).length === 3, { what: 'three conversations' });
    await stage.panel.click('threads-close');
  });

  test('a chat opens at its end, wherever the last one was scrolled', async () => {
    const answered = (turn) => `Answer ${turn}.\n\nAnd another line.`;
    await new Kept(stage.chromium).write(['first', 'second'].map((id) => thread(id, { title: id, turns: 30, answered })));
    const frame = await stage.panel.see('transcript');
    const open = async (id) => {
      await stage.panel.click('threads');
      await stage.panel.click('thread-row', `[data-thread="${id}"]`);
      await until(async () => (await stage.panel.transcript())[0]?.text === id, { what: `the chat ${id}` });
    };
    const isAtEnd = () => frame.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight < 24);
    await open('first');
    await until(isAtEnd, { what: 'its end' });
    await frame.evaluate((node) => (node.scrollTop = 0));
    await open('second');
    await until(isAtEnd, { what: 'the end of the other one' });
  });

  test('a long chat is loaded in pages', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.set('limit-calls', '100');
    const calls = Array.from({ length: 99 }, (_, number) => `call echoText {"text":"line ${number}"}`).join('\n');
    await stage.panel.ask(calls);
    await stage.panel.ask('call echoText {"text":"last"}');
    const all = (await stage.panel.transcript()).length;
    assert.equal(all, 103 + 5);
    await stage.panel.newChat();
    await stage.panel.click('threads');
    // The list shows what it had until the new one is there.
    await until(async () => (await rows())[0]?.startsWith('call echoText'), { what: 'the chat to be listed' });
    await stage.panel.click('thread-row');
    await until(async () => (await stage.panel.transcript()).length === 100, { what: 'the newest page' });
    const older = await stage.panel.see('load-older');
    await older.evaluate((button) => button.click());
    await until(async () => (await stage.panel.transcript()).length === all, { what: 'the older page' });
    assert.match((await stage.panel.transcript())[0].text, /line 0/);
    assert.equal(await stage.panel.shows('load-older'), false);
    await stage.panel.set('limit-calls', '10');
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
