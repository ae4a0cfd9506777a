/** Prompted tool calling: tools described in the prompt, and calls read from the answer. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('a model without tool calling', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const form = () => stage.panel.page.$eval(testId('tool-form'), (node) => node.dataset.form);
  const calls = async () => (await stage.panel.calls()).map(({ name, state }) => [name, state]);

  test('refuses a request with tools once, then gets them in the prompt and calls them', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { scenario: 'in-words', tools: 4 });
    await stage.panel.ask('call writeNote {"text":"written in words"}');
    assert.deepEqual(await calls(), [['writeNote', 'ok']]);
    assert.equal(await page.$eval('#note', (node) => node.textContent), 'written in words');
    const requests = await stage.model.requests();
    const asked = requests.map(({ status, body }) => [status, ...['tools', 'response_format'].filter((field) => field in body)]);
    assert.deepEqual(asked, [[400, 'tools'], [400, 'response_format'], [200], [200]], 'this server holds nobody to a schema either');
    assert.match(requests[2].body.messages[0].content, /- `writeNote`: /);
    assert.match(requests[3].body.messages.at(-1).content, /^Result of `writeNote`:/);
    const answers = (await stage.panel.transcript()).filter(({ kind }) => kind === 'assistant').map(({ answer }) => answer);
    assert.equal(answers[0], 'I will call writeNote.', 'the call itself is not part of the answer');
  });

  test('gets no request with tools again', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4, scenario: 'in-words' });
    await stage.panel.ask('call readNote {}');
    assert.deepEqual(await calls(), [['readNote', 'ok']]);
    assert.deepEqual((await stage.model.requests()).map(({ status }) => status), [200, 200]);
  });

  test('can be declared by the user in Settings', async () => {
    await stage.panel.view('settings');
    await stage.panel.set('model', 'call-tool');
    assert.equal(await form(), 'native');
    await stage.panel.set('tool-calls', 'words');
    await until(async () => (await form()) === 'schema', { what: 'the settings to say how tools are told of' });
    await stage.panel.view('chat');
    await stage.panel.newChat();
    await stage.model.reset();
    await stage.panel.ask('hello');
    const [{ body }] = await stage.model.requests();
    assert.equal('tools' in body, false);
    await stage.panel.set('tool-calls', '');
    await stage.panel.view('chat');
  });

  for (const [provider, base, field] of [
    ['llama-server', '/as/llama-server/v1', 'response_format'],
    ['ollama', '/as/ollama', 'format'],
  ]) {
    test(`is recognized from what ${provider} reports, and marked before its first request`, async () => {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      await stage.panel.view('settings');
      await stage.panel.fill('provider', provider);
      await stage.panel.fill('base-url', `${stage.model.url}${base}`);
      await stage.panel.set('model', 'call-tool');
      await until(async () => (await form()) === 'native', { what: 'a model that takes tools' });
      await stage.panel.view('chat');
      await stage.panel.gone('tool-form-sign');
      await stage.panel.view('settings');
      await stage.panel.set('model', 'textual-call-tool');
      await until(async () => (await form()) === 'schema', { what: 'a model that takes none' });
      await stage.panel.view('chat');
      assert.equal(await stage.panel.text('tool-form-sign'), 'in words');
      await stage.model.reset();
      await stage.panel.newChat();
      await stage.panel.ask('call writeNote {"text":"held to a schema"}');
      assert.deepEqual(await calls(), [['writeNote', 'ok']]);
      const requests = await stage.model.requests();
      assert.deepEqual(requests.map(({ status, body }) => [status, field in body, 'tools' in body]), [[200, true, false], [200, true, false]]);
      const answers = (await stage.panel.transcript()).filter(({ kind }) => kind === 'assistant').map(({ answer }) => answer);
      assert.deepEqual(answers, [undefined, 'writeNote: {"written":16}'], 'nothing is shown of the JSON around the words');
    });
  }

  test('passes the connection test with prompted tool calling', async () => {
    await stage.panel.view('settings');
    await stage.panel.set('provider', 'vllm');
    await stage.panel.set('base-url', `${stage.model.url}/as/vllm/v1`);
    await stage.panel.set('model', 'textual-trial');
    assert.equal(await form(), 'native', 'nobody said anything of it yet');
    await stage.panel.click('try-connection');
    await stage.panel.see('trial-advice');
    assert.match(await stage.panel.text('trial-advice'), /with tools described to the model in words/);
    await until(async () => (await form()) === 'schema', { what: 'the test to be remembered' });
  });
});
