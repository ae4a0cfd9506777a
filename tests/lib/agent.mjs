/** The extension's view of a page's tools, and calls of them, without a model and without the panel's display. */

import { until, within } from './wait.mjs';

/** Version of the link between panel and worker. */
export const LINK_VERSION = 1;

/**
 * @typedef {object} Answer how a call ended
 * @property {boolean} ok
 * @property {string} [result]
 * @property {string} [error]
 * @property {string} [code]
 * @property {string} [ended] the browser's error message, when it ended the call because the document is gone
 */

/**
 * @typedef {object} DocumentTools the last list of a document's relay
 * @property {number} frame 0 for the top frame
 * @property {string} document
 * @property {string} origin
 * @property {'native' | 'polyfill'} backend
 * @property {boolean} [blocked]
 * @property {number} total
 * @property {{ name: string, title?: string, description: string, inputSchema?: string, annotations?: object }[]} tools
 */

/** Access to the extension at two points: the relays' messages to the worker, and the link between worker and panel. */
export class Agent {
  #chromium;
  #panel;

  /**
   * @param {import('./browser.mjs').Chromium} chromium
   * @param {import('./panel.mjs').Panel} panel
   */
  constructor(chromium, panel) {
    this.#chromium = chromium;
    this.#panel = panel;
  }

  /**
   * Begin to record both.
   *
   * @param {import('./stage.mjs').Stage} stage
   * @returns {Promise<Agent>}
   */
  static async of({ chromium, panel }) {
    await chromium.inWorker(() => {
      globalThis.toldByDocument = new Map();
      chrome.runtime.onMessage.addListener((text, { tab, frameId, documentId, origin }) => {
        const message = JSON.parse(text);
        if (message.type === '__wmcp_page_gone') toldByDocument.delete(documentId);
        if (!Array.isArray(message.tools)) return;
        const { type, requestId, ...list } = message;
        toldByDocument.set(documentId, { tab: tab.id, frame: frameId, document: documentId, origin, ...list });
      });
    });
    await panel.page.evaluate(async (version) => {
      const { id: windowId } = await chrome.windows.getCurrent();
      const port = chrome.runtime.connect({ name: 'panel' });
      const seen = (window.seenPages = []);
      const asked = new Map();
      /** Send the worker a request, as the panel does. */
      window.askWorker = (body) =>
        new Promise((resolve) => {
          asked.set(asked.size + 1, resolve);
          port.postMessage(JSON.stringify({ id: asked.size, body }));
        });
      port.onMessage.addListener((text) => {
        const { event, reply } = JSON.parse(text);
        if (reply !== undefined) asked.get(reply.id)(reply.result);
        const page = reply?.result.Ok?.welcome?.page ?? event?.page?.changed.page;
        if (page === undefined) return;
        window.shownPage = page;
        seen.push({ at: Date.now(), url: page.url, names: page.tools.map(({ tool }) => tool.page.name).sort().join(' ') });
      });
      void window.askWorker({ hello: { version, windowId, browserLanguage: 'en' } });
    }, LINK_VERSION);
    return new Agent(chromium, panel);
  }

  /** The tab in front, as the worker reports it to the panel. */
  async page() {
    return this.#panel.page.evaluate(() => window.shownPage);
  }

  /** Its tools as they are listed, with all details that the worker has, and their schemas parsed. */
  async tools() {
    const { tools } = await this.page();
    const ask = (command) => this.#panel.page.evaluate(
      (all, name) => Promise.all(all.map(({ tool }) => window.askWorker({ page: { [name]: { tool } } }))),
      tools,
      command,
    );
    const [described, checked] = await Promise.all([ask('describeTool'), ask('checkSchema')]);
    return tools.map(({ tool, digest, beginning, ...summary }, at) => {
      const { inputSchema, ...details } = described[at].Ok.page.tool.details;
      const schemaProblem = checked[at].Ok.page.schemaProblem.problem;
      return { name: tool.page.name, ...details, schemaProblem, ...summary, inputSchema: inputSchema ? JSON.parse(inputSchema) : undefined };
    });
  }

  /**
   * Wait until the worker reports a final status for the page in front.
   *
   * @param {import('puppeteer-core').Page} page
   */
  async knows(page) {
    return until(
      async () => {
        const shown = await this.page();
        return shown?.url === page.url() && shown.status !== 'loading' && shown;
      },
      { what: `the agent to know ${page.url().slice(0, 100)}` },
    );
  }

  /**
   * Wait until exactly these tools are listed for the page in front.
   *
   * @param {import('puppeteer-core').Page} page
   * @param {string[]} names in any order
   * @returns {Promise<number>} since when they were listed, as `Date.now()`
   */
  async lists(page, names) {
    const wanted = [...names].sort().join(' ');
    return until(
      () =>
        this.#panel.page.evaluate(
          (url, all) => {
            const before = window.seenPages.findLastIndex((seen) => seen.url !== url || seen.names !== all);
            return window.seenPages[before + 1]?.at;
          },
          page.url(),
          wanted,
        ),
      { what: `the agent to list ${wanted.slice(0, 200) || 'no tools'}`, every: 15 },
    );
  }

  /**
   * Whether the panel was ever sent a page with this tool.
   *
   * @param {string} name
   */
  async everListed(name) {
    return this.#panel.page.evaluate((wanted) => window.seenPages.some(({ names }) => names.split(' ').includes(wanted)), name);
  }

  /**
   * Wait until the page in front is reported with this total of tools, listed or not.
   *
   * @param {number} total
   * @param {{ timeout?: number }} [options]
   */
  async counts(total, { timeout } = {}) {
    const counted = () => this.#panel.page.evaluate(() => window.shownPage?.totalTools);
    await until(async () => (await counted()) === total, { what: `the agent to count ${total} tools`, timeout });
  }

  /**
   * The last lists of a tab's relays, top frame first.
   *
   * @param {import('puppeteer-core').Page} page
   * @returns {Promise<DocumentTools[]>}
   */
  async told(page) {
    const tab = await this.tabOf(page);
    const all = await this.#chromium.inWorker((id) => [...toldByDocument.values()].filter((one) => one.tab === id), tab);
    return all.map(({ tab: _, ...rest }) => rest).sort((a, b) => a.frame - b.frame);
  }

  /**
   * Wait until the last list of a frame of the page has exactly these tools. Returns that list.
   *
   * @param {import('puppeteer-core').Page} page
   * @param {string[]} names
   */
  async frameWith(page, names) {
    const wanted = [...names].sort().join(' ');
    const told = async () =>
      (await this.told(page)).find(({ frame, tools }) => frame !== 0 && tools.map(({ name }) => name).sort().join(' ') === wanted);
    return until(told, { what: `a frame with ${wanted}` });
  }

  /**
   * Call a tool, request the list, and call another tool, as fast as the worker can.
   *
   * @param {import('puppeteer-core').Page} page
   * @param {string} before
   * @param {string} after
   * @returns {Promise<string[]>} the names that were listed in between
   */
  async asksBetween(page, before, after) {
    const tab = await this.tabOf(page);
    return this.#chromium.inWorker(
      async (id, first, last) => {
        const requestId = () => crypto.randomUUID();
        const line = chrome.tabs.connect(id, { name: 'relay', frameId: 0 });
        const call = (toolName) => {
          const answered = new Promise((resolve) => line.onMessage.addListener(resolve));
          line.postMessage(JSON.stringify({ type: '__wmcp_call_tool', requestId: requestId(), toolName, args: '{}' }));
          return answered;
        };
        await call(first);
        const listed = new Promise((resolve) => {
          const hear = (text) => {
            const { type, tools } = JSON.parse(text);
            if (type !== '__wmcp_tools_list') return;
            chrome.runtime.onMessage.removeListener(hear);
            resolve(tools.map(({ name }) => name));
          };
          chrome.runtime.onMessage.addListener(hear);
        });
        await chrome.tabs.sendMessage(id, JSON.stringify({ type: '__wmcp_list_tools', requestId: requestId() }), { frameId: 0 });
        const names = await listed;
        await call(last);
        return names;
      },
      tab,
      before,
      after,
    );
  }

  /**
   * Call a tool as the worker does.
   *
   * @param {import('puppeteer-core').Page} page
   * @param {string} toolName
   * @param {object | string} [args] an object, or the text to send
   * @param {{ requestId?: string, document?: string, timeout?: number }} [options]
   * @returns {Promise<Answer>}
   */
  async call(page, toolName, args = {}, { requestId = crypto.randomUUID(), document: documentId, timeout } = {}) {
    const tab = await this.tabOf(page);
    const message = { type: '__wmcp_call_tool', requestId, toolName, args: typeof args === 'string' ? args : JSON.stringify(args) };
    const answer = await within(
      this.#chromium.inWorker(
        (id, text, target) =>
          new Promise((resolve) => {
            const line = chrome.tabs.connect(id, { name: 'relay', ...target });
            line.onMessage.addListener((answer) => {
              resolve(JSON.parse(answer));
              line.disconnect();
            });
            line.onDisconnect.addListener(() => resolve({ ok: false, ended: chrome.runtime.lastError?.message ?? 'The document went away.' }));
            line.postMessage(text);
          }),
        tab,
        JSON.stringify(message),
        documentId === undefined ? { frameId: 0 } : { documentId },
      ),
      { what: `${toolName} to answer`, timeout },
    );
    const { type, requestId: _, ...outcome } = answer;
    return outcome;
  }

  /**
   * Cancel a call as the worker does.
   *
   * @param {import('puppeteer-core').Page} page
   * @param {string} requestId
   */
  async cancel(page, requestId) {
    const text = JSON.stringify({ type: '__wmcp_cancel_call', requestId });
    await this.#chromium.inWorker(
      (id, message) => {
        const line = chrome.tabs.connect(id, { name: 'relay', frameId: 0 });
        line.postMessage(message);
        line.disconnect();
      },
      await this.tabOf(page),
      text,
    );
  }

  /**
   * The browser's ID of a tab.
   *
   * @param {import('puppeteer-core').Page} page
   */
  async tabOf(page) {
    const ids = await this.#chromium.inWorker(async (url) => {
      const tabs = await chrome.tabs.query({});
      return tabs.filter((tab) => tab.url === url).map(({ id }) => id);
    }, page.url());
    if (ids.length !== 1) throw new Error(`${ids.length} tabs show ${page.url()}`);
    return ids[0];
  }
}
