/** What checks arguments is a module of its own, made when it is first asked. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';

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

  test('it is not there when the worker has woken and told the tools of the page', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() =>
      addTool('order', { description: 'Looks for seats.', annotations: { readOnlyHint: true }, inputSchema: { type: 'object', properties: { seats: { type: 'integer' } } } }),
    );
    await stage.panel.knows(2);
    assert.equal(await stage.chromium.modules(), 1);
  });

  test('it comes with the first call, and is kept', async () => {
    assert.match(await order('many'), /seats: expected an integer/);
    assert.equal(await stage.chromium.modules(), 2);
    assert.match(await order('few'), /seats: expected an integer/);
    assert.equal(await stage.chromium.modules(), 2);
  });

  test('one that traps is replaced, and the question that ended it is answered', async () => {
    await stage.chromium.killWorker();
    await stage.panel.ask('Are you there?');
    assert.equal(await stage.chromium.modules(), 1);
    assert.match(await order('many'), /seats: expected an integer/);
    await stage.chromium.spoilWorker({ known: false });
    assert.match(await order('none'), /seats: expected an integer/);
    // The worker itself did not fail.
    assert.deepEqual(stage.panel.problems, []);
  });
});
