/**
 * Calls tools of SKILLs, each on pages of its own, in several tabs at once. This plays the model's part: in a long turn of
 * each tab it calls one tool after another, and prepares the tab before each call.
 */

import { launch } from '../browser.mjs';
import { Panel } from '../panel.mjs';
import { called, DONE, said, startService } from '../service.mjs';
import { offline } from '../skill-packages.mjs';
import { answerOf } from './answer.mjs';
import { FixtureEditor } from './editor.mjs';

/** Calls in a turn, and characters of its messages: more would have to be sent again with each call. */
const MOST_CALLS = 40;
const MOST_CHARACTERS = 100_000;
/**
 * How often a call is made that did not run: its tool was not known yet, or it was the same as the one before. A turn pauses
 * after three of the former.
 */
const TRIES = 2;
/** For a call with all that it waits for, in milliseconds. */
const LIMIT = 60_000;
const NOT_RUN = /There is no tool named|no longer has this tool|you made this same call before/;
/** How long the extension may take to know the tools of a page, in milliseconds. A page may have none. */
const KNOWN_LIMIT = 3_000;

/**
 * @typedef {object} SkillCall
 * @property {string} url where the tool begins
 * @property {Map<string, string>} pages HTML by address
 * @property {{ path: string, status?: number, type?: string, body: unknown }[]} [mocks]
 * @property {string} tool
 * @property {object} [input]
 *
 * @typedef {import('./answer.mjs').Answer & { read: string[] }} CallAnswer `read`: addresses of the pages that the tool was
 *   on, of those in `pages`
 */

export class SkillCalls {
  /** @type {{ call: SkillCall, resolve: (answer: CallAnswer) => void, reject: (error: Error) => void }[]} */
  #queue = [];
  /** @type {Lane[]} */
  #lanes = [];
  /** One after the other: there is one panel. */
  #panelTask = Promise.resolve();

  /** @param {{ extension?: string, lanes?: number }} [options] */
  static async start({ extension, lanes = 8 } = {}) {
    const calls = new SkillCalls();
    calls.service = await startService(({ body }) => calls.#answer(body));
    try {
      calls.chromium = await launch({ extension, args: ['--disable-features=SmoothScrolling', '--wm-window-animations-disabled', '--animation-duration-scale=0'] });
      const [first] = await calls.chromium.browser.pages();
      await offline(first, async () => ({ body: '<!doctype html><title>Empty</title>' }));
      await first.goto('https://panel.example/');
      calls.panel = await Panel.beside(calls.chromium, first);
      const settings = { provider: 'custom', 'base-url': calls.service.url, model: 'by-hand', 'limit-calls': 100, 'limit-turn-seconds': 3_600, 'limit-tool-seconds': 120 };
      for (const [name, value] of Object.entries(settings)) await calls.panel.fill(name, String(value));
      await calls.panel.view('chat');
      calls.editor = await FixtureEditor.in(await calls.chromium.open('about:blank'));
      for (let number = 1; number <= lanes; number += 1) calls.#lanes.push(await Lane.open(calls.chromium, number));
    } catch (error) {
      await calls.close();
      throw error;
    }
    return calls;
  }

  async close() {
    await Promise.all([this.chromium?.close(), this.service?.close()]);
  }

  /** @param {SkillCall} call @returns {Promise<CallAnswer>} */
  call(call) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, resolve, reject });
      const idle = this.#lanes.find((lane) => !lane.isBusy);
      if (idle !== undefined) this.#begin(idle);
    });
  }

  /** Let a tab's turn begin. */
  #begin(lane) {
    lane.isBusy = true;
    lane.hasFailed = false;
    lane.origin = undefined;
    lane.calls = 0;
    this.#panelTask = this.#panelTask
      .then(async () => {
        await lane.rest(this.panel);
        await this.panel.newChat();
        await this.panel.say(`lane ${lane.number}`);
      })
      .catch((error) => {
        lane.isBusy = false;
        this.#queue.splice(0).forEach(({ reject }) => reject(error));
      });
  }

  /** A turn stays on one site: the user is asked before what was read on one goes to another. */
  #next(lane) {
    const at = lane.origin === undefined ? 0 : this.#queue.findIndex((work) => originOf(work) === lane.origin);
    const [work] = at === -1 ? [] : this.#queue.splice(at, 1);
    if (work !== undefined) lane.origin = originOf(work);
    return work;
  }

  /** The model's answer to a request. */
  async #answer(body) {
    const spoken = body.messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content).match(/lane (\d+)/)?.[1]).findLast(Boolean);
    const lane = this.#lanes.find(({ number }) => String(number) === spoken);
    if (lane === undefined) return [said('ok'), DONE];
    const last = body.messages.findLast(({ role }) => role === 'tool')?.content;
    if (lane.work !== undefined && last !== undefined && !lane.settle(last)) return lane.again();
    const isLong = lane.calls >= MOST_CALLS || lane.hasFailed || JSON.stringify(body.messages).length > MOST_CHARACTERS;
    const work = isLong ? undefined : this.#next(lane);
    if (work === undefined) {
      lane.isBusy = false;
      if (this.#queue.length > 0) this.#begin(lane);
      return [said('Done.'), DONE];
    }
    return lane.take(work);
  }
}

const originOf = ({ call }) => new URL(call.url).origin;

/** A tab in which one tool is called after the other. */
class Lane {
  isBusy = false;
  /** Whether a call could not be made. After several of these a turn pauses. */
  hasFailed = false;
  /** That of the pages of its turn. @type {string | undefined} */
  origin;
  calls = 0;
  /** @type {{ call: SkillCall, resolve: Function, reject: Function } | undefined} */
  work;
  #read = [];
  #timer;
  #tries = 0;
  #hasBegun = false;

  static async open(chromium, number) {
    const lane = new Lane();
    lane.number = number;
    lane.chromium = chromium;
    lane.page = await chromium.open('about:blank');
    await offline(lane.page, (url, request) => lane.#served(url, request));
    return lane;
  }

  get #site() {
    return `https://lane-${this.number}.example/`;
  }

  /** In front, on a page without tools by which the panel knows it. */
  async rest(panel) {
    await this.page.goto(this.#site);
    this.tabId ??= await this.chromium.inWorker(async (url) => (await chrome.tabs.query({ url }))[0].id, this.#site);
    await this.page.bringToFront();
    await panel.happens((host) => document.querySelector('[data-testid="site"]')?.textContent.includes(host), [new URL(this.#site).host], {
      what: `the panel to be about tab ${this.number}`,
    });
  }

  /** Begin a call: the pieces of the model's answer. */
  async take(work) {
    this.work = work;
    const stuck = () => work.reject(new Error(`Waited ${LIMIT} ms for ${work.call.tool} on ${work.call.url}`));
    this.#timer = setTimeout(stuck, LIMIT);
    this.#tries = 0;
    this.#read = [];
    this.#hasBegun = false;
    try {
      await this.page.goto(work.call.url);
      await this.#knowsTools();
    } catch (error) {
      this.#end(() => work.reject(error));
      return [said('Done.'), DONE];
    }
    this.#hasBegun = true;
    return this.again();
  }

  /** The badge of the extension's icon counts the tools of a tab. */
  async #knowsTools() {
    const look = async (tabId, limit) => {
      const until = Date.now() + limit;
      while (Date.now() < until && (await chrome.action.getBadgeText({ tabId })) === '') await new Promise((resolve) => setTimeout(resolve, 100));
    };
    await this.chromium.inWorker(look, this.tabId, KNOWN_LIMIT);
  }

  again() {
    this.calls += 1;
    this.#tries += 1;
    return [called(this.work.call.tool, this.work.call.input ?? {}, `call-${this.number}-${this.calls}`), DONE];
  }

  /** What came of the call; false if it did not run. */
  settle(text) {
    if (NOT_RUN.test(text) && this.#tries < TRIES) return false;
    this.hasFailed = NOT_RUN.test(text);
    const { resolve, call } = this.work;
    const read = this.#read.length > 0 ? this.#read : [new URL(call.url).href];
    this.#end(() => resolve({ ...answerOf(text), read: [...new Set(read)].filter((url) => call.pages.has(url)) }));
    return true;
  }

  #end(tell) {
    clearTimeout(this.#timer);
    this.work = undefined;
    tell();
  }

  async #served(url, request) {
    if (url.href === this.#site) return { body: '<!doctype html><title>At rest</title>' };
    const { pages = new Map(), mocks = [] } = this.work?.call ?? {};
    const html = pages.get(url.href);
    if (html !== undefined) {
      if (this.#hasBegun && request.isNavigationRequest()) this.#read.push(url.href);
      return { body: html };
    }
    return mocked(mocks, url);
  }
}

/** The answer of a test to a request that is no page. */
export function mocked(mocks, url) {
  const mock = mocks.find(({ path }) => path === decodeURIComponent(url.pathname) || path === url.pathname);
  if (mock === undefined) return undefined;
  const isText = typeof mock.body === 'string';
  return { status: mock.status, type: mock.type ?? (isText ? 'text/html' : 'application/json'), body: isText ? mock.body : JSON.stringify(mock.body) };
}
