/** The time from Stop to the end of the stream while a large file of chats is imported. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';

/** The size of the file and of the message in each of its chats, in bytes. */
const SIZE = 36_000_000;
const SAID = 90_000;

/** The longest median that Stop may take during the import, in milliseconds. */
const LIMIT_MS = 100;

/** Chats of one long message each. */
function chats(round) {
  const text = 'word '.repeat(SAID / 5);
  const threads = Array.from({ length: Math.floor(SIZE / SAID) }, (_, at) => {
    const id = `bench-${round}-${at}`;
    const page = { tab: null, site: '', url: '', title: '' };
    const log = [
      { at: 1, event: 'turnStarted', turn: `${id}.t`, text, page },
      { at: 2, event: 'turnRested', rest: 'stopped' },
    ];
    return { id, title: id, site: '', created: 1, updated: 2, pinned: false, temporary: false, log };
  });
  return JSON.stringify({ format: 'webmcp-sidecar-threads', version: 1, threads });
}

/**
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: number }} bench
 * @returns {Promise<string[]>} the limits that were exceeded
 */
export async function benchStop({ figure, median, rounds }) {
  const stage = await Stage.set();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-bench-'));
  try {
    const { panel, model } = stage;
    const samples = { alone: [], 'beside an import': [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, times] of Object.entries(samples)) {
        await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
        await model.fault({ delivery: { hold_after_event: 40 } });
        await panel.say('Write 300 tokens');
        await model.wait(1, 'held');
        if (name !== 'alone') {
          const file = path.join(folder, 'chats.json');
          await writeFile(file, chats(round));
          await panel.click('threads');
          const input = await panel.page.waitForSelector(testId('import-file'));
          await input.uploadFile(file);
          await input.evaluate((node) => node.dispatchEvent(new Event('change')));
          await panel.see('import', ':disabled');
          await panel.click('threads-close');
        }
        const aborted = model.wait(1, 'aborted');
        const stop = await panel.see('stop');
        const began = performance.now();
        await stop.evaluate((node) => node.click());
        await aborted;
        times.push(performance.now() - began);
        await panel.rest({ timeout: 60_000 });
        if (name !== 'alone') {
          await panel.click('threads');
          await panel.page.waitForSelector(`${testId('import')}:not(:disabled)`, { timeout: 60_000 });
          const said = await panel.text('import-outcome');
          if (!/chats imported/.test(said)) throw new Error(`The import did not come to its end: ${said}`);
          await panel.click('threads-close');
        }
      }
    }
    for (const [name, times] of Object.entries(samples)) {
      figure(`from Stop to the end of the stream, ${name}`, 'ms', { median: median(times), worst: Math.max(...times) });
    }
    const isTooSlow = median(samples['beside an import']) > LIMIT_MS;
    return isTooSlow ? [`beside an import Stop takes more than ${LIMIT_MS} ms`] : [];
  } finally {
    await stage.strike();
    await rm(folder, { recursive: true, force: true });
  }
}
