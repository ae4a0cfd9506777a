/** The log of calls. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Kept } from '../lib/database.mjs';
import { downloaded } from '../lib/download.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('the log of calls', () => {
  /** @type {Stage} */
  let stage;
  let kept;
  before(async () => {
    stage = await Stage.set();
    kept = new Kept(stage.chromium);
  });
  after(() => stage?.strike());

  const rows = () =>
    stage.panel.page.$$eval(testId('log-row'), (nodes) =>
      nodes.map((node) => ({ name: node.dataset.name, outcome: node.dataset.outcome, text: node.innerText.trim() })),
    );
  const shows = (names) =>
    until(async () => (await rows()).map(({ name, outcome }) => `${name} ${outcome}`).join(', ') === names && rows(), {
      what: `the log to be ${names}`,
    });
  const filter = async (id, value) => (await stage.panel.see(`log-${id}`)).select(value);
  const search = async (text) => {
    const input = await stage.panel.see('log-search');
    await input.click({ count: 3 });
    await stage.panel.page.keyboard.press('Backspace');
    if (text) await input.type(text);
  };

  test('is empty at first, and explains itself', async () => {
    await stage.panel.view('log');
    assert.match(await stage.panel.text('log-empty'), /Each call of a tool/);
  });

  test('lists every call with its outcome, newest first', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"hello"}\ncall writeNote {"text":"noted"}');
    await stage.begin(stage.site.url('throwing.html'), { tools: 6 });
    await stage.panel.ask('call throwError {}');
    await stage.panel.ask('call noSuchTool {"a":1}');
    await stage.panel.view('log');
    const all = await shows('noSuchTool failed, throwError failed, writeNote ok, echoText ok');
    assert.match(all[3].text, /hello/);
    assert.match(all[3].text, /127\.0\.0\.1|localhost/);
  });

  test('is filtered by text, site, tool and outcome', async () => {
    await search('NOTED');
    await shows('writeNote ok');
    await search('');
    await filter('outcome', 'failed');
    await shows('noSuchTool failed, throwError failed');
    await filter('tool', 'throwError');
    await shows('throwError failed');
    await filter('outcome', 'ok');
    await stage.panel.see('log-no-match');
    await filter('outcome', '');
    await filter('tool', '');
    const sites = await stage.panel.page.$$eval(`${testId('log-site')} option`, (options) => options.map(({ value }) => value));
    assert.equal(sites.length, 2);
    await filter('site', sites[1]);
    await shows('throwError failed, writeNote ok, echoText ok');
    await filter('site', '');
  });

  test('a row unfolds to the caller and the arguments', async () => {
    await shows('noSuchTool failed, throwError failed, writeNote ok, echoText ok');
    const toggle = (await stage.panel.page.$$(testId('log-toggle')))[3];
    await toggle.click();
    const details = await stage.panel.text('log-details');
    assert.match(details, /The agent · /);
    assert.match(await stage.panel.text('log-arguments'), /text\s+hello/);
    await stage.panel.click('log-only-tool');
    await shows('echoText ok');
    await filter('tool', '');
    await filter('site', '');
  });

  test('secrets are masked before they are written, by schema, by name or by form of the value', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() =>
      addTool('login', {
        inputSchema: { type: 'object', properties: { word: { type: 'string', format: 'password' }, code: { type: 'string', writeOnly: true } } },
        execute: () => 'welcome to the vault',
      }),
    );
    await stage.panel.knows(2);
    const secrets = ['open-sesame', '271828', 'hunter-two', '芝麻开门', 'sk-abcdef0123456789abcdef'];
    const [word, code, password, chinese, key] = secrets;
    await stage.panel.ask(
      `call login ${JSON.stringify({ user: 'ann', word, code, newPassword: password, 支付密码: chinese, note: `with ${key}` })}`,
    );
    await stage.panel.view('log');
    await until(async () => (await rows())[0]?.name === 'login', { what: 'the call' });
    const lines = JSON.stringify(await kept.all('calls'));
    for (const secret of secrets) assert.ok(!lines.includes(secret), secret);
    assert.match(lines, /ann/);
    assert.ok(!lines.includes('vault'), 'results stay in the conversation');
    await stage.panel.click('log-toggle');
    await stage.panel.see('log-masked');
    assert.match(await stage.panel.text('log-arguments'), /word\s+••••••/);
  });

  test('is exported as JSON Lines, oldest first, with the filter applied', async () => {
    await filter('outcome', 'ok');
    await shows('login ok, writeNote ok, echoText ok');
    const { name, text } = await downloaded(stage.chromium.browser, () => stage.panel.click('log-export'));
    assert.match(name, /^webmcp-sidecar-calls-\d{4}-\d\d-\d\d\.jsonl$/);
    const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line));
    const origin = new URL(stage.site.url('')).origin;
    assert.deepEqual(lines.map(({ tool, outcome, caller, ...line }) => [tool, outcome, caller, line.passed, line.origin]), [
      ['echoText', 'ok', 'agent', 'readOnly', origin],
      ['writeNote', 'ok', 'agent', 'mode', origin],
      ['login', 'ok', 'agent', 'mode', origin],
    ]);
    assert.deepEqual(Object.keys(lines[0]), ['at', 'caller', 'callId', 'tool', 'site', 'origin', 'passed', 'arguments', 'outcome', 'durationMs']);
    await filter('outcome', '');
  });

  test('keeps the calls of deleted threads, and records none of temporary ones', async () => {
    const before = await kept.all('calls');
    await stage.panel.view('chat');
    await stage.panel.click('threads');
    await stage.panel.click('thread-more');
    await stage.panel.click('thread-delete');
    await stage.panel.see('thread-undo');
    await stage.panel.click('threads-close');
    await stage.panel.newChat();
    await stage.panel.click('new-temporary');
    await stage.panel.ask('call login {"user":"bob"}');
    assert.deepEqual(await kept.all('calls'), before);
    await stage.panel.newChat();
  });

  test('keeps the newest calls, as many as the user sets', async () => {
    await stage.panel.set('calls-kept', '2');
    await stage.panel.view('log');
    await shows('login ok, noSuchTool failed');
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"later"}');
    await stage.panel.view('log');
    await shows('echoText ok, login ok');
    assert.equal((await kept.all('calls')).length, 2);
    await stage.panel.set('calls-kept', '2000');
  });

  test('is cleared only after a confirmation', async () => {
    await stage.panel.view('log');
    await stage.panel.click('log-clear');
    await stage.panel.click('log-clear-no');
    assert.equal((await kept.all('calls')).length, 2);
    await stage.panel.click('log-clear');
    await stage.panel.click('log-clear-yes');
    await stage.panel.see('log-empty');
    assert.deepEqual(await kept.all('calls'), []);
  });

  test('a long log shows its newest page at once, and loads the rest when scrolled or filtered', async () => {
    const line = (number) => ({
      at: 1_700_000_000_000 + number,
      caller: 'agent',
      callId: `old.${number}`,
      tool: number === 0 ? 'oldest' : 'find',
      site: number === 0 ? 'old.example' : 'flights.example',
      passed: 'readOnly',
      arguments: JSON.stringify({ number }),
      outcome: 'ok',
      durationMs: 1,
    });
    await kept.writeCalls(Array.from({ length: 450 }, (_, number) => line(number)));
    await stage.panel.view('chat');
    await stage.panel.view('log');
    const count = async () => (await rows()).length;
    await until(async () => (await count()) === 100, { what: 'the first page' });
    assert.match((await rows())[0].text, /449/);
    const names = (id) => stage.panel.page.$$eval(`${testId(`log-${id}`)} option`, (options) => options.map(({ value }) => value).filter(Boolean));
    await until(async () => (await names('site')).length === 2, { what: 'the names in lines that are not shown yet' });
    assert.deepEqual([await names('site'), await names('tool')], [['flights.example', 'old.example'], ['find', 'oldest']]);
    for (const shown of [200, 300, 400, 450]) {
      await stage.panel.page.$eval('.log', (log) => log.scrollTo(0, log.scrollHeight));
      await until(async () => (await count()) === shown, { what: `${shown} lines` });
    }
    const digests = await stage.panel.page.$$eval(`${testId('log-row')} .digest`, (nodes) => nodes.map((node) => node.textContent));
    assert.deepEqual(
      digests.map((digest) => Number(/\d+/.exec(digest)[0])),
      Array.from({ length: 450 }, (_, at) => 449 - at),
    );
    await filter('site', 'old.example');
    await shows('oldest ok');
    await filter('site', '');
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
