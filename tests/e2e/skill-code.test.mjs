/** Code of SKILLs, which the browser runs where the user allows it with its switch. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { SkillsView, allowUserScripts, filesOf, shopSkill, tool, zip } from '../lib/packages.mjs';
import { Panel } from '../lib/panel.mjs';
import { SHOP } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** Tools of the SKILL that ships, on the shop's first page, and the one with steps of each SKILL here. */
const SHIPPED = 5;

/** Tries what code could send through, and tells what came of each. */
const NETWORK = `
const base = input.base;
const tried = {};
const attempt = async (name, work) => { try { tried[name] = String(await work()); } catch { tried[name] = 'failed'; } };
await attempt('fetch', async () => (await fetch(base + 'fetch')).status);
await attempt('xhr', () => new Promise((done) => {
  const request = new XMLHttpRequest();
  request.open('GET', base + 'xhr');
  request.onload = () => done(request.status);
  request.onerror = () => done('failed');
  request.send();
}));
await attempt('socket', () => new Promise((done) => {
  const socket = new WebSocket(base.replace('http', 'ws') + 'socket');
  socket.onopen = () => done('open');
  socket.onerror = () => done('failed');
}));
return { tried, chrome: typeof chrome, browser: typeof browser, left: globalThis.left ?? null, page: typeof pageOwn };
`;

const FILES = {
  add: 'globalThis.left = "mine"; return { sum: input.a + input.b, activated: globalThis.activated ?? 0 };',
  look: NETWORK,
  throws: 'const a = 1;\n\nthrow new TypeError("no such thing");',
  rejects: 'await null;\nawait Promise.reject(new Error("not today"));',
  broken: '\nlet x = ;',
  waits: 'document.title = "waits"; signal.addEventListener("abort", () => (document.title = "stopped")); await new Promise(() => {});',
  begin: 'globalThis.activated = (globalThis.activated ?? 0) + 1; document.documentElement.dataset.begun = globalThis.activated;',
  end: 'delete document.documentElement.dataset.begun;',
};

const NUMBERS = { type: 'object', additionalProperties: false, properties: { a: { type: 'number' }, b: { type: 'number' }, base: { type: 'string' } } };

function coded(id, names) {
  const skill = shopSkill({ id });
  const codes = names.map((name) =>
    tool(`${id}_${name}`, { class: 'acting', inputSchema: NUMBERS, code: { file: `webmcp/${name}.js`, world: 'isolated' } }),
  );
  skill.tools = [{ ...skill.tools[0], name: `${id}_heading` }, ...codes];
  skill.permissions = { ...skill.permissions, acts: codes.map(({ name }) => name), code: 'isolated' };
  delete skill.locators.button;
  skill.onActivate = { file: 'webmcp/begin.js' };
  skill.onDeactivate = { file: 'webmcp/end.js' };
  const files = filesOf(skill);
  for (const name of [...names, 'begin', 'end']) files[`${id}/webmcp/${name}.js`] = FILES[name];
  return zip(files);
}

describe('code of SKILLs', () => {
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/site.mjs').Site} */
  let shop;
  /** @type {SkillsView} */
  let view;
  const asked = [];
  const other = createServer(({ url }, response) => {
    asked.push(url);
    response.setHeader('access-control-allow-origin', '*');
    response.end('{}');
  });
  before(async () => {
    await new Promise((done) => other.listen(0, '127.0.0.1', done));
    [stage, shop] = await Promise.all([Stage.set(), serve(SHOP)]);
    view = new SkillsView(stage.panel);
    await stage.use('call-tool');
    await stage.begin(at(), { tools: SHIPPED });
  });
  after(() => Promise.all([stage?.strike(), shop?.close(), other.close()]));

  const at = (file = '') => shop.url(file, `http://shop.localhost:${shop.port}`);
  const told = async () => (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').at(-1).content;
  const json = (text) => JSON.parse(text.match(/^\{.*\}$/m)[0]);
  const install = async (id, names) => {
    await view.choose(`${id}.zip`, coded(id, names));
    await view.install({ own: true });
  };
  const call = async (name, input = {}) => {
    await stage.panel.view('chat');
    await stage.panel.say(`call ${name} ${JSON.stringify(input)}`);
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    return { state: (await stage.panel.calls()).at(-1).state, text: await told() };
  };

  test('SKILL case 47: with the switch off the SKILL says so and the rest works; with it on code runs without a restart', async () => {
    await install('coded', ['add', 'look', 'throws', 'rejects', 'broken', 'waits']);
    await view.state('coded', 'needsSwitch');
    await stage.panel.view('chat');
    await stage.panel.knows(SHIPPED + 1);
    await stage.panel.ask('call coded_heading {}');
    assert.equal((await stage.panel.calls()).at(-1).state, 'ok');
    await allowUserScripts(stage, true);
    await view.open();
    await view.state('coded', 'ok');
    const { state, text } = await call('coded_add', { a: 1, b: 2 });
    assert.equal(state, 'ok', text);
    assert.deepEqual(json(text), { sum: 3, activated: 1 }, 'onActivate ran once, in the same world');
  });

  test('SKILL case 48: two SKILLs share no globals, reach no network by fetch, XHR and WebSocket, and have no chrome', async () => {
    await install('second', ['look']);
    await call('coded_add', { a: 1, b: 1 });
    const base = `http://127.0.0.1:${other.address().port}/`;
    for (const [name, left] of [['coded_look', 'mine'], ['second_look', null]]) {
      const { text } = await call(name, { base });
      const { tried, ...rest } = json(text);
      assert.deepEqual(tried, { fetch: 'failed', xhr: 'failed', socket: 'failed' });
      assert.deepEqual(rest, { chrome: 'undefined', browser: 'undefined', left, page: 'undefined' });
    }
    assert.deepEqual(asked, []);
  });

  test('SKILL case 50: what code throws is told with its line, and Stop ends an endless wait', async () => {
    for (const [name, words] of [
      ['throws', /TypeError: no such thing .*throws\.js, line 3/],
      ['rejects', /Error: not today .*rejects\.js, line 2/],
      ['broken', /SyntaxError.*broken\.js, line 2/],
    ]) {
      const { state, text } = await call(`coded_${name}`);
      assert.equal(state, 'failed');
      assert.match(text, words);
    }
    const page = await stage.begin(at(), { tools: SHIPPED + 9 });
    await stage.panel.say('call coded_waits {}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await until(async () => (await page.title()) === 'waits', { what: 'the code to wait' });
    await stage.panel.click('stop');
    assert.equal((await stage.panel.rest()).why, 'stopped');
    await until(async () => (await page.title()) === 'stopped', { what: 'the code to hear that it is to stop' });
  });

  test('what a SKILL runs at its end is run when it is switched off', async () => {
    const page = await stage.begin(at(), { tools: SHIPPED + 9 });
    const begun = () => page.evaluate(() => document.documentElement.dataset.begun ?? null);
    await until(async () => (await begun()) !== null, { what: 'onActivate to have run' });
    await view.open();
    for (const id of ['coded', 'second']) {
      await view.unfold(id);
      await view.press(id, '[data-testid="skill-on"]');
    }
    await until(async () => (await begun()) === null, { what: 'onDeactivate to have run' });
    await stage.panel.knows(SHIPPED);
    for (const id of ['coded', 'second']) await view.press(id, '[data-testid="skill-on"]');
    await stage.panel.knows(SHIPPED + 9);
  });

  test('SKILL case 49: after an update of the extension code runs as before', async () => {
    const page = await stage.begin(at(), { tools: SHIPPED + 9 });
    await stage.chromium.reinstall();
    stage.panel = await Panel.beside(stage.chromium, page);
    await stage.panel.knows(SHIPPED + 9);
    const { state, text } = await call('coded_add', { a: 2, b: 2 });
    assert.equal(state, 'ok', text);
    assert.equal(json(text).sum, 4);
  });
});
