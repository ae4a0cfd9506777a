/**
 * What a developer waits for who inspects tools: natively, where the pure crates do the work, and in the workbench. Each
 * goal is printed with a mark.
 */

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { launch } from '../lib/browser.mjs';
import { testId } from '../lib/panel.mjs';
import { PAGES } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { pause, until } from '../lib/wait.mjs';
import { Workbench } from '../lib/workbench.mjs';
import { WIDE, lintQuestion, manyCases, manyRuns, manyTools, wideSchema } from './inspected.mjs';

/** The most that each may take, in milliseconds. */
const GOALS = { plan: 16, generated: 50, paint: 100, key: 16, lint: 500, lintSite: 50, import: 200, history: 300 };

const TOOLS = 1_000;
/** The tools of a large site. */
const SITE = 100;
const CASES = 1_000;
const ORIGINS = 50;
const RUNS_EACH = 200;
/** What the worker keeps of all runs together, in bytes (`crates/session/src/tool_runs.rs`). */
const MOST_BYTES = 6 * 2 ** 20;

/** Milliseconds in which what was set going ends: checks of what was typed, the reading of a page. */
const REST = 600;
/** Fields that fill more than the window, with the arguments as a whole. */
const SCREEN = 20;
/** Milliseconds between two keys. */
const PACE = 120;

/**
 * @typedef {object} Rounds
 * @property {number} native How often each is done natively.
 * @property {number} opens How often each view is opened.
 * @property {number} starts How often with a worker and a workbench that have just started.
 * @property {number} keys
 */

/**
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: Rounds }} bench
 * @returns {Promise<string[]>} the goals that are not reached
 */
export async function benchInspector({ figure, median, rounds }) {
  const missed = [];
  const goal = (isReached, what) => {
    console.log(`${isReached ? '✓' : '✗'} ${what}`);
    if (!isReached) missed.push(what);
  };
  /** Tell the times of what has a goal. */
  const tell = (what, most, samples) => {
    const middle = median(samples);
    figure(what, 'ms', { median: middle, goal: most, worst: Math.max(...samples) });
    goal(middle <= most, `${what}: ${middle.toFixed(1)} ms, ${Math.round((middle / most) * 100)} % of the goal of ${most}`);
  };
  const bench = { figure, median, rounds, goal, tell };
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-inspector-'));
  const site = await serve(PAGES);
  try {
    const files = await inputs(folder);
    benchNatively(bench, files);
    for (const part of [benchForms, benchImport, benchLint, benchRuns]) {
      const chromium = await launch();
      await part(bench, chromium, site, files).finally(() => chromium.close());
    }
    return missed;
  } finally {
    await Promise.all([site.close(), rm(folder, { recursive: true })]);
  }
}

/** The files that are read natively. */
async function inputs(folder) {
  const texts = { form: JSON.stringify(wideSchema()), lint: lintQuestion(manyTools(TOOLS)), suite: manyCases(CASES), single: manyCases(1) };
  const files = Object.fromEntries(Object.keys(texts).map((name) => [name, path.join(folder, `${name}.json`)]));
  for (const [name, text] of Object.entries(texts)) await writeFile(files[name], text);
  return files;
}

function benchNatively({ figure, rounds, tell }, files) {
  const program = process.env.SIDECAR_BENCH_INSPECTOR;
  const arguments_ = [files.form, files.lint, files.suite, String(rounds.native)];
  const { plan, lint, suite, generated } = JSON.parse(execFileSync(program, arguments_, { encoding: 'utf8' }));
  counts('fields are planned', plan.count, WIDE);
  counts('cases are read', suite.count, CASES);
  tell(`planning a form of ${WIDE} fields, natively`, GOALS.plan, plan.samples);
  tell(`planning, loading and emitting the slowest of ${generated.count} generated forms, natively`, GOALS.generated, generated.samples);
  tell(`lint of ${TOOLS} tools, natively`, GOALS.lint, lint.samples);
  tell(`reading a suite of ${CASES} cases, natively`, GOALS.import, suite.samples);
  figure('what was read natively', 'KiB', { schema: plan.bytes / 1024, tools: lint.bytes / 1024, suite: suite.bytes / 1024 });
  figure('notes about the tools, natively', '', { shown: lint.count });
}

function counts(what, found, wanted) {
  if (found !== wanted) throw new Error(`${found} ${what}, not ${wanted}.`);
}

/** A page with these tools and a workbench for it, once it lists them. */
async function inspect(chromium, site, tools, more = '') {
  const page = await chromium.open(site.url('empty.html'));
  await page.evaluate(async (offered) => {
    const all = offered.map((tool) => ({ ...tool, execute: () => ({ total: 1, items: [{ id: 'p-1', title: 'Harbour kettle', price: 168 }] }) }));
    await Promise.all(all.map((tool) => document.modelContext.registerTool(tool)));
  }, tools);
  const tab = await chromium.inWorker(async (url) => (await chrome.tabs.query({ url }))[0].id, page.url());
  const bench = await Workbench.open(chromium, `tab=${tab}${more}`);
  const address = bench.page.url();
  const isListed = async () => (await bench.page.$$eval(testId('bench-row'), (rows) => rows.length)) === tools.length;
  const begin = async () => {
    await bench.page.bringToFront();
    await until(isListed, { what: `${tools.length} tools in the list`, timeout: 30_000 });
    await pause(REST);
  };
  await begin();
  return {
    page,
    bench,
    /** Load the workbench anew, as it was at first. */
    reload: async () => {
      await bench.page.goto('about:blank');
      await bench.page.goto(address);
      await bench.ready();
      await begin();
    },
  };
}

/**
 * The milliseconds from an event in a page until the frame in which so many elements are there and the last one has its
 * place: when layout and paint of that frame are done.
 *
 * @param {import('puppeteer-core').Page} page
 * @param {{ begins: string, selector: string, count: number, says?: [selector: string, pattern: RegExp] }} what `begins`: the
 *   type of the event; `says`: an element, and what its text has to match
 * @param {() => Promise<unknown>} act
 */
async function timed(page, what, act) {
  const [took] = await timedEach(page, [what], act);
  return took;
}

/** The same for several things that come of one act. */
async function timedEach(page, each, act) {
  await page.evaluate(() => (window.took = []));
  for (const what of each) await watch(page, what);
  await act();
  return page.evaluate(() => Promise.all(window.took));
}

function watch(page, { begins, selector, count, says }) {
  return page.evaluate(
    (type, all, least, [element, pattern]) => {
      const isThere = () => {
        const found = document.querySelectorAll(all);
        if (found.length < least || found[found.length - 1].getBoundingClientRect().height === 0) return false;
        return element === undefined || new RegExp(pattern).test(document.querySelector(element)?.textContent ?? '');
      };
      const took = new Promise((resolve) => {
        const begin = ({ timeStamp }) => {
          performance.mark('begun', { startTime: timeStamp });
          const look = () => {
            if (!isThere()) return requestAnimationFrame(look);
            // A message comes after the rendering of this frame.
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.measure('shown', 'begun').duration);
            port2.postMessage(0);
          };
          requestAnimationFrame(look);
        };
        addEventListener(type, begin, { capture: true, once: true });
      });
      window.took.push(took);
    },
    begins,
    selector,
    count,
    says ? [says[0], says[1].source] : [],
  );
}

const click = (bench, id, more = '') => () => bench.page.click(testId(id) + more);

/** A form of 300 fields is opened and typed into. */
async function benchForms({ figure, median, rounds, tell }, chromium, site) {
  // Each is opened once: what was opened before keeps its fields.
  const wide = Array.from({ length: rounds.opens + 1 }, (_, at) => ({ name: `wide_${at}`, description: `Takes ${WIDE} fields, number ${at}.`, inputSchema: wideSchema() }));
  const small = { name: 'small', description: 'Takes one field.', inputSchema: { type: 'object', properties: { word: { type: 'string' } } } };
  const tools = [small, ...wide];
  const { bench, reload } = await inspect(chromium, site, tools);
  const fields = (count) => ({ begins: 'click', selector: testId('field'), count });
  // With the arguments as a whole.
  const form = [fields(SCREEN), fields(WIDE + 1)];
  const row = (name) => `[data-name="${name}"]`;
  const first = [];
  for (let round = 0; round < rounds.starts; round += 1) {
    await reload();
    first.push(await timedEach(bench.page, form, click(bench, 'bench-row', row('wide_0'))));
  }
  const opened = [];
  for (const { name } of wide.slice(1)) {
    await bench.openTool('small');
    await pause(REST);
    opened.push(await timedEach(bench.page, form, click(bench, 'bench-row', row(name))));
  }
  counts('fields are in the form', await bench.page.$$eval(testId('field'), (fields) => fields.length), WIDE + 1);
  const { last, edge } = await bench.page.$$eval(testId('field'), (all, at) => ({ last: all[at].getBoundingClientRect().bottom, edge: innerHeight }), SCREEN - 1);
  if (last < edge) throw new Error(`The window shows more than ${SCREEN} fields.`);
  const times = (samples, at) => samples.map((sample) => sample[at]);
  tell(`a form of ${WIDE} fields, from a click until a screen is painted`, GOALS.paint, times(opened, 0));
  tell('the same, as the first form of a workbench', GOALS.paint, times(first, 0));
  for (const [what, samples] of [['until all of it is laid out', times(opened, 1)], ['and all of it, as the first form', times(first, 1)]]) {
    figure(`the same, ${what}`, 'ms', { median: median(samples), worst: Math.max(...samples) });
  }

  await pause(REST);
  const keys = await typed(bench.page, bench.at('field_239'), rounds.keys);
  const of = (part) => keys.map((key) => key[part]);
  tell(`a key in a form of ${WIDE} fields, until the next frame`, GOALS.key, of('frame'));
  figure('the same, until its handlers are done', 'ms', { median: median(of('handled')), worst: Math.max(...of('handled')) });
  figure('the same, until that frame is laid out', 'ms', { median: median(of('laidOut')), worst: Math.max(...of('laidOut')) });
}

/**
 * Type letters into a field. For each the milliseconds from the event of its key until its handlers are done, until the next
 * frame begins, and until that frame is laid out.
 */
async function typed(page, selector, count) {
  await page.$eval(selector, (field) => field.scrollIntoView({ block: 'center' }));
  await page.focus(selector);
  await page.evaluate(() => {
    window.keys = [];
    let key;
    const since = ({ begun }) => performance.now() - begun;
    addEventListener('keydown', ({ timeStamp }) => (key = { begun: timeStamp }), { capture: true });
    addEventListener('input', () => {
      const typed = key;
      requestAnimationFrame(() => {
        typed.frame = since(typed);
        // A message comes after the rendering of this frame.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          typed.laidOut = since(typed);
          window.keys.push(typed);
        };
        port2.postMessage(0);
      });
    }, { capture: true });
    // The last one of its listeners.
    addEventListener('input', () => (key.handled = since(key)));
  });
  for (let pressed = 0; pressed < count; pressed += 1) {
    await page.keyboard.press('abcdefghij'[pressed % 10]);
    await pause(PACE);
  }
  await until(() => page.evaluate((wanted) => window.keys.length >= wanted, count), { what: 'a frame after each key' });
  const text = await page.$eval(selector, (field) => field.value);
  counts('letters are in the field', text.length, count);
  // The first ones compile what they run.
  return page.evaluate(() => window.keys.slice(5));
}

/** A file with a suite is chosen. */
async function benchImport({ rounds, tell }, chromium, site, files) {
  const { bench } = await inspect(chromium, site, [], '&view=evals');
  const suite = (says) => ({ begins: 'change', selector: testId('evals-suite'), count: 1, says: [testId('evals-suite'), says] });
  const file = await bench.page.waitForSelector(testId('evals-file'));
  const samples = [];
  for (let round = 0; round <= rounds.opens; round += 1) {
    await timed(bench.page, suite(/\b1 case\b/), () => file.uploadFile(files.single));
    await pause(REST);
    const took = await timed(bench.page, suite(number(CASES)), () => file.uploadFile(files.suite));
    await pause(REST);
    // The first one compiles what it runs.
    if (round > 0) samples.push(took);
  }
  tell(`a file with ${CASES} cases, until its suite is shown`, GOALS.import, samples);
}

/** A number as the workbench writes it. */
function number(count) {
  return new RegExp(`\\b${count.toLocaleString('en')}\\b`);
}

/** The page's tools are looked at. */
async function benchLint(bench, chromium, site) {
  await lintOf(bench, chromium, site, TOOLS, GOALS.lint);
  await lintOf(bench, chromium, site, SITE, GOALS.lintSite);
}

async function lintOf({ figure, median, rounds, goal, tell }, chromium, site, count, most) {
  const tools = manyTools(count);
  const { page, bench, reload } = await inspect(chromium, site, tools);
  await watchQuestions(bench.page);
  const view = { begins: 'click', selector: testId('lint-note'), count: 1 };
  const round = async () => {
    await bench.page.evaluate(() => (window.questions.length = window.tasks.length = 0));
    const shown = await timed(bench.page, view, click(bench, 'bench-lint'));
    // Long tasks are told late.
    await pause(REST);
    const { asked, answered, meanwhile, later } = await bench.page.evaluate(() => {
      const { asked, answered } = window.questions.find(({ what }) => what === 'page.lint');
      const longest = (tasks) => Math.max(0, ...tasks.map(({ duration }) => duration));
      const isMeanwhile = ({ startTime, duration }) => startTime >= asked && startTime + duration <= answered;
      return {
        asked,
        answered,
        meanwhile: longest(window.tasks.filter(isMeanwhile)),
        later: longest(window.tasks.filter(({ startTime, duration }) => startTime + duration > answered)),
      };
    });
    return { shown, took: answered - asked, meanwhile, later };
  };
  const first = [];
  for (let start = 0; start < rounds.starts; start += 1) {
    await chromium.killWorker();
    await reload();
    first.push((await round()).took);
  }
  const again = [];
  for (let open = 0; open < rounds.opens; open += 1) {
    await bench.click('bench-history');
    await pause(REST);
    again.push(await round());
  }
  const of = (part) => again.map((one) => one[part]);
  tell(`lint of ${count} tools, from the workbench's question to its answer`, most, of('took'));
  // The inspector's module is made when the workbench is opened, which was a moment ago.
  tell(`lint of ${count} tools, as the first question to a worker`, GOALS.lint, first);
  figure(`lint of ${count} tools, from a click until the notes are laid out`, 'ms', { median: median(of('shown')), worst: Math.max(...of('shown')) });
  const [meanwhile, later] = [Math.max(...of('meanwhile')), Math.max(...of('later'))];
  figure(`longest task of the workbench over 50 ms (0: none), with ${count} tools`, 'ms', { 'while the worker looks': meanwhile, 'from the answer on': later });
  goal(meanwhile === 0, `while the worker looks at ${count} tools, the longest task of the workbench takes ${meanwhile || 'less than 50'} ms (goal: no task over 50)`);

  const inside = await chromium.inWorker(
    async (question, times) => {
      const took = [];
      for (let time = 0; time <= times; time += 1) {
        const begun = performance.now();
        const answer = await inspector.lint(question);
        took.push(performance.now() - begun);
        if (JSON.parse(answer).length === 0) throw new Error('The inspector finds nothing.');
      }
      return took.slice(1);
    },
    lintQuestion(tools),
    rounds.opens,
  );
  figure(`lint of ${count} tools, in the inspector's module alone`, 'ms', { median: median(inside), worst: Math.max(...inside) });
  await Promise.all([bench.page.close(), page.close()]);
}

/** Note when a workbench asks and is answered, and its long tasks, from its next start on. */
function watchQuestions(page) {
  return page.evaluateOnNewDocument(() => {
    window.questions = [];
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })))).observe({ type: 'longtask' });
    const { connect } = chrome.runtime;
    chrome.runtime.connect = (...details) => {
      const port = connect.apply(chrome.runtime, details);
      const { postMessage } = port;
      port.postMessage = (text) => {
        const { id, body } = JSON.parse(text);
        const [[domain, command]] = Object.entries(body);
        const name = typeof command === 'string' ? command : Object.keys(command)[0];
        window.questions.push({ id, what: `${domain}.${name}`, asked: performance.now() });
        return postMessage.call(port, text);
      };
      port.onMessage.addListener((text) => {
        // Not all of it is read: it may be long.
        const id = Number(/^\{"reply":\{"id":(\d+)/.exec(text)?.[1]);
        const question = window.questions.findLast((one) => one.id === id);
        if (question) question.answered ??= performance.now();
      });
      return port;
    };
  });
}

/** The History view is opened, with 10,000 runs, and with as many with long arguments as the worker keeps. */
async function benchRuns({ figure, median, rounds, tell }, chromium, site) {
  const all = manyRuns(await runOnce(chromium, site), {
    origins: [...Array.from({ length: ORIGINS - 1 }, (_, at) => `https://shop-${at}.example`), site.origin],
    each: RUNS_EACH,
  });
  const { bench, reload } = await inspect(chromium, site, [FIND]);
  const long = withinCap(all.map((run) => ({ ...run, arguments: JSON.stringify({ query: LONG }) })));
  for (const [runs, which] of [[withinCap(all), 'all of which are kept'], [long, 'as large as is kept']]) {
    const own = runs.filter(({ origin }) => origin === site.origin).length;
    const written = JSON.stringify(runs);
    const listed = (begins, count) => ({ begins, selector: testId('run-entry'), count: Math.min(count, 100), says: [testId('history-count'), number(count)] });
    const [first, again, every] = [[], [], []];
    for (let round = 0; round < rounds.opens; round += 1) {
      if (round < rounds.starts) {
        await chromium.inWorker((toolRuns) => chrome.storage.session.set({ toolRuns }), written);
        // The next worker reads them when it is first asked.
        await chromium.killWorker();
        await reload();
        first.push(await timed(bench.page, listed('click', own), click(bench, 'bench-history')));
        await pause(REST);
        await bench.click('bench-tools');
      }
      await pause(REST);
      again.push(await timed(bench.page, listed('click', own), click(bench, 'bench-history')));
      await pause(REST);
      every.push(await timed(bench.page, listed('change', runs.length), click(bench, 'history-own')));
      await bench.click('bench-tools');
    }
    const what = `history of ${runs.length} runs of ${ORIGINS} sites, ${which}`;
    tell(`${what}, from a click until it is laid out`, GOALS.history, again);
    tell(`${what}, as the first one of worker and workbench`, GOALS.history, first);
    figure(`${what}, then those of all sites`, 'ms', { median: median(every), worst: Math.max(...every) });
    figure(`${what}, as stored`, 'KiB', { size: written.length / 1024 });
  }
}

/** What makes a run 4 KiB long. */
const LONG = 'kettle '.repeat(585);

const FIND = {
  name: 'find_products',
  description: 'Finds products of the shop by words.',
  inputSchema: { type: 'object', properties: { query: { type: 'string', description: 'The words.' }, limit: { type: 'integer', description: 'How many at most.' } } },
};

/** A run by hand, as the worker keeps it. */
async function runOnce(chromium, site) {
  const { page, bench } = await inspect(chromium, site, [FIND]);
  await bench.openTool(FIND.name);
  await bench.type('query', 'kettle');
  const { state } = await bench.run();
  if (state !== 'ok') throw new Error(`The tool came to ${state}.`);
  const stored = async () => JSON.parse((await chrome.storage.session.get('toolRuns')).toolRuns ?? '[]')[0];
  const kept = await until(() => chromium.inWorker(stored), { what: 'a run to be kept' });
  await Promise.all([bench.page.close(), page.close()]);
  return kept;
}

/** The newest runs that the worker keeps. */
function withinCap(runs) {
  let bytes = 0;
  const first = runs.findLastIndex((run) => (bytes += Buffer.byteLength(JSON.stringify(run))) > MOST_BYTES);
  return runs.slice(first + 1);
}
