/**
 * The demo: a flight search in a real browser, with the real side panel and an agent that searches flights.
 *
 * With a display it opens both and stays until the browser is closed. Without one, or with `--headless`, it types the
 * prompt into the side panel, prints the conversation, saves screenshots, and exits with 0 only when the page shows
 * that the task was done.
 */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { launch } from './lib/browser.mjs';
import { withoutTools } from './lib/by-hand.mjs';
import { hasDisplay, play } from './lib/demo.mjs';
import { SCRIPTED_KEY, startModel } from './lib/model.mjs';
import { screenshotPanel } from './lib/narrator.mjs';
import { Panel } from './lib/panel.mjs';
import { FLIGHTS, ROOT } from './lib/paths.mjs';
import { readPrompt } from './lib/prompt.mjs';
import { serve } from './lib/site.mjs';
import { judge, readFlightPage } from './lib/verdict.mjs';

const USAGE = `Usage: cargo xtask demo [options]

  --shop              the demo of SKILLs instead, with --headless, --lang, --native and --screenshots

  --headless          no window: type the prompt, print the conversation, judge the result
  --prompt TEXT       what to ask (default: tomorrow's direct flights from Beijing to Shanghai below 2000)
  --expect JSON       what a right result is, when the prompt is hard to read:
                      {"origin":"PEK","destination":"SHA","date":"2026-12-24","directOnly":true,"maxPrice":2000}
  --provider ID       provider of the settings: deepseek or custom
  --model NAME        model to use
  --base-url URL      address of an OpenAI-compatible service (provider custom unless given)
  --lang en|zh        language of browser, panel and page (default: en)
  --native            switch the browser's own WebMCP on
  --without-tools     on a copy of the page that registers no tools: the agent uses its forms, as a person does
  --site-query QUERY  goes to the address of the page, for example broken=searchFlights
  --screenshots DIR   where pictures go (default: dist/demo)
  --keep-open         stay open after a headless-like run in a window

The key comes from DEEPSEEK_API_KEY, for --base-url or --provider custom from SIDECAR_API_KEY. Without a key and
without --base-url a scripted model answers.
`;

const PROMPTS = {
  en: 'Find direct flights from Beijing to Shanghai tomorrow, under 2000.',
  zh: '帮我搜明天北京到上海的直飞航班，2000 以下',
};

/** The timeout of the whole task, in milliseconds: services may queue requests for minutes. */
const TASK_TIME = 10 * 60_000;

const options = readOptions();
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
  const site = await serve(FLIGHTS);
  closers.push(() => site.close());
  const query = `?lang=${options.lang}${options.siteQuery ? `&${options.siteQuery}` : ''}`;
  const address = `${options.withoutTools ? await withoutTools(site) : site.url()}${query}`;
  narrator.step(`the flight page is at ${address}`);

  const service = await chooseModel();

  const chromium = await launch({
    headless: options.headless,
    native: options.native,
    language: options.lang === 'zh' ? 'zh-CN' : 'en-US',
    width: 1280,
    height: 900,
  });
  closers.push(() => chromium.close());
  narrator.step(`started ${await chromium.browser.version()} with the extension${options.native ? ' and native WebMCP' : ''}`);

  const page = await chromium.open(address);
  await page.waitForSelector(options.withoutTools ? '#origin option' : 'body[data-tools="ready"]');
  await closeOtherTabs(chromium.browser, page);
  const panel = await Panel.beside(chromium, page);
  narrator.step('opened the side panel');

  const pictures = await pictureFolder();
  await enterSettings(panel, service);
  await screenshotPanel(panel, path.join(pictures, '1-settings.png'));
  await panel.view('chat');

  if (!options.prompt) {
    narrator.say(`\nAsk in the side panel, for example: ${PROMPTS[options.lang]}\nClose the browser to end the demo.`);
    await closed(chromium.browser);
    return true;
  }

  narrator.say();
  await panel.say(options.prompt);
  if (options.withoutTools) await allowPage(panel, pictures);
  await narrator.follow(panel, { timeout: TASK_TIME });
  await screenshotPanel(panel, path.join(pictures, '3-conversation.png'));
  await page.screenshot({ path: path.join(pictures, '4-page.png') });

  narrator.say();
  const findings = judge({ wish: options.expect ?? readPrompt(options.prompt, new Date()), shown: await readFlightPage(page), turn: await panel.turn() });
  findings.forEach((finding) => narrator.finding(finding));
  const done = findings.every((finding) => finding.ok);
  narrator.say(done ? 'The task was done on the page.' : 'The task was NOT done on the page.');
  narrator.step(`pictures are in ${path.relative(ROOT, pictures) || '.'}`);

  if (options.keepOpen) await closed(chromium.browser);
  return done;
}

/**
 * The model of the options, or a scripted one.
 *
 * @returns {Promise<{ provider: string, url?: string, name?: string, key?: string }>}
 */
async function chooseModel() {
  const deepseek = process.env.DEEPSEEK_API_KEY;
  const { provider = options.baseUrl ? 'custom' : 'deepseek', model, baseUrl } = options;
  const key = provider === 'deepseek' && !baseUrl ? deepseek : process.env.SIDECAR_API_KEY;
  if (key || baseUrl) {
    narrator.step(`the model is ${model ?? 'the default one'} of ${baseUrl ?? provider}`);
    return { provider, url: baseUrl, name: model, key };
  }
  const scripted = await startModel();
  closers.push(() => scripted.close());
  narrator.say(
    'There is no key, so a scripted model answers: a small program that follows a script and no AI. Set DEEPSEEK_API_KEY for a real model.',
  );
  return { provider: 'custom', url: scripted.url, name: options.withoutTools ? 'scripted-flights-by-hand' : 'scripted-flights', key: SCRIPTED_KEY };
}

/**
 * Enter the service in the panel's settings.
 *
 * @param {Panel} panel
 * @param {{ provider: string, url?: string, name?: string, key?: string }} service
 */
async function enterSettings(panel, { provider, url, name, key }) {
  await panel.set('provider', provider);
  if (url) await panel.set('base-url', url);
  if (name) await panel.set('model', name);
  if (key) await panel.saveKey(key);
  narrator.step(`entered ${[url && 'address', name && 'model', key && 'key'].filter(Boolean).join(', ') || 'the provider'} in the settings`);
}

/** Say yes to the request for the page, in place of the user. */
async function allowPage(panel, pictures) {
  await panel.see('approval');
  await screenshotPanel(panel, path.join(pictures, '2-consent.png'));
  await panel.decide('run');
  narrator.step('allowed the agent to use the page');
}

/** The empty tab with which Chromium starts. */
async function closeOtherTabs(browser, page) {
  for (const other of await browser.pages()) {
    if (other !== page && other.url() === 'about:blank') await other.close();
  }
}

async function pictureFolder() {
  await mkdir(options.screenshots, { recursive: true });
  return options.screenshots;
}

/** @param {import('puppeteer-core').Browser} browser */
function closed(browser) {
  return new Promise((resolve) => browser.once('disconnected', resolve));
}

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        headless: { type: 'boolean', default: false },
        prompt: { type: 'string' },
        expect: { type: 'string' },
        provider: { type: 'string' },
        model: { type: 'string' },
        'base-url': { type: 'string' },
        lang: { type: 'string', default: 'en' },
        native: { type: 'boolean', default: false },
        'without-tools': { type: 'boolean', default: false },
        'site-query': { type: 'string' },
        screenshots: { type: 'string', default: path.join(ROOT, 'dist', 'demo') },
        'keep-open': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    quit(2, `${error.message}\n\n${USAGE}`);
  }
  if (values.help) quit(0, USAGE);
  const lang = values.lang.startsWith('zh') ? 'zh' : 'en';
    const headless = values.headless || !hasDisplay();
  if (headless && !values.headless) console.log('There is no display, so the browser runs without a window.');
  let expect;
  try {
    expect = values.expect && JSON.parse(values.expect);
  } catch {
    quit(2, `--expect is no JSON: ${values.expect}`);
  }
  return {
    headless,
    prompt: values.prompt ?? (headless ? PROMPTS[lang] : undefined),
    expect,
    provider: values.provider,
    model: values.model,
    baseUrl: values['base-url'],
    lang,
    native: values.native,
    withoutTools: values['without-tools'],
    siteQuery: values['site-query'],
    screenshots: path.resolve(values.screenshots),
    keepOpen: values['keep-open'] || !headless,
  };
}

function quit(code, text) {
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(code);
}
