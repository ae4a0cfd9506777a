/** The phases of a turn in which the worker is killed, and how a turn is brought there. */

import { lastLog } from '../lib/saved.mjs';
import { pause, until, within } from '../lib/wait.mjs';

/** The phase in which a worker died. */
export const PHASES = {
  before: 'before the call',
  during: 'during it',
  unlogged: 'after it, before its result is logged',
  after: 'after it, before the model said anything',
  streaming: 'while streaming',
  approval: 'while an approval waits',
  idle: 'idle death',
};

/** What else can be reloaded during a turn. */
export const RELOADS = { panel: 'panel reload', tab: 'tab reload' };

/** How long the page's thread is blocked, so that the worker can be killed before a call arrives, in milliseconds. */
const DEAF = 2_000;

/** The latest time of a random kill after the user's message, in milliseconds. */
const RANDOM_SPAN = 2_500;

/**
 * @typedef {object} Scene
 * @property {import('../lib/stage.mjs').Stage} stage
 * @property {import('puppeteer-core').Page} page
 * @property {import('./witness.mjs').Witness} witness
 * @property {import('./random.mjs').Random} random
 * @property {() => Promise<void>} speak sends the user's message, which begins the turn
 * @property {() => Promise<void>} kill kills the worker
 */

/**
 * A strike: brings the turn to a phase, kills or reloads there, and releases what it held.
 *
 * @typedef {object} Strike
 * @property {string} name
 * @property {string} [phase] the phase, where the log does not tell it: the turn may go on until the worker is gone
 * @property {boolean} [asks] whether to use confirm mode
 * @property {boolean} [acts] whether it needs a turn that acts
 * @property {(scene: Scene) => Promise<void>} run
 */

/** @type {Strike[]} */
export const STRIKES = [
  {
    name: 'before',
    async run({ stage, page, speak, kill }) {
      await stage.model.fault({ delivery: { hold_after_event: 2 } });
      await speak();
      await stage.model.wait(1, 'held');
      // The call cannot arrive: the page's thread, on which its relay runs too, is busy.
      await page.evaluate((time) => {
        setTimeout(() => {
          const end = performance.now() + time;
          while (performance.now() < end);
        }, 0);
      }, DEAF);
      await stage.model.release();
      await until(async () => (await lastLog(stage.panel.page)).at(-1).event === 'toolStarted', {
        what: 'the call to be on its way',
        every: 5,
      });
      await kill();
    },
  },
  {
    name: 'during',
    async run({ witness, speak, kill }) {
      const held = witness.hold('begins');
      await speak();
      await within(held.reached, { what: 'a tool to begin' });
      await kill();
      held.release();
    },
  },
  {
    name: 'unlogged',
    async run({ witness, speak, kill }) {
      const held = witness.hold('ends');
      await speak();
      await within(held.reached, { what: 'a tool to have done its work' });
      await kill();
      held.release();
    },
  },
  {
    name: 'after',
    async run({ stage, witness, speak, kill }) {
      const held = witness.hold('begins');
      await speak();
      await within(held.reached, { what: 'a tool to begin' });
      await stage.model.fault({ delivery: { hold_after_event: 0 } });
      held.release();
      await stage.model.wait(2, 'held');
      await kill();
      await stage.model.release();
    },
  },
  {
    name: 'streaming',
    async run({ stage, random, speak, kill }) {
      await stage.model.fault({ delivery: { hold_after_event: 3 + random.below(12) } });
      await speak();
      await stage.model.wait(1, 'held');
      await kill();
      await stage.model.release();
    },
  },
  {
    name: 'approval',
    phase: PHASES.approval,
    asks: true,
    acts: true,
    async run({ stage, speak, kill }) {
      await speak();
      await stage.panel.see('approval');
      await kill();
    },
  },
  {
    name: 'idle',
    phase: PHASES.idle,
    async run({ stage, speak, kill }) {
      await stage.panel.ask('Hello');
      await kill();
      await speak();
    },
  },
  {
    name: 'random',
    async run({ random, speak, kill }) {
      await speak();
      await pause(random.below(RANDOM_SPAN));
      await kill();
    },
  },
  {
    name: 'panel',
    phase: RELOADS.panel,
    async run({ stage, random, speak }) {
      await speak();
      await pause(random.below(RANDOM_SPAN));
      await stage.panel.page.reload();
      await stage.panel.ready();
    },
  },
  {
    name: 'tab',
    phase: RELOADS.tab,
    acts: true,
    async run({ page, random, speak }) {
      await speak();
      await pause(random.below(RANDOM_SPAN));
      await page.reload();
    },
  },
];

/**
 * The phase in which a worker died, by the log of its turn and by the page's state at that moment.
 *
 * @param {{ event: string }[]} log
 * @param {{ runs: number, isRunning: boolean }} seen
 */
export function phaseOf(log, seen) {
  const revived = log.findIndex(({ event }) => event === 'turnRevived');
  if (revived < 0) return PHASES.idle;
  const started = log.slice(0, revived).filter(({ event }) => event === 'toolStarted').length;
  switch (log[revived - 1].event) {
    case 'modelAsked':
      return log[revived - 2]?.event === 'toolFinished' && !log[revived].text && !log[revived].reasoning ? PHASES.after : PHASES.streaming;
    case 'toolFinished':
      return PHASES.after;
    case 'toolStarted':
      if (seen.runs < started) return PHASES.before;
      return seen.isRunning ? PHASES.during : PHASES.unlogged;
    case 'modelAnswered':
    case 'approvalGiven':
      return PHASES.before;
    default:
      return PHASES.streaming;
  }
}
