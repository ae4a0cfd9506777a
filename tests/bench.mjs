/**
 * Figures: how fast the product is in a real browser, as a table and as one line of JSON.
 *
 * Each figure is the median of several runs; page loads are measured in pairs, so that what slows both cancels out.
 */

import { cp, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { benchProtocolCode } from './bench/code.mjs';
import { benchContext } from './bench/context.mjs';
import { benchDecoders } from './bench/decoders.mjs';
import { benchHistory } from './bench/history.mjs';
import { benchMemory } from './bench/memory.mjs';
import { benchSettled } from './bench/settled.mjs';
import { benchStop } from './bench/stop.mjs';
import { benchStillness } from './bench/stillness.mjs';
import { benchStorm } from './bench/storm.mjs';
import { benchWake, open, start, watchOpens, watchStarts } from './bench/wake.mjs';
import { launch } from './lib/browser.mjs';
import { Panel } from './lib/panel.mjs';
import { EXTENSION, FLIGHTS, ROOT } from './lib/paths.mjs';
import { serve } from './lib/site.mjs';
import { Stage } from './lib/stage.mjs';
import { until } from './lib/wait.mjs';

const { values: options, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, against: { type: 'string' } },
  allowPositionals: true,
});
const times = options.quick
  ? { starts: 3, opens: 3, wakes: 7, calls: 30, streams: 1, lists: 2, loads: 5, traces: 3, settled: 4, stops: 2, decodings: 3, histories: 2, storm: 12, marks: [5, 20] }
  : { starts: 15, opens: 15, wakes: 25, calls: 300, streams: 5, lists: 9, loads: 150, traces: 30, settled: 9, stops: 7, decodings: 21, histories: 9, storm: 30, marks: [20, 200] };

/** Milliseconds after a page's load event in which nothing is measured: what it set off, in the worker too, is to be over. */
const AFTERMATH = 100;

/** @type {{ what: string, unit: string, [figure: string]: string | number }[]} */
const figures = [];

const broken = positionals[0] === 'wake' ? await benchWake({ figure, median, rounds: times.wakes, against: options.against }) : await benchAll();

printTable();
console.log(`\n${JSON.stringify({ quick: options.quick, figures })}`);
for (const what of broken) console.error(`✗ ${what}`);
if (broken.length > 0) process.exitCode = 1;

/** All there is to measure. What is beyond its limit comes back. */
async function benchAll() {
  await benchWorkerAndPanel();
  for (const native of [true, false]) await benchCalls(native);
  for (const native of [true, false]) await benchManyTools(native);
  for (const native of [true, false]) await benchLoads(native);
  await benchSettled({ figure, median, rounds: times.settled });
  const tooLate = await benchStop({ figure, median, rounds: times.stops });
  await benchHistory({ figure, median, rounds: times.histories });
  await benchMemory({ figure, marks: times.marks });
  const tooLong = await benchStillness({ figure });
  await benchDecoders({ figure, median, rounds: times.decodings });
  benchContext({ figure, median, rounds: times.decodings });
  const tooSlow = await benchStorm({ figure, seconds: times.storm });
  await benchSizes();
  await benchProtocolCode({ figure });
  return [...tooLate, ...tooLong, ...tooSlow];
}

/** Starting the worker, opening the panel, rendering a stream. */
async function benchWorkerAndPanel() {
  const stage = await Stage.set();
  try {
    await stage.begin(stage.site.url('echo.html'), { scenario: 'long', tools: 4 });
    await watchStarts(stage.panel);
    const samples = [];
    for (let run = 0; run < times.starts; run += 1) samples.push(await start(stage));
    figure('worker start to first event answered', 'ms', { median: median(samples), worst: Math.max(...samples) });
    await watchOpens(stage.panel);
    const opened = [];
    for (let run = 0; run < times.opens; run += 1) opened.push(await open(stage.panel));
    for (const [what, of] of [['first paint', ({ paint }) => paint], ['usable', ({ usable }) => usable]]) {
      figure(`panel open to ${what}`, 'ms', { median: median(opened.map(of)), worst: Math.max(...opened.map(of)) });
    }
    await benchStream(stage);
  } finally {
    await stage.strike();
  }
}

/** Two thousand tokens as fast as they come: what they cost the panel's main thread. */
async function benchStream(stage) {
  const longest = [];
  const total = [];
  for (let run = 0; run < times.streams; run += 1) {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.panel.type('Write 2000 tokens');
    const events = await traced(stage.panel.page, ['devtools.timeline', 'disabled-by-default-devtools.timeline'], async () => {
      await stage.panel.page.keyboard.press('Enter');
      // Looking at the panel costs its main thread time; this waits inside it, for a change of the page.
      await stage.panel.page.waitForFunction(() => document.querySelector('[data-testid="item-rest"]') !== null, { polling: 'mutation', timeout: 60_000 });
    });
    const tasks = mainThreadTasks(events, await stage.panel.page.evaluate(() => location.href));
    longest.push(Math.max(...tasks));
    total.push(tasks.reduce((sum, task) => sum + task, 0));
  }
  figure('2,000 streamed tokens: longest task', 'ms', { median: median(longest), worst: Math.max(...longest) });
  figure('2,000 streamed tokens: main thread in all', 'ms', { median: median(total), worst: Math.max(...total) });
}

/** The browser's trace of what `act` does. */
async function traced(page, categories, act) {
  const session = await page.createCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: categories } });
  await act();
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return events;
}

/** How long each task of the main thread that shows this address took, in milliseconds. */
function mainThreadTasks(events, url) {
  const frame = events
    .filter((event) => event.name === 'TracingStartedInBrowser' || event.name === 'FrameCommittedInBrowser')
    .flatMap((event) => event.args.data.frames ?? [event.args.data])
    .find((data) => data.url === url && data.processId);
  const main = events.find((event) => event.name === 'thread_name' && event.args.name === 'CrRendererMain' && (!frame || event.pid === frame.processId));
  const tasks = events.filter((event) => event.name === 'RunTask' && event.ph === 'X' && event.pid === main?.pid && event.tid === main?.tid);
  if (tasks.length === 0) throw new Error('The trace holds no tasks of the panel.');
  return tasks.map((task) => task.dur / 1000);
}

/** Worker → page → worker, as the worker sees it, and what the same call takes from within the page. */
async function benchCalls(native) {
  const site = await serve(path.join(ROOT, 'tests', 'sites', 'pages'));
  const chromium = await launch({ native });
  try {
    const page = await chromium.open(site.url('echo.html'));
    const panel = await Panel.beside(chromium, page);
    await panel.knows(4);
    const samples = await chromium.inWorker(
      async (url, count) => {
        const [tab] = await chrome.tabs.query({ url });
        const line = chrome.tabs.connect(tab.id, { frameId: 0 });
        const answered = () => new Promise((resolve) => {
          const hear = (text) => {
            line.onMessage.removeListener(hear);
            resolve(JSON.parse(text));
          };
          line.onMessage.addListener(hear);
        });
        const took = [];
        for (let call = 0; call < count + 10; call += 1) {
          const message = { type: '__wmcp_call_tool', requestId: crypto.randomUUID(), toolName: 'echo', args: JSON.stringify({ call }) };
          const started = performance.now();
          const answer = answered();
          line.postMessage(JSON.stringify(message));
          const { ok, result } = await answer;
          took.push(performance.now() - started);
          if (!ok || JSON.parse(result).call !== call) throw new Error(`Unexpected answer: ${result}`);
        }
        return took.slice(10);
      },
      page.url(),
      times.calls,
    );
    const within = await page.evaluate(async (count) => {
      const tool = (await document.modelContext.getTools()).find(({ name }) => name === 'echo');
      const took = [];
      for (let call = 0; call < count + 10; call += 1) {
        const started = performance.now();
        const answer = await document.modelContext.executeTool(tool, { call });
        took.push(performance.now() - started);
        if (JSON.parse(answer).call !== call) throw new Error(`Unexpected answer: ${answer}`);
      }
      return took.slice(10);
    }, times.calls);
    figure(`the same from within the page, ${native ? 'native' : 'polyfill'}`, 'ms', {
      median: median(within),
      p95: quantile(within, 0.95),
      'added to the median': median(samples) - median(within),
    });
    figure(`tool round trip, ${native ? 'native' : 'polyfill'}, ${times.calls} calls`, 'ms', {
      median: median(samples),
      p95: quantile(samples, 0.95),
      worst: Math.max(...samples),
    });
  } finally {
    await chromium.close();
    await site.close();
  }
}

/** A thousand tools at once: until the page has registered them, and until the panel counts them. */
async function benchManyTools(native) {
  const site = await serve(path.join(ROOT, 'tests', 'sites', 'pages'));
  const chromium = await launch({ native });
  try {
    const page = await chromium.open(site.url('empty.html'));
    const panel = await Panel.beside(chromium, page);
    const samples = { registered: [], listed: [] };
    for (let run = 0; run < times.lists; run += 1) {
      await page.reload();
      await panel.knows(0);
      const started = performance.now();
      await page.evaluate(async () => {
        const tools = Array.from({ length: 1_000 }, (_, at) => ({ name: `tool${at}`, description: `Number ${at}.`, inputSchema: { type: 'object' }, execute: () => at }));
        await Promise.all(tools.map((tool) => document.modelContext.registerTool(tool)));
      });
      samples.registered.push(performance.now() - started);
      await panel.knows(1_000);
      samples.listed.push(performance.now() - started);
    }
    figure(`1,000 tools, ${native ? 'native' : 'polyfill'}`, 'ms', { registered: median(samples.registered), 'counted in the panel': median(samples.listed) });
  } finally {
    await chromium.close();
    await site.close();
  }
}

/**
 * What is added to loading a page that does the same with and without us: the flight page where its tools go to native
 * WebMCP anyway, and a page without tools where there is none.
 *
 * The page is served three times, to one browser: for our scripts, for an extension whose two scripts are empty, and for
 * none. What empty scripts cost is the browser's own price for having any: it makes an isolated world, and asks for both.
 */
async function benchLoads(native) {
  const folder = native ? FLIGHTS : path.join(ROOT, 'tests', 'sites', 'pages');
  const sites = { ours: await serve(folder), empty: await serve(folder), none: await serve(folder) };
  const at = ({ port }) => `http://localhost:${port}/*`;
  const [ours, empty] = [await oursExcept([at(sites.empty), at(sites.none)]), await emptyScripts(at(sites.empty))];
  const chromium = await launch({ native, extension: ours });
  try {
    await chromium.browser.installExtension(empty);
    const page = await chromium.open('about:blank');
    const names = Object.keys(sites);
    const urls = Object.fromEntries(names.map((name) => [name, sites[name].url(native ? '' : 'empty.html')]));
    for (const url of Object.values(urls)) await load(page, url);
    const rounds = [];
    for (let run = 0; run < times.loads; run += 1) {
      // Each comes after each of the others as often as before it: the goodbye of the page before is part of a load.
      const first = run % names.length;
      const order = [...names.slice(first), ...names.slice(0, first)];
      if (run % (2 * names.length) >= names.length) order.reverse();
      const round = {};
      for (const name of order) round[name] = await load(page, urls[name]);
      rounds.push(round);
    }
    const mode = `${native ? 'native' : 'polyfill'}, ${times.loads} loads each`;
    const added = (key, by, to) => median(rounds.map((round) => round[by][key] - round[to][key]));
    const of = (key) => median(rounds.map(({ none }) => none[key]));
    for (const [event, key] of [['DOMContentLoaded', 'ready'], ['load event', 'loaded']]) {
      figure(`page load until ${event}, ${mode}`, 'ms', {
        'added by bridge and relay': added(key, 'ours', 'none'),
        'by two empty scripts': added(key, 'empty', 'none'),
        'ours over empty ones': added(key, 'ours', 'empty'),
        'of a median of': of(key),
      });
    }
    const own = [];
    for (let run = 0; run < times.traces; run += 1) own.push(await ownTime(page, urls.ours));
    figure(`our scripts in the page until it has loaded, ${native ? 'native' : 'polyfill'}`, 'ms', { median: median(own), worst: Math.max(...own) });
  } finally {
    await chromium.close();
    for (const copy of [ours, empty]) await rm(copy, { recursive: true });
    for (const site of Object.values(sites)) await site.close();
  }
}

/** Milliseconds from the navigation until both events were heard; what the load leaves to be done is over then. */
async function load(page, url) {
  await page.goto(url, { waitUntil: 'load' });
  const times = await page.evaluate(async () => {
    const entry = () => performance.getEntriesByType('navigation')[0];
    while (!entry().loadEventEnd) await new Promise((resolve) => setTimeout(resolve));
    return { ready: entry().domContentLoadedEventEnd, loaded: entry().loadEventEnd };
  });
  await new Promise((resolve) => setTimeout(resolve, AFTERMATH));
  return times;
}

/** Milliseconds that our scripts take of the main thread from the navigation until the load event, the old page's goodbye included. */
async function ownTime(page, url) {
  const events = await traced(page, ['devtools.timeline', 'blink.user_timing', 'loading'], () => load(page, url));
  const begin = events.findLast((event) => event.name === 'navigationStart' && event.args.data?.documentLoaderURL === url);
  const { ts: end } = events.findLast((event) => event.name === 'loadEventEnd' && event.pid === begin.pid);
  const isOurs = ({ args }) => /^chrome-extension:|^webmcp\.js$/.test(args.data?.url ?? '');
  const runs = events.filter(
    (event) => ['EvaluateScript', 'FunctionCall'].includes(event.name) && event.pid === begin.pid && event.ts >= begin.ts && event.ts < end && isOurs(event),
  );
  if (runs.length === 0) throw new Error('The trace holds nothing of our scripts.');
  return runs.reduce((sum, { dur }) => sum + dur, 0) / 1000;
}

/** A copy of the extension whose scripts run everywhere but at these addresses. */
async function oursExcept(addresses) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-ours-'));
  await cp(EXTENSION, folder, { recursive: true });
  const manifest = await manifestIn(EXTENSION);
  for (const script of manifest.content_scripts) script.exclude_matches = addresses;
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}

/** An extension that is nothing but scripts like ours, at this address, with nothing in them. */
async function emptyScripts(address) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-empty-'));
  const { content_scripts } = await manifestIn(EXTENSION);
  const scripts = content_scripts.map(({ js, run_at, world, all_frames }) => ({ js, run_at, world, all_frames, matches: [address] }));
  for (const file of scripts.flatMap(({ js }) => js)) await writeFile(path.join(folder, file), '');
  const manifest = { manifest_version: 3, name: 'Two empty scripts', version: '1', content_scripts: scripts };
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}

async function manifestIn(folder) {
  return JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8'));
}

/** Sizes as they are in the folder that the browser loads, and of the package for the store. */
async function benchSizes() {
  const files = await readdir(EXTENSION, { recursive: true, withFileTypes: true });
  let total = 0;
  for (const file of files.filter((entry) => entry.isFile())) {
    const full = path.join(file.parentPath ?? file.path, file.name);
    const { size } = await stat(full);
    total += size;
    if (/\.(wasm|js|css)$/.test(file.name)) figure(path.relative(EXTENSION, full), 'KiB', { size: size / 1024 });
  }
  figure('the whole extension, unpacked', 'KiB', { size: total / 1024 });
  const dist = path.dirname(EXTENSION);
  for (const name of (await readdir(dist)).filter((file) => file.endsWith('.zip'))) {
    figure(name, 'KiB', { size: (await stat(path.join(dist, name))).size / 1024 });
  }
}

function figure(what, unit, values) {
  figures.push({ what, unit, ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Math.round(value * 100) / 100])) });
  process.stderr.write(`measured: ${what}\n`);
}

function printTable() {
  const rows = figures.map(({ what, unit, ...values }) => [
    what,
    Object.entries(values)
      .map(([key, value]) => `${key === 'size' ? '' : `${key} `}${value.toFixed(value < 100 ? 1 : 0)} ${unit}`)
      .join(', '),
  ]);
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, text] of rows) console.log(`${what.padEnd(width)}  ${text}`);
}

function median(samples) {
  return quantile(samples, 0.5);
}

function quantile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  return sorted[low] + ((sorted[low + 1] ?? sorted[low]) - sorted[low]) * (place - low);
}
