/** Everything an end-to-end test needs, set up once for a file: browser, panel, sites and the scripted model. */

import { describe } from 'node:test';

import { launch } from './browser.mjs';
import { SCRIPTED_KEY, startModel } from './model.mjs';
import { Panel } from './panel.mjs';
import { FLIGHTS, PAGES } from './paths.mjs';
import { serve } from './site.mjs';
import { until } from './wait.mjs';

/**
 * Declare the same tests with native WebMCP on and off.
 *
 * @param {string} title
 * @param {(native: boolean) => void} define
 */
export function forBothModes(title, define) {
  for (const native of [true, false]) {
    describe(`${title}, native WebMCP ${native ? 'on' : 'off'}`, () => define(native));
  }
}

/** A browser with an open side panel that talks to the scripted model. */
export class Stage {
  /** @type {import('puppeteer-core').Page[]} */
  #tabs = [];
  #scenario = '';

  /**
   * @param {import('./browser.mjs').LaunchOptions} [options]
   * @returns {Promise<Stage>}
   */
  static async set(options) {
    const stage = new Stage();
    const parts = await Promise.allSettled([
      serve(PAGES).then((site) => (stage.site = site)),
      serve(FLIGHTS).then((site) => (stage.flights = site)),
      startModel().then((model) => (stage.model = model)),
      launch(options).then((chromium) => (stage.chromium = chromium)),
    ]);
    try {
      const missing = parts.find(({ status }) => status === 'rejected');
      if (missing) throw missing.reason;
      const [first] = await stage.chromium.browser.pages();
      await first.goto(stage.site.url('empty.html'));
      stage.#tabs.push(first);
      stage.panel = await Panel.beside(stage.chromium, first);
      return stage;
    } catch (error) {
      await stage.strike();
      throw error;
    }
  }

  /** Stop everything. */
  async strike() {
    await Promise.all([this.chromium, this.model, this.site, this.flights].map((part) => part?.close()));
  }

  /**
   * Enter the scripted model in Settings.
   *
   * @param {string} scenario
   * @param {{ key?: string }} [options]
   */
  async use(scenario, { key = SCRIPTED_KEY } = {}) {
    await this.panel.fill('provider', 'custom');
    await this.panel.fill('base-url', this.model.url);
    await this.panel.fill('model', scenario);
    if (key) {
      await this.panel.fillKey(key);
      // The test of the key is not what a test counts.
      await this.model.reset();
    }
    this.#scenario = scenario;
    await this.panel.view('chat');
  }

  /**
   * Begin a test: a new tab that replaces those of earlier tests, an empty conversation and a reset model.
   *
   * @param {string} url
   * @param {{ scenario?: string, tools?: number }} [options] `tools`: the number that the header must show first
   * @returns {Promise<import('puppeteer-core').Page>}
   */
  async begin(url, { scenario, tools } = {}) {
    const page = await this.tab(url);
    for (const old of this.#tabs.filter((tab) => tab !== page)) await old.close().catch(() => {});
    this.#tabs = [page];
    await this.converse(scenario);
    if (tools !== undefined) await this.panel.knows(tools);
    return page;
  }

  /**
   * Begin an empty conversation with a reset model, about the tab in front.
   *
   * @param {string} [scenario]
   * @returns {Promise<Panel>}
   */
  async converse(scenario = 'call-tool') {
    await this.model.reset();
    if (this.#scenario !== scenario) await this.use(scenario);
    await this.panel.newChat();
    return this.panel;
  }

  /**
   * Open another tab in front.
   *
   * @param {string} url
   */
  async tab(url) {
    const page = await this.chromium.open(url);
    await page.bringToFront();
    this.#tabs.push(page);
    return page;
  }

  /**
   * Wait until a value read from a page is as wanted.
   *
   * @template T
   * @param {import('puppeteer-core').Page} page
   * @param {() => T} read runs in the page
   * @param {(value: T) => boolean} wanted
   * @param {string} what
   */
  async pageShows(page, read, wanted, what) {
    return until(async () => wanted(await page.evaluate(read)), { what });
  }
}
