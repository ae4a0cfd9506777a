/** Providers in Settings: their addresses, their models, and the connection test. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { freePort } from '../lib/site.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('the connection to a model', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.begin(stage.site.url('empty.html'), { scenario: 'trial' });
  });
  after(() => stage?.strike());

  /** Run the connection test and return the outcome of each check, and the advice. */
  const attempt = async () => {
    await stage.panel.view('settings');
    await stage.panel.click('try-connection');
    const advice = await stage.panel.text('trial-advice');
    const outcomes = await stage.panel.page.$$eval(`${testId('trial')} li`, (lines) => lines.map((line) => line.dataset.outcome));
    return { outcomes: outcomes.join(' '), advice };
  };

  test('connection test: every check passes', async () => {
    await stage.model.reset();
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed passed passed passed passed');
    assert.match(advice, /Everything works/);
    const [request] = await stage.model.requests();
    assert.deepEqual(request.body.tools.map((tool) => tool.function.name), ['ping']);
  });

  test('connection test: a model that calls no tool', async () => {
    await stage.use('echo');
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed passed passed passed failed');
    assert.match(advice, /called nothing/);
  });

  test('choosing another model clears the result of the connection test', async () => {
    await stage.use('trial');
    await attempt();
    await stage.panel.set('model', 'echo');
    await stage.panel.gone('trial-advice');
  });

  test('choosing another provider clears the result and an unsaved key', async () => {
    await stage.use('trial');
    await attempt();
    await stage.panel.fill('key', 'sk-not-saved');
    await stage.panel.set('provider', 'glm');
    await stage.panel.gone('trial-advice');
    assert.equal(await stage.panel.page.$eval(testId('setting-key'), (node) => node.value), '');
    assert.equal(await stage.panel.page.$eval(testId('save-key'), (node) => node.disabled), true);
    await stage.use('trial');
  });

  test('choosing another model discards the result of a connection test that still runs', async () => {
    await stage.use('trial');
    await stage.model.reset();
    await stage.model.fault({ times: 2, delivery: { hold_after_event: 1 } });
    await stage.panel.view('settings');
    await stage.panel.click('try-connection');
    await stage.model.wait(1, 'held');
    await stage.panel.set('model', 'echo');
    await stage.panel.click('try-connection');
    await stage.model.wait(2, 'held');
    await stage.panel.page.$eval(testId('trial'), (node) => {
      window.adviceSeen = [];
      new MutationObserver(() => {
        const advice = node.querySelector('[data-testid="trial-advice"]')?.textContent;
        if (advice) window.adviceSeen.push(advice);
      }).observe(node, { childList: true, subtree: true, characterData: true });
    });
    await stage.model.release(1);
    await stage.model.wait(1, 'ended');
    await stage.model.release(2);
    assert.match(await stage.panel.text('trial-advice'), /called nothing/);
    const seen = await stage.panel.page.evaluate(() => window.adviceSeen);
    assert.deepEqual(seen.filter((advice) => !/called nothing/.test(advice)), []);
    await stage.model.reset();
  });

  test('connection test: the key is refused', async () => {
    await stage.use('trial', { key: 'sk-not-this-one' });
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed failed unknown unknown unknown');
    assert.match(advice, /refused the key \(401\)/);
    await stage.use('trial');
  });

  test('connection test: the answer breaks off', async () => {
    await stage.model.fault({ delivery: { cut_after_event: 3, cut_cleanly: true } });
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed passed passed failed unknown');
    assert.match(advice, /broke off/);
  });

  test('connection test: no key is saved', async () => {
    await stage.panel.set('provider', 'glm');
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'unknown failed unknown unknown unknown');
    assert.match(advice, /GLM needs a key/);
    await stage.use('trial');
  });

  test('a list of models that cannot be loaded shows why', async () => {
    await stage.panel.set('base-url', `http://127.0.0.1:${await freePort()}`);
    await stage.panel.saveKey('sk-anything');
    assert.match(await stage.panel.text('models-missing'), /could not be reached/);
    await stage.use('trial');
    await stage.panel.view('settings');
    await stage.panel.gone('models-missing');
  });

  test('connection test: nothing listens at the address', async () => {
    await stage.panel.set('base-url', `http://127.0.0.1:${await freePort()}`);
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'failed unknown unknown unknown unknown');
    assert.match(advice, /could not be reached/);
    await stage.use('trial');
  });

  test('the models offered are those that the service lists for the key', async () => {
    const listed = () => stage.panel.page.$$eval('#models option', (options) => options.map(({ value }) => value));
    await stage.panel.view('settings');
    await until(async () => (await listed()).includes('trial'), { what: 'the list of the service' });
    assert.ok((await listed()).includes('in-words'));
  });

  test('a provider with several regions offers them, each with its own address and key page', async () => {
    await stage.panel.set('provider', 'kimi');
    const { page } = stage.panel;
    const platforms = () => page.$$eval(`${testId('setting-platform')} option`, (options) => options.map(({ text }) => text));
    assert.deepEqual(await platforms(), ['China', 'International']);
    const keyPage = () => page.$eval(testId('key-page'), (link) => link.href);
    assert.match(await keyPage(), /moonshot\.cn/);
    await page.select(testId('setting-platform'), 'https://api.moonshot.ai/v1');
    await until(async () => /moonshot\.ai/.test(await keyPage()), { what: 'the page of the other region' });
    assert.equal(await page.$eval(testId('setting-base-url'), (input) => input.value), 'https://api.moonshot.ai/v1');
    assert.deepEqual(
      await page.$$eval('#models option', (options) => options.map(({ value, label }) => [value, label]).slice(0, 1)),
      [['kimi-k3', '1,048,576 tokens']],
    );
  });

  test('the reasoning effort can be set where the provider supports it', async () => {
    const { page } = stage.panel;
    const efforts = () => page.$$eval(`${testId('setting-effort')} option`, (options) => options.map(({ value }) => value));
    await stage.panel.set('provider', 'deepseek');
    // Those of the provider before are shown until the worker has changed it.
    await until(async () => (await efforts()).join(' ') === ' off low medium high', { what: 'the efforts of the provider' });
    await stage.panel.set('base-url', stage.model.url);
    await stage.panel.set('model', 'call-tool');
    await stage.panel.saveKey('sk-scripted-7f3a9c41');
    await stage.panel.set('effort', 'low');
    await stage.panel.ask('hello');
    const { body } = (await stage.model.requests()).at(-1);
    assert.deepEqual([body.thinking, body.reasoning_effort], [{ type: 'enabled' }, 'low']);
    await stage.panel.set('provider', 'custom');
    await stage.panel.gone('setting-effort');
  });

  test('a request field that the service refuses is left out from then on', async () => {
    await stage.use('call-tool');
    await stage.model.reset();
    await stage.panel.set('temperature', '0.5');
    await stage.model.fault({ refuse: { status: 400, message: "Unsupported parameter: 'temperature' is not supported with this model." } });
    await stage.panel.newChat();
    await stage.panel.ask('hello');
    const sent = async () => (await stage.model.requests()).map(({ status, body }) => [status, body.temperature]);
    assert.deepEqual(await sent(), [[400, 0.5], [200, undefined]]);
    await stage.panel.newChat();
    await stage.panel.ask('hello again');
    assert.deepEqual((await sent()).at(-1), [200, undefined]);
  });
});
