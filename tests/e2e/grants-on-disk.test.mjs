/** Policies and hidden sites when they cannot be read from disk or written to it. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { ExtensionCopy } from '../lib/extension-copy.mjs';
import { Stage } from '../lib/stage.mjs';

describe('policies and hidden sites on disk', () => {
  /** @type {Stage} */
  let stage;
  /** @type {ExtensionCopy} */
  let extension;
  before(async () => {
    // With it, only a full disk refuses what is saved.
    extension = await ExtensionCopy.make((copy) => copy.withoutPermission('unlimitedStorage'));
    stage = await Stage.set({ extension: extension.folder });
  });
  after(async () => {
    await stage?.strike();
    await extension?.remove();
  });

  const saved = () => stage.chromium.inWorker(async () => (await chrome.storage.local.get('hiddenSites')).hiddenSites);
  const hide = async () => {
    await stage.panel.view('tools');
    await stage.panel.click('hide-site');
    await stage.panel.see('hide-site', ':checked');
  };
  const alert = async (words) => {
    assert.match(await stage.panel.text('alert'), words);
    await stage.panel.click('alert-close');
  };

  test('an unreadable list is not overwritten, and every tool asks until the user gives it up', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call readNote');
    assert.equal((await stage.panel.calls())[0].state, 'ok');
    await stage.chromium.inWorker(() => chrome.storage.local.set({ hiddenSites: 'not JSON' }));
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
    await alert(/cannot be read/);
    await stage.panel.say('call readNote');
    await stage.panel.see('approval');
    await stage.panel.decide('decline');
    await stage.panel.rest();

    await hide();
    await alert(/This change is only temporary/);
    assert.equal(await saved(), 'not JSON');
    await stage.panel.view('settings');
    await stage.panel.see('unread', '[data-value="hidden-sites"]');
    assert.deepEqual(await violations(stage.panel.page), []);
    await stage.panel.click('unread-give-up');
    await stage.panel.click('unread-give-up-yes');
    await stage.panel.gone('unread');
    assert.equal(JSON.parse(await saved())[0].origin, stage.site.origin, 'what was said since is kept');
    await stage.panel.click('hidden-take-back');
    await stage.panel.gone('hidden-row');
    await stage.panel.view('chat');
    await stage.panel.ask('call readNote');
    assert.equal((await stage.panel.calls()).at(-1).state, 'ok');
  });

  test('a site hidden while the disk is full is hidden for now, and the user is told', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.chromium.inWorker(async () => {
      const { QUOTA_BYTES } = chrome.storage.local;
      const left = QUOTA_BYTES - (await chrome.storage.local.getBytesInUse());
      await chrome.storage.local.set({ filler: 'x'.repeat(left - 50) });
    });
    await hide();
    await alert(/no room left/);
    assert.equal(await saved(), '[]');
    await stage.panel.view('chat');
    await stage.panel.see('site-hidden');
    await stage.chromium.inWorker(() => chrome.storage.local.remove('filler'));
    await stage.panel.click('show-site');
    await stage.panel.gone('site-hidden');
  });
});
