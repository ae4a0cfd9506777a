/** A tab in which one tool of a SKILL is called after the other. */

import { called, DONE } from '../service.mjs';
import { offline } from '../skill-packages.mjs';
import { within } from '../wait.mjs';
import { answerOf } from './answer.mjs';
import { mocked } from './mocked.mjs';

/** How often a call is made that did not run, because its tool was not known yet. A turn pauses after three of these. */
const TRIES = 2;
/** For a call with all that it waits for, in milliseconds: the extension's own limit of two minutes comes first, and says more. */
const LIMIT = 180_000;
const NOT_RUN = /There is no tool named|no longer has this tool/;
/** How long the extension may take to know the tools of a page, in milliseconds. A page may have none. */
const KNOWN_LIMIT = 3_000;

export class Lane {
  isBusy = false;
  /** Whether a call could not be made. After several of these a turn pauses. */
  hasFailed = false;
  /** That of the pages of its turn. @type {string | undefined} */
  origin;
  /** Tools and inputs of the calls of its turn. @type {Set<string>} */
  taken;
  /** The id of the last call. */
  callId;
  /** The model's answer to the last request of its turn. @type {Promise<string[]>} */
  answer;
  #calls = 0;
  /** @type {{ call: SkillCall, resolve: Function, reject: Function } | undefined} */
  work;
  #read = [];
  #timer;
  #tries = 0;
  /** What is waited for. */
  #stage = '';
  #hasBegun = false;
  #isOnSite = false;

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
    this.#isOnSite = false;
    await this.page.goto(this.#site);
    this.tabId ??= await this.chromium.inWorker(async (url) => (await chrome.tabs.query({ url }))[0].id, this.#site);
    await this.page.bringToFront();
    await panel.happens((host) => document.querySelector('[data-testid="site"]')?.textContent.includes(host), [new URL(this.#site).host], {
      what: `the panel to be about tab ${this.number}`,
    });
  }

  /** Begin a call. Resolves to the pieces of the model's answer; to `undefined` if it cannot begin. */
  take(work) {
    this.work = work;
    this.#timer = setTimeout(() => void this.#stuck(work), LIMIT).unref();
    this.#tries = 0;
    this.#read = [];
    this.#hasBegun = false;
    return this.#call(work.call.isAnywhere && this.#isOnSite);
  }

  /** The same once more, where it should begin. */
  retry() {
    return this.#call(false);
  }

  #call(isThere) {
    this.#calls += 1;
    this.#tries += 1;
    this.callId = `call-${this.number}-${this.#calls}`;
    return this.#prepared(isThere);
  }

  async #prepared(isThere) {
    const { work, callId } = this;
    try {
      if (!isThere) await this.#goTo(work.call.url);
    } catch (error) {
      this.#end(() => work.reject(error));
      return undefined;
    }
    this.#stage = 'what comes of the call';
    this.#hasBegun = true;
    return [called(work.call.tool, work.call.input ?? {}, callId), DONE];
  }

  async #goTo(url) {
    this.#stage = 'the page';
    await this.page.goto(url);
    this.#stage = 'its tools to be known';
    await this.#knowsTools();
    this.#isOnSite = true;
  }

  /** The badge of the extension's icon counts the tools of a tab. */
  async #knowsTools() {
    const look = async (tabId, limit) => {
      const until = Date.now() + limit;
      while (Date.now() < until && (await chrome.action.getBadgeText({ tabId })) === '') await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await this.chromium.inWorker(look, this.tabId, KNOWN_LIMIT);
  }

  /**
   * What came of the call; false if it did not run.
   *
   * @param {string} text
   * @param {import('./trace.mjs').TracedStep[] | Error} [steps]
   */
  settle(text, steps) {
    if (NOT_RUN.test(text) && this.#tries < TRIES) return false;
    this.hasFailed = NOT_RUN.test(text);
    const { resolve, call } = this.work;
    const read = this.#read.length > 0 ? this.#read : [new URL(call.url).href];
    this.#end(() => resolve({ ...answerOf(text), steps, read: [...new Set(read)].filter((url) => call.pages.has(url)) }));
    return true;
  }

  /** Fail a call, and say what it waits for. */
  async #stuck({ call, reject }) {
    const asked = this.page.evaluate(() => `${location.href} (${document.readyState})`);
    const at = await within(asked, { what: 'the page to say where it is' }).catch((error) => error.message);
    reject(new Error(`Waited ${LIMIT} ms for ${call.tool} on ${call.url}: for ${this.#stage}, try ${this.#tries}; the tab is at ${at}`));
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
