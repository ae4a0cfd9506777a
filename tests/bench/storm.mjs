/** How long panel and worker block while a page replaces a thousand tools of 4 KB each every 50 ms. */

import { Stage } from '../lib/stage.mjs';

/** The longest time that panel and worker may block, in milliseconds. */
export const LONGEST = { panel: 8_000, worker: 4_000 };

/** Registers the tools anew every 50 ms until `calm()`. Each description ends with the number of its round. */
export const STORM = `<!doctype html><title>Storm</title><script>
  let controller;
  let round = 0;
  const storm = setInterval(() => {
    controller?.abort();
    controller = new AbortController();
    round += 1;
    for (let at = 0; at < 1000; at += 1) {
      const tool = { name: 'tool' + at, description: 'word '.repeat(800) + round, inputSchema: { type: 'object' }, execute() {} };
      void document.modelContext.registerTool(tool, { signal: controller.signal }).catch(() => {});
    }
  }, 50);
  const calm = () => (clearInterval(storm), round);
</script>`;

/**
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, seconds: number }} bench
 * @returns {Promise<string[]>} the limits that were exceeded
 */
export async function benchStorm({ figure, seconds }) {
  const slow = [];
  for (const native of [true, false]) {
    const stage = await Stage.set({ native });
    try {
      const still = await sitThrough(stage, seconds);
      figure(`storm of tools, ${native ? 'native' : 'polyfill'}, ${seconds} s`, 'ms', {
        'longest frame of the panel': still.panel,
        'longest answer of the worker': still.worker,
      });
      for (const [who, longest] of Object.entries(LONGEST)) {
        if (still[who] > longest) slow.push(`storm of tools, ${native ? 'native' : 'polyfill'}: the ${who} stood still for ${still[who]} ms, more than ${longest}`);
      }
    } finally {
      await stage.strike();
    }
  }
  return slow;
}

/** The longest frame of the panel in its Tools view and the slowest reply of the worker, in milliseconds. */
async function sitThrough(stage, seconds) {
  const { panel, chromium } = stage;
  await panel.view('tools');
  await panel.page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    const look = (now) => {
      window.longest = Math.max(window.longest, now - last);
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const page = await chromium.open();
  await page.bringToFront();
  await page.goto(stage.site.put('storm.html', STORM));
  const end = performance.now() + seconds * 1_000;
  let worker = 0;
  while (performance.now() < end) {
    const asked = performance.now();
    await chromium.inWorker(() => 0);
    worker = Math.max(worker, performance.now() - asked);
  }
  await page.close();
  return { panel: Math.round(await panel.page.evaluate(() => window.longest)), worker: Math.round(worker) };
}
