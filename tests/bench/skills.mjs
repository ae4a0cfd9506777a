/** What SKILLs cost: for an address, for the list, for a tool that reads, and for a worker that starts. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { Actions } from '../lib/actions.mjs';
import { launch } from '../lib/browser.mjs';
import { filesOf, shopSkill, SkillsView, zip } from '../lib/packages.mjs';
import { Panel } from '../lib/panel.mjs';
import { SHOP } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { shipped } from '../lib/skill-packages.mjs';
import { until } from '../lib/wait.mjs';
import { start, watchStarts } from './wake.mjs';

/** The most that 500 installed SKILLs may cost for an address, in milliseconds. */
const ADDRESS_LIMIT = 5;
/** The most that their list may take, in milliseconds. */
const LIST_LIMIT = 100;
/** The most that a tool that reads may take beyond the page actions it is made of, in milliseconds. */
const TOOL_LIMIT = 60;
/** The most that a start with 50 SKILLs may take beyond one without, in percent. */
const START_LIMIT = 5;
/** Milliseconds between two addresses, in which the worker deals with one; where a SKILL fits, it looks at the page. */
const PACE = { away: 40, fitting: 100 };
/** Milliseconds in which what was set going ends, in general and after a worker's start. */
const REST = 1500;
const START_REST = 800;
const rest = (ms = REST) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @typedef {object} Rounds
 * @property {number} turns How often the addresses are gone through with SKILLs and without.
 * @property {number} addresses
 * @property {number} calls
 * @property {number} starts
 */

/**
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, quantile: (samples: number[], share: number) => number, rounds: Rounds }} bench
 * @returns {Promise<string[]>} the limits that were exceeded
 */
export async function benchSkills({ figure, median, quantile, rounds }) {
  const broken = [];
  const goal = (isKept, what) => {
    console.log(`${isKept ? '✓' : '✗'} ${what}`);
    if (!isKept) broken.push(what);
  };
  const spread = (samples) => ({ median: median(samples), 'from a quarter': quantile(samples, 0.25), 'to three': quantile(samples, 0.75) });
  const shop = await serve(SHOP);
  const at = { away: (file) => shop.url(file), fitting: (file) => shop.url(file, `http://shop.localhost:${shop.port}`) };
  const stages = [];
  try {
    for (const count of [0, 50, 500]) stages.push(await set(count, at.away('index.html')));
    const [none, fifty, many] = stages;

    await benchAddresses({ none, many, at, rounds, figure, median, goal });
    await benchTouched({ none, many, shop, at, figure, goal });
    const list = await listTimes(many, 500);
    figure('the list of 500 SKILLs, asked to answered', 'ms', { ...spread(list), worst: Math.max(...list) });
    goal(median(list) <= LIST_LIMIT, `the list of 500 SKILLs takes ${median(list).toFixed(1)} ms (limit: ${LIST_LIMIT})`);
    await stages.pop().chromium.close();

    const { starts, ratios } = await startTimes({ none, fifty }, rounds.starts);
    for (const [name, samples] of Object.entries(starts)) figure(`worker start to first event answered, ${name}`, 'ms', spread(samples));
    const more = ratios.map((ratio) => (ratio - 1) * 100);
    figure('a start with 50 SKILLs over one without, in pairs', '%', spread(more));
    goal(median(more) <= START_LIMIT, `a start with 50 SKILLs over one without: ${median(more).toFixed(1)} % more (limit: ${START_LIMIT})`);

    const { tool, actions } = await readTimes(none, at.fitting, rounds.calls);
    const added = median(tool) - median(actions);
    figure('a tool that reads, called by the page', 'ms', spread(tool));
    figure('the page actions it is made of', 'ms', spread(actions));
    goal(added <= TOOL_LIMIT, `a tool that reads takes ${added.toFixed(1)} ms more than its page actions (limit: ${TOOL_LIMIT})`);
    return broken;
  } finally {
    await Promise.all([shop, ...stages.map(({ chromium }) => chromium)].map((part) => part.close()));
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

/** Install one as a user does, and keep others beside it as that one is kept, for other sites. */
async function install(chromium, panel, count) {
  const view = new SkillsView(panel);
  await view.choose('shop-notes.zip', zip(filesOf(shopSkill())));
  await view.install({ own: true });
  await chromium.inWorker(async (total) => {
    const saved = await chrome.storage.local.get(null);
    const choices = JSON.parse(saved.skills);
    const [one] = Object.values(choices.installed);
    const files = Object.entries(saved).filter(([key]) => key.endsWith(`.${one.digest}`));
    if (files.length === 0) throw new Error('Nothing is kept under the digest of a SKILL.');
    const kept = {};
    for (let number = 1; number < total; number += 1) {
      const id = `notes-${number}`;
      const digest = `${number}`.padStart(8, '0') + one.digest.slice(8);
      const sites = [`https://site-${number}.example/*`, `https://*.site-${number}.example/notes/*`];
      choices.installed[id] = { ...one, digest, indexed: { ...one.indexed, id, match: sites } };
      for (const [key, value] of files) kept[key.replace(one.digest, digest)] = value;
    }
    await chrome.storage.local.set({ ...kept, skills: JSON.stringify(choices) });
  }, count);
  await chromium.killWorker();
  await view.open();
  await until(async () => (await panel.page.$$('[data-testid="skill-card"]')).length > 0, { what: 'the list' });
  await panel.view('chat');
}

/** The worker's work for addresses that no SKILL fits, and for ones that one fits, with 500 and without, in turns. */
async function benchAddresses({ none, many, at, rounds, figure, median, goal }) {
  for (const [where, what] of [['away', 'no SKILL fits'], ['fitting', 'a SKILL fits']]) {
    const count = Math.ceil(rounds.addresses / (where === 'away' ? 1 : 2));
    for (const stage of [none, many]) await stage.page.goto(at[where]('index.html'));
    await rest();
    const costs = { none: [], many: [] };
    for (let turn = 0; turn < rounds.turns; turn += 1) {
      const both = [['none', none], ['many', many]];
      for (const [name, stage] of turn % 2 === 0 ? both : both.reverse()) costs[name].push(await addressCost(stage, count, PACE[where]));
    }
    const differences = costs.many.map((cost, turn) => cost - costs.none[turn]);
    const cost = median(differences);
    figure(`an address that ${what}, in the worker`, 'ms', {
      'without SKILLs': median(costs.none),
      'with 500': median(costs.many),
      'for the 500': cost,
      least: Math.min(...differences),
      most: Math.max(...differences),
    });
    goal(cost <= ADDRESS_LIMIT, `an address that ${what}: 500 SKILLs cost ${cost.toFixed(1)} ms (limit: ${ADDRESS_LIMIT})`);
  }
}

/** What the worker works for one of many addresses in a row: its thread's processor time, in milliseconds. */
async function addressCost({ chromium, page }, count, pace) {
  const session = await chromium.browser.target().createCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'] } });
  await page.evaluate(
    async (total, between) => {
      for (let number = 0; number < total; number += 1) {
        history.pushState({}, '', `?at=${Math.random()}`);
        await new Promise((resolve) => setTimeout(resolve, between));
      }
    },
    count,
    pace,
  );
  await rest(200);
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const thread = ({ pid, tid }) => `${pid} ${tid}`;
  const workers = new Set(events.filter(({ name, args }) => name === 'thread_name' && args.name === 'ServiceWorker thread').map(thread));
  const tasks = events.filter((event) => event.name === 'RunTask' && event.tdur !== undefined && workers.has(thread(event)));
  if (tasks.length < count) throw new Error('The trace holds too few tasks of the worker.');
  return tasks.reduce((sum, { tdur }) => sum + tdur, 0) / 1000 / count;
}

/** On pages that no SKILL fits, nothing of one is read or requested, and no script is put in. */
async function benchTouched({ none, many, shop, at, figure, goal }) {
  const visit = async ({ chromium, page }, url) => {
    await chromium.inWorker(watchWorker);
    const asked = shop.asked.length;
    await page.goto(url);
    for (const query of ['?a', '?b', '?c']) {
      await page.evaluate((to) => history.pushState({}, '', to), query);
      await rest(300);
    }
    await rest();
    return { ...(await chromium.inWorker(() => noted)), site: shop.asked.slice(asked).sort().join() };
  };
  // What the browser asks for once, as the icon of a site, comes first.
  for (const stage of [none, many]) await visit(stage, at.away('search.html'));
  const [fitting, away, without] = [
    await visit(many, at.fitting('search.html')),
    await visit(many, at.away('search.html')),
    await visit(none, at.away('search.html')),
  ];
  if (!(fitting.bytes > 0 && fitting.requests > 0 && fitting.scripts > 0)) throw new Error('Where a SKILL fits, nothing is seen of it.');
  const more = away.site === without.site ? 0 : away.site.split(',').length;
  const told = ({ bytes, requests, scripts }) => ({ bytes, requests, scripts });
  for (const [what, found] of [['no SKILL', away], ['a SKILL', fitting]]) figure(`read of SKILLs on a page that ${what} fits`, '', told(found));
  const all = away.bytes + away.requests + away.scripts + more;
  goal(all === 0, `a page that no SKILL fits: ${away.bytes} bytes, ${away.requests + more} requests, ${away.scripts} scripts (limit: 0)`);
}

/** Runs in the worker: count what it reads of SKILLs and requests, in bytes, and the scripts it puts in, from now on. */
function watchWorker() {
  const isFirst = globalThis.noted === undefined;
  globalThis.noted = { bytes: 0, requests: 0, scripts: 0 };
  if (!isFirst) return;
  const { fetch } = globalThis;
  globalThis.fetch = async (...details) => {
    noted.requests += 1;
    const response = await fetch(...details);
    noted.bytes += (await response.clone().arrayBuffer()).byteLength;
    return response;
  };
  const { local } = chrome.storage;
  const { get } = local;
  local.get = async (...details) => {
    const found = await get.apply(local, details);
    for (const [key, value] of Object.entries(found)) if (key.startsWith('skill')) noted.bytes += key.length + JSON.stringify(value).length;
    return found;
  };
  for (const scripts of [chrome.scripting, chrome.userScripts]) {
    for (const name of ['executeScript', 'execute']) {
      const put = scripts?.[name];
      if (!put) continue;
      scripts[name] = (...details) => {
        noted.scripts += 1;
        return put.apply(scripts, details);
      };
    }
  }
}

/** The times from asking for the list until it is there. */
async function listTimes({ panel }, count) {
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
        const came = performance.now();
        const { reply } = JSON.parse(text);
        if (asked.has(reply?.id)) window.lists.push({ took: came - asked.get(reply.id), text });
      });
      return port;
    };
  });
  await panel.page.reload();
  await panel.ready();
  const view = new SkillsView(panel);
  for (let round = 1; round <= 12; round += 1) {
    await view.open();
    await until(() => panel.page.evaluate((least) => window.lists.length >= least, round), { what: 'the list to be sent' });
    await panel.view('chat');
  }
  const lists = await panel.page.evaluate(() => window.lists.map(({ took, text }) => ({ took, installed: text.split('"digest":"0').length - 1 })));
  if (lists.some(({ installed }) => installed < count - 1)) throw new Error(`A list has fewer than ${count} SKILLs.`);
  return lists.slice(1).map(({ took }) => took);
}

/** The times of workers' starts, in turns, and for each turn how much one with SKILLs took of one without. */
async function startTimes({ none, fifty }, count) {
  const both = [['without SKILLs', none], ['with 50', fifty]];
  const starts = Object.fromEntries(both.map(([name]) => [name, []]));
  for (const [, stage] of both) {
    await stage.page.bringToFront();
    await watchStarts(stage.panel);
  }
  for (let round = 0; round <= count; round += 1) {
    for (const [name, stage] of round % 2 === 0 ? both : both.toReversed()) {
      const took = await start(stage);
      // The first start may compile.
      if (round > 0) starts[name].push(took);
      await rest(START_REST);
    }
  }
  return { starts, ratios: starts['with 50'].map((took, round) => took / starts['without SKILLs'][round]) };
}

/** A SKILL that reads the basket of the shop as the one that ships does, on the page where it is. */
async function basketSkill() {
  const shop = JSON.parse(await readFile(path.join(shipped('demo-shop'), 'webmcp', 'skill.json'), 'utf8'));
  const tool = shop.tools.find(({ name }) => name === 'shop_read_basket');
  const steps = tool.steps.filter((step) => step.do !== 'navigate');
  return { ...shop, id: 'basket-notes', permissions: { sites: shop.match }, tools: [{ ...tool, name: 'read_basket', pages: ['basket'], steps }] };
}

/** The times of a tool that reads the basket, called by its page, and of all that it asks of the page, in turns. */
async function readTimes({ chromium, panel }, at, count) {
  const view = new SkillsView(panel);
  await view.choose('basket-notes.zip', zip(filesOf(await basketSkill())));
  await view.install({ own: true });
  await panel.view('chat');
  const page = await chromium.open(at('item.html?id=kettle-harbour'));
  await (await page.waitForSelector('[data-testid="add-to-basket"]')).click();
  await page.waitForSelector('[data-testid="added"]');
  await page.goto(at('basket.html'));
  const has = () => page.evaluate(async () => (await document.modelContext.getTools()).some(({ name }) => name === 'read_basket'));
  await until(has, { what: 'the tool in the page' });
  const call = () =>
    page.evaluate(async () => {
      const one = (await document.modelContext.getTools()).find(({ name }) => name === 'read_basket');
      const began = performance.now();
      const answer = await document.modelContext.executeTool(one, {});
      const took = performance.now() - began;
      if (JSON.parse(answer).lines?.length !== 1) throw new Error(answer);
      return took;
    });

  await rest();
  const requests = await askedOfPage(chromium, call);
  const actions = new Actions();
  actions.chromium = chromium;
  const other = await chromium.open(at('basket.html'));
  await actions.attach(other);
  const tabId = await actions.tabOf(other);
  const samples = { tool: [], actions: [] };
  for (let round = 0; round <= count; round += 1) {
    await other.bringToFront();
    await rest(600);
    const took = await chromium.inWorker(askAll, tabId, requests);
    await page.bringToFront();
    // A page may call one a second.
    await rest(600);
    const tool = await call();
    if (round === 0) continue;
    samples.actions.push(took);
    samples.tool.push(tool);
  }
  return samples;
}

/** The requests to page actions that a tool makes of its page. */
async function askedOfPage(chromium, call) {
  await chromium.inWorker(() => {
    globalThis.asked = [];
    const { connect } = chrome.tabs;
    chrome.tabs.connect = (...details) => {
      const port = connect.apply(chrome.tabs, details);
      const { postMessage } = port;
      port.postMessage = (text) => {
        const { id, ...request } = JSON.parse(text);
        if (request.do) asked.push(request);
        return postMessage.call(port, text);
      };
      return port;
    };
    globalThis.stopAsking = () => (chrome.tabs.connect = connect);
  });
  await call();
  const requests = await chromium.inWorker(() => {
    stopAsking();
    return asked;
  });
  if (!requests.some((request) => request.do === 'rows')) throw new Error('The tool reads no list.');
  return requests;
}

/** Runs in the worker: how long it takes to ask all this of a page. */
async function askAll(tabId, requests) {
  const began = performance.now();
  for (const request of requests) {
    const { error } = await pageActions.ask(tabId, 0, request);
    if (error !== undefined) throw new Error(error);
  }
  return performance.now() - began;
}
