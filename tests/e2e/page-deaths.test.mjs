/** The worker dies, or what an action works on goes away: nothing is done twice, and the turn goes on. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('actions on a page whose worker dies', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const told = async () => (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').at(-1).content;
  const pressed = (page) => page.evaluate(() => window.log.length);
  /** A page with a button, in a chat that may use it. */
  const on = async (html) => {
    const page = await stage.begin(stage.site.put('actions/death.html', `<!doctype html><title>Made</title>${html}`), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    await page.evaluate(() => (window.log = []));
    return page;
  };
  const state = async () => (await stage.panel.calls()).at(-1).state;

  test('case 85: before the action, while its card asks: the card asks again, and the button is pressed once', async () => {
    const page = await on('<button id=b onclick="log.push(1); this.after(`Done`)">Delete all</button>');
    await stage.panel.say('call click_element {"selector":"#b"}');
    await stage.panel.call('click_element', 'asking');
    await stage.panel.see('approval');
    await stage.chromium.killWorker();
    await until(() => stage.chromium.workerRuns(), { what: 'another worker' });
    await stage.panel.see('approval');
    assert.equal(await pressed(page), 0);
    // A worker that has just started knows no card's words: the question may come once more.
    await until(
      async () => {
        if (await stage.panel.shows('approval')) await stage.panel.decide('run').catch(() => {});
        return !['asking', 'running', 'queued'].includes(await state());
      },
      { what: 'the click to end' },
    );
    await stage.panel.rest();
    assert.deepEqual([await state(), await pressed(page)], ['ok', 1], await told());
  });

  test('case 85: during the action: it is not done again, and the model is told that its end is unknown', async () => {
    const page = await on('<button id=b onclick="log.push(1); alert(1)">Next</button>');
    const dialog = new Promise((resolve) => page.once('dialog', resolve));
    await stage.panel.say('call click_element {"selector":"#b"}');
    const opened = await dialog;
    await stage.chromium.killWorker();
    await stage.panel.call('click_element', 'interrupted');
    await opened.accept();
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.equal(await pressed(page), 1);
    assert.match(await told(), /unknown/i);
  });

  test('case 85: after the action: the turn goes on with its result', async () => {
    const page = await on('<button id=b onclick="log.push(1); document.title = `Done`; this.after(`Done`)">Delete all</button>');
    await stage.panel.say('call click_element {"selector":"#b"}');
    await stage.panel.call('click_element', 'asking');
    await stage.panel.see('approval');
    await stage.model.fault({ delivery: { hold_after_event: 3 } });
    const before = (await stage.model.requests()).length;
    await stage.panel.decide('run');
    await stage.model.wait(before + 1, 'held');
    await stage.chromium.killWorker();
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.deepEqual([await state(), await pressed(page)], ['ok', 1]);
    assert.match(await told(), /ok: click_element button "Delete all"/);
  });

  test('case 86: a tab that is closed during a call ends the call, and the turn says so', async () => {
    const page = await on('<p>Nothing yet');
    await stage.panel.say('call wait_for {"text":"never there","seconds":30}');
    await stage.panel.call('wait_for', 'running');
    await stage.tab(stage.site.url('empty.html'));
    await page.close();
    await until(async () => !['running', 'queued'].includes(await state()), { what: 'the call to end', timeout: 10_000 });
    assert.equal(await state(), 'failed');
    await stage.panel.rest();
  });

  test('case 86: a frame that is removed makes its references stale', async () => {
    stage.site.put('actions/inner.html', '<!doctype html><title>Inner</title><button onclick="parent.log.push(1)">Go on</button>');
    const page = await on('<iframe title="Part" src="inner.html"></iframe>');
    await stage.panel.ask('call snapshot');
    const [, ref] = /button "Go on" \[ref=(f\d+e\d+)\]/.exec(await told());
    await page.evaluate(() => document.querySelector('iframe').remove());
    await stage.panel.ask(`call click_element {"selector":"${ref}"}`);
    assert.equal(await state(), 'failed');
    assert.match(await told(), /gone|snapshot/i);
    assert.equal(await pressed(page), 0);
  });

  test('case 86: a page that crashes during a call ends the call', async () => {
    const page = await on('<p>Nothing yet');
    await stage.panel.say('call wait_for {"text":"never there","seconds":30}');
    await stage.panel.call('wait_for', 'running');
    void page.goto('chrome://crash').catch(() => {});
    await until(async () => !['running', 'queued'].includes(await state()), { what: 'the call to end', timeout: 10_000 });
    assert.equal(await state(), 'failed');
    await stage.panel.rest();
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
