/**
 * Kills the worker in every phase of a turn, or reloads panel or tab, as often as wanted. The checks do not rely on
 * what the extension reports: the page counts how often each tool ran, and everything that was once in the log or in
 * the panel must still be there afterwards.
 *
 * With `--frames` it instead leaves pages with frames under native WebMCP, and counts how often the browser crashes.
 *
 * With `--minutes`, an answer with pauses of a minute is streamed meanwhile in another browser.
 */

import { parseArgs } from 'node:util';

import { leaveFrames } from './chaos/frames.mjs';
import { Random } from './chaos/random.mjs';
import { PHASES, phaseOf, RELOADS, STRIKES } from './chaos/strikes.mjs';
import { serveWatched, Witness } from './chaos/witness.mjs';
import { lastLog, readLogs } from './lib/saved.mjs';
import { Stage } from './lib/stage.mjs';
import { until } from './lib/wait.mjs';

const USAGE = `Usage: cargo xtask chaos [options]

  --kills N     how often something is killed or reloaded (default: 40)
  --seed S      a number that decides the order, the moments and the turns (default: a new one)
  --only NAME   one strike alone: ${STRIKES.map(({ name }) => name).join(', ')}
  --minutes M   how long an answer streams meanwhile, with pauses of a minute (default: 0, none)
  --native      switch the browser's own WebMCP on
  --verbose     print each turn or round
  --frames      in place of all this: leave pages with frames, native WebMCP on
  --rounds N    how many of them (default: 40)

With --frames it exits 0 when the browser lived through every round. Else it exits 0 when nothing was lost or done twice, every turn ended, turns that only read completed, and every phase was met.
`;

/** How long a turn may take after the strike, in milliseconds. */
const TURN_TIME = 60_000;

/** Pause between two pieces of the long answer, in milliseconds. */
const LONG_PAUSE = 60_000;

const TURNS = {
  flights: { model: 'scripted-flights', prompt: 'Find direct flights from Beijing to Shanghai tomorrow, under 2000.', acts: true },
  reading: { model: 'call-tool', prompt: 'call listFlights {"sortBy":"price"}\nthen\ncall listFlights {"sortBy":"duration"}', acts: false },
};

const ROWS = [...Object.values(PHASES), ...Object.values(RELOADS)];

const options = readOptions();
const random = new Random(options.seed);
const tally = new Map(ROWS.map((phase) => [phase, { kills: 0, completed: 0, honest: 0, hung: 0, doubled: 0, lost: 0 }]));
const failures = [];

if (options.frames) process.exit(await leavePages());

console.log(`seed ${options.seed}, ${options.kills} kills${options.native ? ', native WebMCP' : ''}`);
const ends = await Promise.allSettled([strikeAll(), options.minutes > 0 && streamFor(options.minutes)]);
for (const { reason } of ends) if (reason) failures.push(`the run broke off: ${reason.stack}`);
report();
process.exitCode = failures.length > 0 ? 1 : 0;

/** @returns {Promise<number>} the exit code */
async function leavePages() {
  console.log(`seed ${options.seed}, ${options.rounds} rounds, native WebMCP`);
  const { kinds, failures: broken } = await leaveFrames(options);
  const wide = Math.max(...[...kinds.keys()].map((name) => name.length));
  console.log(`\n${'round'.padEnd(wide)}  rounds  deaths  stuck`);
  for (const [name, { rounds, deaths, stuck }] of kinds) {
    console.log(`${name.padEnd(wide)}  ${String(rounds).padStart(6)}  ${String(deaths).padStart(6)}  ${String(stuck).padStart(5)}`);
  }
  const deaths = [...kinds.values()].reduce((sum, kind) => sum + kind.deaths, 0);
  console.log(broken.length > 0 ? `\n✗ ${deaths} deaths, ${broken.length - deaths} rounds that failed otherwise` : '\n✓ the browser lived');
  console.log(JSON.stringify({ seed: options.seed, rounds: options.rounds, kinds: Object.fromEntries(kinds) }));
  return broken.length > 0 ? 1 : 0;
}

async function strikeAll() {
  const stage = await Stage.set({ native: options.native });
  try {
    const address = await serveWatched(stage.flights);
    const page = await stage.tab('about:blank');
    const witness = await Witness.of(page);
    /** Every log entry ever read, by thread and position. @type {Map<string, string>} */
    const kept = new Map();
    for (const [number, { strike, turn }] of plan().entries()) {
      const outcome = await endure({ stage, page, witness, address, kept, strike, turn });
      count(number + 1, strike, outcome);
    }
  } finally {
    await stage.strike();
  }
}

/** The strikes in random order, each with its turn: every strike comes once before one is repeated. */
function plan() {
  const strikes = options.only ? STRIKES.filter(({ name }) => name === options.only) : STRIKES;
  const planned = [];
  while (planned.length < options.kills) planned.push(...random.shuffled(strikes));
  return planned.slice(0, options.kills).map((strike) => {
    const acts = strike.acts || random.next() < 0.6;
    return { strike, turn: acts ? TURNS.flights : TURNS.reading };
  });
}

/** Run one turn with one strike. Returns the outcome. */
async function endure({ stage, page, witness, address, kept, strike, turn }) {
  await page.bringToFront();
  await page.goto(address);
  await page.waitForSelector('body[data-tools="ready"]');
  await stage.panel.set('mode', strike.asks ? 'confirm' : 'automatic');
  await stage.converse(turn.model);
  await stage.panel.knows(4);
  if (!turn.acts) await search(page);
  witness.forget();

  let seen;
  let shown = [];
  const look = async () => {
    shown = await stage.panel.transcript();
    for (const { thread, position, text } of await readLogs(stage.panel.page)) kept.set(`${thread} ${position}`, text);
    seen = { runs: witness.runs, isRunning: witness.isRunning };
  };
  const scene = {
    stage,
    page,
    witness,
    random,
    speak: () => speak(stage.panel, turn.prompt),
    async kill() {
      await look();
      await stage.chromium.killWorker();
    },
  };
  await strike.run(scene);
  const ended = await finish(stage.panel);
  const log = await lastLog(stage.panel.page);
  const calls = (await stage.panel.turn()).filter(({ kind }) => kind === 'tool');
  return {
    phase: strike.phase ?? phaseOf(log, seen),
    why: ended?.why,
    calls,
    isReading: !turn.acts,
    doubled: doubled(witness, calls),
    lost: [...(await lostRows(stage.panel.page, kept)), ...lostItems(shown, await stage.panel.transcript())],
    runs: [...witness.begun].map(([tool, times]) => `${tool} ${times}`).join(', '),
    log: log.map(({ event }) => event).join(' '),
  };
}

/**
 * Send a message although the worker may just have died: one that was not delivered stays in the composer, or returns
 * to it, and is sent again.
 */
async function speak(panel, text) {
  const said = async () => (await panel.transcript()).filter(({ kind }) => kind === 'user').length;
  await panel.view('chat');
  const before = await said();
  await panel.type(text);
  await panel.page.keyboard.press('Enter');
  await until(
    async () => {
      if ((await said()) > before) return true;
      const isBack = (await panel.typed()) === text && !(await panel.shows('state-disconnected'));
      if (isBack) await panel.page.keyboard.press('Enter');
      return false;
    },
    { what: `the panel to show ${JSON.stringify(text)}`, every: 100 },
  );
}

/** Search on the page by hand, so that there is something to list. */
async function search(page) {
  await page.select('#origin', 'PEK');
  await page.select('#destination', 'SHA');
  await page.click('#search [type=submit]');
  await page.waitForSelector('[data-flight]');
}

/** Approve every call until the turn ends. Returns the turn end, or `undefined` when there is none in time. */
async function finish(panel) {
  try {
    return await until(
      async () => {
        const last = (await panel.transcript()).at(-1);
        if (last?.kind === 'rest') return last;
        await panel.page.evaluate(() => document.querySelector('[data-testid="approval"][data-ready="true"] [data-testid="approval-run"]')?.click());
        return undefined;
      },
      { what: 'the agent to rest', timeout: TURN_TIME, every: 50 },
    );
  } catch {
    return undefined;
  }
}

/** The number of runs beyond the calls that the conversation shows. Read-only tools may run again. */
function doubled(witness, calls) {
  let more = 0;
  for (const [tool, times] of witness.begun) {
    if (tool === 'listFlights') continue;
    more += Math.max(0, times - calls.filter(({ name }) => name === tool).length);
  }
  return more;
}

/** Log entries that are gone or changed. */
async function lostRows(panel, kept) {
  const rows = new Map((await readLogs(panel)).map(({ thread, position, text }) => [`${thread} ${position}`, text]));
  return [...kept].filter(([place, text]) => rows.get(place) !== text).map(([place]) => `entry ${place}`);
}

/** Items that were shown and are gone: the user's messages, calls, complete answers. */
function lostItems(before, after) {
  const lasts = ({ kind, state }) => kind === 'user' || kind === 'tool' || (kind === 'assistant' && state === 'done');
  const name = ({ kind, name: tool, digest, text, answer }) => `${kind} ${tool ? `${tool} ${digest}` : (answer ?? text)}`;
  const left = after.map(name);
  return before.filter(lasts).map(name).filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function count(number, strike, outcome) {
  const row = tally.get(outcome.phase);
  row.kills += 1;
  row.doubled += outcome.doubled;
  row.lost += outcome.lost.length;
  // A turn whose last call failed has ended, but did not complete its task.
  if (outcome.why === 'done' && outcome.calls.at(-1)?.state === 'ok') row.completed += 1;
  else if (outcome.why) row.honest += 1;
  else row.hung += 1;
  const where = `${number}. ${strike.name}, ${outcome.phase}, ${outcome.isReading ? 'reading' : 'flights'}`;
  const fail = (what) => failures.push(`${where}: ${what} [${outcome.log}]`);
  if (!outcome.why) fail('the turn did not end');
  if (outcome.doubled > 0) fail(`tools ran twice: ${outcome.runs}`);
  if (outcome.lost.length > 0) fail(`lost: ${outcome.lost.join('; ')}`);
  const isWhole = outcome.why === 'done' && outcome.calls.every(({ state }) => state === 'ok');
  if (outcome.isReading && outcome.phase !== RELOADS.tab && !isWhole) {
    fail(`a turn that only reads ended with ${outcome.why}: ${outcome.calls.map(({ state }) => state).join(', ')}`);
  }
  const calls = outcome.calls.map(({ name, state }) => `${name} ${state}`).join(', ');
  if (options.verbose) console.log(`${where}: ${outcome.why ?? 'NO END'} (${calls}; ran: ${outcome.runs || 'nothing'})\n    ${outcome.log}`);
}

function report() {
  const columns = ['kills', 'completed', 'honest', 'hung', 'doubled', 'lost'];
  const sums = Object.fromEntries(columns.map((column) => [column, [...tally.values()].reduce((sum, row) => sum + row[column], 0)]));
  const lines = [...tally, ['all', sums]].map(([phase, row]) => [phase, ...columns.map((column) => row[column])]);
  const wide = Math.max(...ROWS.map((phase) => phase.length));
  console.log(`\n${'phase'.padEnd(wide)}  kills  completed  ended honestly  never ended  doubled  lost`);
  for (const [phase, kills, completed, honest, hung, twice, lost] of lines) {
    const cells = [[kills, 5], [completed, 9], [honest, 14], [hung, 11], [twice, 7], [lost, 4]];
    console.log(`${phase.padEnd(wide)}  ${cells.map(([value, width]) => String(value).padStart(width)).join('  ')}`);
  }
  if (!options.only) {
    for (const [phase, { kills }] of tally) if (kills === 0) failures.push(`no kill ${phase}: take more of them`);
  }
  console.log(failures.length > 0 ? `\n${failures.map((failure) => `✗ ${failure}`).join('\n')}` : '\n✓ nothing lost, nothing twice');
  console.log(JSON.stringify({ seed: options.seed, native: options.native, phases: Object.fromEntries(tally) }));
}

/** Stream an answer for this many minutes, in a separate browser. */
async function streamFor(minutes) {
  const stage = await Stage.set();
  try {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'pauses' });
    const started = Date.now();
    // A pause before each word, and before each of the three events that end the answer.
    await stage.panel.say(`Say ${Math.max(1, minutes - 3)} words, ${LONG_PAUSE} ms apart`);
    const { why } = await stage.panel.rest({ timeout: (minutes + 5) * LONG_PAUSE });
    const took = (Date.now() - started) / LONG_PAUSE;
    const requests = (await stage.model.requests()).length;
    if (why !== 'done' || requests !== 1 || took < minutes) failures.push(`the long answer ended with ${why} after ${took.toFixed(1)} minutes and ${requests} requests`);
    console.log(`A stream of ${took.toFixed(1)} minutes with pauses of a minute: ${why}, ${requests} request(s).`);
  } finally {
    await stage.strike();
  }
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        kills: { type: 'string', default: '40' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        only: { type: 'string' },
        minutes: { type: 'string', default: '0' },
        native: { type: 'boolean', default: false },
        frames: { type: 'boolean', default: false },
        rounds: { type: 'string', default: '40' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) quit(0, USAGE);
    const whole = (name, least) => {
      const number = Number(values[name]);
      if (!Number.isInteger(number) || number < least) quit(2, `--${name} is no number: ${values[name]}\n\n${USAGE}`);
      return number;
    };
    if (values.only && !STRIKES.some(({ name }) => name === values.only)) quit(2, `There is no strike ${values.only}.\n\n${USAGE}`);
    return { ...values, kills: whole('kills', 1), rounds: whole('rounds', 1), seed: whole('seed', 0), minutes: whole('minutes', 0) };
  } catch (error) {
    quit(2, `${error.message}\n\n${USAGE}`);
  }
}

function quit(code, text) {
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(code);
}
