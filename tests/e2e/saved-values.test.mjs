/** Settings and keys on disk that this version cannot read, partly or entirely. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { ExtensionCopy } from '../lib/extension-copy.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('unreadable saved values', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  /** The stored text of a saved value. */
  const text = (name) => stage.chromium.inWorker(async (name) => (await chrome.storage.local.get(name))[name], name);
  const json = async (name) => JSON.parse(await text(name));
  const onDisk = (name, wanted, what) => until(async () => wanted(await json(name)), { what });
  /** Write texts to storage directly, then restart the worker so that it reads them. */
  const write = async (texts) => {
    await stage.chromium.inWorker((texts) => chrome.storage.local.set(texts), texts);
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
  };
  const alert = async (words) => {
    await until(async () => (await stage.panel.shows('alert')) && words.test(await stage.panel.text('alert')), { what: `the alert ${words}` });
    await stage.panel.click('alert-close');
  };
  const giveUp = async (value) => {
    const notice = `[data-testid="unread"][data-value="${value}"] `;
    await stage.panel.page.locator(`${notice}[data-testid="unread-give-up"]`).click();
    await stage.panel.page.locator(`${notice}[data-testid="unread-give-up-yes"]`).click();
    await stage.panel.page.waitForSelector(notice, { hidden: true });
  };
  const mode = async () => (await stage.panel.see('setting-mode')).evaluate((field) => field.value);

  test('values of a newer version stay on disk, an unknown mode counts as confirm, and saving a key keeps the others', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    const [settings, keys] = [await json('settings'), await json('keys')];
    await write({
      settings: JSON.stringify({ ...settings, mode: 'confirm-strict', spaces: [1] }),
      keys: JSON.stringify({ ...keys, glm: { sealed: 'x' } }),
    });
    await alert(/cannot be read/);
    await stage.panel.view('settings');
    await stage.panel.see('unread', '[data-value="settings"]');
    await stage.panel.see('unread', '[data-value="keys"]');
    const places = await stage.panel.page.$$eval('[data-testid="unread-places"]', (nodes) => nodes.map((node) => node.innerText));
    assert.deepEqual(places, ['When a tool would change something (mode)', 'GLM']);
    assert.equal(await mode(), 'confirm');
    assert.deepEqual(await violations(stage.panel.page), []);

    await stage.panel.set('theme', 'dark');
    await onDisk('settings', ({ theme }) => theme === 'dark', 'the theme on disk');
    const { mode: kept, spaces } = await json('settings');
    assert.deepEqual([kept, spaces], ['confirm-strict', [1]]);
    await stage.panel.saveKey('sk-other');
    await onDisk('keys', ({ custom }) => custom.key === 'sk-other', 'the key on disk');
    assert.deepEqual((await json('keys')).glm, { sealed: 'x' });

    await stage.use('call-tool');
    await stage.panel.say('call writeNote {"text":"no"}');
    await stage.panel.see('approval');
    await stage.panel.decide('decline');
    await stage.panel.rest();

    await stage.panel.view('settings');
    await giveUp('settings');
    await giveUp('keys');
    assert.equal((await json('settings')).mode, 'confirm');
    assert.deepEqual(Object.keys(await json('keys')), ['custom']);
  });

  test('damaged settings are not overwritten until the user gives them up', async () => {
    const keys = await text('keys');
    await write({ settings: 'not JSON' });
    await alert(/cannot be read/);
    await stage.panel.view('settings');
    assert.equal(await mode(), 'confirm');
    const provider = await stage.panel.see('setting-provider');
    assert.equal(await provider.evaluate((node) => node.value), '', 'none is chosen, and each can be');
    const theme = await stage.panel.see('setting-theme');
    await theme.select('light');
    await alert(/This change is only temporary/);
    assert.equal(await text('settings'), 'not JSON');
    assert.deepEqual(await violations(stage.panel.page), []);
    await giveUp('settings');
    assert.equal((await json('settings')).theme, 'light', 'what was set since is kept');
    assert.equal(await text('keys'), keys);
    await stage.panel.set('provider', 'custom');
    await stage.panel.set('base-url', stage.model.url);
    await stage.panel.see('key-state', '[data-saved="true"]');
    assert.deepEqual(stage.panel.problems, []);
  });

  test('a changed setting does not flicker while the worker still saves the one before', async () => {
    await stage.panel.view('settings');
    await stage.chromium.inWorker(() => {
      const { local } = chrome.storage;
      const set = local.set.bind(local);
      globalThis.held = [];
      local.set = async (...values) => {
        await new Promise((resolve) => globalThis.held.push(resolve));
        return set(...values);
      };
    });
    const held = () => stage.chromium.inWorker(() => globalThis.held.length);
    const letGo = (at) => stage.chromium.inWorker((at) => globalThis.held[at](), at);
    const shown = (name) => stage.panel.page.$eval(`[data-testid="setting-${name}"]`, (field) => field.value);
    const wanted = [
      (await shown('mode')) === 'confirm' ? 'automatic' : 'confirm',
      (await shown('theme')) === 'dark' ? 'light' : 'dark',
    ];
    await stage.panel.fill('mode', wanted[0]);
    await until(async () => (await held()) === 1, { what: 'the mode to be saved' });
    await stage.panel.fill('theme', wanted[1]);
    await stage.panel.page.evaluate(() => {
      window.themes = [];
      const theme = document.querySelector('[data-testid="setting-theme"]');
      const note = () => window.themes.push(theme.value);
      new MutationObserver(note).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    });
    await letGo(0);
    await until(async () => (await held()) === 2, { what: 'the theme to be saved' });
    await stage.panel.see('setting-saved');
    assert.deepEqual([await shown('mode'), await shown('theme')], wanted);
    await letGo(1);
    await onDisk('settings', ({ mode, theme }) => mode === wanted[0] && theme === wanted[1], 'both on disk');
    assert.deepEqual([await shown('mode'), await shown('theme')], wanted);
    assert.deepEqual(await stage.panel.page.evaluate(() => window.themes), [], 'the theme was never another');
  });
});

/** What stands before the worker's script: the first time that `storage.local` is read, it fails. */
const FAILING = `{
  const { local } = chrome.storage;
  const get = local.get.bind(local);
  globalThis.failed = 0;
  local.get = (...names) => {
    if (globalThis.failed > 0) return get(...names);
    globalThis.failed += 1;
    return Promise.reject(new Error('This cannot be read.'));
  };
}
`;

describe('saved values that could not be read while the module was compiled', () => {
  /** @type {ExtensionCopy} */
  let extension;
  /** @type {Stage} */
  let stage;
  before(async () => {
    extension = await ExtensionCopy.make((copy) => copy.prepend('background.js', FAILING));
    stage = await Stage.set({ extension: extension.folder });
  });
  after(async () => {
    await stage?.strike();
    await extension?.remove();
  });

  test('are read by the module itself, and nothing is lost', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.view('settings');
    await stage.panel.set('theme', 'dark');
    await until(async () => (await stage.chromium.inWorker(async () => (await chrome.storage.local.get('settings')).settings)).includes('dark'), { what: 'the theme on disk' });
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
    assert.equal(await stage.chromium.inWorker(() => globalThis.failed), 1);
    await stage.panel.view('settings');
    assert.equal(await (await stage.panel.see('setting-theme')).evaluate((field) => field.value), 'dark');
    await stage.panel.view('chat');
    await stage.panel.ask('call echoText {"text":"still here"}');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['echoText', 'ok']]);
  });
});
