/** Providers in the settings: their addresses, their models, and a test of the connection that names what fails first. */

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

  /** Try it, and give the outcome of each check and the advice. */
  const attempt = async () => {
    await stage.panel.view('settings');
    await stage.panel.click('try-connection');
    const advice = await stage.panel.text('trial-advice');
    const outcomes = await stage.panel.page.$$eval(`${testId('trial')} li`, (lines) => lines.map((line) => line.dataset.outcome));
    return { outcomes: outcomes.join(' '), advice };
  };

  test('everything works', async () => {
    await stage.model.reset();
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed passed passed passed passed');
    assert.match(advice, /Everything works/);
    const [request] = await stage.model.requests();
    assert.deepEqual(request.body.tools.map((tool) => tool.function.name), ['ping']);
  });

  test('a model that calls nothing', async () => {
    await stage.use('echo');
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed passed passed passed failed');
    assert.match(advice, /called nothing/);
  });

  test('another model makes the old outcome go away', async () => {
    await stage.use('trial');
    await stage.panel.view('settings');
    await stage.panel.gone('trial-advice');
  });

  test('another provider makes the old outcome and an unsaved key go away at once', async () => {
    await stage.use('trial');
    await attempt();
    await stage.panel.fill('key', 'sk-not-saved');
    await stage.panel.set('provider', 'glm');
    await stage.panel.gone('trial-advice');
    assert.equal(await stage.panel.page.$eval(testId('setting-key'), (node) => node.value), '');
    assert.equal(await stage.panel.page.$eval(testId('save-key'), (node) => node.disabled), true);
    await stage.use('trial');
  });

  test('a test that runs is not listened to any more when another model is chosen', async () => {
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

  test('a key that is refused', async () => {
    await stage.use('trial', { key: 'sk-not-this-one' });
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed failed unknown unknown unknown');
    assert.match(advice, /refused the key \(401\)/);
    await stage.use('trial');
  });

  test('a model that breaks off', async () => {
    await stage.model.fault({ delivery: { cut_after_event: 3, cut_cleanly: true } });
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'passed passed passed failed unknown');
    assert.match(advice, /broke off/);
  });

  test('no key', async () => {
    await stage.panel.set('provider', 'glm');
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'unknown failed unknown unknown unknown');
    assert.match(advice, /GLM needs a key/);
    await stage.use('trial');
  });

  test('a list of models that cannot be had says why', async () => {
    await stage.panel.set('base-url', `http://127.0.0.1:${await freePort()}`);
    await stage.panel.saveKey('sk-anything');
    assert.match(await stage.panel.text('models-missing'), /could not be reached/);
    await stage.use('trial');
    await stage.panel.view('settings');
    await stage.panel.gone('models-missing');
  });

  test('nobody there', async () => {
    await stage.panel.set('base-url', `http://127.0.0.1:${await freePort()}`);
    const { outcomes, advice } = await attempt();
    assert.equal(outcomes, 'failed unknown unknown unknown unknown');
    assert.match(advice, /could not be reached/);
    await stage.use('trial');
  });

  test('the models are those that the service lists, once it knows the key', async () => {
    const listed = () => stage.panel.page.$$eval('#models option', (options) => options.map(({ value }) => value));
    await stage.panel.view('settings');
    await until(async () => (await listed()).includes('trial'), { what: 'the list of the service' });
    assert.ok((await listed()).includes('in-words'));
  });

  test('a provider with several regions has a choice of them, each with its own page for keys', async () => {
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

  test('how much a model thinks can be set where it can be told', async () => {
    const { page } = stage.panel;
    const efforts = () => page.$$eval(`${testId('setting-effort')} option`, (options) => options.map(({ value }) => value));
    await stage.panel.set('provider', 'deepseek');
    await stage.panel.see('setting-effort');
    assert.deepEqual(await efforts(), ['', 'off', 'low', 'medium', 'high']);
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

  test('a field that the service refuses is left out, visibly, and from then on', async () => {
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
