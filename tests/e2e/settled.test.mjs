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
  const next = () => tool('details', () => 'Details.');
  addEventListener('load', () => tool('start', () => {
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
      const listed = async () => {
        const page = await stage.begin(stage.site.url(`views.html?delay=${delay}${moves ? '&moves' : ''}`), { tools: 1 });
        await stage.panel.ask('call start\nthen call details');
        assert.deepEqual(await page.evaluate(() => window.runs), ['start', 'details']);
        const calls = await stage.panel.calls();
        assert.deepEqual(calls.map(({ name, state }) => [name, state]), [['start', 'ok'], ['details', 'ok']]);
        const requests = await stage.model.requests();
        assert.equal(requests.length, 3, 'no round failed');
        return offered(requests[1]);
      };
      // On a busy machine the page or its word of the tool is late, and the next request waits for only 50 ms.
      let names = await listed();
      for (let again = 0; isOffered && again < 2 && !names.includes('details'); again += 1) names = await listed();
      if (isOffered) assert.ok(names.includes('details'), `offered: ${names}`);
    });
  }
});
