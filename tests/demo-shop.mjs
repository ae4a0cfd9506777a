/**
 * The demo of SKILLs: a shop that offers no tools of its own, the SKILL that adds some, and an agent that shops with them.
 *
 * With a display it opens both and stays until the browser is closed. Without one, or with `--headless`, it types the
 * prompt, presses *Run* where the agent asks, prints the conversation, saves screenshots, and exits with 0 only when the
 * shop's own page shows what was asked for.
 */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { launch } from './lib/browser.mjs';
import { hasDisplay, play } from './lib/demo.mjs';
import { SCRIPTED_KEY, startModel } from './lib/model.mjs';
import { screenshotPanel } from './lib/narrator.mjs';
import { SkillsView } from './lib/packages.mjs';
import { Panel } from './lib/panel.mjs';
import { ROOT, SHOP } from './lib/paths.mjs';
import { serve } from './lib/site.mjs';

const PROMPTS = {
  en: 'Put the cheapest kettle below 400 yuan that is in stock into my basket.',
  zh: '把 400 元以下、有货的最便宜的水壶放进购物车。',
};
const LIMIT = 400;
/** The timeout of the whole task, in milliseconds. */
const TASK_TIME = 10 * 60_000;

const { values: options } = parseArgs({
  options: {
    shop: { type: 'boolean' },
    headless: { type: 'boolean', default: false },
    lang: { type: 'string', default: 'en' },
    native: { type: 'boolean', default: false },
    screenshots: { type: 'string', default: path.join(ROOT, 'dist', 'demo-shop') },
  },
});
const lang = options.lang.startsWith('zh') ? 'zh' : 'en';
const headless = options.headless || !hasDisplay();

/** @type {import('./lib/narrator.mjs').Narrator} */
let narrator;
/** @type {(() => Promise<void>)[]} */
let closers;
await play((teller, opened) => {
  narrator = teller;
  closers = opened;
  return run();
});

/** @returns {Promise<boolean>} whether the task was done, or none was given */
async function run() {
  const site = await serve(SHOP);
  closers.push(() => site.close());
  const address = (file) => `http://shop.localhost:${site.port}/${file}`;
  narrator.step(`the shop is at ${address('')}; it registers no tools`);
  const model = await startModel();
  closers.push(() => model.close());
  const chromium = await launch({ headless, native: options.native, language: lang === 'zh' ? 'zh-CN' : 'en-US', width: 1280, height: 900 });
  closers.push(() => chromium.close());
  const page = await chromium.open(address(`?lang=${lang}`));
  const panel = await Panel.beside(chromium, page);
  await panel.set('provider', 'custom');
  await panel.set('base-url', model.url);
  await panel.set('model', 'scripted-shop');
  await panel.saveKey(SCRIPTED_KEY);
  await mkdir(options.screenshots, { recursive: true });
  const picture = (name) => screenshotPanel(panel, path.join(options.screenshots, name));

  const skills = new SkillsView(panel);
  await skills.open();
  await skills.state('demo-shop', 'ok');
  await picture('1-skills.png');
  narrator.step('the SKILL demo-shop fits this page, and the page is as it expects');
  await panel.view('tools');
  const tools = await panel.tools();
  narrator.step(`it adds ${tools.map(({ name }) => name).join(', ')}`);
  await picture('2-tools.png');
  await panel.view('chat');
  if (!headless) {
    narrator.say(`\nAsk in the side panel, for example: ${PROMPTS[lang]}\nClose the browser to end the demo.`);
    await new Promise((resolve) => chromium.browser.once('disconnected', resolve));
    return true;
  }

  narrator.say();
  await panel.say(PROMPTS[lang]);
  await Promise.all([narrator.follow(panel, { timeout: TASK_TIME }), runWhatAsks(panel, picture)]);
  await picture('4-conversation.png');
  await page.screenshot({ path: path.join(options.screenshots, '5-page.png') });

  narrator.say();
  const findings = await judge(page, panel, address);
  findings.forEach((finding) => narrator.finding(finding));
  const done = findings.every(({ ok }) => ok);
  narrator.say(done ? 'The task was done in the shop.' : 'The task was NOT done in the shop.');
  narrator.step(`pictures are in ${path.relative(ROOT, options.screenshots) || '.'}`);
  return done;
}

/** Press *Run* in the one card that has to come: the tool that acts. */
async function runWhatAsks(panel, picture) {
  await panel.see('approval');
  await picture('3-approval.png');
  await panel.decide('run');
  narrator.step('pressed Run');
}

/** What the shop itself shows, on its own pages. */
async function judge(page, panel, address) {
  const calls = await panel.calls();
  const rest = (await panel.turn()).at(-1);
  const lines = await (async () => {
    await page.goto(address('basket.html'));
    await page.waitForSelector('[data-testid="line"], [data-testid="basket-empty"]');
    return page.$$eval('[data-testid="line"]', (nodes) => nodes.map((node) => node.textContent.replace(/\s+/g, ' ').trim()));
  })();
  const price = Number(lines[0]?.match(/[¥￥]\s?([\d,.]+)/)?.[1]?.replaceAll(',', ''));
  return [
    { ok: calls.map(({ name }) => name).join() === 'shop_search,shop_add_to_basket,shop_read_basket', text: `calls: ${calls.map(({ name, state }) => `${name} ${state}`).join(', ')}` },
    { ok: calls.every(({ state }) => state === 'ok'), text: 'every call came to a result' },
    { ok: !rest.error, text: `the agent rests${rest.error ? `: ${rest.text}` : ' when it is done'}` },
    { ok: lines.length === 1, text: `the basket holds one product: ${lines.join(' | ')}` },
    { ok: price > 0 && price <= LIMIT, text: `its price is ${price}, at most ${LIMIT}` },
  ];
}
