/** What is the user's to give: a secret or a file is asked for on a card, and the turn goes on. Sensitive sites ask about every action. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Kept } from '../lib/database.mjs';
import { INSECURE_HOST } from '../lib/browser.mjs';
import { ROOT } from '../lib/paths.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** A host of a service that asks whether a person is there. */
const CHALLENGES = 'static.geetest.com';

const CARD_NUMBER = '4242 9911 0057 6633';
/** Parts of the number that no moment, id or port comes to by chance, as four digits do, which are in everything kept now and then. */
const CARD_HALVES = CARD_NUMBER.replaceAll(' ', '').match(/.{8}/g);

describe('what the user gives', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set({ args: [`--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1, MAP ${CHALLENGES} 127.0.0.1`] });
  });
  after(() => stage?.strike());

  const shop = () => stage.site.url('actions/tea.html');
  const results = async () => (await stage.model.requests()).at(-1).body.messages.filter((message) => message.role === 'tool').map((message) => message.content);
  const card = () => stage.panel.see('approval').then((node) => node.evaluate((it) => it.innerText));
  const whys = () => stage.panel.page.$$eval(testId('approval-why'), (nodes) => nodes.map((node) => node.dataset.why));
  const signs = (page) => page.evaluate(() => [...document.documentElement.children].filter((node) => node.tagName.startsWith('X')).length);
  /** Allow the use of the page, then make these calls. */
  const act = async (calls) => {
    await stage.panel.say(['call request_page_access {"access":"act"}', ...calls].join('\nthen\n'));
    await stage.panel.see('approval');
    await stage.panel.decide('run');
  };

  /** Where the light is around a field, in the viewport of a page or of a frame of it: only the browser's tools see into it. */
  const lit = async (page, ofFrame) => {
    const frame = page.frames().find((one) => one.url().includes(ofFrame));
    const tools = await page.createCDPSession();
    try {
      const { root } = await (frame.client ?? tools).send('DOM.getDocument', { depth: -1, pierce: true });
      const all = (node) => [node, ...[...(node.children ?? []), ...(node.shadowRoots ?? []), ...(node.contentDocument ? [node.contentDocument] : [])].flatMap(all)];
      const ring = all(root).find(({ attributes = [] }) => attributes.some((value) => value.split(' ').includes('ring')) && attributes.some((value) => value.split(' ').includes('lit')));
      assert.ok(ring, 'nothing is lit');
      const { model } = await (frame.client ?? tools).send('DOM.getBoxModel', { nodeId: ring.nodeId });
      const [left, top, right, , , bottom] = model.border;
      return { x: (left + right) / 2, y: (top + bottom) / 2 };
    } finally {
      await tools.detach();
    }
  };

  test('case 61: a secret field asks the user to fill it, and the turn goes on without the value', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await act(['call input_text {"selector":"#card","text":"4000 0000","submit":true}', 'call snapshot']);
    await stage.panel.call('input_text', 'asking');
    const text = await card();
    assert.match(text, /Your turn: fill “Card number” on localhost/);
    assert.match(text, /does not type passwords/);
    assert.doesNotMatch(text, /4000|Type into|It may|Do it\b(?! in)/);
    assert.deepEqual(await whys(), ['action']);
    for (const id of ['approval-always', 'approval-argument', 'approval-value', 'approval-show-all', 'action-consequence']) assert.equal(await stage.panel.shows(id), false, id);
    assert.equal(await stage.panel.text('approval-run'), 'Done, go on');

    await page.bringToFront();
    await page.type('#card', CARD_NUMBER);
    await stage.panel.page.bringToFront();
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['request_page_access', 'ok'], ['input_text', 'ok'], ['snapshot', 'ok']]);
    const told = await results();
    assert.match(told[1], /the user says that it is done.*not submitted by this call/);
    assert.match(told[2], /textbox \"Card number\" (\[active\] )?\[ref=e\d+\]: \[secret\]/);
    assert.deepEqual(await page.evaluate(() => [card.value, window.log]), [CARD_NUMBER, []]);

    await stage.panel.unfold();
    const shown = await stage.panel.page.evaluate(() => document.body.innerText);
    const kept = await new Kept(stage.chromium).text();
    const sent = JSON.stringify(await stage.model.requests());
    for (const [where, all] of Object.entries({ shown, kept, sent })) {
      assert.ok(all.includes('Card number'), `${where} is about it`);
      for (const part of CARD_HALVES) assert.ok(!all.replaceAll(/[\s-]/g, '').includes(part), `${part} is in what is ${where}`);
    }
    await until(async () => (await signs(page)) === 0, { what: 'the sign to go with the turn' });
  });

  test('case 61: a password in a frame of another site is asked for with its field lit, and the turn goes on though sending it led the page elsewhere', async () => {
    stage.site.put('actions/signed-in.html', '<!doctype html><title>Welcome</title><h1>Signed in</h1>');
    const frame = stage.site.put('actions/sign-in.html', `<!doctype html><title>Sign in</title><body style="margin:0"><form target="_top" action="${stage.site.url('actions/signed-in.html')}"><label>Password <input type="password" id="p" style="position:absolute;left:100px;top:40px;width:150px;height:20px"></label></form>`);
    const page = await stage.begin(stage.site.put('actions/around.html', `<!doctype html><title>Around</title><iframe title="Door" style="position:absolute;left:50px;top:100px;width:400px;height:200px;border:0" src="${frame.replace(stage.site.origin, stage.site.otherOrigin)}"></iframe>`), { tools: 0 });
    await act(['call snapshot']);
    await stage.panel.rest();
    const [, ref] = /textbox "Password" \[ref=(f\d+e\d+)\]/.exec((await results()).at(-1));
    await stage.panel.say(`call input_text {"selector":"${ref}","text":"guessed"}\nthen\ncall snapshot`);
    await stage.panel.call('input_text', 'asking');
    assert.match(await card(), /Your turn: fill “Password”/);
    assert.deepEqual(await whys(), ['other-frame', 'action']);
    const ring = await lit(page, 'sign-in.html');
    assert.ok(Math.abs(ring.x - (100 + 3 + 75)) < 8 && Math.abs(ring.y - (40 + 13)) < 8, `${JSON.stringify(ring)} is not around the field`);

    await page.bringToFront();
    await page.mouse.click(50 + 150, 100 + 52);
    await page.keyboard.type('swordfish-11');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await stage.panel.page.bringToFront();
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).slice(-2).map(({ name, state }) => [name, state]), [['input_text', 'ok'], ['snapshot', 'ok']]);
    const told = await results();
    assert.match(told.at(-2), /the user says that it is done/);
    assert.match(told.at(-1), /heading "Signed in"/);
    for (const word of ['swordfish', 'guessed']) assert.ok(!told.join().includes(word), word);
    assert.ok(!(await new Kept(stage.chromium).text()).includes('swordfish'));
  });

  test('a check that a person is there is the user’s to answer, in the frame of a service and in the page itself', async () => {
    const frame = stage.site.put('actions/check.html', '<!doctype html><title>Check</title><body style="margin:0"><label><input type="checkbox" id="box" onclick="this.dataset.by = event.isTrusted">Continue</label>');
    const service = Object.assign(new URL(frame), { hostname: CHALLENGES }).href;
    const page = await stage.begin(stage.site.put('actions/vote.html', `<!doctype html><title>Vote</title><label><input type="checkbox" id="own">I’m not a robot</label><button id="vote" onclick="this.textContent = &quot;Then&quot;">Next</button><iframe title="Check" style="position:absolute;left:50px;top:100px;width:300px;height:100px;border:0" src="${service}"></iframe>`), { tools: 0 });
    await act(['call snapshot']);
    await stage.panel.rest();
    const [, ref] = /checkbox "Continue" \[ref=(f\d+e\d+)\]/.exec((await results()).at(-1));
    await stage.panel.say(`call click_element {"selector":"${ref}"}\nthen\ncall click_element {"selector":"#own"}\nthen\ncall click_element {"selector":"#vote"}\nthen\ncall snapshot`);
    await stage.panel.call('click_element', 'asking');
    assert.match(await card(), /Your turn: answer the CAPTCHA “Continue” on localhost/);
    assert.match(await card(), /never asks you to paste/);
    assert.match(await card(), /The check is in a frame that belongs to static\.geetest\.com/);
    assert.deepEqual(await whys(), ['other-frame', 'action']);
    await page.bringToFront();
    await page.mouse.click(50 + 10, 100 + 10);
    await stage.panel.page.bringToFront();
    await stage.panel.decide('run');

    await stage.panel.see('approval');
    assert.match(await card(), /Your turn: answer the CAPTCHA “I’m not a robot” on localhost/);
    assert.deepEqual(await whys(), ['action']);
    await stage.panel.decide('decline');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).slice(-4).map(({ name, state }) => [name, state]), [['click_element', 'ok'], ['click_element', 'declined'], ['click_element', 'ok'], ['snapshot', 'ok']]);
    assert.match((await results()).at(-4), /the check is answered. Nothing else of this call was done/);
    assert.match((await results()).at(-1), /checkbox "Continue" \[checked\]/);
    assert.equal(await page.evaluate(() => own.checked), false);
    const inner = page.frames().find((one) => one.url() === service);
    assert.equal(await inner.evaluate(() => document.querySelector('#box').dataset.by), 'true');
  });

  test('case 61: declined or stopped, nothing is said to be done, and nothing stays lit', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await act(['call input_text {"selector":"#card","text":"1"}', 'call click_element {"selector":"#more"}']);
    await stage.panel.call('input_text', 'asking');
    await stage.panel.decide('decline');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ state }) => state), ['ok', 'declined', 'ok']);
    assert.doesNotMatch((await results()).join(), /says that it is done/);

    await stage.converse();
    await act(['call input_text {"selector":"#card","text":"1"}']);
    await stage.panel.call('input_text', 'asking');
    assert.equal(await signs(page), 1);
    await stage.panel.click('stop');
    await stage.panel.rest();
    assert.equal((await stage.panel.calls()).at(-1).state, 'cancelled');
    await until(async () => (await signs(page)) === 0, { what: 'the sign to go' });
    assert.equal(await page.evaluate(() => card.value), '');
  });

  test('case 61: a click on a file field asks the user to choose, also where only its label is to be seen', async () => {
    const address = stage.site.put('upload.html', '<title>Upload</title><label>Contract <input type="file" id="plain"></label><label id="styled">Picture <input type="file" id="hidden" hidden></label>');
    const page = await stage.begin(address, { tools: 0 });
    await act(['call click_element {"selector":"#plain"}', 'call click_element {"selector":"#styled"}', 'call snapshot']);
    for (const [id, name] of [['plain', 'Contract'], ['hidden', 'Picture']]) {
      await until(async () => (await card()).includes(name), { what: `the card about ${name}` });
      const text = await card();
      assert.match(text, new RegExp(`Your turn: choose a file for “${name}”`));
      assert.match(text, /may see the file’s name/);
      await (await page.$(`#${id}`)).uploadFile(path.join(ROOT, 'README.md'));
      await stage.panel.decide('run');
    }
    await stage.panel.rest();
    const told = await results();
    assert.match(told[1], /says that it is done/);
    assert.match(told[3], /README\.md/);
    assert.deepEqual(await page.evaluate(() => [plain.files.length, hidden.files.length]), [1, 1]);
  });

  test('case 61: a secret among other fields is filled by nobody until it is asked for alone', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await act(['call input_text {"fields":[{"selector":"#card","text":"1"},{"selector":"#city","text":"Lyon"}]}']);
    await stage.panel.rest();
    assert.match((await results())[1], /that field alone: the user is then asked/);
    assert.equal(await page.evaluate(() => card.value), '');
  });

  test('an address of a sensitive site is opened in a new tab only if the user agrees', async () => {
    await stage.begin(shop(), { tools: 0 });
    const address = stage.site.put('admin/jobs.html', '<title>Jobs</title>');
    await act([`call open_tab {"url":"${address}"}`, `call open_tab {"url":"${stage.site.url('actions/done.html')}"}`]);
    await stage.panel.call('open_tab', 'asking');
    assert.deepEqual(await whys(), ['sensitive-site', 'consequential', 'action']);
    assert.equal(await stage.panel.shows('approval-always'), false, 'nothing that is allowed here speaks of that site');
    assert.ok((await card()).includes(`Open “${address}” in a new tab`), await card());
    await stage.panel.decide('decline');
    await stage.panel.rest();
    const pages = await stage.chromium.browser.pages();
    assert.ok(!pages.some((page) => page.url() === address));
    assert.ok(pages.some((page) => page.url().endsWith('actions/done.html')), 'other addresses do not ask');
  });

  test('a sensitive site asks about every action in automatic mode, until it is allowed there', async () => {
    const { port } = stage.site;
    for (const [address, why] of [
      [stage.site.url('actions/tea.html', `http://mail.localhost:${port}`), /looks like a mailbox/],
      [stage.site.put('admin/users.html', '<title>Users</title><button id="more" onclick="document.title += 1">Show more</button>'), /administration of a site/],
    ]) {
      await stage.begin(address, { tools: 0 });
      await act(['call scroll {"to":"down"}', 'call click_element {"selector":"#more"}', 'call click_element {"selector":"#more","count":2}']);
      await stage.panel.call('click_element', 'asking');
      assert.deepEqual(await whys(), ['sensitive-site', 'action']);
      assert.match(await card(), why);
      await stage.panel.decide('always');
      await stage.panel.rest();
      assert.deepEqual((await stage.panel.calls()).map(({ state }) => state), ['ok', 'ok', 'ok', 'ok']);
    }
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
