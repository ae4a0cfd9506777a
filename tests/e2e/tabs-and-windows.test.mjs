/** Several tabs and windows: each panel shows its own window's tab, and a turn stays with the tab where it began. */
// lane: alone (it checks limits in milliseconds)

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { offered } from '../lib/model.mjs';
import { Panel } from '../lib/panel.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

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

  test('two windows each have their own panel, tab and conversation', async () => {
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

  /** The tools of the last request. */
  const last = async () => offered((await stage.model.requests()).at(-1));
  const host = (page) => new URL(page.url()).host;
  /** Pin a tab, and open the same page of another origin in front of it. */
  const twoTabs = async () => {
    const kept = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.click('pin-tab');
    await stage.panel.see('pinned-tab');
    const front = await stage.tab(stage.site.url('echo.html', stage.site.otherOrigin));
    await until(async () => (await stage.panel.text('site')) === host(front), { what: 'the panel to follow the tab' });
    await stage.panel.knows(4);
    return { kept, front, inFront: (name) => `${name}_${host(front).replaceAll(/[.:]/g, '_')}` };
  };

  test('a pinned tab’s tools are offered with those of the tab in front, under different names', async () => {
    const { kept, front, inFront } = await twoTabs();
    await stage.panel.ask(`call ${inFront('writeNote')} {"text":"in front"}`);
    assert.deepEqual((await stage.panel.calls()).map((call) => call.name), ['writeNote']);
    const tools = await last();
    const names = ['echoText', 'writeNote'];
    for (const name of names) {
      const [first, second] = [name, inFront(name)].map((wanted) => tools.find((tool) => tool.name === wanted));
      assert.ok(first.description.includes(host(kept)), first.description);
      assert.ok(second.description.includes(host(front)), second.description);
    }
    assert.equal(tools.length, 8);
    await stage.panel.ask('call writeNote {"text":"kept"}');
    assert.equal(await kept.$eval('#note', (note) => note.textContent), 'kept');
    assert.equal(await front.$eval('#note', (note) => note.textContent), 'in front');

    await stage.panel.click('pinned-tab-show');
    await until(async () => (await stage.panel.text('site')) === host(kept), { what: 'the tab to come to the front' });
    await stage.panel.see('pinned-tab-show', '[aria-current="true"]');
    await stage.panel.ask('call writeNote {"text":"alone"}');
    assert.deepEqual((await last()).length, 4, 'a tab in front that stays anyway is offered once');
  });

  test('a pinned tab is known to the next worker, and is released by its button or a new chat', async () => {
    const { kept } = await twoTabs();
    await stage.panel.ask('call echoText {"text":"a"}');
    await stage.chromium.killWorker();
    await stage.panel.ask('call echoText {"text":"b"}');
    assert.equal((await last()).length, 8);

    await stage.panel.click('pinned-tab-release');
    await stage.panel.gone('pinned-tabs');
    await stage.panel.ask('call echoText {"text":"c"}');
    assert.equal((await last()).length, 4);

    await stage.panel.click('pin-tab');
    await stage.panel.see('pinned-tab');
    await kept.bringToFront();
    await stage.panel.newChat();
    await stage.panel.gone('pinned-tabs');
  });

  test('closing a pinned tab withdraws its tools', async () => {
    const { kept } = await twoTabs();
    await stage.panel.ask('call echoText {"text":"there"}');
    await kept.close();
    await stage.panel.gone('pinned-tabs');
    await stage.panel.ask('call echoText {"text":"in front now"}');
    const names = (await last()).map((tool) => tool.name);
    assert.equal(names.length, 4);
    assert.ok(names.includes('echoText'), 'the name is free for the tab in front');
  });
});
