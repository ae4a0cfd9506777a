/** A turn of a chat is saved as a case of an eval. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { downloaded } from '../lib/download.mjs';
import { testId } from '../lib/panel.mjs';
import { xtask } from '../lib/paths.mjs';
import { Stage } from '../lib/stage.mjs';

const SECRET = 'hunter22';
const KEY = 'sk-a1b2c3d4e5f6a1b2c3d4e5f6';

/** Register tools in a page; `pickSeat` fails when it is first called. */
const register = () => {
  const text = { type: 'string' };
  let picked = 0;
  const tool = (name, properties, execute) =>
    document.modelContext.registerTool({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties },
      annotations: { readOnlyHint: true },
      execute,
    });
  tool('signIn', { user: text, password: text }, ({ password }) => ({ ok: true, echo: `signed in with ${password}` }));
  tool('findFlight', { to: text, cabin: { enum: ['economy', 'first'] }, seats: { type: 'integer' }, note: text }, ({ to }) => ({ flights: [`to ${to}`] }));
  tool('pickSeat', { booking: text, seat: text }, () => (picked++ ? 'picked' : Promise.reject(new Error('no such seat'))));
};

describe('a turn as a case', () => {
  /** @type {Stage} */
  let stage;
  /** @type {string} */
  let folder;
  before(async () => {
    stage = await Stage.set();
    folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-cases-'));
  });
  after(async () => {
    await stage?.strike();
    await rm(folder, { recursive: true, force: true });
  });

  /** Save the last turn that can be saved. */
  const save = () =>
    downloaded(stage.chromium.browser, async () => {
      const buttons = await stage.panel.page.$$(testId('turn-case'));
      await buttons.at(-1).click();
    });

  test('inspector case 29: a turn with parallel calls, a retry and a secret becomes a case', async () => {
    const page = await stage.begin(stage.site.url('empty.html?token=abc'));
    await page.evaluate(register);
    await stage.panel.knows(3);
    await stage.panel.ask(`Sign me in, my key is ${KEY}\ncall signIn {"user": "ann", "password": "${SECRET}"}`);
    const said = [
      `Fly to Sofia and New York, seat for booking B-17, not with ${SECRET}`,
      'call findFlight {"to": "Sofia, BG", "cabin": "economy", "seats": 2}',
      'call findFlight {"to": "New York", "cabin": "first", "seats": 1}',
      'then call pickSeat {"booking": "B-17", "seat": "1A"}',
      'then call pickSeat {"booking": "B-17", "seat": "2A"}',
    ].join('\n');
    await stage.panel.ask(said);

    const { name, text } = await save();
    assert.match(name, /^Fly-to-Sofia.*\.evals\.json$/);
    for (const secret of [SECRET, KEY]) assert.ok(!text.includes(secret), secret);
    const suite = JSON.parse(text);
    assert.equal(suite.format, 'sidecar-suite');
    assert.equal(suite.startUrl, stage.site.url('empty.html'));
    assert.deepEqual(suite.tools.map((tool) => tool.name).sort(), ['findFlight', 'pickSeat', 'signIn']);
    const [{ messages, expectedCall }, ...more] = suite.cases;
    assert.deepEqual(more, []);
    const kinds = messages.map((message) => `${message.role} ${message.type}`);
    assert.deepEqual(kinds.slice(0, 4), ['user message', 'model message', 'model functioncall', 'user functionresponse']);
    assert.equal(kinds.at(-1), 'user message');
    const [group, seat, ...rest] = expectedCall;
    assert.deepEqual(rest, []);
    assert.deepEqual(
      group.unordered.map(({ functionName, arguments: { cabin, seats } }) => [functionName, cabin, seats]),
      [['findFlight', 'economy', 2], ['findFlight', 'first', 1]],
    );
    assert.deepEqual(group.unordered[1].mockOutput, { flights: ['to New York'] });
    assert.equal(seat.functionName, 'pickSeat');
    assert.equal(seat.arguments.booking, 'B-17');
    assert.equal(seat.mockOutput, 'picked');

    const told = await stage.panel.page.$$eval(testId('turn-case-told'), (nodes) => nodes.at(-1).innerText);
    assert.match(told, /pickSeat/, 'what was left out');

    const file = path.join(folder, name);
    await writeFile(file, text);
    const program = spawn(xtask(), ['evals', 'check', file]);
    const [code] = await once(program, 'close');
    assert.equal(code, 0, 'every expectation can pass');
  });

  test('a turn without calls of tools has no case', async () => {
    await stage.converse();
    await stage.panel.ask('Hello');
    assert.equal(await stage.panel.page.$(testId('turn-case')), null);
  });
});
