/** The flight conversation with every provider: its protocol, dialect and provider state, and what it refuses. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SCRIPTED_KEY } from '../lib/model.mjs';
import { testId } from '../lib/panel.mjs';
import { isoDate } from '../lib/prompt.mjs';
import { Stage } from '../lib/stage.mjs';
import { readFlightPage } from '../lib/verdict.mjs';
import { filterFlights, flightsOn } from '../sites/flights/timetable.js';

/** The path of each provider's API below `/as/PROVIDER` on the scripted server. */
const SERVICES = {
  deepseek: '',
  qwen: '/compatible-mode/v1',
  glm: '/api/paas/v4',
  kimi: '/v1',
  minimax: '/v1',
  doubao: '/api/v3',
  openai: '/v1',
  anthropic: '/v1',
  gemini: '/v1beta',
  openrouter: '/api/v1',
  ollama: '',
  'llama-server': '/v1',
  lmstudio: '/v1',
  vllm: '/v1',
};

/** The provider whose answers are streamed with pauses, like a real model's. */
const AT_A_MODELS_PACE = 'deepseek';

describe('the flight conversation in every dialect', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.begin(stage.flights.url('?lang=en'), { scenario: 'scripted-flights', tools: 4 });
  });
  after(() => stage?.strike());

  const tomorrow = () => {
    const date = new Date();
    date.setDate(date.getDate() + 1);
    return isoDate(date);
  };

  test('every provider that Settings offers is tested', async () => {
    await stage.panel.view('settings');
    const offered = await stage.panel.page.$$eval(`${testId('setting-provider')} option`, (options) => options.map(({ value }) => value));
    // The browser's own model has no HTTP service.
    assert.deepEqual(offered.filter((id) => id !== 'on-device'), [...Object.keys(SERVICES), 'custom']);
  });

  /** Hold the conversation of two turns and check the page. Returns the answer of the first turn. */
  const converse = async (provider, base, model) => {
    const page = await stage.tab(stage.flights.url('?lang=en'));
    await stage.panel.fill('provider', provider);
    await stage.panel.fill('base-url', `${stage.model.url}${base}`);
    await stage.panel.fill('model', model);
    await stage.panel.fillKey(SCRIPTED_KEY);
    // Only now: the test of the key is not part of the conversation.
    await stage.model.reset();
    if (provider !== AT_A_MODELS_PACE) await stage.model.hurry();
    await stage.panel.view('chat');
    await stage.panel.newChat();
    await stage.panel.knows(4);
    await stage.panel.ask('Find direct flights from Beijing to Shanghai tomorrow, under 2000.');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [
      ['searchFlights', 'ok'],
      ['setFilters', 'ok'],
      ['listFlights', 'ok'],
    ]);
    const answer = (await stage.panel.transcript()).findLast(({ kind }) => kind === 'assistant').answer;
    const wish = { origin: 'PEK', destination: 'SHA', date: tomorrow(), directOnly: true, maxPrice: 2000 };
    const { flights } = await readFlightPage(page);
    assert.deepEqual(
      flights.map(({ number }) => number).sort(),
      filterFlights(flightsOn(wish), wish).map(({ number }) => number).sort(),
    );
    // The second turn sends the first one back in the form that this service requires.
    await stage.panel.ask('Thank you. And which one is the cheapest?');
    assert.equal((await stage.panel.rest()).why, 'done');
    await page.close();
    return answer;
  };

  /** The answer of a model with tool calling. */
  let expected;

  for (const [provider, base] of Object.entries(SERVICES)) {
    test(provider, async () => {
      expected = await converse(provider, `/as/${provider}${base}`, 'scripted-flights');
      assert.match(expected, /My recommendation/);
      const requests = await stage.model.requests();
      assert.deepEqual(requests.map(({ status }) => status).filter((status) => status !== 200), []);
    });
  }

  for (const [title, provider, base, field, refused] of [
    ['prompted', 'custom', '', undefined, ['tools', 'response_format']],
    ['prompted with a JSON Schema, llama-server', 'llama-server', '/as/llama-server/v1', 'response_format', []],
    ['prompted with a JSON Schema, Ollama', 'ollama', '/as/ollama', 'format', []],
  ]) {
    test(`a model without tool calling, ${title}`, async () => {
      assert.equal(await converse(provider, base, 'textual-flights'), expected);
      const requests = await stage.model.requests();
      const asked = requests.map(({ status, body }) => [status, ...['tools', 'response_format', 'format'].filter((name) => name in body)]);
      const fields = field === undefined ? [] : [field];
      const taken = requests.slice(refused.length).map(() => [200, ...fields]);
      assert.deepEqual(asked, [...refused.map((name) => [400, name]), ...taken]);
    });
  }
});
