/**
 * Leaves pages with frames at random moments after their load, with native WebMCP. Asking for the tools of a page when
 * the tab already shows the next one crashes Chromium 156 as a whole (docs/decisions/0021-asking-native-webmcp.md).
 * This counts how often that happens.
 */

import { TimeoutError } from 'puppeteer-core';

import { Stage } from '../lib/stage.mjs';
import { Random } from './random.mjs';

/** The longest time between a page's load and leaving it, in milliseconds. */
const LONGEST_GAP = 300;

/** The delay of the slow page, in milliseconds: longer than a relay waits before it checks whether its page stays. */
const SLOW = 1_600;

/** How long frames come and go in a page that stays, in milliseconds. */
const UNREST = 1_500;

/** The timeout of a navigation, in milliseconds. 200 frames are slow on a slow machine. */
const PATIENCE = 60_000;

/** Registers two tools, and with `?changing` also others without pause. */
const TOOLS = `
  const register = (name, signal) =>
    document.modelContext.registerTool({ name, description: 'A tool of ' + location.pathname, execute: () => 'done' }, { signal });
  for (const name of ['first', 'second']) register(name);
  if (location.search === '?changing') {
    let number = 0;
    setInterval(() => {
      const controller = new AbortController();
      register('other' + number++, controller.signal).then(() => controller.abort(), () => {});
    }, 20);
  }`;

/** Replaces and navigates frames without pause. */
const UNRESTFUL = `
  const change = () => {
    const frame = document.querySelectorAll('iframe')[Math.floor(Math.random() * 2)];
    if (Math.random() < 0.5) {
      frame.replaceWith(Object.assign(document.createElement('iframe'), { src: 'chaos-frame.html?' + Math.random() }));
    } else {
      frame.src = (Math.random() < 0.5 ? location.origin : otherOrigin) + '/chaos-frame.html?' + Math.random();
    }
    setTimeout(change, Math.random() * 100);
  };
  addEventListener('load', change);`;

/** The round in which frames are replaced while the page is left. */
const UNRESTFUL_ROUND = 'frames come and go';

/** The ways to leave a page. */
const ELSEWHERE = ['other origin', 'same origin', 'reload', 'blank', 'back'];

/**
 * The kinds of rounds, by their names in the report.
 *
 * @type {Record<string, (scene: Scene) => Promise<void>>}
 * @typedef {{ stage: Stage, page: import('puppeteer-core').Page, random: Random }} Scene
 */
const ROUNDS = {
  async 'two frames'(scene) {
    await open(scene, 'chaos-2.html');
    await leave(scene);
  },
  async 'tools that change'(scene) {
    await open(scene, 'chaos-2.html?changing');
    await leave(scene);
  },
  async '200 frames'(scene) {
    await open(scene, 'chaos-200.html');
    await leave(scene);
  },
  async 'panel asks'(scene) {
    await open(scene, 'chaos-2.html');
    await Promise.all([ask(scene), leave(scene)]);
  },
  async 'calls'(scene) {
    await open(scene, 'chaos-2.html');
    await Promise.all([call(scene), leave(scene)]);
  },
  async [UNRESTFUL_ROUND](scene) {
    await open(scene, 'chaos-unrest.html');
    const end = Date.now() + UNREST;
    while (Date.now() < end) await Promise.all([ask(scene), call(scene), pause(scene.random.below(LONGEST_GAP))]);
    // Not 'back', which would navigate a frame back instead of the page.
    await leave(scene, ELSEWHERE.slice(0, -1));
  },
  async 'slow server'(scene) {
    const { stage, page } = scene;
    await open(scene, 'chaos-2.html?changing');
    const release = stage.site.hold('/chaos-slow.html');
    const askMeanwhile = async () => {
      const end = Date.now() + SLOW;
      while (Date.now() < end) await Promise.all([ask(scene), pause(scene.random.below(LONGEST_GAP))]);
      release();
    };
    const left = page.goto(stage.site.url('chaos-slow.html', stage.site.otherOrigin), { timeout: PATIENCE });
    await Promise.all([left, askMeanwhile()]);
  },
};

/** The order of the rounds, repeated. '200 frames' is rare because it takes far longer than the others. */
const ORDER = [
  'two frames',
  'tools that change',
  'panel asks',
  '200 frames',
  'calls',
  UNRESTFUL_ROUND,
  'two frames',
  'slow server',
  'tools that change',
  'panel asks',
];

/**
 * Run the rounds. A browser that crashed is replaced.
 *
 * A navigation that never commits, while the page it should replace goes on and answers, is counted by itself: Chromium
 * does that now and then, also without an extension, to a page that replaces its frames meanwhile and listens for
 * `beforeunload` (docs/decisions/0021-asking-native-webmcp.md). Its browser is replaced, too.
 *
 * @param {{ rounds: number, seed: number, verbose?: boolean }} options
 * @returns {Promise<{ kinds: Map<string, { rounds: number, deaths: number, stuck: number }>, failures: string[] }>}
 */
export async function leaveFrames({ rounds, seed, verbose = false }) {
  const random = new Random(seed);
  const kinds = new Map(Object.keys(ROUNDS).map((name) => [name, { rounds: 0, deaths: 0, stuck: 0 }]));
  const failures = [];
  let scene;
  try {
    for (let number = 0; number < rounds; number += 1) {
      scene ??= await begin(random);
      const name = ORDER[number % ORDER.length];
      const kind = kinds.get(name);
      kind.rounds += 1;
      const started = Date.now();
      const outcome = await Promise.race([scene.died, ROUNDS[name](scene).then(() => 'alive', (error) => error)]);
      // A pending command may fail before the 'disconnected' event arrives.
      const isDead = outcome === 'dead' || (outcome !== 'alive' && (await Promise.race([scene.died, pause(2_000)])) === 'dead');
      const what = `round ${number + 1}, ${name}`;
      if (isDead) {
        kind.deaths += 1;
        failures.push(`${what}: the browser died (disconnected)`);
        console.log(failures.at(-1));
        await scene.stage.strike().catch(() => {});
        scene = undefined;
      } else if (name === UNRESTFUL_ROUND && outcome instanceof TimeoutError && (await answers(scene.page))) {
        kind.stuck += 1;
        console.log(`${what}: a navigation did not commit (${outcome.message})`);
        await scene.stage.strike();
        scene = undefined;
      } else if (outcome !== 'alive') {
        failures.push(`${what}: ${outcome.stack}`);
        console.log(failures.at(-1));
      } else if (verbose) {
        console.log(`${what}: alive after ${Date.now() - started} ms`);
      }
    }
  } finally {
    await scene?.stage.strike();
  }
  return { kinds, failures };
}

/** Whether the page that changes its frames is still there, and runs. */
async function answers(page) {
  const says = page.evaluate(() => location.pathname).catch(() => undefined);
  return (await Promise.race([says, pause(10_000)])) === '/chaos-unrest.html';
}

/** @returns {Promise<Scene & { died: Promise<'dead'> }>} */
async function begin(random) {
  const stage = await Stage.set({ native: true });
  const died = new Promise((resolve) => stage.chromium.browser.once('disconnected', () => resolve('dead')));
  const { site } = stage;
  const html = (frames, script = '') => {
    const one = '<iframe src="chaos-frame.html"></iframe>';
    return `<!doctype html><title>Frames</title><script>const otherOrigin = '${site.otherOrigin}';${TOOLS}${script}</script>${one.repeat(frames)}`;
  };
  site.put('chaos-frame.html', html(0));
  site.put('chaos-2.html', html(2));
  site.put('chaos-200.html', html(200));
  site.put('chaos-unrest.html', html(2, UNRESTFUL));
  site.put('chaos-slow.html', '<!doctype html><title>Slow</title>');
  const page = await stage.tab(stage.site.url('empty.html'));
  return { stage, page, random, died };
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function open({ stage, page }, file) {
  await page.goto(stage.site.url(file), { waitUntil: 'load', timeout: PATIENCE });
}

/** Leave the page after a random delay, in a random way. */
async function leave({ stage, page, random }, ways = ELSEWHERE) {
  const { site } = stage;
  const how = ways[random.below(ways.length)];
  await pause(random.below(LONGEST_GAP));
  const options = { timeout: PATIENCE };
  switch (how) {
    case 'other origin':
      await page.goto(site.url('empty.html', site.otherOrigin), options);
      break;
    case 'same origin':
      await page.goto(site.url('empty.html'), options);
      break;
    case 'reload':
      await page.reload(options);
      break;
    case 'blank':
      await page.goto('about:blank', options);
      break;
    case 'back':
      // A page restored from the back/forward cache fires no `load` event.
      await page.goBack({ ...options, waitUntil: [] });
      break;
  }
}

/** Click Refresh in the panel after a random delay. */
async function ask({ stage, random }) {
  await pause(random.below(LONGEST_GAP));
  await stage.panel.page.evaluate(() => document.querySelector('[data-testid="refresh-tools"]')?.click());
}

/** Call a tool that no frame has after a random delay, which makes the relays list the tools again. */
async function call({ stage, random }) {
  await pause(random.below(LONGEST_GAP));
  await stage.chromium.inWorker(async () => {
    for (const { id } of await chrome.tabs.query({ active: true })) {
      const port = chrome.tabs.connect(id, { name: 'relay' });
      port.onDisconnect.addListener(() => chrome.runtime.lastError);
      const requestId = crypto.randomUUID();
      port.postMessage(JSON.stringify({ type: '__wmcp_call_tool', requestId, toolName: 'missing', args: '{}' }));
    }
  });
}
