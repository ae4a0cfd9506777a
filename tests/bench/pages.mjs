/**
 * Snapshots of the same pages beside two peers, ours without the cap and with it; how long one takes on large pages, and a
 * click. The goals that have a limit are printed with a mark.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { Actions } from '../lib/actions.mjs';
import { TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { controlsIn, missingIn, skeletonOf } from './outline.mjs';
import { startPeers } from './peer.mjs';

const PAGES = { flights: 'flights/', 'table of 1,000 rows': 'pages/bench/table.html', 'long article': 'pages/bench/article.html' };
const UNCAPPED = { maxChars: 10_000_000 };
/** Of many controls that an outline leaves out, so many are asked for by `query`. */
const SAMPLE = 40;

/**
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: number, clicks: number }} bench
 * @returns {Promise<string[]>} the goals that are not reached
 */
export async function benchPages({ figure, median, rounds, clicks }) {
  const { countTokens } = await import('./peers/node_modules/gpt-tokenizer/esm/encoding/o200k_base.js');
  const tokens = (text) => countTokens(text, { allowedSpecial: 'all' });
  const missed = [];
  const goal = (isReached, what) => {
    console.log(`${isReached ? '✓' : '✗'} ${what}`);
    if (!isReached) missed.push(what);
  };
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-bench-'));
  const site = await serve(path.join(TESTS, 'sites'));
  const actions = await Actions.start();
  let peers = [];
  try {
    peers = await startPeers(folder);
    for (const [what, file] of Object.entries(PAGES)) await compare({ what, url: site.url(file), actions, peers, rounds, figure, median, tokens, goal });
    // Their browsers would only take time from what is measured of ours alone.
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
    await benchNodes({ actions, site, rounds, figure, median, goal });
    await benchClick({ actions, site, clicks, figure, median, goal });
  } finally {
    await Promise.all([...peers.map((peer) => peer.stop()), actions.stop(), site.close()]);
    await rm(folder, { recursive: true });
  }
  return missed;
}

/** A snapshot, and its time from the worker's request to its answer. */
async function timed(actions, page, options) {
  const tabId = await actions.tabOf(page);
  return actions.chromium.inWorker(async (id, asked) => {
    const begun = performance.now();
    const { text } = await pageActions.snapshot(id, asked);
    return { text, ms: performance.now() - begun };
  }, tabId, options);
}

async function compare({ what, url, actions, peers, rounds, figure, median, tokens, goal }) {
  const page = await actions.chromium.open(url);
  await page.bringToFront();
  await actions.attach(page);
  for (const peer of peers) await peer.open(url);

  // In turns, so that a slow machine affects all alike. The first round is for caches.
  const outlines = {};
  const times = { whole: [], capped: [], ...Object.fromEntries(peers.map(({ name }) => [name, []])) };
  for (let round = 0; round <= rounds; round += 1) {
    const add = (name, ms) => round > 0 && times[name].push(ms);
    for (const [name, options] of [['whole', UNCAPPED], ['capped', {}]]) {
      const { text, ms } = await timed(actions, page, options);
      outlines[name] = text;
      add(name, ms);
    }
    for (const peer of peers) {
      const begun = performance.now();
      outlines[peer.name] = await peer.snapshot();
      add(peer.name, performance.now() - begun);
    }
  }
  const named = (of) => ({ ours: of('whole'), 'ours with the cap': of('capped'), ...Object.fromEntries(peers.map(({ name }) => [name, of(name)])) });
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  figure(`snapshot of the ${what}, ${elements} elements`, 'ms', named((name) => median(times[name])));
  figure(`the whole outline of the ${what}`, 'tokens', named((name) => tokens(outlines[name])));
  figure(`controls and structure of the ${what}`, 'tokens', named((name) => tokens(skeletonOf(outlines[name]))));
  figure(`named controls of the ${what}`, '', named((name) => [...controlsIn(outlines[name]).values()].reduce((sum, { count }) => sum + count, 0)));

  const best = (of) => Math.min(...peers.map(({ name }) => of(outlines[name])));
  const [bones, whole] = [(text) => tokens(skeletonOf(text)), tokens];
  const percent = Math.round((bones(outlines.whole) / best(bones)) * 100);
  goal(percent <= 60, `${what}: controls and structure take ${bones(outlines.whole)} tokens, ${percent} % of the better peer's ${best(bones)} (goal: 60 %)`);
  goal(whole(outlines.whole) <= best(whole), `${what}: the whole takes ${whole(outlines.whole)} tokens, the better peer's ${best(whole)} (goal: not more)`);

  const ask = async (name) => (await timed(actions, page, { query: name })).text;
  for (const [kind, text] of [['without the cap', outlines.whole], ['with the cap', outlines.capped]]) {
    const ours = controlsIn(text);
    const absent = new Map(peers.flatMap(({ name }) => missingIn(ours, controlsIn(outlines[name]))).map(({ key, name }) => [key, name]));
    const step = Math.max(1, Math.floor(absent.size / SAMPLE));
    const asked = [...absent].filter((_, at) => at % step === 0);
    const lost = [];
    for (const [key, name] of asked) if (!controlsIn(await ask(name)).has(key)) lost.push(key);
    const rest = absent.size === 0 ? 'all controls of the peers are in the outline' : `${absent.size} controls of the peers are not in the outline; query finds ${asked.length - lost.length} of ${asked.length} tried`;
    goal(lost.length === 0, `${what}, ${kind}: ${rest}${lost.length > 0 ? `, not: ${lost.slice(0, 8).join(', ')}` : ''}`);
  }
  await page.close();
}

/** Cards of seven elements each. */
const cards = (count) => `<!doctype html><title>Cards</title><main></main><script>
  document.querySelector('main').append(...Array.from({ length: ${count} }, (_, at) => {
    const card = document.createElement('article');
    card.innerHTML = '<h2>Card ' + at + '</h2><p>Some words on <b>card ' + at + '</b></p><p><a href="/card/' + at + '">More of ' + at + '</a></p>' + (at % 3 ? '<button>Keep ' + at + '</button>' : '<input aria-label="Note ' + at + '">');
    return card;
  }));
  globalThis.tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })))).observe({ type: 'longtask' });
</script>`;

/** Cards by the size of their page; each figure says how many nodes (elements and texts) it has. */
const SIZES = { '5,000 nodes': 425, '5,000 elements': 713, '50,000 elements': 7_142 };

async function benchNodes({ actions, site, rounds, figure, median, goal }) {
  for (const [name, count] of Object.entries(SIZES)) {
    const page = await actions.chromium.open(site.put(`cards-${count}.html`, cards(count)));
    await page.bringToFront();
    await actions.attach(page);
    // Long tasks are reported late; those of loading end before this frame.
    const quiet = () => page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 100))));
    await quiet();
    const samples = [];
    const longest = [];
    for (let round = 0; round <= rounds; round += 1) {
      await page.evaluate(() => (globalThis.tasks.length = 0));
      const { ms } = await timed(actions, page, {});
      await quiet();
      if (round === 0) continue;
      samples.push(ms);
      longest.push(await page.evaluate(() => Math.max(0, ...globalThis.tasks.map(({ duration }) => duration))));
    }
    const { nodes, elements } = await page.evaluate(() => {
      const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      let nodes = 0;
      while (walker.nextNode()) nodes += 1;
      return { nodes, elements: document.querySelectorAll('*').length };
    });
    const long = Math.max(...longest);
    figure(`snapshot of ${name} (${nodes} nodes, ${elements} of them elements)`, 'ms', { median: median(samples), best: Math.min(...samples), 'longest task over 50 ms (0: none)': long });
    if (name === '5,000 nodes') goal(median(samples) <= 50, `${name} take ${Math.round(median(samples))} ms (goal: 50)`);
    goal(long === 0, `${name}: the longest task takes ${long || 'less than 50'} ms (goal: no task over 50), all ${Math.round(median(samples))} ms`);
    await page.close();
  }
}

const CLICKED = `<!doctype html><title>Clicked</title><button>Press</button><output></output><script>
  const button = document.querySelector('button');
  let count = 0;
  button.addEventListener('click', () => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    document.querySelector('output').textContent = count += 1;
    globalThis.ended = performance.timeOrigin + performance.now();
  });
</script>`;

async function benchClick({ actions, site, clicks, figure, median, goal }) {
  const page = await actions.chromium.open(site.put('clicked.html', CLICKED));
  await page.bringToFront();
  // When the worker is told that something begins: the target is resolved and checked.
  await actions.chromium.inWorker(() => {
    const { connect } = chrome.tabs;
    chrome.tabs.connect = (...details) => {
      const port = connect.apply(chrome.tabs, details);
      port.onMessage.addListener((text) => {
        if (text.includes('"what":"begun"')) globalThis.begunAt = performance.timeOrigin + performance.now();
      });
      return port;
    };
  });
  const ref = await actions.ref(page, '"Press"');
  const tabId = await actions.tabOf(page);
  const samples = { own: [], resolved: [], clicked: [], settled: [] };
  for (let round = 0; round <= clicks; round += 1) {
    const own = await page.evaluate(() => {
      const begun = performance.timeOrigin + performance.now();
      button.click();
      return globalThis.ended - begun;
    });
    const { outcome, asked, begun, answered } = await actions.chromium.inWorker(async (id, target) => {
      const now = () => performance.timeOrigin + performance.now();
      globalThis.begunAt = undefined;
      const at = now();
      const { result, error } = await pageActions.ask(id, 0, { do: 'act', act: 'click', target });
      return { outcome: error ?? result.outcome, asked: at, begun: globalThis.begunAt, answered: now() };
    }, tabId, ref);
    if (outcome !== 'ok' || begun === undefined) {
      goal(false, `a click is done and its begin is told: ${outcome}`);
      return;
    }
    if (round === 0) continue;
    const ended = await page.evaluate(() => globalThis.ended);
    for (const [name, ms] of [['own', own], ['resolved', begun - asked], ['clicked', ended - begun], ['settled', answered - ended]]) samples[name].push(ms);
  }
  const p50 = Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, median(list)]));
  figure('click', 'ms', { "the page's own": p50.own, "resolved to the handler's end": p50.clicked, 'until resolved, with waiting for stability': p50.resolved, 'settling and reading back': p50.settled });
  goal(p50.clicked <= p50.own + 15, `click: ${p50.clicked.toFixed(1)} ms from resolved target to the handler's end, the page's own ${p50.own.toFixed(1)} (goal: within 15)`);
}
