/** The buttons on the card of a SKILL that gives a page no tools, or not all: each does what it says. */

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';

import { SkillsView, filesOf, shopSkill, tool, zip } from '../lib/packages.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

const ID = 'remedies';
const FOR = ['http://localhost/*', 'http://127.0.0.1/*'];

/** A SKILL for the pages here. */
function skillWith(tools, more) {
  const skill = { ...shopSkill({ id: ID, match: FOR, permissions: { sites: FOR } }), tools, ...more };
  delete skill.locators.button;
  return skill;
}

const HEADING = { do: 'read', at: 'heading', what: 'text', as: 'heading' };
const RETURN = { do: 'return', value: { heading: '{{heading}}' } };
const readHeading = (more) => tool('read_heading', { steps: [HEADING, RETURN], ...more });

describe('buttons that help a SKILL', () => {
  /** @type {Stage} */
  let stage;
  /** @type {SkillsView} */
  let view;
  before(async () => {
    stage = await Stage.set();
    view = new SkillsView(stage.panel);
    await stage.use('call-tool');
  });
  after(() => stage?.strike());
  afterEach(async () => {
    await view.open();
    if (await stage.panel.page.$(view.card(ID))) {
      await view.unfold(ID);
      await view.press(ID, testId('skill-remove'));
      await view.without(ID);
    }
    await stage.panel.view('chat');
  });

  const put = (html) => stage.site.put('remedies/page.html', `<!doctype html><meta charset="utf-8"><title>Remedies</title>${html}`);
  const install = async (skill, files = {}) => {
    await view.choose(`${ID}.zip`, zip({ ...filesOf(skill), ...files }));
    await view.install({ own: true });
  };
  const call = async () => {
    await stage.panel.view('chat');
    await stage.panel.ask('call read_heading {}');
    return (await stage.model.requests()).at(-1).body.messages.findLast(({ role }) => role === 'tool').content;
  };
  const has = (id) => stage.panel.page.$(view.card(ID, testId(id)));

  test('Resume offers the tools again of a SKILL that found the page changed three times in a row on a site, and the count begins anew', async () => {
    const page = await stage.begin(put('<p>No heading</p>'), { tools: 0 });
    await install(skillWith([readHeading()]));
    await stage.panel.view('chat');
    await stage.panel.knows(1);
    for (let run = 1; run <= 3; run += 1) {
      assert.match(await call(), /read_heading, steps\[0\]: changed/);
      if (run === 3) break;
      await stage.panel.knows(1);
      await page.reload();
      await stage.panel.knows(1);
    }
    await stage.panel.knows(0);
    await view.open();
    await view.state(ID, 'paused');

    // It is paused on that site alone.
    await page.goto(page.url().replace('localhost', '127.0.0.1'));
    await view.state(ID, 'ok');
    assert.equal(await has('skill-resume'), null);
    await page.goto(put('<p>Still none</p>'));
    await view.state(ID, 'paused');
    await stage.panel.knows(0);

    await view.press(ID, testId('skill-resume'));
    await view.state(ID, 'ok');
    assert.equal(await has('skill-resume'), null);
    await stage.panel.knows(1);
    assert.match(await call(), /read_heading, steps\[0\]: changed/);
    await page.goto(put('<h1>A heading</h1>'));
    await stage.panel.knows(1);
    assert.match(await call(), /"heading":"A heading"/);
    await view.open();
    await view.state(ID, 'ok');
  });

  test('Check again finds that a page has become as its SKILL expects, which nobody looks for any more by itself', async () => {
    const page = await stage.begin(put('<h1>A heading</h1>'), { tools: 0 });
    await stage.chromium.inWorker(() => {
      const { get } = chrome.tabs;
      globalThis.looks = 0;
      // The tab is asked for after each look.
      chrome.tabs.get = (...given) => ((globalThis.looks += 1), get.apply(chrome.tabs, given));
    });
    const pages = { start: { match: FOR, probes: [{ at: 'late', is: 'present' }] } };
    // The other one needs no page of a kind.
    const other = tool('read_other', { steps: [HEADING, RETURN] });
    const skill = skillWith([readHeading({ pages: ['start'] }), other], { pages });
    skill.locators.late = { any: [{ css: '#late' }] };
    await install(skill);
    await view.state(ID, 'changed');
    const counts = [];
    const rests = async () => {
      counts.push(await stage.chromium.inWorker(() => globalThis.looks));
      return counts.length > 3 && new Set(counts.slice(-4)).size === 1;
    };
    await until(rests, { what: 'the page to be left alone', every: 1_000, timeout: 30_000 });
    assert.ok(counts.at(-1) > 0, 'it was looked at before');
    await page.evaluate(() => document.body.append(Object.assign(document.createElement('p'), { id: 'late' })));
    assert.ok(await has('skill-check-again'));
    await stage.panel.knows(1);
    await view.press(ID, testId('skill-check-again'));
    await view.state(ID, 'ok');
    assert.equal(await has('skill-check-again'), null);
    await stage.panel.knows(2);
    assert.match(await call(), /"heading":"A heading"/);
  });

  test('Allow scripts leads to the browser’s page of the extension, where its switch lets the code run', async () => {
    const code = tool('count_headings', { class: 'acting', code: { file: 'webmcp/count.js', world: 'isolated' } });
    const skill = skillWith([readHeading(), code]);
    skill.permissions = { sites: FOR, acts: ['count_headings'], code: 'isolated' };
    await stage.begin(put('<h1>A heading</h1>'), { tools: 0 });
    await install(skill, { [`${ID}/webmcp/count.js`]: 'return document.querySelectorAll("h1").length;' });
    await view.state(ID, 'needsSwitch');
    await stage.panel.knows(1);
    const isGranted = () => stage.panel.page.evaluate(() => chrome.permissions.contains({ permissions: ['userScripts'] }));
    assert.equal(await isGranted(), false);
    const address = `chrome://extensions/?id=${stage.chromium.extensionId}`;
    const opened = stage.chromium.browser.waitForTarget((target) => target.url() === address, { timeout: 10_000 });
    await stage.panel.page.locator(view.card(ID, testId('skill-allow-scripts'))).click();
    const details = await (await opened).page();
    await until(isGranted, { what: 'the permission' });
    // The switch of the browser, as a person finds it there.
    const toggle = await until(() => details.$('pierce/#allow-user-scripts'), { what: 'the switch' });
    await toggle.click();
    await details.close();
    await view.state(ID, 'ok');
    assert.equal(await has('skill-allow-scripts'), null);
    await stage.panel.view('chat');
    await stage.panel.knows(2);
    await stage.panel.say('call count_headings {}');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.equal((await stage.panel.calls()).at(-1).state, 'ok');
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
