/** SKILLs come in, are switched, changed, gone back to, exported and removed: in the panel. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';

import { downloadedBytes } from '../lib/download.mjs';
import { SkillsView, filesOf, shopSkill, text, zip } from '../lib/packages.mjs';
import { testId } from '../lib/panel.mjs';
import { SHOP } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** Tools of the SKILL that ships, on the shop's first page. */
const SHIPPED = 5;

describe('adding SKILLs', () => {
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/site.mjs').Site} */
  let shop;
  /** @type {SkillsView} */
  let view;
  before(async () => {
    [stage, shop] = await Promise.all([Stage.set(), serve(SHOP)]);
    view = new SkillsView(stage.panel);
    await stage.use('call-tool');
    await stage.begin(at(), { tools: SHIPPED });
  });
  after(() => Promise.all([stage?.strike(), shop?.close()]));
  afterEach(async () => {
    await view.open();
    for (const id of ['shop-notes', 'other-notes', 'words']) {
      if (await stage.panel.page.$(view.card(id))) {
        await view.unfold(id);
        await view.press(id, testId('skill-remove'));
        await view.without(id);
      }
    }
    await stage.panel.view('chat');
    await stage.panel.knows(SHIPPED);
  });

  const at = (file = '') => shop.url(file, `http://shop.localhost:${shop.port}`);
  const pack = (skill, more) => zip(filesOf(skill, more));
  const texts = (id) => stage.panel.page.$$eval(testId(id), (nodes) => nodes.map((node) => node.textContent));

  test('nothing acts before the last click; then tools that read join, and those that act when they are switched on', async () => {
    await view.paste(JSON.stringify(shopSkill()));
    await stage.panel.see('skill-review', '[data-id="shop-notes"]');
    const can = (await texts('skill-can')).join('\n');
    assert.match(can, /shop\.localhost/);
    assert.match(can, /press_search/);
    await stage.panel.knows(SHIPPED);
    await view.install();
    await stage.panel.knows(SHIPPED + 1);
    await view.state('shop-notes', 'ok');
    await view.unfold('shop-notes');
    await view.press('shop-notes', `${testId('skill-tool')}[data-name="press_search"] ${testId('skill-tool-on')}`);
    await stage.panel.knows(SHIPPED + 2);
    await stage.panel.view('chat');
    await stage.panel.ask('call read_heading {}');
    assert.equal((await stage.panel.calls()).at(-1).state, 'ok');
    await stage.panel.say('call press_search {}');
    await stage.panel.see('approval');
    await stage.panel.decide('decline');
    await stage.panel.rest();
  });

  test('SKILL case 11: several SKILLs in one file are chosen from, and one is installed', async () => {
    const both = { ...filesOf(shopSkill()), ...filesOf(shopSkill({ id: 'other-notes' })), 'words/SKILL.md': text({ id: 'words', version: '1.0.0' }).replace(/metadata:[^]*json\n/, '') };
    await view.choose('several.zip', zip(both));
    await stage.panel.see('skill-outcome', '[data-outcome="choose"]');
    const folders = await stage.panel.page.$$eval(testId('skill-choice'), (nodes) => nodes.map((node) => node.dataset.folder));
    assert.deepEqual(folders, ['other-notes', 'shop-notes', 'words']);
    await stage.panel.click('skill-choose', `:is([data-folder="other-notes"] *)`);
    await view.install();
    await view.state('other-notes', 'ok');
    assert.equal(await stage.panel.page.$(view.card('shop-notes')), null);
  });

  test('what cannot come in is refused with file, reason and way out, and nothing is kept', async () => {
    const broken = shopSkill();
    broken.tools[0].steps[0].at = 'nowhere';
    for (const [name, content, code] of [
      ['broken.zip', pack(broken), 'badSchema'],
      ['evil.zip', zip({ 'a/SKILL.md': text({ id: 'a', version: '1.0.0' }), 'a/../../x': 'x' }), 'badPath'],
      ['script.js', '// ==UserScript==\n// @name x\n// @grant GM_xmlhttpRequest\n// ==/UserScript==\n', 'notASkill'],
      ['picture.zip', Buffer.from('not a zip at all'), undefined],
    ]) {
      await view.choose(name, content);
      await stage.panel.see('skill-outcome', '[data-outcome="refused"]');
      const codes = await stage.panel.page.$$eval(testId('skill-problem'), (nodes) => nodes.map((node) => node.dataset.code));
      assert.ok(codes.length > 0, name);
      if (code) assert.ok(codes.includes(code), `${name}: ${codes}`);
    }
    await view.open();
    assert.equal(await stage.panel.page.$(view.card('shop-notes')), null);
  });

  test('SKILL case 14: an address is requested after the click and nothing else, a redirect is told and not followed, and a package leads to the install screen', async () => {
    const asked = [];
    const server = createServer(({ url, headers }, response) => {
      asked.push([`http://${headers.host}${url}`, headers.cookie, headers.referer]);
      if (url === '/moved.md') response.writeHead(302, { location: target, 'set-cookie': 'seen=1' });
      else if (url !== '/words/SKILL.md') response.writeHead(404);
      response.end('---\nname: words\ndescription: Which words to use.\n---\n\nPlain ones.\n');
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const address = (file, host = '127.0.0.1') => `http://${host}:${server.address().port}/${file}`;
    // The same server by another host's name: it would hear of a redirect that is followed.
    const target = address('words/SKILL.md', 'localhost');
    const requested = (...addresses) => addresses.map((one) => [one, undefined, undefined]);
    try {
      await view.open();
      await stage.panel.click('skill-add');
      // Entered and never read: it must not be among what was requested, not even in the end.
      await view.enter(address('never.md'));
      await view.paste('{}');
      await stage.panel.see('skill-outcome', '[data-outcome="refused"]');
      await view.enter(address('nothing.md'));
      assert.deepEqual(asked, []);
      await stage.panel.click('skill-fetch');
      await stage.panel.see('skill-outcome', '[data-outcome="notFetched"]');
      assert.doesNotMatch(await stage.panel.text('skill-outcome'), /redirect/);
      await view.enter(address('moved.md'));
      assert.deepEqual(asked, requested(address('nothing.md')));
      await stage.panel.click('skill-fetch');
      await stage.panel.see('skill-outcome', '[data-outcome="redirected"]');
      const told = await stage.panel.text('skill-outcome');
      assert.match(told, /The address redirects to another address/);
      assert.match(told, /the browser does not tell an extension where a redirect leads/);
      assert.match(told, /copy the address where it ends/);
      assert.ok(told.includes(address('moved.md')));
      assert.ok(!told.includes(target));
      const link = await stage.panel.see('skill-open-address');
      assert.deepEqual(await link.evaluate(({ href, target, rel }) => [href, target, rel]), [address('moved.md'), '_blank', 'noopener noreferrer']);
      assert.equal(await stage.panel.page.$(testId('skill-retry')), null);
      // Where it leads is requested when the user has entered that.
      await view.enter(target);
      assert.deepEqual(asked, requested(address('nothing.md'), address('moved.md')));
      await stage.panel.click('skill-fetch');
      await view.install();
      await view.state('words', 'ok');
      assert.deepEqual(asked, requested(address('nothing.md'), address('moved.md'), target));
    } finally {
      server.close();
    }
  });

  test('SKILL case 42: an update says what it changes, rights first, and the version before can be gone back to', async () => {
    await view.choose('one.zip', pack(shopSkill()));
    await view.install();
    const next = shopSkill({ version: '1.1.0', match: ['http://shop.localhost/*', 'https://shop.example/*'] });
    next.permissions.sites = next.match;
    next.tools[0].description = 'Reads the heading of the page that is open.';
    await view.choose('two.zip', pack(next));
    await stage.panel.see('skill-update', '[data-wider="true"]');
    assert.match((await texts('skill-gain')).join(), /shop\.example/);
    assert.deepEqual(await stage.panel.page.$$eval(testId('skill-text-change'), (nodes) => nodes.map((node) => node.dataset.of)), ['read_heading']);
    await view.install();
    await view.unfold('shop-notes');
    await stage.panel.page.waitForSelector(view.card('shop-notes', `${testId('skill-version')}[data-version="1.0.0"]`));
    await view.press('shop-notes', testId('skill-roll-back'));
    await view.press('shop-notes', testId('skill-roll-back-yes'));
    await stage.panel.page.waitForSelector(view.card('shop-notes', `${testId('skill-version')}[data-version="1.1.0"]`));
  });

  test('what is now at the address of a SKILL is looked at with a click, and shown before it is installed', async () => {
    let version = '1.0.0';
    const server = createServer((_, response) => response.end(pack(shopSkill({ version }))));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    try {
      await view.open();
      await stage.panel.click('skill-add');
      await view.enter(`http://127.0.0.1:${server.address().port}/shop.zip`);
      await stage.panel.click('skill-fetch');
      await view.install();
      await view.unfold('shop-notes');
      version = '1.1.0';
      await view.press('shop-notes', testId('skill-update-look'));
      await stage.panel.see('skill-review', '[data-id="shop-notes"]');
      await stage.panel.see('skill-update', '[data-wider="false"]');
      await view.install();
      await view.unfold('shop-notes');
      await stage.panel.page.waitForSelector(view.card('shop-notes', `${testId('skill-version')}[data-version="1.0.0"]`));
    } finally {
      server.close();
    }
  });

  test('SKILL case 13: what is exported is the same package when it comes back', async () => {
    await view.choose('one.zip', pack(shopSkill()));
    await view.install();
    await view.unfold('shop-notes');
    const digest = await stage.panel.page.$eval(view.card('shop-notes', testId('skill-digest')), (node) => node.title || node.textContent);
    const { name, bytes } = await downloadedBytes(stage.panel.page.browser(), () => view.press('shop-notes', testId('skill-export')));
    assert.equal(name, 'shop-notes-1.0.0.zip');
    await view.choose(name, bytes);
    await stage.panel.see('skill-update', '[data-same="true"]');
    assert.ok(digest.length > 0);
  });

  test('a SKILL is off on a site, off everywhere, and removed with a way back', async () => {
    await view.choose('one.zip', pack(shopSkill()));
    await view.install({ own: true });
    await stage.panel.knows(SHIPPED + 2);
    await view.unfold('shop-notes');
    await view.press('shop-notes', testId('skill-on-here'));
    await view.state('shop-notes', 'offHere');
    await stage.panel.knows(SHIPPED);
    await view.press('shop-notes', testId('skill-switch-on-here'));
    await view.state('shop-notes', 'ok');
    await view.press('shop-notes', testId('skill-on'));
    await view.state('shop-notes', 'off');
    await stage.panel.knows(SHIPPED);
    await view.press('shop-notes', testId('skill-switch-on'));
    await view.state('shop-notes', 'ok');
    await view.press('shop-notes', testId('skill-remove'));
    await view.without('shop-notes');
    await stage.panel.click('skill-undo');
    await view.state('shop-notes', 'ok');
    await stage.panel.knows(SHIPPED + 2);
  });

  test('SKILL case 23: where the page has changed the tools are withheld, and the view says what is missing', async () => {
    const skill = shopSkill({
      pages: { start: { match: ['http://shop.localhost/*'], probes: [{ at: 'gone', is: 'present' }] } },
    });
    skill.locators.gone = { any: [{ css: '#once-was-here' }] };
    for (const one of skill.tools) one.pages = ['start'];
    await view.choose('one.zip', pack(skill));
    await view.install();
    await view.state('shop-notes', 'changed');
    assert.match(await stage.panel.page.$eval(view.card('shop-notes'), (node) => node.textContent), /gone/);
    await stage.panel.knows(SHIPPED);
    await stage.panel.page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
    await view.press('shop-notes', testId('skill-copy-report'));
    const report = await until(() => stage.panel.page.evaluate(() => window.copied), { what: 'a report to be copied' });
    assert.match(report, /^SKILL: shop-notes 1\.0\.0\nlevel: imported\n/);
    assert.match(report, /\nsite: http:\/\/shop\.localhost:\d+\nstate: changed\ndetail: start: 1 \(gone\)\n/);
    await view.press('shop-notes', testId('skill-toggle'));
  });
});
