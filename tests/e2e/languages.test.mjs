/** English and Chinese: chosen by the browser, changed by the user, complete in both. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

const CHINESE = /\p{Script=Han}/u;

/** Names that are not translated into Chinese. */
const NAMES = /^(WebMCP( Sidecar)?|SKILL|DeepSeek|English|中文|简体中文|API|URL|https?:\S+|sk-\S*|deepseek-\S+|localhost\S*)$/;

/**
 * Every visible or accessible text of the panel, apart from what users, models and pages wrote.
 *
 * @param {Stage} stage
 */
function interfaceTexts(stage) {
  return stage.panel.page.evaluate(() => {
    const foreign = '[data-testid="site"], [data-testid="tool-row"], [data-testid^="item-"], [data-testid="model-label"], [data-testid="tool-starter"], [data-testid="page-chip"] .line, code, option, input';
    const texts = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const parent = walk.currentNode.parentElement;
      if (!parent.closest(`${foreign}, script, style`) && parent.checkVisibility()) texts.push(walk.currentNode.textContent.trim());
    }
    for (const node of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (node.closest('[data-testid="tool-row"], [data-testid^="item-"]') || !node.checkVisibility()) continue;
      texts.push(node.getAttribute('aria-label') ?? '', node.getAttribute('placeholder') ?? '');
    }
    return [...new Set(texts.filter((text) => /\p{L}{2,}/u.test(text)))];
  });
}

for (const [language, lang] of [['en-US', 'en'], ['zh-CN', 'zh-CN'], ['fr-FR', 'en']]) {
  describe(`a browser in ${language}`, () => {
    /** @type {Stage} */
    let stage;
    before(async () => (stage = await Stage.set({ language })));
    after(() => stage?.strike());

    test(`shows the panel in ${lang}`, async () => {
      assert.equal(await stage.panel.page.$eval('html', (html) => html.lang), lang);
      assert.equal(CHINESE.test(await stage.panel.text('tab-chat')), lang === 'zh-CN');
      assert.equal(CHINESE.test(stage.chromium.manifest.name), false, 'the manifest names a message');
    });

    test('shows no text in the other language, in any view', async () => {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      for (const view of ['chat', 'tools', 'settings']) {
        await stage.panel.view(view);
        const texts = await interfaceTexts(stage);
        assert.ok(texts.length > 0);
        const wrong = texts.filter((text) => CHINESE.test(text) !== (lang === 'zh-CN') && !NAMES.test(text));
        assert.deepEqual(wrong, [], view);
      }
    });

    test('writes the system prompt in that language', async () => {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      await stage.panel.ask('call readNote');
      const [request] = await stage.model.requests();
      assert.equal(CHINESE.test(request.body.messages[0].content), lang === 'zh-CN');
    });

    test('shows errors in that language', async () => {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      await stage.model.fault({ refuse: { status: 402 } });
      await stage.panel.say('call readNote');
      const rest = await stage.panel.rest();
      assert.equal(rest.error, 'money');
      assert.equal(CHINESE.test(rest.text), lang === 'zh-CN');
    });
  });
}

describe('changing the language', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  test('takes effect at once and stays', async () => {
    const lang = () => stage.panel.page.$eval('html', (html) => html.lang);
    await stage.panel.set('language', 'zh-CN');
    await until(async () => (await lang()) === 'zh-CN', { what: 'Chinese' });
    assert.match(await stage.panel.text('tab-settings'), CHINESE);
    await stage.panel.page.reload();
    await stage.panel.ready();
    assert.equal(await lang(), 'zh-CN');
    await stage.panel.set('language', 'en');
    await until(async () => (await lang()) === 'en', { what: 'English' });
    await stage.panel.set('language', 'browser');
    await until(async () => (await lang()) === 'en', { what: "the browser's language" });
  });

  test('a change of the theme takes effect at once, and "system" follows the browser', async () => {
    const theme = () => stage.panel.page.$eval('html', (html) => html.dataset.theme);
    for (const one of ['dark', 'light']) {
      await stage.panel.set('theme', one);
      await until(async () => (await theme()) === one, { what: one });
    }
    await stage.panel.set('theme', 'system');
    for (const value of ['dark', 'light']) {
      await stage.panel.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await until(async () => (await theme()) === value, { what: `${value}, as the browser` });
    }
  });
});
