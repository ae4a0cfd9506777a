/** Several tabs and windows: each panel shows its own window's tab, and a turn stays with the tab where it began. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Panel } from '../lib/panel.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';

forBothModes('tabs and windows', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  test('the panel follows the tab in front', async () => {
    const first = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    const second = await stage.tab(stage.site.url('changing.html'));
    await stage.panel.knows(1, { timeout: 500 });
    await first.bringToFront();
    await stage.panel.knows(4, { timeout: 500 });
    await second.bringToFront();
    await stage.panel.knows(1, { timeout: 500 });
    await second.close();
    await stage.panel.knows(4, { timeout: 500 });
  });

  test('two windows have each their own panel, tab and conversation', async () => {
    const here = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    const there = await stage.chromium.openWindow(stage.site.url('changing.html'));
    const other = await Panel.beside(stage.chromium, there);
    try {
      await other.knows(1);
      assert.deepEqual((await other.tools()).map((tool) => tool.name), ['always']);
      assert.equal(await stage.panel.toolCount(), 4, 'the first panel stays with its window');

      await stage.panel.say('call writeNote {"text":"from here"}');
      await other.say('call always');
      await stage.panel.rest();
      await other.rest();
      assert.deepEqual((await stage.panel.calls()).map((call) => call.name), ['writeNote']);
      assert.deepEqual((await other.calls()).map((call) => call.name), ['always']);
      assert.equal(await here.$eval('#note', (note) => note.textContent), 'from here');
      assert.deepEqual(await there.evaluate(() => window.runs.map((run) => run.tool)), ['always']);
    } finally {
      await there.close();
    }
  });
});
