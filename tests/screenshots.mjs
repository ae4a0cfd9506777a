/**
 * Screenshots of every view and main state in both languages, light and dark, at three widths, to dist/screenshots; and
 * those of the READMEs, page and panel side by side, to docs/screenshots.
 */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { standIn } from './lib/language-model.mjs';
import { Panel } from './lib/panel.mjs';
import { ROOT, SHOP as SHOP_SITE } from './lib/paths.mjs';
import { filesOf, shopSkill, SkillsView, tool, zip } from './lib/packages.mjs';
import { freePort, serve } from './lib/site.mjs';
import { Stage } from './lib/stage.mjs';
import { until } from './lib/wait.mjs';

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(ROOT, 'dist', 'screenshots') },
    decisions: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    skills: { type: 'boolean', default: false },
    docs: { type: 'string', default: path.join(ROOT, 'docs', 'screenshots') },
  },
});

const WIDTHS = [320, 400, 600];
const HEIGHT = 760;
/** A height that shows all of Settings, in pixels. */
const WHOLE = 2400;
const LANGUAGES = {
  en: { browser: 'en-US', prompt: 'Find direct flights from Beijing to Shanghai tomorrow, under 2000.' },
  zh: { browser: 'zh-CN', prompt: '帮我搜明天北京到上海的直飞航班，2000 以下' },
};

/** Text of the shop's page in each language. */
const SHOP = {
  en: { title: 'Tea shop', text: 'We sell three teas. The green one is from Anxi.', order: 'Checkout', city: 'City', place: 'Place order', later: 'Show more', number: 'Card number', proof: 'Proof of address' },
  zh: { title: '茶铺', text: '我们卖三种茶，绿茶来自安溪。', order: '结算', city: '城市', place: '提交订单', later: '显示更多', number: '银行卡号', proof: '地址证明' },
};

await mkdir(options.out, { recursive: true });
await mkdir(options.docs, { recursive: true });
for (const [language, { browser, prompt }] of Object.entries(LANGUAGES)) {
  const stage = await Stage.set({ language: browser });
  try {
    if (options.decisions) await decisions(stage, language);
    else if (options.pages) await pages(stage, language);
    else if (options.skills) await skills(stage, language);
    else await show(stage, language, prompt);
  } finally {
    await stage.strike();
  }
  if (!options.decisions && !options.pages && !options.skills) await privateWindow(language, browser);
}

/** Go through every state once, and take screenshots of it in every theme and width. */
async function show(stage, language, prompt) {
  const { panel, model } = stage;
  const flights = stage.flights.url(`?lang=${language}`);
  const take = (name, how) => pictures(stage, `${name}-${language}`, how);

  await panel.view('chat');
  await take('first-run');
  const page = await stage.begin(flights, { scenario: 'scripted-flights', tools: 4 });
  await take('empty');
  await panel.view('tools');
  await take('tools');
  await panel.click('tool-row-toggle');
  await panel.see('tool-schema');
  await take('tool-open');
  await panel.view('settings');
  await take('settings', { height: WHOLE });
  await panel.set('model', 'scripted-trial');
  await panel.click('try-connection');
  await panel.see('trial-advice');
  await toThe(panel, 'trial-advice');
  await take('connection');
  await panel.set('provider', 'glm');
  await panel.click('try-connection');
  await panel.see('trial-advice');
  await toThe(panel, 'trial-advice');
  await take('connection-failed');
  await stage.chromium.inWorker(standIn, 'downloadable');
  await panel.page.evaluate(standIn, 'downloadable');
  await panel.set('provider', 'on-device');
  await panel.see('on-device-download');
  await take('on-device');
  await panel.click('on-device-download');
  await panel.page.evaluate(() => globalThis.standInState.next());
  await until(async () => /50/.test(await panel.text('on-device')), { what: 'half of the download' });
  await take('on-device-downloading');
  await panel.set('provider', 'custom');
  const { url } = model;
  await panel.set('base-url', `http://127.0.0.1:${await freePort()}`);
  await panel.see('models-missing');
  await toThe(panel, 'models-missing');
  await take('models-missing');
  await panel.set('base-url', url);
  await panel.set('model', 'scripted-flights');
  await panel.set('tool-calls', 'words');
  await toThe(panel, 'tool-form');
  await take('tool-form');
  await panel.view('chat');
  await panel.see('tool-form-sign');
  await take('tool-form-sign');
  await panel.view('settings');
  await panel.set('tool-calls', '');
  await panel.set('price-currency', '¥');
  await panel.set('price-input', '2');
  await panel.set('price-output', '8');
  await toThe(panel, 'setting-price-output');
  await take('prices');

  await panel.view('chat');
  await panel.ask(prompt);
  await take('conversation');
  await forReadme(stage, page, `conversation-${language}`);
  await panel.unfold();
  await take('conversation-unfolded');

  await panel.set('mode', 'confirm');
  await panel.newChat();
  await panel.say(prompt);
  await panel.see('approval');
  await take('approval');
  await forReadme(stage, page, `approval-${language}`);
  await panel.decide('decline');
  await until(async () => (await panel.transcript()).at(-1)?.kind === 'rest' || (await panel.shows('approval')), { what: 'what follows the refusal' });
  if (await panel.shows('stop')) await panel.click('stop');
  await panel.rest();
  await panel.set('mode', 'automatic');

  await panel.newChat();
  await model.fault({ refuse: { status: 429, retry_after: 60 } });
  await panel.say(prompt);
  await panel.see('item-retry');
  await take('waiting');
  await panel.click('stop');
  await panel.rest();
  await panel.newChat();
  await model.fault({ refuse: { status: 401 } });
  await panel.say(prompt);
  await panel.rest();
  await take('refused-key');
  for (const [name, status] of [['refused-money', 402], ['refused-request', 422]]) {
    await panel.newChat();
    await model.fault({ refuse: { status } });
    await panel.say(prompt);
    await panel.rest();
    await take(name);
  }
  await panel.newChat();
  await panel.ask(prompt);
  const long = { refuse: { status: 400, message: "This model's maximum context length is 131072 tokens." } };
  await model.fault(long);
  await panel.say(prompt);
  await panel.rest();
  await panel.click('summary-toggle');
  await take('summed-up', { at: 'summary' });
  await panel.click('undo-compaction');
  await panel.see('item-compacted', '[data-undone="true"]');
  await model.fault(long);
  await panel.say(prompt);
  await panel.rest();
  await take('too-long');
  await panel.click('leave-out');
  await panel.see('item-left-out');
  await panel.rest();
  await take('left-out', { at: 'item-left-out' });
  await panel.newChat();
  await model.fault({ delivery: { hold_after_event: 30 } });
  await panel.say(prompt);
  await until(async () => (await model.requests()).at(-1)?.phase === 'held', { what: 'a held answer' });
  await take('streaming');
  await panel.click('stop');
  await panel.rest();
  await panel.page.hover('[data-testid="item-user"]');
  await panel.click('edit-message');
  await take('editing');
  await panel.page.keyboard.press('Escape');
  await panel.newChat();
  await model.fault({ delivery: { hold_after_event: 30 } });
  await panel.say(prompt);
  await until(async () => (await model.requests()).at(-1)?.phase === 'held', { what: 'a held answer' });
  await panel.type(language === 'zh' ? '然后只看上午的' : 'Then only those in the morning');
  await panel.page.keyboard.press('Enter');
  await panel.see('queued');
  await take('queue');
  await panel.click('queued-take-back');
  await panel.click('stop');
  await panel.rest();
  await panel.type('');
  await panel.click('threads');
  await panel.see('thread-list');
  await take('threads');
  await (await panel.see('thread-search')).type(language === 'zh' ? '最便宜' : 'cheapest');
  await panel.see('thread-excerpt');
  await panel.click('thread-more');
  await take('threads-search');
  await panel.click('thread-rename');
  await panel.see('thread-title');
  await panel.page.keyboard.press('Escape');
  await panel.click('thread-delete');
  await panel.see('thread-undo');
  await (await panel.see('thread-files')).evaluate((fold) => (fold.open = true));
  await take('threads-deleted');
  await panel.click('thread-undo');
  await panel.click('threads-close');
  await panel.view('log');
  await panel.see('log-row');
  await take('log');
  await panel.click('log-toggle');
  await panel.see('log-details');
  await take('log-open');
  await (await panel.see('log-search')).type('nothing like this');
  await panel.see('log-no-match');
  await take('log-no-match');
  await panel.view('chat');
  await panel.newChat();
  await panel.click('new-temporary');
  await panel.see('temporary');
  await take('temporary');
  await panel.click('new-chat');

  await stage.begin(stage.site.url('empty.html'), { scenario: 'scripted-echo' });
  await panel.ask('markdown');
  await take('markdown');
  await stage.begin(stage.site.url('empty.html'), { scenario: 'scripted-flights' });
  await panel.see('state-no-tools');
  await take('no-tools');
  await stage.begin(flights, { scenario: 'scripted-call-tool', tools: 4 });
  await panel.click('pin-tab');
  await panel.see('pinned-tab');
  await stage.tab(stage.site.url('echo.html', stage.site.otherOrigin));
  await panel.knows(4);
  await panel.click('pin-tab');
  const question = {
    en: { question: 'Which day shall I book?', choices: ['Tomorrow', 'On Monday, with the early flight'] },
    zh: { question: '要订哪一天的航班？', choices: ['明天', '周一，早班'] },
  }[language];
  await panel.say(`call ask_user ${JSON.stringify(question)}`);
  await panel.see('question-choice');
  await take('question');
  await panel.answer('question-choice');
  await panel.rest();
  await take('answered');
  await panel.click('attach');
  await take('attach');
  await panel.click('attach-page');
  await panel.click('attachment-toggle');
  await take('attached');
  await panel.view('tools');
  await panel.click('hide-site');
  await panel.see('tool-row', '[data-hidden="true"]');
  await take('tools-hidden');
  await panel.view('chat');
  await take('hidden');
  await panel.click('show-site');
  await stage.begin(stage.site.url('many.html'), { scenario: 'scripted-call-tool', tools: 200 });
  await panel.view('tools');
  await panel.see('tool-row');
  await take('tools-many');
  await (await panel.see('tool-filter')).type('nothing like this');
  await until(async () => !(await panel.shows('tool-row')), { what: 'no tool to match' });
  await take('tools-no-match');
  await policies(stage, take);
  await stage.begin(stage.site.url('asking.html'), { scenario: 'scripted-call-tool', tools: 2 });
  await panel.say('call orderSeats {"seats":"2"}');
  await panel.see('waiting');
  await take('page-waits');
  await panel.click('stop');
  await panel.rest();
  await stage.begin('chrome://version/', { scenario: 'scripted-flights' });
  await panel.see('state-restricted');
  await take('restricted');
  await pages(stage, language);
  await decisions(stage, language);
}

/** The agent asks to use a page, and uses it: before, cards, the page itself, Settings. */
async function pages(stage, language) {
  const { panel } = stage;
  const take = (name, how) => pictures(stage, `${name}-${language}`, how);
  const { title, text, order, city, place, later, number, proof } = SHOP[language];
  const shop = stage.site.put(
    'actions/tea-shop.html',
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
     <style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui;margin:2rem;max-width:40rem}button,input{font:inherit;padding:.4rem .8rem}</style>
     <h1>${title}</h1><p>${text}</p><p><button id="later" disabled>${later}</button></p>
     <form><h2>${order}</h2><p><label>${city} <input name="city"></label></p><p><label>${number} <input id="number" autocomplete="cc-number"></label></p>
     <p><label>${proof} <input id="proof" type="file"></label></p><button id="place">${place}</button></form>`,
  );
  const page = await stage.begin(shop, { scenario: 'scripted-call-tool', tools: 0 });
  await panel.see('starter');
  await take('starters');
  await panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#place"}');
  await panel.see('approval');
  await take('page-consent');
  await panel.decide('always');
  await panel.call('click_element', 'asking');
  await panel.see('approval');
  await take('page-action');
  await panel.decide('decline');
  await panel.rest();
  for (const theme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
    for (const width of WIDTHS) {
      await page.setViewport({ width, height: HEIGHT, deviceScaleFactor: 2 });
      await panel.say('call click_element {"selector":"#later"}');
      await panel.call('click_element', 'running');
      await until(() => page.evaluate(() => document.querySelector('[popover]:popover-open') !== null), { what: 'the light in the page' });
      await page.screenshot({ path: path.join(options.out, `page-lit-${language}-${theme}-${width}.png`) });
      await panel.rest();
    }
  }
  await page.setViewport({ width: WIDTHS[1], height: HEIGHT, deviceScaleFactor: 2 });
  for (const [name, call] of [['number', 'call input_text {"selector":"#number","text":"1"}'], ['proof', 'call click_element {"selector":"#proof"}']]) {
    await panel.newChat();
    await panel.say(call);
    await panel.see('action-by-user');
    await take(`page-hand-over-${name}`);
    await page.screenshot({ path: path.join(options.out, `page-hand-over-${name}-${language}-page.png`) });
    await panel.decide('decline');
    await panel.rest();
  }
  await stage.begin(shop.replace('//localhost', '//mail.localhost'), { scenario: 'scripted-call-tool', tools: 0 });
  await panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#number"}');
  await panel.see('approval');
  await panel.decide('run');
  await panel.call('click_element', 'asking');
  await take('page-sensitive');
  await panel.decide('decline');
  await panel.rest();
  await page.setViewport(null).catch(() => {});
  await panel.view('settings');
  await panel.see('grant-row');
  await toThe(panel, 'grant-row');
  await take('page-settings');
  await panel.click('grant-take-back');
  await panel.see('grant-undo');
  await panel.view('chat');
}

/** Policies and hidden sites in Tools and in Settings, and an invalid schema. */
async function policies(stage, take) {
  const { panel } = stage;
  const page = await stage.begin(stage.site.url('changing.html'), { scenario: 'scripted-call-tool', tools: 1 });
  await page.evaluate(async () => {
    await addTool('order', { description: 'Pays for seats.', annotations: {} });
    await addTool('broken', { inputSchema: { type: 'object', properties: { seats: { type: 'nothing' } } } });
  });
  await panel.knows(3);
  await panel.view('tools');
  for (const [name, policy] of [['always', 'off'], ['order', 'ask'], ['broken', 'allow']]) {
    const row = `[data-testid="tool-row"][data-name="${name}"]`;
    await panel.page.click(`${row} [data-testid="tool-row-toggle"]`);
    await panel.page.waitForSelector(`${row} [data-testid="tool-policy"]`);
    await panel.page.select(`${row} [data-testid="tool-policy"]`, policy);
    await panel.see('tool-row', `[data-name="${name}"][data-policy="${policy}"]`);
    if (name !== 'broken') await panel.page.click(`${row} [data-testid="tool-row-toggle"]`);
  }
  await panel.see('tool-schema-problem');
  await take('tools-decided');
  await panel.click('hide-site');
  await panel.view('settings');
  await panel.see('hidden-row');
  await toThe(panel, 'hidden-row');
  await take('settings-decided');
  await panel.click('grants-take-back-all');
  await panel.see('grant-undo');
  await panel.click('hidden-take-back');
  await panel.see('hidden-undo');
  await take('settings-taken-back');
  await panel.view('chat');
}

/** A panel in a private window. */
async function privateWindow(language, browser) {
  const stage = await Stage.set({ language: browser, incognito: true });
  try {
    const page = await stage.chromium.openPrivateWindow(stage.flights.url(`?lang=${language}`));
    stage.panel = await Panel.beside(stage.chromium, page);
    await pictures(stage, `private-${language}`);
    await stage.panel.view('settings');
    await stage.panel.see('private-settings');
    await pictures(stage, `private-settings-${language}`);
  } finally {
    await stage.strike();
  }
}

/** SKILLs: a call of a page, a call of the agent, the list, one unfolded, the ways to add one, the install screen, an update, what is refused, an empty page. */
async function skills(stage, language) {
  const { panel } = stage;
  const take = (name, how) => pictures(stage, `${name}-${language}`, how);
  const shop = await serve(SHOP_SITE);
  const view = new SkillsView(panel);
  try {
    const page = await stage.begin(shop.url(`?lang=${language}`, `http://shop.localhost:${shop.port}`), { scenario: 'call-tool', tools: 5 });
    const called = page.evaluate(async () => {
      const tool = (await document.modelContext.getTools()).find(({ name }) => name === 'shop_add_to_basket');
      return document.modelContext.executeTool(tool, { id: 'kettle-harbour', quantity: 2 });
    });
    await panel.see('direct-calls');
    await panel.see('approval');
    await take('skills-page-call');
    await panel.decide('decline');
    await called.catch(() => {});
    await panel.ask('call shop_search {"query":"kettle","maxPrice":400}');
    await panel.click('tool-toggle');
    await take('skills-call', { at: 'item-tool' });
    await view.open();
    await view.state('demo-shop', 'ok');
    await take('skills');
    await view.unfold('demo-shop');
    await take('skills-details', { at: 'skill-details' });
    await panel.click('skill-add');
    await panel.see('skill-adding');
    await take('skills-add');
    const own = shopSkill();
    await view.choose('shop-notes.zip', zip(filesOf(own)));
    await panel.see('skill-review');
    await take('skills-install', { at: 'skill-review' });
    await take('skills-install-whole', { height: 1400, at: 'skill-review' });
    await view.install({ own: true });
    await view.state('shop-notes', 'ok');
    await take('skills-installed');
    const next = shopSkill({ version: '1.1.0', match: [...own.match, 'https://shop.example/*'] });
    next.permissions = { sites: next.match, acts: ['press_search', 'send_order'] };
    next.tools[0].description = 'Reads the heading of the page that is open.';
    next.tools.push(tool('send_order', { class: 'sensitive', steps: [{ do: 'click', at: 'button', then: 'navigation' }] }));
    await view.choose('shop-notes.zip', zip(filesOf(next)));
    await panel.see('skill-update');
    await take('skills-update', { height: 1400, at: 'skill-review' });
    await view.choose('of-another.zip', zip(filesOf(shopSkill({ version: '2.0.0' }))));
    await panel.see('skill-same-name');
    await take('skills-same-name', { at: 'skill-same-name' });
    const broken = shopSkill();
    broken.tools[0].steps[0].at = 'nowhere';
    broken.unknown = 1;
    await view.choose('broken.zip', zip(filesOf(broken)));
    await panel.see('skill-problem');
    await take('skills-refused');
    await view.choose('several.zip', zip({ ...filesOf(own), ...filesOf(shopSkill({ id: 'other-notes' })) }));
    await panel.see('skill-choice');
    await take('skills-choose');
    await view.open();
    for (const id of ['demo-shop', 'shop-notes']) {
      await view.unfold(id);
      await view.press(id, '[data-testid="skill-on"]');
      await view.state(id, 'off');
    }
    await take('skills-off');
    await panel.view('chat');
    await panel.newChat();
    await panel.see('skill-offer');
    await take('skills-offered');
  } finally {
    await shop.close();
  }
}

/** Approvals, and the policies set with them. */
async function decisions(stage, language) {
  const { panel } = stage;
  const take = (name) => pictures(stage, `${name}-${language}`);
  const mail = await stage.begin(stage.site.url('changing.html'), { scenario: 'forward', tools: 1 });
  const withTools = (tab) =>
    tab.evaluate(async () => {
      await addTool('readMail', { execute: () => 'Your confirmation code is ZK-483920, valid today.' });
      await addTool('mark', { description: 'Changes a label.', annotations: {}, inputSchema: { type: 'object' } });
    });
  await withTools(mail);
  await panel.knows(3);
  await panel.ask('read my mail');
  await withTools(await stage.tab(stage.site.url('changing.html', stage.site.otherOrigin)));
  await panel.knows(3);
  await panel.say('put the code on the label');
  await panel.see('approval-flow-allow');
  await take('approval-flow');
  await panel.newChat();
  await panel.see('approval-elsewhere');
  await take('approval-elsewhere');
  await panel.click('approval-elsewhere-show');
  await panel.decide('decline');
  await panel.rest();
  await panel.view('tools');
  await panel.click('site-asks');
  await panel.see('tool-row');
  await take('site-asks');
  await panel.click('site-asks');
  await panel.view('chat');
  await stage.chromium.inWorker(() => chrome.storage.local.set({ settings: 'not what a version of ours wrote' }));
  await stage.chromium.killWorker();
  await panel.see('alert');
  await panel.view('settings');
  await panel.see('unread');
  await toThe(panel, 'unread');
  await take('unread');
}

/** Screenshots of the panel in every theme and width, scrolled to the end of the chat or to the element `at`. */
async function pictures(stage, name, { height = HEIGHT, at } = {}) {
  const { page } = stage.panel;
  await page.mouse.move(0, 0);
  for (const theme of ['light', 'dark']) {
    await useTheme(stage, theme);
    for (const width of WIDTHS) {
      await page.setViewport({ width, height, deviceScaleFactor: 2 });
      await (at ? toThe(stage.panel, at) : toTheEnd(page));
      await page.screenshot({ path: path.join(options.out, `${name}-${theme}-${width}.png`) });
    }
  }
  await page.setViewport(null);
}

/** One screenshot of page and panel side by side. */
async function forReadme(stage, page, name) {
  const { page: panel } = stage.panel;
  await panel.mouse.move(0, 0);
  await useTheme(stage, 'light');
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await page.setViewport({ width: 880, height: HEIGHT });
  await panel.setViewport({ width: 400, height: HEIGHT });
  await toTheEnd(panel);
  const [left, right] = [await page.screenshot({ encoding: 'base64' }), await panel.screenshot({ encoding: 'base64' })];
  const sheet = await stage.chromium.browser.newPage();
  await sheet.setViewport({ width: 1281, height: HEIGHT });
  await sheet.setContent(
    `<style>body{margin:0;display:flex;background:#c9cfd1;gap:1px}img{display:block}</style>
     <img src="data:image/png;base64,${left}"><img src="data:image/png;base64,${right}">`,
  );
  await sheet.screenshot({ path: path.join(options.docs, `${name}.png`) });
  await sheet.close();
  await page.setViewport(null);
  await panel.setViewport(null);
  await page.bringToFront();
}

async function useTheme(stage, value) {
  const { page } = stage.panel;
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.waitForSelector(`html[data-theme="${value}"]`);
}

/** Scroll to an element. */
async function toThe(panel, id) {
  const element = await panel.see(id);
  await element.evaluate((node) => node.scrollIntoView({ block: 'end' }));
}

async function toTheEnd(page) {
  await page.evaluate(() => {
    const transcript = document.querySelector('[data-testid="transcript"]');
    if (transcript) transcript.scrollTop = transcript.scrollHeight;
  });
}
