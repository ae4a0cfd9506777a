/** SKILLs that others made: what acts is off, asks when it is on, and is off again when it has become something else. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SkillsView, filesOf, shopSkill, tool, zip } from '../lib/packages.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';

const ID = 'pressing';
const FOR = ['http://localhost/*', 'http://127.0.0.1/*'];
const PAGE = `<!doctype html><meta charset="utf-8"><title>Press</title><h1>Press</h1>
  <button id=one onclick="out.textContent += '1'">One</button><button id=two onclick="out.textContent += '2'">Two</button><output id=out></output>`;

/** A package with a tool that reads and one that acts. */
function pressing({ version, reads = 'text', presses = '#one', says = 'Presses the button.' }) {
  const skill = shopSkill({ id: ID, version, match: FOR, permissions: { sites: FOR, acts: ['press'] } });
  skill.locators = { heading: { any: [{ css: 'h1' }] }, button: { any: [{ css: presses }] } };
  skill.tools = [
    tool('read_heading', { steps: [{ do: 'read', at: 'heading', what: reads, as: 'heading' }, { do: 'return', value: { heading: '{{heading}}' } }] }),
    tool('press', { class: 'acting', description: says, steps: [{ do: 'click', at: 'button', then: 'none' }] }),
  ];
  return zip(filesOf(skill));
}

describe('a SKILL that others made', () => {
  /** @type {Stage} */
  let stage;
  /** @type {SkillsView} */
  let view;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    stage = await Stage.set();
    view = new SkillsView(stage.panel);
    await stage.use('call-tool');
    page = await stage.begin(stage.site.put('imported/page.html', PAGE), { tools: 0 });
  });
  after(() => stage?.strike());

  /** Install a version from a file. Then the SKILL has that many tools. */
  const install = async (version, tools) => {
    await view.choose(`${version.version}.zip`, pressing(version));
    await view.install();
    await stage.panel.page.waitForSelector(`${view.card(ID)}[data-level="imported"]`);
    await stage.panel.view('chat');
    await stage.panel.knows(tools);
  };
  const switchOn = async () => {
    await view.open();
    await view.unfold(ID);
    await view.press(ID, `${testId('skill-tool')}[data-name="press"] ${testId('skill-tool-on')}`);
    await stage.panel.view('chat');
    await stage.panel.knows(2);
  };
  const pressed = () => page.evaluate(() => document.querySelector('#out').textContent);
  const asks = async () => {
    await stage.panel.say('call press {}');
    return stage.panel.see('approval');
  };
  const whys = () => stage.panel.page.$$eval(testId('approval-why'), (nodes) => nodes.map((node) => node.dataset.why));
  /** What let the calls of the conversation run. */
  const passed = async () => {
    await stage.panel.unfold();
    return stage.panel.page.$$eval(testId('tool-passed'), (nodes) => nodes.map((node) => node.dataset.passed));
  };

  test('SKILL case 41: what acts is off until it is switched on, asks on a card that names SKILL, level and site, and no more on a site where it is allowed', async () => {
    await install({ version: '1.0.0' }, 1);
    await stage.panel.ask('call press {}');
    const { tools } = (await stage.model.requests()).at(-1).body;
    const names = tools.map((one) => one.function.name);
    assert.ok(names.includes('read_heading') && !names.includes('press'), names.join());
    assert.equal((await stage.panel.calls()).at(-1).state, 'failed');
    await switchOn();
    await stage.panel.newChat();
    const card = await asks();
    const text = await card.evaluate((node) => node.innerText);
    assert.match(text, /press on localhost[\s\S]*SKILL pressing 1\.0\.0 · imported/);
    assert.deepEqual(await whys(), ['consequential']);
    assert.equal(await pressed(), '', 'nothing is done before the click');
    await stage.panel.decide('always');
    await stage.panel.rest();
    await stage.panel.ask('call press {}');
    assert.deepEqual(await passed(), ['user', 'grant']);
    assert.equal(await pressed(), '11');
    await stage.panel.view('settings');
    await stage.panel.see('grant-row', '[data-name="press"][data-policy="allow"]');
  });

  test('SKILL case 41: on another of its sites it asks nevertheless', async () => {
    const here = page.url();
    await page.goto(here.replace('localhost', '127.0.0.1'));
    await stage.panel.newChat();
    await stage.panel.knows(2);
    const card = await asks();
    assert.match(await card.evaluate((node) => node.innerText), /press on 127\.0\.0\.1/);
    await stage.panel.decide('decline');
    await stage.panel.rest();
    assert.equal(await pressed(), '');
    await page.goto(here);
    await stage.panel.knows(2);
  });

  test('an update that leaves a tool as it was leaves its switch and what is allowed', async () => {
    await install({ version: '1.1.0', reads: 'markdown' }, 2);
    await stage.panel.newChat();
    await stage.panel.ask('call press {}');
    assert.deepEqual(await passed(), ['grant']);
    assert.equal(await pressed(), '1');
  });

  for (const [what, version] of [
    ['does something else under the same description', { version: '1.2.0', reads: 'markdown', presses: '#two' }],
    ['is described otherwise', { version: '1.3.0', reads: 'markdown', presses: '#two', says: 'Presses the other button.' }],
  ]) {
    test(`SKILL case 41: an update with which a tool ${what} switches it off, and what was allowed no longer holds`, async () => {
      const before = await pressed();
      await install(version, 1);
      await switchOn();
      await stage.panel.newChat();
      const card = await asks();
      assert.match(await card.evaluate((node) => node.innerText), new RegExp(`SKILL pressing ${version.version} · imported`));
      assert.ok((await whys()).includes('changed'));
      assert.equal(await pressed(), before);
      await stage.panel.decide('always');
      await stage.panel.rest();
      await stage.panel.ask('call press {}');
      assert.deepEqual(await passed(), ['user', 'grant']);
      assert.equal(await pressed(), `${before}22`);
    });
  }

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
