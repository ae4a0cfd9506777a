/** Accessibility: axe on every view, and a conversation with the keyboard alone. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('accessibility', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const keys = () => stage.panel.page.keyboard;
  const focused = () => stage.panel.page.evaluate(() => document.activeElement?.dataset.testid ?? '');

  test('the first run, without a key, has no axe violations', async () => {
    await stage.panel.view('chat');
    for (const value of ['light', 'dark']) {
      await stage.panel.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await stage.panel.page.waitForSelector(`html[data-theme="${value}"]`);
      assert.deepEqual(await violations(stage.panel.page), [], value);
    }
    await stage.panel.page.emulateMediaFeatures([]);
  });

  describe('axe finds no violations', () => {
    for (const theme of ['light', 'dark']) {
      test(`in any view and state, in the ${theme} theme`, async () => {
        await stage.begin(stage.site.url('echo.html'), { tools: 4 });
        await stage.panel.set('theme', theme);
        await until(async () => (await stage.panel.page.$eval('html', (html) => html.dataset.theme)) === theme, { what: theme });
        const found = {};
        const look = async (name) => {
          const wrong = await violations(stage.panel.page);
          if (wrong.length > 0) found[name] = wrong;
        };
        for (const view of ['chat', 'tools', 'log', 'settings']) {
          await stage.panel.view(view);
          await look(view);
        }
        await stage.panel.view('tools');
        await stage.panel.click('tool-row-toggle');
        await stage.panel.see('tool-schema');
        await look('an open tool');
        await stage.panel.ask('call echoText {"text":"`code` and\\n\\n```js\\nlet a = 1;\\n```"}\ncall teleport');
        await look('a conversation');
        await stage.panel.unfold();
        await look('a conversation, unfolded');
        await stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });
        await stage.panel.ask('markdown');
        await look('all of Markdown');
        await stage.begin(stage.site.url('echo.html'), { tools: 4 });
        await stage.panel.click('threads');
        await stage.panel.see('thread-list');
        await look('the list of conversations');
        await stage.panel.click('thread-more');
        await stage.panel.see('thread-delete');
        await (await stage.panel.see('thread-files')).evaluate((fold) => (fold.open = true));
        await (await stage.panel.see('thread-search')).type('markdown');
        await stage.panel.see('thread-row');
        await look('a search in it, with everything unfolded');
        await stage.panel.click('thread-rename');
        await stage.panel.see('thread-title');
        await look('a conversation that gets a name');
        await (await stage.panel.see('thread-search')).evaluate((input) => {
          input.value = '';
          input.dispatchEvent(new Event('input', { bubbles: true }));
        });
        await stage.panel.click('threads-close');
        await stage.panel.view('log');
        await stage.panel.click('log-toggle');
        await stage.panel.see('log-details');
        await stage.panel.click('log-clear');
        await stage.panel.see('log-clear-yes');
        await look('the log of calls, unfolded');
        await stage.panel.view('chat');
        await stage.panel.click('new-temporary');
        await stage.panel.see('temporary');
        await look('a temporary conversation');
        await stage.panel.click('new-chat');
        await stage.panel.gone('temporary');
        await stage.panel.click('attach');
        await stage.panel.see('attach-choice');
        await look('the question which text to attach');
        await stage.panel.click('attach-page');
        await stage.panel.click('attachment-toggle');
        await stage.panel.see('attachment-text');
        await look('attached text');
        await stage.panel.click('attachment-remove');
        await stage.panel.gone('attachment');
        await stage.panel.view('tools');
        await stage.panel.click('hide-site');
        await stage.panel.see('tool-row', '[data-hidden="true"]');
        await look('the tools of a hidden site');
        await stage.panel.view('chat');
        await stage.panel.see('site-hidden');
        await look('a hidden site');
        await stage.panel.click('show-site');
        await stage.panel.gone('site-hidden');
        await stage.panel.set('mode', 'confirm');
        await stage.panel.say('call writeNote {"text":"question"}');
        await stage.panel.see('approval');
        await look('an approval');
        await stage.panel.decide('decline');
        await stage.panel.rest();
        await stage.panel.set('mode', 'automatic');
        await stage.model.fault({ refuse: { status: 402 } });
        await stage.panel.say('call readNote');
        await stage.panel.rest();
        await look('a failed turn');
        await stage.begin(stage.site.url('empty.html'));
        await stage.panel.see('state-no-tools');
        await look('a page without tools');
        await stage.begin('chrome://version/');
        await stage.panel.see('state-restricted');
        await look('a restricted page');
        assert.deepEqual(found, {});
      });

      test(`where the agent asks to use a page, in the ${theme} theme`, async () => {
        await stage.begin(stage.site.url('actions/tea.html'), { tools: 0 });
        await stage.panel.set('theme', theme);
        const found = {};
        const look = async (name) => {
          const wrong = await violations(stage.panel.page);
          if (wrong.length > 0) found[name] = wrong;
        };
        await stage.panel.view('chat');
        await stage.panel.see('site-access');
        await look('starters and the access of the site');
        await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#place"}');
        await stage.panel.see('approval');
        await look('the request for access');
        await stage.panel.decide('always');
        await stage.panel.call('click_element', 'asking');
        await stage.panel.see('approval');
        await look('the card of an action');
        await stage.panel.decide('decline');
        await stage.panel.rest();
        await stage.panel.unfold();
        await look('a refused action, unfolded');
        await stage.panel.view('settings');
        await stage.panel.see('grant-row');
        await look('the access in Settings');
        await stage.panel.click('grant-take-back');
        await stage.panel.see('grant-undo');
        await look('the access, taken back');
        await stage.panel.view('chat');
        assert.deepEqual(found, {});
      });
    }
  });

  test('the keyboard is enough to reach the composer, write, send and stop', async () => {
    await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.page.evaluate(() => document.activeElement?.blur());
    const reached = [];
    for (let count = 0; count < 40; count += 1) {
      await keys().press('Tab');
      const id = await focused();
      // Several elements share a test id, so the round is over when one element comes again.
      const isKnown = await stage.panel.page.evaluate(() => {
        const seen = (window.reachedByTab ??= new WeakSet());
        const element = document.activeElement;
        if (element === document.body || seen.has(element)) return element !== document.body;
        seen.add(element);
        return false;
      });
      if (isKnown) break;
      reached.push(id);
    }
    for (const id of ['tab-chat', 'composer-input']) assert.ok(reached.includes(id), `Tab reaches ${id}: ${reached}`);
    await stage.panel.page.evaluate(() => document.activeElement?.blur());
    await keys().press('/');
    await until(async () => (await focused()) === 'composer-input', { what: '/ to focus the composer' });
    assert.equal(await stage.panel.typed(), '', 'the slash itself is not typed');
    await keys().type('call hang');
    await keys().press('Enter');
    await stage.panel.call('hang', 'running');
    await keys().press('Escape');
    assert.equal((await stage.panel.rest()).why, 'stopped');
  });

  test('arrow keys, Home and End move between the tabs', async () => {
    await stage.panel.view('chat');
    await stage.panel.page.focus(testId('tab-chat'));
    await keys().press('ArrowRight');
    assert.equal(await focused(), 'tab-tools');
    await keys().press('End');
    assert.equal(await focused(), 'tab-settings');
    await keys().press('Home');
    assert.equal(await focused(), 'tab-chat');
  });

  test('Enter during IME composition does not send', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.click('composer-input');
    const session = await stage.panel.page.createCDPSession();
    await session.send('Input.imeSetComposition', { text: 'hangban', selectionStart: 7, selectionEnd: 7 });
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', code: 'Enter', windowsVirtualKeyCode: 229 });
    await stage.panel.page.evaluate((selector) => {
      const event = new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true, isComposing: true });
      document.querySelector(selector).dispatchEvent(event);
    }, testId('composer-input'));
    await session.send('Input.insertText', { text: '航班' });
    assert.equal(await stage.panel.typed(), '航班');
    assert.deepEqual(await stage.panel.transcript(), []);
    await keys().press('Enter');
    await until(async () => (await stage.panel.transcript()).length > 0, { what: 'the message' });
    await stage.panel.rest();
  });

  test('ArrowUp in an empty composer edits the last message, and Enter sends it in its place', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call readNote');
    await stage.panel.click('composer-input');
    await keys().press('ArrowUp');
    await until(async () => (await stage.panel.typed()) === 'call readNote', { what: 'the last message' });
    await keys().press('Enter');
    const sentAgain = (told) => told.some(({ kind }) => kind === 'versions') && told.at(-1).kind === 'rest';
    await until(async () => sentAgain(await stage.panel.transcript()), { what: 'the message to be answered again' });
    assert.equal((await stage.panel.transcript()).filter(({ kind }) => kind === 'user').length, 1);
  });

  test('Shift+Enter inserts a line break', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.type('one\ntwo');
    assert.equal(await stage.panel.typed(), 'one\ntwo');
    assert.deepEqual(await stage.panel.transcript(), []);
  });

  test('the transcript has the role "log", which screen readers follow', async () => {
    const transcript = await stage.panel.see('transcript');
    assert.equal(await transcript.evaluate((node) => node.getAttribute('role')), 'log');
  });

  test('no view scrolls sideways at 320 px', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask(`call echoText {"text":"${'wide'.repeat(80)}"}`);
    await stage.panel.unfold();
    await stage.panel.page.setViewport({ width: 320, height: 640 });
    for (const view of ['chat', 'tools', 'log', 'settings']) {
      await stage.panel.view(view);
      const { scroll, width } = await stage.panel.page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        width: document.documentElement.clientWidth,
      }));
      assert.ok(scroll <= width, `${view}: ${scroll} > ${width}`);
    }
    // Texts in a scroll container of their own must not be cut off, either.
    const cutOff = () =>
      stage.panel.page.$$eval('details p', (nodes) => nodes.filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.innerText));
    await (await stage.panel.see('prices')).evaluate((fold) => (fold.open = true));
    assert.deepEqual(await cutOff(), []);
    await stage.panel.view('chat');
    await stage.panel.click('threads');
    await (await stage.panel.see('thread-files')).evaluate((fold) => (fold.open = true));
    assert.deepEqual(await cutOff(), []);
    await stage.panel.click('threads-close');
    await stage.panel.page.setViewport(null);
  });

  test('the copy button of a code block copies its text', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });
    await stage.panel.ask('```js\nlet flight = 1;\n```');
    await stage.panel.page.evaluate(() => {
      window.copied = '';
      navigator.clipboard.writeText = async (text) => void (window.copied = text);
    });
    await stage.panel.click('copy-code');
    await until(() => stage.panel.page.evaluate(() => window.copied.trim() === 'let flight = 1;'), { what: 'the code' });
  });
});
