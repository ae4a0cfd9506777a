/** The speed of a long history: 500 threads, one of them with 10,000 items. */

import { Kept, thread } from '../lib/database.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';

const THREADS = 500;

/** Turns of the long thread; each is shown as two items. */
const TURNS = 5_000;

const WORDS = 'The quick answers to the questions of a long day come one after the other, and none of them is short. ';

/**
 * Milliseconds from a click or a key until the list, the end of the long thread, or the result of a search through
 * every thread is shown.
 *
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: number }} context
 */
export async function benchHistory({ figure, median, rounds }) {
  const stage = await Stage.set();
  try {
    const { panel } = stage;
    await panel.click('threads');
    await panel.see('thread-status');
    await panel.click('threads-close');
    await new Kept(stage.chromium).write(history());
    const [listed, opened, found] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      await panel.newChat();
      await stage.chromium.killWorker();
      await panel.page.reload();
      await panel.ready();
      listed.push(await timed(panel.page, 'thread-list', /The long one/, () => panel.click('threads')));
      found.push(await timed(panel.page, 'thread-status', /^1 /, () => type(panel, 'needle')));
      await timed(panel.page, 'thread-status', /^$/, () => type(panel, ''));
      opened.push(await timed(panel.page, 'transcript', new RegExp(`Question ${TURNS - 1}\\b`), () => panel.click('thread-row', '[data-thread="long"]')));
    }
    figure('list of 500 threads', 'ms', { median: median(listed), worst: Math.max(...listed) });
    figure('search over 500 threads, to its end', 'ms', { median: median(found), worst: Math.max(...found) });
    figure('opening a thread of 10,000 items', 'ms', { median: median(opened), worst: Math.max(...opened) });
  } finally {
    await stage.strike();
  }
}

/** Threads of ten turns each, the oldest with the needle, and the long thread, which is the newest. */
function history() {
  const others = Array.from({ length: THREADS - 1 }, (_, number) =>
    thread(`t${number}`, {
      title: `Chat number ${number}`,
      turns: 10,
      said: (turn) => `Question ${turn} of ${number}`,
      answered: (turn) => `${WORDS.repeat(8)}${number === 0 && turn === 5 ? 'Here is the needle.' : ''}`,
      updated: 1_700_000_000_000 + number * 60_000,
    }),
  );
  const long = thread('long', {
    title: 'The long one',
    turns: TURNS,
    said: (turn) => `Question ${turn}`,
    answered: () => WORDS.repeat(3),
    updated: 1_760_000_000_000,
  });
  return [...others, long];
}

/** Set the text of the search at once. */
async function type(panel, text) {
  const input = await panel.see('thread-search');
  await input.evaluate((node, value) => {
    node.value = value;
    node.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);
}

/** Milliseconds, by the panel's clock, from its next click or input event until an element's text matches. */
async function timed(page, id, wanted, act) {
  await page.evaluate(
    (selector, source) => {
      const pattern = new RegExp(source);
      window.took = new Promise((resolve) => {
        let started;
        const begin = () => (started ??= performance.now());
        for (const type of ['click', 'input']) addEventListener(type, begin, { capture: true, once: true });
        const look = () => {
          const text = document.querySelector(selector)?.innerText ?? '';
          if (started !== undefined && pattern.test(text)) resolve(performance.now() - started);
          else requestAnimationFrame(look);
        };
        look();
      });
    },
    testId(id),
    wanted.source,
  );
  await act();
  return page.evaluate(() => window.took);
}
