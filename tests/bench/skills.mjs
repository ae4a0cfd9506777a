/** What SKILLs cost: for an address, for the list, for a tool that reads, and for a worker that starts. */

import { Actions } from '../lib/actions.mjs';
import { launch } from '../lib/browser.mjs';
import { by } from '../lib/locators.mjs';
import { filesOf, shopSkill, SkillsView, zip } from '../lib/packages.mjs';
import { Panel } from '../lib/panel.mjs';
import { SHOP } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { until } from '../lib/wait.mjs';
import { start, watchStarts } from './wake.mjs';

/** The most that 500 installed SKILLs may cost for an address, in milliseconds. */
const ADDRESS_LIMIT = 5;
/** The most that their list may take, in milliseconds. */
const LIST_LIMIT = 100;
/** The most that a tool that reads may take beyond the page action it is made of, in milliseconds. */
const TOOL_LIMIT = 60;
/** The largest part of a start without SKILLs that one with 50 may take. */
const START_LIMIT = 1.05;
/** Milliseconds between two addresses, in which the worker deals with one. */
const PACE = 30;
/** Milliseconds after a start, in which what it set going ends. */
const REST = 1500;
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: { addresses: number, calls: number, starts: number } }} bench
 * @returns {Promise<string[]>} the limits that were exceeded
 */
export async function benchSkills({ figure, median, rounds }) {
  const shop = await serve(SHOP);
  const at = (file) => shop.url(file, `http://shop.localhost:${shop.port}`);
  const stages = [];
  try {
    for (const count of [0, 50, 500]) stages.push(await set(count, shop.url('index.html')));
    const [none, fifty, many] = stages;
    const broken = [];
    const keep = (what, took, limit, unit = 'ms') => {
      if (!(took <= limit)) broken.push(`${what}: ${took.toFixed(2)} ${unit}; the limit is ${limit}.`);
    };

    const costs = { none: [], many: [] };
    for (let round = 0; round < 3; round += 1) {
      for (const [name, stage] of [['none', none], ['many', many]]) costs[name].push(await addressCost(stage, rounds.addresses));
    }
    const cost = median(costs.many.map((many_, round) => many_ - costs.none[round]));
    figure('an address that no SKILL fits, in the worker', 'ms', { 'without SKILLs': median(costs.none), 'with 500': median(costs.many), 'for the 500': cost });
    keep('500 SKILLs, an address', cost, ADDRESS_LIMIT);

    const list = await listTime(many);
    figure('the list of 500 SKILLs, asked to answered', 'ms', { median: median(list), worst: Math.max(...list) });
    keep('the list of 500 SKILLs', median(list), LIST_LIMIT);

    const { tool, action } = await readTimes(none, at('index.html'), rounds.calls);
    figure('a tool that reads, called by the page', 'ms', { median: median(tool), 'its page action alone': median(action), 'added': median(tool) - median(action) });
    keep('a tool that reads, beyond its page action', median(tool) - median(action), TOOL_LIMIT);

    for (const stage of [none, fifty]) {
      await watchStarts(stage.panel);
      stage.starts = [];
    }
    for (let round = 0; round < rounds.starts; round += 1) {
      for (const stage of round % 2 === 0 ? [none, fifty] : [fifty, none]) {
        stage.starts.push(await start(stage));
        await rest(REST);
      }
    }
    const ratio = median(fifty.starts.map((took, round) => took / none.starts[round]));
    figure('worker start to first event answered', 'ms', { 'without SKILLs': median(none.starts), 'with 50': median(fifty.starts) });
    figure('a start with 50 SKILLs over one without', '', { 'median of pairs': ratio });
    keep('a start with 50 SKILLs over one without', ratio, START_LIMIT, 'times');
    return broken;
  } finally {
    await Promise.all([shop, ...stages.map(({ chromium }) => chromium)].map((part) => part?.close()));
  }
}

/** A browser with so many installed SKILLs, on a page that none of them fits. */
async function set(count, url) {
  const chromium = await launch();
  try {
    const page = await chromium.open(url);
    const panel = await Panel.beside(chromium, page);
    if (count > 0) await install(chromium, panel, count);
    return { chromium, page, panel };
  } catch (error) {
    await chromium.close();
    throw error;
  }
}

/** Install one as a user does, and keep others like it, for other sites. */
async function install(chromium, panel, count) {
  const view = new SkillsView(panel);
  await view.choose('shop-notes.zip', zip(filesOf(shopSkill())));
  await view.install({ own: true });
  await chromium.inWorker(async (total) => {
    const { skills } = await chrome.storage.local.get('skills');
    const choices = JSON.parse(skills);
    const [one] = Object.values(choices.installed);
    for (let number = 1; number < total; number += 1) {
      const id = `notes-${number}`;
      const sites = [`https://site-${number}.example/*`, `https://*.site-${number}.example/notes/*`];
      choices.installed[id] = { ...one, indexed: { ...one.indexed, id, match: sites } };
    }
    await chrome.storage.local.set({ skills: JSON.stringify(choices) });
  }, count);
  await chromium.killWorker();
  await view.open();
  await until(async () => Number(await panel.page.$$eval('[data-testid="skill-card"]', (cards) => cards.length)) > 0, { what: 'the list' });
  await panel.view('chat');
}

/** What the worker works for one of many addresses in a row, in milliseconds. */
async function addressCost({ chromium, page }, count) {
  const session = await (await chromium.workerTarget()).createCDPSession();
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: 200 });
  await session.send('Profiler.start');
  await page.evaluate(
    async (total, pace) => {
      for (let number = 0; number < total; number += 1) {
        history.pushState({}, '', `?at=${number}`);
        await new Promise((resolve) => setTimeout(resolve, pace));
      }
    },
    count,
    PACE,
  );
  const { profile } = await session.send('Profiler.stop');
  await session.detach();
  const idle = new Set(profile.nodes.filter(({ callFrame }) => ['(idle)', '(program)', '(root)'].includes(callFrame.functionName)).map(({ id }) => id));
  const busy = profile.samples.reduce((sum, node, at) => sum + (idle.has(node) ? 0 : profile.timeDeltas[at]), 0);
  return busy / 1000 / count;
}

/** The times from asking for the list until it is there. */
async function listTime({ panel }) {
  await panel.page.evaluateOnNewDocument(() => {
    window.lists = [];
    const { connect } = chrome.runtime;
    chrome.runtime.connect = (...details) => {
      const port = connect.apply(chrome.runtime, details);
      const asked = new Map();
      const { postMessage } = port;
      port.postMessage = (text) => {
        const { id, body } = JSON.parse(text);
        if (body?.skills === 'list') asked.set(id, performance.now());
        return postMessage.call(port, text);
      };
      port.onMessage.addListener((text) => {
        const { reply } = JSON.parse(text);
        if (asked.has(reply?.id)) window.lists.push(performance.now() - asked.get(reply.id));
      });
      return port;
    };
  });
  await panel.page.reload();
  await panel.ready();
  const view = new SkillsView(panel);
  for (let round = 1; round <= 9; round += 1) {
    await view.open();
    await until(() => panel.page.evaluate((count) => window.lists.length >= count, round), { what: 'the list to be sent' });
    await panel.view('chat');
  }
  return (await panel.page.evaluate(() => window.lists)).slice(1);
}

/** The times of a tool of a SKILL that reads one value, called by its page, and of the page action that reads it. */
async function readTimes({ chromium, panel }, url, count) {
  const view = new SkillsView(panel);
  await view.choose('shop-notes.zip', zip(filesOf(shopSkill())));
  await view.install({ own: true });
  await panel.view('chat');
  const page = await chromium.open(url);
  const find = () => page.evaluate(async () => (await document.modelContext.getTools()).some(({ name }) => name === 'read_heading'));
  await until(find, { what: 'the tool in the page' });
  const tool = await page.evaluate(async (total) => {
    const one = (await document.modelContext.getTools()).find(({ name }) => name === 'read_heading');
    const took = [];
    for (let call = 0; call < total + 1; call += 1) {
      // A page may call one a second.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const began = performance.now();
      const answer = await document.modelContext.executeTool(one, {});
      took.push(performance.now() - began);
      if (!JSON.parse(answer).heading) throw new Error(answer);
    }
    return took.slice(1);
  }, count);
  const actions = new Actions();
  actions.chromium = chromium;
  const other = await chromium.open(url);
  await actions.attach(other);
  const request = { do: 'value', locator: by('h1'), what: 'text' };
  await actions.ask(other, request);
  const action = await chromium.inWorker(
    async (tabId, asked, total) => {
      const took = [];
      for (let call = 0; call < total; call += 1) {
        const began = performance.now();
        await pageActions.ask(tabId, 0, asked);
        took.push(performance.now() - began);
      }
      return took;
    },
    await actions.tabOf(other),
    request,
    count,
  );
  return { tool, action };
}
