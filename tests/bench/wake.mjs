/** The times from a stopped worker to its first reply, and from opening a panel to its first paint. */

import { stat } from 'node:fs/promises';
import path from 'node:path';

import { launch } from '../lib/browser.mjs';
import { Panel } from '../lib/panel.mjs';
import { EXTENSION, FLIGHTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { until } from '../lib/wait.mjs';

/** The largest part of the other build's time that a start may take. More than 1, because machines are noisy. */
const LIMIT = 1.1;
/** Milliseconds after a start or an opening, in which what it set going ends: it would slow the other build's. */
const REST = 1500;
const rest = () => new Promise((resolve) => setTimeout(resolve, REST));

/** Record worker starts from now on. Reloads the panel. */
export async function watchStarts(panel) {
  await panel.page.evaluateOnNewDocument(() => {
    window.starts = [];
    const { connect } = chrome.runtime;
    chrome.runtime.connect = (...details) => {
      const started = performance.now();
      const port = connect.apply(chrome.runtime, details);
      const hear = () => {
        window.starts.push(performance.now() - started);
        port.onMessage.removeListener(hear);
      };
      port.onMessage.addListener(hear);
      return port;
    };
  });
  await panel.page.reload();
  await panel.ready();
}

/** The time from a panel's connection to a stopped worker until its first reply: start, compilation of WASM, saved values. */
export async function start({ chromium, panel }) {
  await panel.page.evaluate(() => (window.starts = []));
  await chromium.killWorker();
  return until(() => panel.page.evaluate(() => window.starts[0]), { what: 'the worker to answer again' });
}

/** Record when the panel becomes usable after a reload from now on. */
export async function watchOpens(panel) {
  await panel.page.evaluateOnNewDocument(() => {
    new MutationObserver(() => {
      if (document.documentElement.dataset.ready === 'true') window.usableAt ??= performance.now();
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-ready'] });
  });
}

/** The times from the navigation of the panel's document to its first paint (its empty frame), to its first words, and to its first snapshot shown. */
export async function open(panel) {
  await panel.page.reload();
  await panel.ready();
  return panel.page.evaluate(async () => {
    const painted = (what) => performance.getEntriesByName(what)[0]?.startTime;
    while (painted('first-contentful-paint') === undefined) await new Promise((resolve) => requestAnimationFrame(resolve));
    return { paint: painted('first-paint'), words: painted('first-contentful-paint'), usable: window.usableAt };
  });
}

/**
 * Measure two builds in two browsers in turns, so that load on the machine affects both.
 *
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: number, against?: string }} bench `against` is the folder of the other build's extension; without it this build is measured alone
 * @returns {Promise<string[]>} the limits that were exceeded
 */
export async function benchWake({ figure, median, rounds, against }) {
  const site = await serve(FLIGHTS);
  const builds = [{ name: 'this build', extension: EXTENSION }];
  if (against) builds.push({ name: 'the other', extension: against });
  const inTurns = (round) => (round % 2 === 0 ? builds : builds.toReversed());
  try {
    for (const build of builds) {
      build.chromium = await launch({ extension: build.extension });
      build.panel = await Panel.beside(build.chromium, await build.chromium.open(site.url('')));
      await watchStarts(build.panel);
      Object.assign(build, { start: [], paint: [], words: [], usable: [] });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const build of inTurns(round)) {
        build.start.push(await start(build));
        await rest();
      }
    }
    for (const build of builds) await watchOpens(build.panel);
    for (let round = 0; round < rounds; round += 1) {
      for (const build of inTurns(round)) {
        for (const [key, time] of Object.entries(await open(build.panel))) build[key].push(time);
        await rest();
      }
    }
    for (const { name, extension, ...samples } of builds) {
      for (const [key, what] of Object.entries({ start: 'worker start to first event answered', paint: 'panel open to first paint', words: 'panel open to first words', usable: 'panel open to usable' })) {
        figure(`${what}, ${name}`, 'ms', { median: median(samples[key]), best: Math.min(...samples[key]) });
      }
      for (const file of ['worker', 'panel']) {
        figure(`${file}, ${name}`, 'KiB', { size: (await stat(path.join(extension, 'wasm', `${file}_bg.wasm`))).size / 1024 });
      }
    }
    if (!against) return [];
    const [ours, other] = builds;
    const ratio = (key) => median(ours[key].map((sample, round) => sample / other[key][round]));
    for (const key of ['start', 'paint', 'words', 'usable']) figure(`this build over the other, ${key}`, '', { median: ratio(key) });
    return ratio('start') > LIMIT ? [`A start takes ${ratio('start').toFixed(2)} of the other build's time; the limit is ${LIMIT}.`] : [];
  } finally {
    await Promise.all([site, ...builds.map(({ chromium }) => chromium)].map((part) => part?.close()));
  }
}
