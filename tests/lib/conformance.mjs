/** The conformance suite: its cases, the browsers in which they run, and their results. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';

import { Agent } from './agent.mjs';
import { TESTS } from './paths.mjs';
import { Stage } from './stage.mjs';

/** Helpers for observations and cases inside a page, as `window.kit`. */
export const KIT = await readFile(path.join(TESTS, 'fixtures', 'webmcp', 'kit.js'), 'utf8');

/** @typedef {'N' | 'P'} Mode native WebMCP is on, or off with the bridge as polyfill */

const MODES = { N: 'native WebMCP on', P: 'native WebMCP off' };

/**
 * The cases by section and number: the modes in which each has to hold, and its text. `docs/webmcp-conformance.md` has
 * the same table.
 *
 * @type {Record<string, Record<number, [string, string]>>}
 */
export const CASES = {
  'Registration and listing': {
    1: ['NP', 'a tool registered in the head is listed with its whole definition, its origin and its frame'],
    2: ['NP', 'a tool registered long after the load is listed within half a second, and removed as fast when aborted'],
    3: ['NP', 'registerTool resolves with undefined, after toolchange; each change fires it once'],
    4: ['NP', 'a taken name is refused with InvalidStateError, and the first tool stays callable'],
    5: ['NP', 'invalid names are refused with InvalidStateError, unusual valid ones are accepted'],
    6: ['NP', 'an empty description is refused with InvalidStateError, a missing member with TypeError; nothing is thrown'],
    7: ['NP', 'a schema that is not an object or cannot be serialized is refused with TypeError or with the error it threw'],
    8: ['NP', 'an aborted signal refuses with its own reason, and the name is free at once'],
    9: ['NP', 'the definition is copied when it is registered: later changes to it have no effect'],
    10: ['NP', 'getTools sorts by code unit and returns new objects with the specified members'],
    11: ['NP', 'two hundred tools are registered and listed within a second'],
    12: ['NP', 'insecure and malformed origins in exposedTo and fromOrigins are refused with SecurityError'],
    13: ['NP', 'a failed registration that nobody awaits is one unhandled rejection, an abort after it settled is none'],
  },
  'Execution': {
    14: ['NP', 'nested values, all of Unicode and a megabyte reach the tool and come back unchanged'],
    15: ['NP', 'a tool is given its input and { signal }, one of navigator.modelContext also requestUserInteraction'],
    16: ['NP', 'a tool without parameters is called with {}'],
    17: ['NP', 'every kind of result has the same text as in native WebMCP'],
    18: ['NP', 'a result that has no JSON text is a failure, and the page survives'],
    19: ['NP', 'a Symbol as result is a failure, and the page survives'],
    20: ['NP', 'whatever a tool throws or rejects with, the agent gets the page’s own error message'],
    21: ['NP', 'promises and thenables are awaited, parallel calls are answered separately, tools can call tools'],
    22: ['NP', 'Stop in the panel ends the call at once, the tool’s signal aborts, toolcancel fires, and a late result is ignored'],
    23: ['NP', 'a call that exceeds the time limit ends in the same way'],
    24: ['NP', 'a tool that is unregistered while it runs still gives its result'],
    25: ['NP', 'a call of a removed tool fails as such; under a name registered again the new tool runs'],
    26: ['NP', 'arguments that violate the schema never reach the page, and the model is told what is wrong'],
    27: ['NP', 'toolactivated fires once a call, on document.modelContext and nowhere else'],
    28: ['NP', 'scripts of the page can list and call the tools themselves'],
    29: ['NP', 'results in the shape of MCP are shown as their text, or as a failure'],
  },
  'Documents and frames': {
    30: ['NP', 'a call that leaves the page ends as navigated, and the tools of the new page are listed'],
    31: ['NP', 'pushState and hash keep the tools, a reload lists them once'],
    32: ['NP', 'tools of frames of the same origin are listed with their frame and callable, equal names are distinguished'],
    33: ['NP', 'a frame removed during a call ends the call within a second, and its tools are gone'],
    34: ['NP', 'a frame of another origin is listed only under native WebMCP with the page’s allow="tools"'],
    35: ['NP', 'srcdoc and about:blank children of a page have tools; documents that cannot have any show none, without errors'],
    36: ['NP', 'nothing is added to an insecure page'],
    37: ['NP', 'a page that refuses WebMCP by its headers has no tools: every call is refused'],
    38: ['NP', 'documents without a frame refuse every call, and the bridge does not touch native ones'],
    39: ['NP', 'back and forward list the tools of the visible page'],
    40: ['NP', 'of two tabs with the same tool the right one runs it, and a closed tab ends its call'],
    57: ['NP', 'a file: page has tools like any other'],
    58: ['NP', 'a page and its frames of the same origin see and call each other’s tools, and the agent lists each once'],
  },
  'Compatibility': {
    41: ['P', 'the polyfill’s objects and properties are like the browser’s'],
    42: ['NP', 'tools of a page that uses only navigator.modelContext are listed and called'],
    43: ['NP', 'provideContext, clearContext and unregisterTool work as they used to, and document.modelContext lacks them'],
    44: ['NP', 'tools of pages with third-party polyfills and libraries are listed, called and unregistered, without errors'],
    45: ['NP', 'tools of a page that replaces document.modelContext by a wrapper are listed and called'],
    46: ['N', 'a page that patches ModelContext.prototype neither hides nor alters what the agent sees'],
    47: ['N', 'a page with an origin-trial header uses native WebMCP'],
    48: ['N', 'a page with its origin-trial token in the document keeps all tools, also those registered before the token'],
    49: ['N', 'a page with native WebMCP behaves as without the extension'],
    50: ['P', 'the polyfill behaves like native WebMCP, also in frames of the same origin'],
    51: ['NP', 'a page cannot read the bridge’s channel, forge an origin or break the bridge by patching built-ins'],
    52: ['NP', 'hostile metadata is cut, and the side panel stays responsive'],
  },
  'Declarative': {
    53: ['N', 'a form is a tool with a schema; a call fills in, validates and submits it and returns its response'],
    54: ['N', 'a form without toolautosubmit waits for the user, who is told; submitting, resetting and Stop end the wait'],
    55: ['N', 'a form that navigates returns the new page’s content (JSON-LD, or title, address and text), and its tools are listed'],
    56: ['P', 'forms are tools also without native WebMCP, and follow their attributes'],
  },
};

/** A page as HTML text. */
export const html = (head, body = '') => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page of the conformance suite</title><link rel="icon" href="data:,">
${head}</head><body>${body}</body></html>`;

/** The number of parts of each case that were declared, begun and passed, by `number mode`. */
const account = { declared: new Map(), begun: new Map(), passed: new Map() };
const count = (map, pair) => map.set(pair, (map.get(pair) ?? 0) + 1);

/**
 * @typedef {object} Place the argument of a case
 * @property {boolean} native
 * @property {Stage} stage
 * @property {import('./browser.mjs').Chromium} chromium
 * @property {import('./site.mjs').Site} site
 * @property {Agent} agent
 * @property {(url?: string) => Promise<import('puppeteer-core').Page>} open opens a tab in front with `kit` in it, an
 *   empty page by default, and waits until the agent knows it. The tab closes with the case
 * @property {string[]} problems uncaught errors of these pages so far: a case fails if any are left at its end
 */

/** A browser with the extension and an open panel, started on first use and again after a crash. */
export class Ground {
  #options;
  /** @type {Stage | undefined} */
  #stage;
  /** @type {Agent | undefined} */
  #agent;

  /** @param {import('./browser.mjs').LaunchOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /**
   * Run `work` in it. Fails if its pages raise an uncaught error that `work` does not remove from `problems`.
   *
   * @param {(place: Place) => Promise<unknown>} work
   */
  async run(work) {
    if (this.#stage?.chromium.browser.connected === false) await this.leave();
    this.#stage ??= await Stage.set(this.#options);
    this.#agent ??= await Agent.of(this.#stage);
    const { chromium, site } = this.#stage;
    const agent = this.#agent;
    const problems = [];
    const pages = [];
    const open = async (url = site.url('empty.html?case')) => {
      const page = await chromium.open();
      pages.push(page);
      page.on('pageerror', (error) => problems.push(String(error?.message ?? error)));
      await page.evaluateOnNewDocument(KIT);
      await page.goto(url);
      await page.bringToFront();
      await agent.knows(page);
      return page;
    };
    try {
      await work({ native: this.#options.native ?? false, stage: this.#stage, chromium, site, agent, open, problems });
      assert.deepEqual(problems, [], 'uncaught errors in the page');
    } finally {
      for (const page of pages) await page.close().catch(() => {});
    }
  }

  /** Close the browser. */
  async leave() {
    const stage = this.#stage;
    this.#stage = undefined;
    this.#agent = undefined;
    await stage?.strike();
  }
}

/** The browser of each mode, shared by all sections. */
const GROUNDS = { N: new Ground({ native: true }), P: new Ground({ native: false }) };

after(() => Promise.all(Object.values(GROUNDS).map((ground) => ground.leave())));

/**
 * Declare the tests of a section, each case in every mode that it requires.
 *
 * @param {keyof typeof CASES} title
 * @param {(suite: { mode: Mode, native: boolean, proves: (number: number, work: (place: Place) => Promise<unknown>, part?: string) => void }) => void} define
 *   declares the tests of one mode; a case may have several parts, each with a name
 */
export function section(title, define) {
  for (const mode of Object.keys(MODES)) {
    const native = mode === 'N';
    const ground = GROUNDS[mode];
    describe(`${title}, ${MODES[mode]}`, () => {
      const proves = (number, work, part) => {
        const [modes, says] = CASES[title][number];
        if (!modes.includes(mode)) return;
        const pair = `${number} ${mode}`;
        count(account.declared, pair);
        const suffix = part === undefined ? '' : ` (${part})`;
        test(`${pair}: ${says}${suffix}`, async () => {
          count(account.begun, pair);
          await ground.run(work);
          count(account.passed, pair);
        });
      };
      define({ mode, native, proves });
    });
  }
}

/** Every required pair of case and mode. */
const demanded = Object.values(CASES).flatMap((cases) =>
  Object.entries(cases).flatMap(([number, [modes]]) => [...modes].map((mode) => `${number} ${mode}`)),
);

/** Required pairs that were not begun, or not in all their parts. */
export function missing() {
  return demanded.filter((pair) => !account.begun.has(pair) || account.begun.get(pair) !== account.declared.get(pair));
}

/** Whether a pair passed in all its parts. */
const holds = (pair) => account.passed.has(pair) && account.passed.get(pair) === account.declared.get(pair);

/** The number of passed and failed pairs, one line for each mode. */
export function score() {
  return Object.entries(MODES).map(([mode, name]) => {
    const pairs = demanded.filter((pair) => pair.endsWith(` ${mode}`));
    const passed = pairs.filter(holds).length;
    return `${name}: ${passed} passed, ${pairs.length - passed} failed`;
  });
}

/** The cases as Markdown tables, with the results of this run. */
export function tables() {
  const cell = (number, modes, mode) => (!modes.includes(mode) ? '' : holds(`${number} ${mode}`) ? '✓' : '✗');
  return Object.entries(CASES)
    .map(([title, cases]) => {
      const row = ([number, [modes, says]]) => `| ${number} | ${cell(number, modes, 'N')} | ${cell(number, modes, 'P')} | ${says} |`;
      return `## ${title}\n\n| case | N | P | what |\n| --- | --- | --- | --- |\n${Object.entries(cases).map(row).join('\n')}\n`;
    })
    .join('\n');
}
