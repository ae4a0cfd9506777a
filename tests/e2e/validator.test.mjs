/** The validator is a WASM module of its own, created on first use. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('the validator', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const told = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content).at(-1);
  const order = async (seats) => {
    await stage.converse();
    await stage.panel.ask(`call order {"seats":${JSON.stringify(seats)}}`);
    return told();
  };

  test('is not created when the worker starts and lists tools', async () => {
    await stage.chromium.killWorker();
    await until(() => stage.chromium.workerRuns(), { what: 'another worker' });
    await stage.chromium.watchModules();
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() =>
      addTool('order', { description: 'Looks for seats.', annotations: { readOnlyHint: true }, inputSchema: { type: 'object', properties: { seats: { type: 'integer' } } } }),
    );
    await stage.panel.knows(2);
    assert.equal(await stage.chromium.modules(), 1);
  });

  test('is created for the first call, and kept', async () => {
    assert.match(await order('many'), /seats: expected an integer/);
    assert.equal(await stage.chromium.modules(), 2);
    assert.match(await order('few'), /seats: expected an integer/);
    assert.equal(await stage.chromium.modules(), 2);
  });

  test('is replaced after a trap, and the call that caused it is checked again', async () => {
    await stage.chromium.killWorker();
    await until(() => stage.chromium.workerRuns(), { what: 'another worker' });
    await stage.chromium.watchModules();
    await stage.panel.ask('Are you there?');
    assert.equal(await stage.chromium.modules(), 1);
    assert.match(await order('many'), /seats: expected an integer/);
    await stage.chromium.spoilWorker({ known: false });
    assert.match(await order('none'), /seats: expected an integer/);
    // The worker's own module did not trap.
    assert.deepEqual(stage.panel.problems, []);
  });
});
