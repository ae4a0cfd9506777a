/** The memory of worker and panel while a thread grows. */

import { keepingMemories, memoryOf } from '../lib/memory.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';

/** How long a turn may take, in milliseconds. */
const TURN_TIME = 30_000;

/**
 * The JavaScript heap and the WebAssembly memory after given numbers of turns, each with a call and two answers of the
 * scripted model, as fast as they go.
 *
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, marks: number[] }} context
 */
export async function benchMemory({ figure, marks }) {
  const extension = await keepingMemories();
  /** @type {Stage} */
  let stage;
  try {
    stage = await Stage.set({ extension: extension.folder });
    const { panel, chromium } = stage;
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    const values = { worker: {}, panel: {} };
    const session = await panel.page.createCDPSession();
    for (let turn = 1; turn <= Math.max(...marks); turn += 1) {
      await takeTurn(panel.page, `call echoText {"text":"This is what is said in turn ${turn}."}`);
      if (!marks.includes(turn)) continue;
      const { client: worker } = await (await chromium.workerTarget()).worker();
      for (const [name, client] of Object.entries({ worker, panel: session })) {
        const { heap, wasm } = await memoryOf(client);
        values[name][`JavaScript at ${turn} turns`] = heap / 2 ** 20;
        values[name][`WebAssembly at ${turn} turns`] = wasm / 2 ** 20;
      }
    }
    for (const [name, ofIt] of Object.entries(values)) figure(`memory of the ${name}`, 'MiB', ofIt);
  } finally {
    await stage?.strike();
    await extension.remove();
  }
}

/** Send a message without typing, and wait inside the panel until the agent rests. */
async function takeTurn(page, text) {
  await page.evaluate(
    (composer, words) => {
      const input = document.querySelector(composer);
      input.value = words;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    },
    testId('composer-input'),
    text,
  );
  // The panel may show the turn end slightly before its Send button is enabled.
  await page.waitForFunction(
    (send, stop) => {
      const button = document.querySelector(send);
      const isReady = button && !button.disabled && !document.querySelector(stop);
      if (isReady) button.click();
      return isReady;
    },
    { polling: 'raf', timeout: TURN_TIME },
    testId('send'),
    testId('stop'),
  );
  await page.waitForFunction(
    (user, rest, words) => {
      const last = [...document.querySelectorAll(user)].at(-1);
      const end = [...document.querySelectorAll(rest)].at(-1);
      const isAfter = last && end && last.compareDocumentPosition(end) & Node.DOCUMENT_POSITION_FOLLOWING;
      return Boolean(isAfter) && last.textContent.includes(words);
    },
    { polling: 'mutation', timeout: TURN_TIME },
    testId('item-user'),
    testId('item-rest'),
    text,
  );
}
