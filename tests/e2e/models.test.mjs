/** Several models: switching within a conversation, and the cost of each turn. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SCRIPTED_KEY } from '../lib/model.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('models', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.begin(stage.site.url('echo.html'), { scenario: 'echo', tools: 4 });
  });
  after(() => stage?.strike());

  /** The models in the switch, by provider. */
  const choices = () =>
    stage.panel.page.$$eval(`${testId('model-switch')} optgroup`, (groups) =>
      Object.fromEntries(groups.map((group) => [group.label, [...group.children].map(({ textContent }) => textContent)])),
    );

  /** Choose a model in the switch. */
  const switchTo = async (model) => {
    const list = await stage.panel.see('model-switch');
    const value = await list.evaluate((node, wanted) => [...node.options].find(({ textContent }) => textContent === wanted).value, model);
    await list.select(value);
  };

  test('with a single model, its name opens Settings', async () => {
    assert.equal(await stage.panel.text('model-label'), 'echo');
    await stage.panel.click('model-label');
    await stage.panel.see('setting-model');
    await stage.panel.view('chat');
  });

  test('a conversation continues with a model of another provider chosen in the switch', async () => {
    await stage.panel.ask('to the first');
    await stage.panel.set('provider', 'glm');
    await stage.panel.set('base-url', `${stage.model.url}/as/glm/api/paas/v4`);
    await stage.panel.set('model', 'scripted-echo');
    await stage.panel.saveKey(SCRIPTED_KEY);
    await stage.panel.view('chat');
    assert.deepEqual(await choices(), { GLM: ['scripted-echo'], 'Other, OpenAI-compatible': ['echo'] });
    await stage.panel.ask('to the second');
    await switchTo('echo');
    await stage.panel.ask('to the first again');
    const asked = (await stage.model.requests())
      .filter(({ body }) => JSON.stringify(body.messages).includes('to the first'))
      .map(({ body }) => [body.model, body.messages.filter(({ role }) => role === 'user').length]);
    assert.deepEqual(asked, [['echo', 1], ['scripted-echo', 2], ['echo', 3]]);
  });

  test('the last choice of the switch opens Settings and keeps the model', async () => {
    const list = await stage.panel.see('model-switch');
    const before = await list.evaluate((node) => node.value);
    await list.select('settings');
    await stage.panel.see('setting-model');
    await stage.panel.view('chat');
    assert.equal(await (await stage.panel.see('model-switch')).evaluate((node) => node.value), before);
  });

  test('with a price, each turn shows its cost', async () => {
    await stage.panel.view('settings');
    const fold = await stage.panel.see('prices');
    await fold.evaluate((node) => (node.open = true));
    await stage.panel.set('price-currency', '¥');
    await stage.panel.set('price-input', '2000');
    await stage.panel.set('price-output', '8000');
    await stage.panel.view('chat');
    await stage.panel.newChat();
    await stage.model.reset();
    await stage.panel.ask('How much?');
    const line = await stage.panel.text('usage');
    const [, read, written, cost] = /([\d,]+) tokens in, ([\d,]+) out.*¥\s([\d.,]+)/.exec(line);
    const number = (text) => Number(text.replaceAll(',', ''));
    const wanted = (number(read) * 2000 + number(written) * 8000) / 1e6;
    assert.ok(Math.abs(number(cost) - wanted) <= wanted / 100, `${line}: ${wanted}`);
  });

  test('a price belongs to one model only, and can be removed', async () => {
    await switchTo('scripted-echo');
    await stage.panel.ask('And this?');
    assert.doesNotMatch(await last('usage'), /¥/);
    await switchTo('echo');
    await stage.panel.set('price-input', '0');
    await stage.panel.set('price-output', '0');
    await stage.panel.view('chat');
    await stage.panel.ask('And now?');
    assert.doesNotMatch(await last('usage'), /¥/);
  });

  /** The text of the last element with this test ID. */
  const last = async (id) => until(async () => (await stage.panel.page.$$eval(testId(id), (all) => all.at(-1)?.textContent)) ?? '', { what: id });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
