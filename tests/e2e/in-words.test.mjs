/** Models that take no tools: they are told of them in words, and their calls are read from what they write. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';

describe('a model that takes no tools', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const calls = async () => (await stage.panel.calls()).map(({ name, state }) => [name, state]);

  test('refuses them once, is told in words, and uses them', async () => {
    const page = await stage.begin(stage.site.url('echo.html'), { scenario: 'in-words', tools: 4 });
    await stage.panel.ask('call writeNote {"text":"written in words"}');
    assert.deepEqual(await calls(), [['writeNote', 'ok']]);
    assert.equal(await page.$eval('#note', (node) => node.textContent), 'written in words');
    const requests = await stage.model.requests();
    assert.deepEqual(requests.map(({ status, body }) => [status, 'tools' in body]), [[400, true], [200, false], [200, false]]);
    assert.match(requests[1].body.messages[0].content, /- `writeNote`: /);
    assert.match(requests[2].body.messages.at(-1).content, /^Result of `writeNote`:/);
    const answers = (await stage.panel.transcript()).filter(({ kind }) => kind === 'assistant').map(({ answer }) => answer);
    assert.equal(answers[0], 'I will call writeNote.', 'the call itself is not part of the answer');
  });

  test('is not asked with tools again', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4, scenario: 'in-words' });
    await stage.panel.ask('call readNote {}');
    assert.deepEqual(await calls(), [['readNote', 'ok']]);
    assert.deepEqual((await stage.model.requests()).map(({ status }) => status), [200, 200]);
  });

  test('can be told so by the user', async () => {
    await stage.panel.view('settings');
    await stage.panel.set('model', 'call-tool');
    await stage.panel.set('tool-calls', 'words');
    await stage.panel.view('chat');
    await stage.panel.newChat();
    await stage.model.reset();
    await stage.panel.ask('hello');
    const [{ body }] = await stage.model.requests();
    assert.equal('tools' in body, false);
    await stage.panel.set('tool-calls', '');
    await stage.panel.view('chat');
  });
});
