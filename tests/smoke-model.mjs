/**
 * The side panel with a small real model without tool calling, on this machine and over real HTTP. Ten times it is
 * asked for something that one tool of a page does. A run counts as done when the page shows the result and the turn
 * ended by itself; a call that asks, because it repeats another, is declined.
 */

import { parseArgs } from 'node:util';

import { launch } from './lib/browser.mjs';
import { Panel } from './lib/panel.mjs';
import { PAGES } from './lib/paths.mjs';
import { serve } from './lib/site.mjs';
import { startSmallModel } from './smoke/model.mjs';

const USAGE = `Usage: cargo xtask smoke-model [options]

  --runs N    how often (default: 10)
  --verbose   print each conversation
`;

/** The timeout of a run, in milliseconds, for a busy machine. */
const RUN_TIME = 3 * 60_000;

const ITEMS = ['milk', 'bread', 'apples', 'rice', 'soap', 'coffee', 'eggs', 'tomatoes', 'candles', 'orange juice'];

const options = readOptions();
const closers = [];
try {
  await run();
} catch (error) {
  console.error(`The smoke test could not be run: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const close of closers.reverse()) await close().catch(() => {});
}

async function run() {
  const model = await startSmallModel();
  closers.push(() => model.close());
  console.log(`The model is ${model.name}, at ${model.url}.`);
  const site = await serve(PAGES);
  closers.push(() => site.close());
  const chromium = await launch();
  closers.push(() => chromium.close());
  const page = await chromium.open(site.url('shopping.html'));
  const panel = await Panel.beside(chromium, page);
  await panel.set('provider', 'llama-server');
  await panel.set('base-url', model.url);
  await panel.set('model', model.name);

  const outcomes = [];
  for (let number = 1; number <= options.runs; number += 1) {
    const outcome = await attempt(panel, page, ITEMS[(number - 1) % ITEMS.length]);
    outcomes.push(outcome);
    console.log(`${outcome.why ? '✗' : '✓'} ${number}. ${outcome.prompt} ${outcome.why ?? 'Done.'}${outcome.declined ? ` ${outcome.declined} calls asked and were declined.` : ''} (${outcome.seconds.toFixed(1)} s)`);
    if (options.verbose) console.log(outcome.turn.map((entry) => `    ${JSON.stringify(entry)}`).join('\n'));
  }
  const done = outcomes.filter(({ why }) => !why).length;
  console.log(`${done} of ${outcomes.length} runs succeeded.`);
}

/** Run one conversation. `why` says why the page does not show what was asked for; undefined where it does. */
async function attempt(panel, page, item) {
  const prompt = `Add ${item} to the shopping list.`;
  await page.reload();
  await panel.newChat();
  await panel.knows(1);
  const started = performance.now();
  await panel.say(prompt);
  const rest = await inTime(panel);
  const seconds = (performance.now() - started) / 1000;
  const turn = await panel.turn();
  const list = await page.$$eval('#list li', (items) => items.map(({ textContent }) => textContent));
  const isDone = rest.why === 'done' && list.length === 1 && list[0].trim().toLowerCase() === item;
  return { prompt, seconds, turn, declined: rest.declined, why: isDone ? undefined : reason(list, turn, rest) };
}

/** Wait for the turn end, declining what asks, as a user would whose list is right. Press Stop after the timeout. */
async function inTime(panel) {
  let isOver = false;
  const rest = panel
    .rest({ timeout: RUN_TIME })
    .catch(async () => {
      await panel.click('stop');
      return panel.rest();
    })
    .finally(() => (isOver = true));
  let declined = 0;
  while (!isOver) {
    const card = panel.see('approval').catch(() => null);
    if ((await Promise.race([rest, card])) === null || isOver) continue;
    await panel.decide('decline').then(() => (declined += 1), () => {});
    await panel.gone('approval').catch(() => {});
  }
  return { ...(await rest), declined };
}

/** What went wrong, in a few words. */
function reason(list, turn, rest) {
  if (list.length > 0) return `It ended with ${rest.why}, and the list holds ${list.map((item) => JSON.stringify(item)).join(', ')}.`;
  const calls = turn.filter(({ kind }) => kind === 'tool');
  if (calls.length > 0) return `It called ${calls.map(({ name, state, digest }) => `${name} ${digest ?? ''} (${state})`).join(', ')}.`;
  if (rest.error) return `It ended with ${rest.error}: ${rest.text}`;
  const said = turn.filter(({ kind }) => kind === 'assistant').map(({ answer }) => answer ?? '');
  return `It called nothing and said ${JSON.stringify(said.join(' ').slice(0, 120))}.`;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: { runs: { type: 'string', default: '10' }, verbose: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    if (values.help) quit(0, USAGE);
    const runs = Number(values.runs);
    if (!Number.isInteger(runs) || runs < 1) quit(2, `--runs is no number of runs: ${values.runs}\n\n${USAGE}`);
    return { runs, verbose: values.verbose };
  } catch (error) {
    quit(2, `${error.message}\n\n${USAGE}`);
  }
}

function quit(code, text) {
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(code);
}
