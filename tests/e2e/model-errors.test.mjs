/** When the model fails: the error shown, the next step offered, and nothing lost. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SCRIPTED_KEY } from '../lib/model.mjs';
import { DONE, said, startService } from '../lib/service.mjs';
import { freePort } from '../lib/site.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('model errors', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const HELLO = 'call readNote';

  /** The error report that the user can copy. */
  const copied = async () => {
    await stage.panel.page.evaluate(() => {
      delete window.copied;
      navigator.clipboard.writeText = async (text) => void (window.copied = text);
    });
    await stage.panel.click('copy-details');
    return JSON.parse(await until(() => stage.panel.page.evaluate(() => window.copied), { what: 'a text to be copied' }));
  };

  test('a wrong key (401) leads to Settings, and Continue works with the right one', async () => {
    await stage.use('call-tool', { key: 'sk-wrong' });
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say(HELLO);
    const rest = await stage.panel.rest();
    assert.deepEqual([rest.why, rest.error], ['failed', 'auth']);
    assert.match(rest.text, /401/);
    assert.equal((await stage.model.requests()).length, 1, 'a refused key is not tried again');
    await stage.panel.click('open-settings');
    await stage.panel.fillKey(SCRIPTED_KEY);
    await stage.panel.view('chat');
    await stage.panel.click('continue');
    await stage.panel.call('readNote', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
  });

  const REFUSALS = [
    { status: 402, error: 'money', requests: 1 },
    { status: 400, message: "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.", error: 'context', requests: 1 },
    { status: 422, error: 'protocol', requests: 1 },
  ];
  for (const { status, message, error, requests } of REFUSALS) {
    test(`${status} is shown as "${error}" at once, and Continue tries again`, async () => {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      await stage.model.fault({ refuse: { status, ...(message && { message }) } });
      await stage.panel.say(HELLO);
      const rest = await stage.panel.rest();
      assert.deepEqual([rest.why, rest.error], ['failed', error]);
      assert.equal((await stage.model.requests()).length, requests);
      await stage.panel.click('continue');
      await stage.panel.call('readNote', 'ok');
      assert.equal((await stage.panel.rest()).why, 'done');
    });
  }

  for (const status of [429, 503]) {
    test(`${status} is retried: the wait is shown until the request succeeds`, async () => {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      await stage.model.fault({ refuse: { status, ...(status === 429 && { retry_after: 1 }) } });
      await stage.panel.say(HELLO);
      await stage.panel.see('item-retry');
      assert.equal((await stage.panel.rest()).why, 'done');
      assert.equal(await stage.panel.shows('item-retry'), false);
      const [first, second] = await stage.model.requests();
      assert.deepEqual([first.status, second.status], [status, 200]);
      if (status === 429) assert.ok(second.receivedAt - first.receivedAt >= 1000, 'Retry-After is honoured');
      assert.deepEqual(second.body, first.body);
    });
  }

  test('the wait before a retry can be stopped', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.model.fault({ refuse: { status: 429, retry_after: 20 } });
    await stage.panel.say(HELLO);
    await stage.panel.see('item-retry');
    await stage.panel.click('stop');
    assert.equal((await stage.panel.rest()).why, 'stopped');
    assert.equal((await stage.model.requests()).length, 1);
  });

  for (const cleanly of [false, true]) {
    test(`a stream cut ${cleanly ? 'without an error' : 'by a lost connection'} keeps its partial answer, and Continue completes it`, async () => {
      await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
      await stage.model.fault({ delivery: { hold_after_event: 60, cut_after_event: 61, cut_cleanly: cleanly } });
      await stage.panel.say('Write 200 tokens');
      // A lost connection may lose data that was not read yet, so the cut waits until an answer is shown.
      await stage.panel.see('answer');
      await stage.model.wait(1, 'held');
      await stage.model.release(1);
      const rest = await stage.panel.rest();
      assert.deepEqual([rest.why, rest.error], ['failed', 'stream_cut']);
      const cut = (await stage.panel.transcript()).find((entry) => entry.kind === 'assistant');
      assert.equal(cut.state, 'cut');
      assert.ok(cut.answer.length > 0);
      await stage.panel.click('continue');
      await until(async () => (await stage.panel.rest()).why === 'done', { what: 'the whole answer' });
    });
  }

  test('a tool call that is cut off does not run', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.say(`call writeNote {"text":"${'half '.repeat(30)}"}`);
    await stage.panel.rest();
    const whole = (await stage.model.requests())[0].events;
    await page.reload();
    await stage.panel.knows(4);
    await stage.panel.newChat();
    await stage.model.reset();
    await stage.model.fault({ delivery: { cut_after_event: whole - 8, cut_cleanly: true } });
    await stage.panel.say(`call writeNote {"text":"${'half '.repeat(30)}"}`);
    assert.equal((await stage.panel.rest()).error, 'stream_cut');
    assert.deepEqual(await page.evaluate(() => window.runs), []);
  });

  test('an answer that exceeds the limit is cut, kept, and not sent back to the model', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    const told = [];
    const service = await startService(({ body }) => {
      told.push(JSON.stringify(body).length);
      return told.length > 1 ? [said('Shorter.'), DONE] : Array(20).fill(said(`${'word '.repeat(13_000)}\n\n`));
    });
    try {
      await stage.panel.fill('base-url', service.url);
      await stage.panel.fillKey(SCRIPTED_KEY);
      told.length = 0;
      await stage.panel.view('chat');
      await stage.panel.say(HELLO);
      const rest = await stage.panel.rest();
      assert.deepEqual([rest.why, rest.error], ['failed', 'too_long']);
      assert.match(rest.text, /more than an answer can hold/);
      await stage.panel.click('continue');
      await until(async () => (await stage.panel.rest()).why === 'done', { what: 'a shorter answer' });
      assert.ok(told[1] < 2 * told[0], `${told}`);
    } finally {
      await service.close();
      await stage.use('call-tool');
    }
  });

  test('an unreachable address is named, and stays that of its own failure', async () => {
    const host = `localhost:${await freePort()}`;
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.set('base-url', `http://${host}`);
    await stage.panel.fillKey(SCRIPTED_KEY);
    await stage.panel.say(HELLO);
    const rest = await stage.panel.rest();
    assert.deepEqual([rest.why, rest.error], ['failed', 'network']);
    assert.ok(rest.text.includes(host), rest.text);
    assert.equal((await copied()).address, `http://${host}`);
    await stage.use('call-tool');
    const failure = async () => (await stage.panel.transcript()).find((entry) => entry.error === 'network').text;
    assert.ok((await failure()).includes(host), 'it is still what was asked');
    await stage.panel.say(HELLO);
    assert.equal((await stage.panel.rest()).why, 'done');
    await stage.panel.page.reload();
    await stage.panel.ready();
    assert.match(await failure(), /^The provider/);
    const { provider, address } = await copied();
    assert.deepEqual([provider, address], ['The provider', '']);
  });

  test('an answer cut by the token limit ends the turn with the reason "length"', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.panel.set('max-tokens', '50');
    await stage.panel.say('Write 200 tokens');
    assert.equal((await stage.panel.rest()).why, 'length');
    assert.equal((await stage.model.requests())[0].body.max_tokens, 50);
    await stage.panel.set('max-tokens', '');
  });

  const LONG = "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.";

  test('a conversation that exceeds the context window is summarized by the model, and goes on', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('first words');
    await stage.model.fault({ refuse: { status: 400, message: LONG } });
    await stage.panel.say(HELLO);
    await stage.panel.call('readNote', 'ok');
    assert.equal((await stage.panel.rest()).why, 'done');
    await stage.panel.see('item-compacted', '[data-how="summary"]');
    const requests = await stage.model.requests();
    const asked = requests.map(({ body }) => body.messages.some(({ content }) => content?.startsWith('first words')));
    assert.deepEqual(asked, [true, true, false, false, false], 'until then, and not from then on');
    assert.equal('tools' in requests[2].body, false, 'a summary calls nothing');
    await stage.panel.click('summary-toggle');
    const summary = await stage.panel.text('summary');
    assert.ok(requests[3].body.messages[1].content.includes(summary), 'the user reads what the model is told');
  });

  test('undoing a summary sends everything again, and the user can leave out what is too long', async () => {
    await stage.panel.click('undo-compaction');
    await stage.panel.see('item-compacted', '[data-undone="true"]');
    await stage.model.fault({ refuse: { status: 400, message: LONG } });
    await stage.panel.say(HELLO);
    assert.equal((await stage.panel.rest()).error, 'context');
    const tells = async () => (await stage.model.requests()).at(-1).body.messages.some(({ content }) => content?.startsWith('first words'));
    assert.ok(await tells());
    await stage.panel.click('leave-out');
    await stage.panel.see('item-left-out');
    await until(async () => (await stage.panel.rest()).why === 'done', { what: 'the turn to go on' });
    assert.equal(await tells(), false);
  });

  test('a first message that exceeds the context window leads to Settings', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.model.fault({ refuse: { status: 400, message: LONG } });
    await stage.panel.say(HELLO);
    await stage.panel.rest();
    await stage.panel.see('open-settings');
    assert.equal(await stage.panel.shows('leave-out'), false);
  });

  test('after a content filter, the user can send the conversation without the page’s results', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask(HELLO);
    await stage.use('filtered');
    const results = async () =>
      (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    await stage.panel.say('And now?');
    assert.equal((await stage.panel.rest()).error, 'filter');
    const [before] = await results();
    const asked = (await stage.model.requests()).length;
    await stage.panel.click('leave-out');
    await stage.panel.see('item-left-out');
    await stage.model.wait(asked + 1, 'finished');
    assert.equal((await stage.panel.rest()).error, 'filter', 'this one takes offence at everything');
    const [after] = await results();
    assert.match(after, /left out/);
    assert.notEqual(before, after);
    await stage.panel.see('continue');
    assert.equal(await stage.panel.shows('leave-out'), false, 'there is nothing more to leave out');
    await stage.use('call-tool');
  });

  test('the details of a failure can be copied, without the key', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.model.fault({ refuse: { status: 422, message: 'no such "thing"' } });
    await stage.panel.say(HELLO);
    await stage.panel.rest();
    const report = await copied();
    assert.equal(report.code, 'protocol');
    assert.equal(report.status, '422');
    assert.match(report.message, /no such "thing"/);
    assert.equal(report.model, 'call-tool');
    assert.ok(!JSON.stringify(report).includes(SCRIPTED_KEY));
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
