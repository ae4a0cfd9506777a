/** Policies for tools and sites hold whichever source a tool comes from and whatever its name is. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { PAGES } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

const runs = (page) => page.evaluate(() => window.runs.map(({ tool }) => tool));

const addMark = (page, name = 'mark') =>
  page.evaluate((name) => addTool(name, { description: 'Changes a colour.', annotations: {} }), name);

/** Set a tool's policy in the Tools view. */
const choose = async (stage, name, policy) => {
  await stage.panel.view('tools');
  const row = `${testId('tool-row')}[data-name="${name}"]`;
  const open = `${row} ${testId('tool-policy')}`;
  if (!(await stage.panel.page.$(open))) await stage.panel.page.click(`${row} ${testId('tool-row-toggle')}`);
  await stage.panel.page.waitForSelector(open);
  await stage.panel.page.select(open, policy);
  await stage.panel.see('tool-row', `[data-name="${name}"][data-policy="${policy}"]`);
  await stage.panel.view('chat');
};

describe('policies', () => {
  test('Off still holds when native WebMCP is switched on in the same profile', async (t) => {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'sidecar-decided-'));
    t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    // The origin has to be the same both times.
    const site = await serve(PAGES);
    t.after(() => site.close());
    for (const native of [false, true]) {
      const stage = await Stage.set({ native, profile });
      try {
        const page = await stage.begin(site.url('changing.html'), { tools: 1 });
        await addMark(page);
        await stage.panel.knows(2);
        if (!native) await choose(stage, 'mark', 'off');
        await stage.panel.view('tools');
        const source = native ? 'native' : 'polyfill';
        await stage.panel.see('tool-row', `[data-name="mark"][data-source="${source}"][data-policy="off"]`);
        await stage.panel.view('chat');
        await stage.panel.ask('call mark');
        assert.deepEqual(await runs(page), [], `native ${native}`);
      } finally {
        await stage.strike();
      }
    }
  });

  test('a site on which every call asks overrides Always allow, also for tools added later', async () => {
    const stage = await Stage.set();
    try {
      const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
      await addMark(page);
      await stage.panel.knows(2);
      await choose(stage, 'mark', 'allow');
      await stage.panel.view('tools');
      await stage.panel.click('site-asks');
      await stage.panel.see('site-asks', ':checked');
      await stage.panel.view('chat');
      await addMark(page, 'mark_');
      await stage.panel.knows(3);
      for (const name of ['mark', 'mark_', 'always']) {
        await stage.panel.say(`call ${name}`);
        await stage.panel.see('approval');
        const why = await stage.panel.page.$$eval(testId('approval-why'), (nodes) => nodes.map((node) => node.dataset.why));
        assert.deepEqual(why, ['policy'], name);
        await stage.panel.decide('decline');
        await stage.panel.rest();
      }
      assert.deepEqual(await runs(page), []);
      await stage.panel.view('settings');
      await stage.panel.see('grant-row', '[data-name=""][data-policy="ask"]');
      await stage.panel.click('grant-take-back');
      await until(async () => (await stage.panel.page.$$(testId('grant-row'))).length === 1, { what: 'the site to be taken back' });
      await stage.panel.view('chat');
      await stage.panel.ask('call mark');
      assert.deepEqual(await runs(page), ['mark']);
    } finally {
      await stage.strike();
    }
  });
});
