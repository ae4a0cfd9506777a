/** How long panel and worker block while a model's service sends far too much, and when such an answer is opened. */

import { createServer } from 'node:http';

import { Kept, thread } from '../lib/database.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';

/** The longest time that panel or worker may block, in milliseconds; the bench fails beyond it. */
const LIMIT = 1_500;

/** How long a case may take as a whole, in milliseconds. */
const PATIENCE = 180_000;

const MEGABYTE = 2 ** 20;

/**
 * The longest frame of the panel and the slowest reply of the worker during 300,000 events of two characters, 40 MB of
 * text in one paragraph, and the opening of a thread with an answer of 16 MB, as an import may contain.
 *
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void }} context
 * @returns {Promise<string[]>} the limits that were exceeded
 */
export async function benchStillness({ figure }) {
  const stage = await Stage.set();
  const service = await startService();
  const tooLong = [];
  const tell = (what, values) => {
    figure(`stillness, ${what}`, 'ms', values);
    for (const [who, worst] of Object.entries(values)) {
      if (worst > LIMIT) tooLong.push(`${who} stood still for ${Math.round(worst)} ms (limit ${LIMIT} ms): ${what}`);
    }
  };
  try {
    await stage.begin(stage.site.url('empty.html'));
    await stage.panel.set('base-url', service.url);
    for (const [what, send] of Object.entries({ '300,000 events of 2 characters': tiny, '40 MB in one paragraph': huge })) {
      await stage.panel.newChat();
      service.send = send;
      tell(what, await stillness(stage, async () => {
        await stage.panel.say('Go.');
        await stage.panel.page.waitForSelector(testId('item-rest'), { timeout: PATIENCE });
      }));
    }
    await stage.panel.newChat();
    await new Kept(stage.chromium).write([thread('huge', { title: 'Huge', answered: () => 'word '.repeat((16 * MEGABYTE) / 5) })]);
    tell('opening an answer of 16 MB', await stillness(stage, async () => {
      await stage.panel.click('threads');
      await stage.panel.click('thread-row', '[data-thread="huge"]');
      await stage.panel.page.waitForSelector(testId('show-more'), { timeout: PATIENCE });
      await stage.panel.click('show-more');
    }));
    return tooLong;
  } finally {
    await stage.strike();
    await service.close();
  }
}

/** The longest frame and the slowest reply during `act` and half a second after it. */
async function stillness(stage, act) {
  const { page } = stage.panel;
  await page.evaluate(() => {
    const watch = { longest: 0, last: performance.now(), goes: true };
    window.stillness = watch;
    const frame = () => {
      const now = performance.now();
      watch.longest = Math.max(watch.longest, now - watch.last);
      watch.last = now;
      if (watch.goes) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const { client } = await (await stage.chromium.workerTarget()).worker();
  let [worst, goes] = [0, true];
  const asking = (async () => {
    while (goes) {
      const asked = performance.now();
      await client.send('Runtime.evaluate', { expression: '1' });
      worst = Math.max(worst, performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  await act();
  await new Promise((resolve) => setTimeout(resolve, 500));
  goes = false;
  await asking;
  const longest = await page.evaluate(() => {
    window.stillness.goes = false;
    return window.stillness.longest;
  });
  return { panel: longest, worker: worst };
}

/** A service that streams what `send` yields. */
async function startService() {
  const service = { send: tiny };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":[]}');
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.on('error', () => {});
    const closed = new Promise((resolve) => response.once('close', resolve));
    for (const piece of service.send()) {
      if (response.destroyed) return;
      if (!response.write(piece)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  service.url = `http://127.0.0.1:${server.address().port}`;
  service.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return service;
}

function event(content, finish = null) {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
}

function* tiny() {
  const hundred = event('a ').repeat(100);
  for (let sent = 0; sent < 3_000; sent += 1) yield hundred;
  yield event('', 'stop');
}

function* huge() {
  const piece = event('word '.repeat(13_107));
  for (let sent = 0; sent < 40 * MEGABYTE; sent += 65_535) yield piece;
  yield event('', 'stop');
}
