/**
 * Benchmarks of the product in a real browser, printed as a table and as one line of JSON.
 *
 * Times are medians of several runs. Page loads with and without the extension alternate, so that a slow machine
 * affects all alike.
 */

import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
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
import { ExtensionCopy } from './lib/extension-copy.mjs';
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
  ? { clicks: 5, snapshots: 2, starts: 3, opens: 3, wakes: 7, calls: 30, streams: 1, lists: 2, loads: 5, traces: 3, settled: 4, stops: 2, decodings: 3, histories: 2, storm: 12, marks: [5, 20], skills: { turns: 2, addresses: 30, calls: 3, starts: 3 }, inspector: { native: 5, opens: 3, starts: 2, keys: 15 } }
  : { clicks: 40, snapshots: 9, starts: 15, opens: 15, wakes: 25, calls: 300, streams: 5, lists: 9, loads: 150, traces: 30, settled: 9, stops: 7, decodings: 21, histories: 9, storm: 30, marks: [20, 200], skills: { turns: 5, addresses: 60, calls: 15, starts: 100 }, inspector: { native: 31, opens: 11, starts: 7, keys: 65 } };

/** Milliseconds to wait after a page's load event, so that its work, also in the worker, ends before the next load. */
const AFTERMATH = 100;

/** @type {{ what: string, unit: string, [figure: string]: string | number }[]} */
const figures = [];

/** @type {Record<string, () => Promise<string[]>>} */
const PARTS = {
  wake: () => benchWake({ figure, median, rounds: times.wakes, against: options.against }),
  memory: () => benchMemory({ figure, marks: times.marks }).then(() => []),
  skills: async () => (await import('./bench/skills.mjs')).benchSkills({ figure, median, quantile, rounds: times.skills }),
  inspector: async () => (await import('./bench/inspector.mjs')).benchInspector({ figure, median, rounds: times.inspector }),
  // Its packages are installed for it alone.
  pages: async () => (await import('./bench/pages.mjs')).benchPages({ figure, median, rounds: times.snapshots, clicks: times.clicks }),
};
const broken = await (PARTS[positionals[0]] ?? benchAll)();

printTable();
console.log(`\n${JSON.stringify({ quick: options.quick, figures })}`);
for (const what of broken) console.error(`✗ ${what}`);
if (broken.length > 0) process.exitCode = 1;

/** Run all benchmarks. Returns the limits that were exceeded. */
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

/** The time that streaming 2,000 tokens takes of the panel's main thread. */
async function benchStream(stage) {
  const longest = [];
  const total = [];
  for (let run = 0; run < times.streams; run += 1) {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.panel.type('Write 2000 tokens');
    const events = await traced(stage.panel.page, ['devtools.timeline', 'disabled-by-default-devtools.timeline'], async () => {
      await stage.panel.page.keyboard.press('Enter');
      // Polling from outside would cost main thread time; this waits inside the panel, on mutations.
      await stage.panel.page.waitForFunction(() => document.querySelector('[data-testid="item-rest"]') !== null, { polling: 'mutation', timeout: 60_000 });
    });
    const tasks = mainThreadTasks(events, await stage.panel.page.evaluate(() => location.href));
    longest.push(Math.max(...tasks));
    total.push(tasks.reduce((sum, task) => sum + task, 0));
  }
  figure('2,000 streamed tokens: longest task', 'ms', { median: median(longest), worst: Math.max(...longest) });
  figure('2,000 streamed tokens: main thread in all', 'ms', { median: median(total), worst: Math.max(...total) });
}

/** The browser's trace events during `act`. */
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

/** The durations of the main-thread tasks of the page with this URL, in milliseconds. */
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

/** A tool call's round trip from the worker, and the same call from within the page. */
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
        const line = chrome.tabs.connect(tab.id, { name: 'relay', frameId: 0 });
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

/** The time until a page has registered 1,000 tools, and until the panel counts them. */
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
 * What the extension adds to the load of a page that does the same without it: the flight page, which registers its
 * tools with native WebMCP anyway, and without native WebMCP a page that registers none.
 *
 * The page is served from three sites to one browser: with our scripts, with the two empty scripts of another
 * extension, and with none. The cost of empty scripts is the browser's: it creates an isolated world and loads both.
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
      // Unloading the previous page is part of a load, so each site follows each other one equally often.
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

/** Load a page. Returns the times of DOMContentLoaded and load since the navigation, in milliseconds. */
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

/** Main-thread milliseconds of our scripts from the navigation to the load event, the old page's unload included. */
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

/** A copy of the extension whose scripts run everywhere except on these match patterns. */
async function oursExcept(addresses) {
  const { folder } = await ExtensionCopy.make();
  const manifest = await manifestIn(EXTENSION);
  for (const script of manifest.content_scripts) script.exclude_matches = addresses;
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}

/** An extension with empty scripts, declared like ours, for this match pattern only. */
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

/** The sizes of the files of the extension, of the whole folder and of the store package. */
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
