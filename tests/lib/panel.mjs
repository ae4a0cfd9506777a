/** The side panel as a person uses it. Everything is found by the `data-testid`s of docs/testing.md. */

import { once } from 'node:events';
import { createServer } from 'node:http';

import { PATIENCE, until } from './wait.mjs';

/**
 * @typedef {object} Entry one item of the transcript as shown
 * @property {'user' | 'assistant' | 'tool' | 'retry' | 'rest'} kind
 * @property {string} text everything visible in it
 * @property {string} [state] of an answer or a tool call
 * @property {string} [name] of a tool
 * @property {string} [why] of a rest
 * @property {string} [answer] the model's words
 * @property {boolean} [thought] whether there is reasoning to unfold
 * @property {string} [reasoning] when it is unfolded
 * @property {string} [digest] the one-line arguments of a tool call
 * @property {string} [duration] of a tool call
 * @property {string} [arguments] of an unfolded tool call
 * @property {string} [result] of an unfolded tool call
 * @property {string} [error] error code of a rest or retry
 */

/** @param {string} id */
export const testId = (id) => `[data-testid="${id}"]`;

/** An open side panel. */
export class Panel {
  /** @type {string[]} */
  #problems = [];

  /** @param {import('puppeteer-core').Page} page the panel, as `Chromium.openPanel` gives it */
  constructor(page) {
    this.page = page;
    page.on('pageerror', (error) => this.#problems.push(String(error?.stack ?? error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#problems.push(message.text());
    });
  }

  /**
   * Open the side panel beside a page and wait for its first screen.
   *
   * @param {import('./browser.mjs').Chromium} chromium
   * @param {import('puppeteer-core').Page} page
   */
  static async beside(chromium, page) {
    const panel = new Panel(await chromium.openPanel(page));
    await panel.ready();
    return panel;
  }

  /** Uncaught errors and `console.error`s of the panel so far. */
  get problems() {
    return [...this.#problems];
  }

  /** Wait until the first snapshot is shown. */
  async ready() {
    await this.page.waitForSelector('html[data-ready="true"]', { timeout: 10_000 });
  }

  /**
   * Wait until an element is visible.
   *
   * @param {string} id
   * @param {string} [more] a further CSS condition on the same element
   */
  async see(id, more = '') {
    return this.page.waitForSelector(testId(id) + more, { visible: true, timeout: 10_000 });
  }

  /**
   * Wait until no such element is visible.
   *
   * @param {string} id
   */
  async gone(id) {
    await this.page.waitForSelector(testId(id), { hidden: true, timeout: 10_000 });
  }

  /**
   * Whether an element is visible now.
   *
   * @param {string} id
   */
  async shows(id) {
    const element = await this.page.$(testId(id));
    return (await element?.isVisible()) ?? false;
  }

  /**
   * Wait until a condition holds in the panel. It is evaluated whenever the panel's elements or attributes change.
   *
   * @param {(...args: any[]) => boolean} question runs in the panel
   * @param {unknown[]} args
   * @param {{ what: string, timeout?: number }} options
   */
  async happens(question, args, { what, timeout = PATIENCE }) {
    await this.page.waitForFunction(question, { polling: 'mutation', timeout }, ...args).catch((error) => {
      throw new Error(`Waited for ${what}: ${error.message}`, { cause: error });
    });
  }

  /**
   * The visible text of an element, once it is visible.
   *
   * @param {string} id
   */
  async text(id) {
    const element = await this.see(id);
    return element.evaluate((node) => node.innerText.trim());
  }

  /**
   * Click an element, once it is visible and enabled.
   *
   * @param {string} id
   * @param {string} [more]
   */
  async click(id, more = '') {
    await this.page.locator(testId(id) + more).click();
  }

  /**
   * Measure the seconds for which the panel's thread is busy from now on, in thread time, so that other load on the
   * machine does not count.
   *
   * @returns {Promise<() => Promise<number>>}
   */
  async work() {
    const client = await this.page.createCDPSession();
    await client.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await client.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value;
    const began = await spent();
    return async () => {
      const seconds = (await spent()) - began;
      await client.detach();
      return seconds;
    };
  }

  /**
   * Click an element before the panel can notice what `meanwhile` does: a synchronous request blocks its thread
   * meanwhile.
   *
   * @param {string} id
   * @param {() => Promise<unknown>} meanwhile
   */
  async clickUnaware(id, meanwhile) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = once(server, 'request');
    const clicked = this.page.evaluate(
      (selector, port) => {
        const wait = new XMLHttpRequest();
        wait.open('GET', `http://127.0.0.1:${port}/`, false);
        wait.send();
        document.querySelector(selector).click();
      },
      testId(id),
      server.address().port,
    );
    try {
      const [, response] = await request;
      await meanwhile();
      response.end();
      await clicked;
    } finally {
      server.close();
    }
  }

  /**
   * Press a button of the approval card, once it takes clicks.
   *
   * @param {'run' | 'decline' | 'always' | 'flow-allow'} decision
   */
  async decide(decision) {
    await this.#answer('approval', `approval-${decision}`);
  }

  /**
   * Press a button of the agent's question, once it takes clicks.
   *
   * @param {string} id
   * @param {string} [more]
   */
  async answer(id, more = '') {
    await this.#answer('question-choices', id, more);
  }

  /** Lift the guard, once its card takes clicks. */
  async liftGuard() {
    await this.#answer('item-guard', 'guard-lift');
  }

  /**
   * Press a button of a card. A card takes no click until it has stood still in view for a while, and waits again when
   * the panel gets the focus, or when the card moves: then it says that it is not ready, its buttons stay enabled, and a
   * user would click once more. A decision that was taken disables them.
   *
   * @param {string} card
   * @param {string} button
   * @param {string} [more]
   */
  async #answer(card, button, more = '') {
    await this.page.evaluate(() => window.focus());
    const element = await this.see(button, more);
    // The whole card, and where it is taller than the view, its button. What grows beside it, or a click that was
    // refused, may move it out of view again: a user would scroll once more.
    const isReady = async () => {
      await element.evaluate((node, selector) => {
        for (const it of [node.closest(selector), node]) it?.scrollIntoView({ block: 'nearest' });
      }, testId(card === 'question-choices' ? 'item-question' : card));
      return this.page.$(`${testId(card)}[data-ready="true"]`);
    };
    let isRefused = true;
    while (isRefused) {
      await until(isReady, { what: `the card of ${button} to take clicks`, every: 100 });
      await element.click();
      // Lifting the guard disables nothing.
      isRefused = card !== 'item-guard' && await element.evaluate(
        (node, selector) => node.isConnected && !node.disabled && document.querySelector(selector)?.dataset.ready === 'false',
        testId(card),
      );
    }
  }

  // ---------------------------------------------------------------- conversation

  /**
   * Write a message and send it. Returns when the panel shows it.
   *
   * @param {string} text
   * @param {{ by?: 'button' | 'enter' }} [options]
   */
  async say(text, { by = 'enter' } = {}) {
    await this.view('chat');
    const shown = `${testId('transcript')} ${testId('item-user')}`;
    const before = await this.page.evaluate((selector) => document.querySelectorAll(selector).length, shown);
    await this.write(text);
    if (by === 'button') await this.click('send');
    else await this.page.keyboard.press('Enter');
    await this.happens((selector, count) => document.querySelectorAll(selector).length > count, [shown, before], {
      what: `the panel to show ${JSON.stringify(text)}`,
    });
  }

  /**
   * Put text into the composer at once, as pasting does.
   *
   * @param {string} text
   */
  async write(text) {
    await this.page.focus(testId('composer-input'));
    await this.page.keyboard.sendCharacter(text);
  }

  /**
   * Type into the composer, key by key.
   *
   * @param {string} text
   */
  async type(text) {
    await this.click('composer-input');
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      if (index > 0) {
        await this.page.keyboard.down('Shift');
        await this.page.keyboard.press('Enter');
        await this.page.keyboard.up('Shift');
      }
      await this.page.keyboard.type(line);
    }
  }

  /**
   * Wait until the agent rests.
   *
   * @param {{ timeout?: number }} [options]
   * @returns {Promise<Entry>} the turn end, with its reason
   */
  async rest({ timeout = 30_000 } = {}) {
    const last = (selector) => [...document.querySelectorAll(selector)].at(-1)?.dataset.testid === 'item-rest';
    await this.happens(last, [`${testId('transcript')} [data-testid^="item-"]`], { what: 'the agent to rest', timeout });
    return (await this.transcript()).findLast(({ kind }) => kind === 'rest');
  }

  /**
   * Send a message and wait until the agent rests.
   *
   * @param {string} text
   * @returns {Promise<Entry[]>} the entries of this turn
   */
  async ask(text) {
    await this.say(text);
    await this.rest();
    return this.turn();
  }

  /**
   * The items of the transcript, oldest first.
   *
   * @returns {Promise<Entry[]>}
   */
  async transcript() {
    return this.page.evaluate(() => {
      const root = document.querySelector('[data-testid="transcript"]');
      if (!root) return [];
      const inside = (node, id) => node.querySelector(`[data-testid="${id}"]`)?.innerText.trim();
      const argumentsOf = (node) => {
        const rows = [...node.querySelectorAll('[data-testid="tool-arguments"] tbody tr')];
        const lines = rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim()).join(': '));
        return rows.length > 0 ? lines.join(', ') : inside(node, 'tool-arguments');
      };
      return [...root.querySelectorAll('[data-testid^="item-"]')].map((node) => {
        // "You said", for screen readers, is not part of the message.
        const spoken = node.querySelector(':scope > .visually-hidden')?.innerText ?? '';
        const entry = {
          kind: node.dataset.testid.slice('item-'.length),
          text: node.innerText.trim().replace(spoken, '').replace(inside(node, 'page-mark') ?? '', '').trim(),
          state: node.dataset.state,
          name: node.dataset.name,
          why: node.dataset.why,
          answer: inside(node, 'answer'),
          thought: node.querySelector('[data-testid="reasoning-toggle"]') ? true : undefined,
          reasoning: inside(node, 'reasoning'),
          digest: inside(node, 'tool-digest'),
          duration: inside(node, 'tool-duration'),
          arguments: argumentsOf(node),
          result: inside(node, 'tool-result'),
          error: node.querySelector('[data-testid="error-code"]')?.dataset.code,
        };
        return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
      });
    });
  }

  /** The entries from the user's last message on. */
  async turn() {
    const all = await this.transcript();
    return all.slice(all.findLastIndex((entry) => entry.kind === 'user'));
  }

  /** The tool calls in the transcript. */
  async calls() {
    return (await this.transcript()).filter((entry) => entry.kind === 'tool');
  }

  /**
   * Wait for a tool call to be in a state.
   *
   * @param {string} name
   * @param {string} state
   */
  async call(name, state) {
    return this.see('item-tool', `[data-name="${name}"][data-state="${state}"]`);
  }

  /** Unfold all tool calls and reasoning, so that `transcript` has their details. */
  async unfold() {
    for (const id of ['tool-toggle', 'reasoning-toggle']) {
      for (const toggle of await this.page.$$(`${testId(id)}[aria-expanded="false"]`)) await toggle.click();
    }
  }

  /** Leave the open conversation for an empty one. */
  async newChat() {
    await this.view('chat');
    const item = `${testId('transcript')} [data-testid^="item-"]`;
    if (!(await this.page.$(item))) return;
    await this.click('new-chat');
    await this.happens((selector) => !document.querySelector(selector), [item], { what: 'an empty conversation' });
  }

  /** The text in the composer. */
  async typed() {
    const composer = await this.see('composer-input');
    return composer.evaluate((node) => node.value);
  }

  /**
   * Wait until the header shows this number of tools.
   *
   * @param {number} count
   * @param {{ timeout?: number }} [options]
   */
  async knows(count, { timeout } = {}) {
    const counted = `${testId('tool-count')}[data-count="${count}"]`;
    await this.happens((selector) => Boolean(document.querySelector(selector)), [counted], {
      what: `the panel to count ${count} tools`,
      timeout,
    });
  }

  /** The number of tools in the header; undefined where it shows none, as on a page that still loads. */
  async toolCount() {
    return this.page.evaluate((selector) => {
      const count = document.querySelector(selector)?.dataset.count;
      return count === undefined ? undefined : Number(count);
    }, testId('tool-count'));
  }

  // ---------------------------------------------------------------- other views

  /**
   * Open a view by its tab.
   *
   * @param {'chat' | 'tools' | 'log' | 'settings'} name
   */
  async view(name) {
    const tab = testId(`tab-${name}`);
    const node = await this.page.waitForSelector(tab, { timeout: PATIENCE });
    const wasThere = await node.evaluate((it) => it.getAttribute('aria-selected') === 'true' || it.click());
    if (wasThere) return;
    await this.happens((selector) => Boolean(document.querySelector(selector)), [`${tab}[aria-selected="true"]`], {
      what: `the view ${name}`,
    });
  }

  /**
   * The tools that the tools view lists.
   *
   * @returns {Promise<{ name: string, source: string, readOnly: boolean, text: string }[]>}
   */
  async tools() {
    await this.view('tools');
    return this.page.$$eval(testId('tool-row'), (rows) =>
      rows.map((row) => ({
        name: row.dataset.name,
        source: row.dataset.source,
        readOnly: row.dataset.readonly === 'true',
        text: row.innerText.trim(),
      })),
    );
  }

  /**
   * Wait until the tools view lists exactly these names, in any order.
   *
   * @param {string[]} names
   * @param {{ timeout?: number }} [options]
   */
  async seeTools(names, { timeout } = {}) {
    const wanted = [...names].sort().join(' ');
    await this.view('tools');
    await this.happens(
      (row, names) => [...document.querySelectorAll(row)].map(({ dataset }) => dataset.name).sort().join(' ') === names,
      [testId('tool-row'), wanted],
      { what: `the panel to list ${wanted || 'no tools'}`, timeout },
    );
  }

  /**
   * Change a setting as a person would: choose, or type over the value and leave the field.
   *
   * @param {string} name the part of the test id after `setting-`
   * @param {string} value
   */
  async set(name, value) {
    await this.view('settings');
    await this.#unfold(name);
    const field = await this.see(`setting-${name}`);
    if (name !== 'key' && (await field.evaluate((node) => node.value)) === value) return;
    if ((await field.evaluate((node) => node.tagName)) === 'SELECT') {
      await field.select(value);
    } else {
      await field.click({ count: 3 });
      await this.page.keyboard.press('Backspace');
      if (value) await field.type(value);
      if (name === 'key') return;
      await field.evaluate((node) => node.blur());
    }
    await until(async () => (await field.evaluate((node) => node.value)) === value, { what: `the setting ${name} to be ${value}` });
    await this.see('setting-saved');
  }

  /** Open the folds that a setting is in. */
  async #unfold(name) {
    const field = await this.page.waitForSelector(testId(`setting-${name}`), { timeout: PATIENCE });
    await field.evaluate((node) => {
      for (let fold = node.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
    });
  }

  /**
   * Change a setting without the keyboard, for tests whose subject is something else.
   *
   * @param {string} name the part of the test id after `setting-`
   * @param {string} value
   */
  async fill(name, value) {
    await this.view('settings');
    const field = testId(`setting-${name}`);
    await this.page.waitForSelector(field, { timeout: PATIENCE });
    await this.page.$eval(
      field,
      (node, text) => {
        if (node.value === text) return;
        node.value = text;
        for (const type of ['input', 'change']) node.dispatchEvent(new Event(type, { bubbles: true }));
      },
      value,
    );
    if (name === 'key') return;
    const now = () => this.page.$eval(field, (node) => node.value);
    await until(async () => (await now()) === value, { what: `the setting ${name} to be ${value}` });
  }

  /**
   * Save a key for the chosen provider.
   *
   * @param {string} key
   */
  async saveKey(key) {
    await this.set('key', key);
    await this.#keep();
  }

  /**
   * Save a key without the keyboard.
   *
   * @param {string} key
   */
  async fillKey(key) {
    await this.fill('key', key);
    await this.#keep();
  }

  async #keep() {
    await this.click('save-key');
    await this.see('key-state', '[data-saved="true"]');
    // It is tested at once, unless it is not known with which model.
    if (await this.page.$eval(testId('setting-model'), (field) => field.value || field.placeholder)) await this.see('trial-advice');
  }

  /** Forget the key of the chosen provider. */
  async forgetKey() {
    await this.view('settings');
    await this.click('forget-key');
    await this.click('forget-key-yes');
    await this.see('key-state', '[data-saved="false"]');
  }

  /**
   * Point the panel at a model server.
   *
   * @param {{ url: string }} model
   * @param {{ provider?: string, name?: string, key?: string }} [options]
   */
  async use(model, { provider, name, key } = {}) {
    if (provider !== undefined) await this.set('provider', provider);
    await this.set('base-url', model.url);
    if (name !== undefined) await this.set('model', name);
    if (key !== undefined) await this.saveKey(key);
  }
}
