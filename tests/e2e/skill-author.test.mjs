/** SKILLs that a user makes: from a folder that is read again, from a recording; and what an empty chat offers of them. */

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';

import { SkillsView, filesOf, shopSkill, tool, zip } from '../lib/packages.mjs';
import { testId } from '../lib/panel.mjs';
import { serve } from '../lib/site.mjs';
import { PAGES } from '../lib/paths.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('SKILLs that a user makes', () => {
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/site.mjs').Site} */
  let site;
  /** @type {SkillsView} */
  let view;
  before(async () => {
    [stage, site] = await Promise.all([Stage.set(), serve(PAGES)]);
    view = new SkillsView(stage.panel);
    await stage.use('call-tool');
  });
  after(() => Promise.all([stage?.strike(), site?.close()]));
  afterEach(async () => {
    await view.open();
    for (const id of await stage.panel.page.$$eval(testId('skill-card'), (cards) => cards.map(({ dataset }) => dataset.id))) {
      if (!mine.has(id)) continue;
      await view.unfold(id);
      await view.press(id, testId('skill-remove'));
      await view.without(id);
    }
    await stage.panel.view('chat');
  });

  /** The SKILLs that these tests install. */
  const mine = new Set(['notes', 'buy-milk', 'asleep', 'two-tabs']);
  const put = (file, html) => {
    site.put(`made/${file}`, `<!doctype html><meta charset="utf-8"><title>Made</title>${html}`);
    return site.url(`made/${file}`, `http://localhost:${site.port}`);
  };
  const FOR = ['http://localhost/*'];
  const notes = (more) => ({ ...shopSkill({ id: 'notes', match: FOR, permissions: { sites: FOR, acts: ['press_search'] } }), ...more });
  const told = async () => (await stage.model.requests()).at(-1).body.messages.findLast(({ role }) => role === 'tool').content;
  const answer = async (call) => {
    await stage.panel.view('chat');
    await stage.panel.ask(call);
    return told();
  };

  /** Files in a folder of the browser's own, which stands for the one that the user chooses in the browser's dialog. */
  const write = (files) =>
    stage.panel.page.evaluate(async (all) => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('notes', { create: true });
      for (const [path, text] of Object.entries(all)) {
        const names = path.split('/').slice(1);
        const name = names.pop();
        let place = folder;
        for (const inner of names) place = await place.getDirectoryHandle(inner, { create: true });
        const file = await (await place.getFileHandle(name, { create: true })).createWritable();
        await file.write(text);
        await file.close();
      }
      window.showDirectoryPicker = async () => folder;
    }, files);
  const reload = async () => {
    await view.open();
    await view.unfold('notes');
    await view.press('notes', testId('skill-reload'));
  };

  test('a SKILL of one’s own is read again from its folder with one click; what may do more is shown first', async () => {
    await stage.begin(put('a.html', '<h1>Heading</h1><h2>Below</h2>'), { tools: 0 });
    await write(filesOf(notes()));
    await view.open();
    await stage.panel.click('skill-add');
    await stage.panel.click('skill-choose-folder');
    await view.install({ own: true });
    await stage.panel.knows(2);
    assert.match(await answer('call read_heading {}'), /"heading":"Heading"/);

    await write(filesOf(notes({ version: '1.0.1', locators: { ...shopSkill().locators, heading: { any: [{ css: 'h2' }] } } })));
    await reload();
    await stage.panel.page.waitForFunction((at) => document.querySelector(at)?.textContent.includes('1.0.1'), {}, view.card('notes'));
    assert.match(await answer('call read_heading {}'), /"heading":"Below"/);

    const wider = notes({ version: '1.0.2' });
    wider.tools.push(tool('press_again', { class: 'acting', steps: [{ do: 'click', at: 'button', then: 'none' }] }));
    wider.permissions = { ...wider.permissions, acts: ['press_search', 'press_again'] };
    await write(filesOf(wider));
    await reload();
    await stage.panel.see('skill-review', '[data-id="notes"]');
    assert.match((await stage.panel.page.$$eval(testId('skill-gain'), (nodes) => nodes.map((node) => node.textContent))).join(), /press_again/);
    await stage.panel.click('skill-cancel');
    await stage.panel.knows(2);
  });

  test('SKILL case 15: a recording of the browser comes in as a draft that is off, and does what was recorded with other words', async () => {
    const address = put('list.html', `<h1>List</h1><label>Item <input id=item></label><button onclick="out.textContent += item.value + ';'">Add</button><p id=out></p>`);
    const page = await stage.begin(address, { tools: 0 });
    const recording = {
      title: 'Buy milk',
      steps: [
        { type: 'navigate', url: address, assertedEvents: [] },
        { type: 'change', value: 'milk', selectors: [['aria/Item'], ['#item']], target: 'main' },
        { type: 'click', selectors: [['aria/Add'], ['button']], target: 'main', offsetX: 5, offsetY: 5 },
      ],
    };
    await view.choose('recording.json', JSON.stringify(recording));
    await view.install({ own: true });
    await view.state('buy-milk', 'off');
    await view.unfold('buy-milk');
    await view.press('buy-milk', testId('skill-on'));
    await stage.panel.knows(1);
    const name = await stage.panel.page.$eval(view.card('buy-milk', testId('skill-tool')), (node) => node.dataset.name);
    await stage.panel.view('chat');
    const input = await page.evaluate(() => item.id);
    await stage.panel.say(`call ${name} ${JSON.stringify({ [input]: 'eggs' })}`);
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.equal((await stage.panel.calls()).at(-1).state, 'ok', await told());
    assert.equal(await page.evaluate(() => out.textContent), 'eggs;');
  });

  test('an empty chat on a page without tools offers the SKILL that is off there, and one click gives its tools', async () => {
    await view.paste(JSON.stringify(notes({ id: 'asleep' })));
    await view.install();
    await view.unfold('asleep');
    await view.press('asleep', testId('skill-on'));
    await view.state('asleep', 'off');
    await stage.panel.view('chat');
    await stage.begin(put('b.html', '<h1>Heading</h1>'), { tools: 0 });
    const offer = await stage.panel.see('skill-offer', '[data-id="asleep"][data-state="off"]');
    await (await offer.waitForSelector('button')).click();
    await stage.panel.knows(1);
    assert.match(await answer('call read_heading {}'), /"heading":"Heading"/);
  });

  test('steps in a tab of their own leave the page in front alone, and the tab is closed', async () => {
    put('c.html', '<h1>Elsewhere</h1>');
    const skill = notes({ id: 'two-tabs' });
    skill.tools = [
      tool('read_elsewhere', {
        steps: [
          { do: 'navigate', path: '/made/c.html', ownTab: true },
          { do: 'read', at: 'heading', what: 'text', as: 'heading' },
          { do: 'return', value: { heading: '{{heading}}' } },
        ],
      }),
    ];
    skill.permissions = { sites: FOR, navigate: true, ownTab: true };
    delete skill.locators.button;
    await view.paste(JSON.stringify(skill));
    await view.install({ own: true });
    await stage.panel.view('chat');
    const page = await stage.begin(put('d.html', '<h1>Here</h1>'), { tools: 1 });
    const pages = async () => (await stage.chromium.browser.pages()).length;
    const before = await pages();
    let most = 0;
    const count = async () => (most = Math.max(most, await pages()));
    stage.chromium.browser.on('targetcreated', count);
    assert.match(await answer('call read_elsewhere {}'), /"heading":"Elsewhere"/);
    await until(async () => (await pages()) === before, { what: 'its tab to be closed' });
    stage.chromium.browser.off('targetcreated', count);
    assert.equal(most, before + 1);
    assert.deepEqual(await page.evaluate(() => [document.title, document.visibilityState]), ['Made', 'visible']);
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
