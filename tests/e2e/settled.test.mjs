/** Tools registered by a call, like those of a single-page application's next view. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { forBothModes, Stage } from '../lib/stage.mjs';

const PAGE = `<!doctype html><title>Views</title><script>
  window.runs = [];
  const tool = (name, execute) =>
    document.modelContext.registerTool({ name, description: 'Shows ' + name + '.', inputSchema: { type: 'object' }, execute: async () => {
      window.runs.push(name);
      return execute();
    } });
  const { searchParams } = new URL(location.href);
  let answeredAt;
  const next = () => {
    window.late = performance.now() - answeredAt;
    tool('details', () => 'Details.');
  };
  addEventListener('load', () => tool('start', () => {
    answeredAt = performance.now();
    if (searchParams.has('moves')) history.pushState({}, '', '/views.html?there');
    const delay = Number(searchParams.get('delay'));
    if (delay === 0) next();
    else setTimeout(next, delay);
    return 'Started.';
  }));
</script>`;

forBothModes('tools registered by a call', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set({ native });
    stage.site.put('views.html', PAGE);
  });
  after(() => stage?.strike());

  const offered = ({ body }) => (body.tools ?? []).map((tool) => tool.function.name);

  for (const { delay, moves = false, isOffered } of [
    { delay: 0, isOffered: true },
    { delay: 20, isOffered: true },
    { delay: 50, isOffered: true },
    { delay: 200 },
    { delay: 1000, moves: true },
  ]) {
    test(`registered ${delay} ms after its result${moves ? ', with a new URL' : ''}, the next view’s tool can be called`, async () => {
      const page = await stage.begin(stage.site.url(`views.html?delay=${delay}${moves ? '&moves' : ''}`), { tools: 1 });
      await stage.panel.ask('call start\nthen call details');
      assert.deepEqual(await page.evaluate(() => window.runs), ['start', 'details']);
      const calls = await stage.panel.calls();
      assert.deepEqual(calls.map(({ name, state }) => [name, state]), [['start', 'ok'], ['details', 'ok']]);
      const requests = await stage.model.requests();
      assert.equal(requests.length, 3, 'no round failed');
      // On a busy machine a page's timer fires late, and the next request waits for only 50 ms.
      const isInTime = (await page.evaluate(() => window.late)) < 60;
      if (isOffered && isInTime) assert.ok(offered(requests[1]).includes('details'), `offered: ${offered(requests[1])}`);
    });
  }
});
