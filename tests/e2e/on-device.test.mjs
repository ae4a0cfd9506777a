/** The browser's own model, with a fake `LanguageModel`: Chromium has the API, but no model. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { standIn } from '../lib/language-model.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('the browser’s own model', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
  });
  after(() => stage?.strike());

  const has = (id) => stage.panel.page.$eval(testId('on-device'), (node, state) => node.dataset.state === state, id);
  const state = (name) => until(() => has(name), { what: `the model to be ${name}` });
  const goOn = () => stage.panel.page.evaluate(() => globalThis.standInState.next());

  test('is offered where the browser has one, without address, key or model name', async () => {
    await stage.chromium.inWorker(standIn, 'downloadable');
    await stage.panel.page.evaluate(standIn, 'downloadable');
    await stage.panel.set('mode', 'automatic');
    await stage.panel.set('provider', 'on-device');
    await state('downloadable');
    for (const id of ['setting-base-url', 'setting-key', 'setting-model']) {
      assert.equal(await stage.panel.shows(id), false, id);
    }
  });

  test('is not called before it is downloaded', async () => {
    await stage.panel.view('chat');
    await stage.panel.newChat();
    await stage.panel.ask('hello');
    const rest = await stage.panel.rest();
    assert.equal(rest.error, 'not_on_device');
  });

  test('is downloaded on the user’s click, with progress shown', async () => {
    await stage.panel.view('settings');
    await stage.panel.click('on-device-download');
    await state('downloading');
    await goOn();
    await until(async () => /50/.test(await stage.panel.text('on-device')), { what: 'half of the download' });
    await goOn();
    await until(async () => /100/.test(await stage.panel.text('on-device')), { what: 'all of the download' });
    await goOn();
    await state('available');
  });

  test('calls a tool and answers with its result', async () => {
    await stage.chromium.inWorker(standIn, 'available');
    await stage.panel.view('chat');
    await stage.panel.newChat();
    await stage.panel.ask('call writeNote {"text":"on this device"}');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['writeNote', 'ok']]);
    const { conversations, destroyed } = await stage.chromium.inWorker(() => globalThis.standInState);
    assert.equal(conversations.length, 2);
    assert.equal(destroyed, 2, 'no conversation is kept');
    assert.deepEqual(conversations[1].prompts.map(({ role }) => role), ['system', 'user', 'assistant']);
    assert.ok(conversations.every(({ responseConstraint }) => responseConstraint.anyOf.length === 6));
    const answer = (await stage.panel.transcript()).findLast(({ kind }) => kind === 'assistant').answer;
    assert.match(answer, /^writeNote gave /);
  });
});
