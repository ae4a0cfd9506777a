/**
 * Page actions without the rest of the extension: puts the page script into a page's frames and speaks with it from the
 * extension's service worker, whose part this plays (files that come later, ticks, who lies over a frame, frames in their
 * places).
 */

import { launch } from './browser.mjs';
import { PAGES } from './paths.mjs';
import { serve } from './site.mjs';

/** A browser with the extension, the pages, and a way to ask the scripts in them. */
export class Actions {
  /** @type {WeakMap<import('puppeteer-core').Page, number>} */
  #tabs = new WeakMap();

  /** @param {import('./browser.mjs').LaunchOptions} [options] */
  static async start(options) {
    const actions = new Actions();
    actions.site = await serve(PAGES);
    try {
      actions.chromium = await launch({ asShipped: true, ...options });
    } catch (error) {
      await actions.site.close();
      throw error;
    }
    return actions;
  }

  async stop() {
    await Promise.all([this.chromium?.close(), this.site?.close()]);
  }

  /** Open `actions/NAME` of the pages in a tab, or HTML in an empty page. */
  async open(what, options) {
    const page = await this.chromium.open();
    await this.go(page, what, options);
    return page;
  }

  /** Another page, or HTML, in the same tab. */
  async go(page, what, options) {
    if (what.trimStart().startsWith('<')) {
      await page.goto(this.site.put('actions/made.html', `<!doctype html><meta charset="utf-8"><title>Made</title>${what}`), options);
    } else await page.goto(this.site.url(`actions/${what}`), options);
  }

  /** The browser's number of a tab. @param {import('puppeteer-core').Page} page */
  async tabOf(page) {
    if (!this.#tabs.has(page)) {
      const mark = `tab-${Math.random()}`;
      const title = await page.evaluate((text) => {
        const before = document.title;
        document.title = text;
        return before;
      }, mark);
      let tabId;
      for (let tries = 0; tabId === undefined && tries < 200; tries += 1) {
        tabId = await this.chromium.inWorker(async (text) => (await chrome.tabs.query({})).find((tab) => tab.title === text)?.id, mark);
      }
      await page.evaluate((text) => (document.title = text), title);
      this.#tabs.set(page, tabId);
    }
    return this.#tabs.get(page);
  }

  /**
   * Put the script into all frames, or only these, connect, pair the frames.
   * @returns {Promise<{ documentId: string, frameId: number }[]>} the top document first
   */
  async attach(page, { next = 1, frameIds } = {}) {
    const tabId = await this.tabOf(page);
    await this.chromium.inWorker(installWorker);
    return this.chromium.inWorker((...args) => pageActions.attach(...args), tabId, next, frameIds);
  }

  /** Ask the script of a frame (default: the top one): `{ do, … }`. Gives its result; rejects with its error. */
  async ask(page, request, frameId = 0) {
    const tabId = await this.tabOf(page);
    const { result, error } = await this.chromium.inWorker((...args) => pageActions.ask(...args), tabId, frameId, request);
    if (error !== undefined) throw new Error(error);
    return result;
  }

  /** Do something: the shape of an `act` request. */
  act(page, act, target, more = {}, frameId = 0) {
    return this.ask(page, { do: 'act', act, target, ...more }, frameId);
  }

  /**
   * A snapshot of a page with its frames in their places. Attaches first if that was not yet done for this document.
   * @returns {Promise<{ text: string, head: object, id: string, top: object }>}
   */
  async snapshot(page, { next, frameIds, ...options } = {}) {
    await this.attach(page, { next, frameIds });
    const tabId = await this.tabOf(page);
    return this.chromium.inWorker((...args) => pageActions.snapshot(...args), tabId, options);
  }

  /** The text of a snapshot. */
  async outline(page, options) {
    return (await this.snapshot(page, options)).text;
  }

  /** The reference at the first line of a snapshot that has these words. */
  async ref(page, words, options) {
    const text = await this.outline(page, options);
    const line = text.split('\n').find((one) => one.includes(words));
    const ref = /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
    if (!ref) throw new Error(`No reference beside ${JSON.stringify(words)} in:\n${text}`);
    return ref;
  }

  /** Events that scripts of a tab sent, besides tokens. */
  async events(page) {
    const tabId = await this.tabOf(page);
    return this.chromium.inWorker((id) => pageActions.events.filter((one) => one.tabId === id).map(({ event }) => event), tabId);
  }

  /** How often a script asked for a tick in a tab. */
  async ticks(page) {
    const tabId = await this.tabOf(page);
    return this.chromium.inWorker((id) => pageActions.ticks.get(id) ?? 0, tabId);
  }
}

/** Runs in the service worker. */
function installWorker() {
  if (globalThis.pageActions) return;
  /** By tab and document. */
  const documents = new Map();
  const parents = new Map(); // token -> document that holds the frame
  const children = new Map(); // token -> document in the frame
  let asked = 0;
  const events = [];
  const ticks = new Map();

  function connect(tabId, frameId, documentId) {
    const port = chrome.tabs.connect(tabId, { name: 'actions', documentId });
    const one = { tabId, frameId, documentId, port, waiting: new Map(), files: new Set(), prefix: frameId === 0 ? '' : `f${frameId}` };
    documents.set(documentId, one);
    port.onMessage.addListener((text) => {
      const message = JSON.parse(text);
      if (message.id !== undefined) {
        one.waiting.get(message.id)?.(message);
        one.waiting.delete(message.id);
      } else if (message.ask !== undefined) {
        const answer = (body) => port.postMessage(JSON.stringify({ answer: message.ask, ...body }));
        if (message.what === 'tick') {
          ticks.set(tabId, (ticks.get(tabId) ?? 0) + 1);
          setTimeout(answer, message.ms);
        } else if (message.what === 'cover') void cover(one, message).then(answer, () => answer({}));
        else answer({});
      } else if (message.event === 'token') {
        // Who names it first: a page that heard the token of its frame may have passed it on.
        if (documents.has(children.get(message.token)?.documentId)) return;
        children.set(message.token, one);
        one.token = message.token;
      } else if (message.event) events.push({ tabId, event: message });
    });
    port.onDisconnect.addListener(() => {
      documents.delete(documentId);
      for (const done of one.waiting.values()) done({ error: 'disconnected' });
      return chrome.runtime.lastError;
    });
    return one;
  }

  /** The files that answer some requests, as `PageFile` has them. */
  const FILES = {
    snapshot: 'actions-snapshot.js', act: 'actions-act.js', text: 'reader.js',
    ...Object.fromEntries(['conditions', 'data', 'end', 'locate', 'part', 'quiet', 'request', 'rows', 'value'].map((name) => [name, 'actions-skill.js'])),
  };

  async function send(one, request) {
    const file = FILES[request.do];
    if (file && !one.files.has(file)) {
      await chrome.scripting.executeScript({ target: { tabId: one.tabId, documentIds: [one.documentId] }, files: [file], injectImmediately: true });
      one.files.add(file);
    }
    return new Promise((resolve) => {
      const id = (asked += 1);
      one.waiting.set(id, resolve);
      one.port.postMessage(JSON.stringify({ id, ...request }));
    });
  }

  /** Ask the documents above a frame what lies over a point of it. */
  async function cover(one, { x, y }) {
    for (let inner = one; inner?.token && parents.has(inner.token); inner = parents.get(inner.token)) {
      const { result } = await send(parents.get(inner.token), { do: 'probe', token: inner.token, x, y });
      if (result?.covered) return { covered: result.covered };
      ({ x, y } = result ?? { x, y });
    }
    return {};
  }

  const inTab = (tabId) => [...documents.values()].filter((one) => one.tabId === tabId);

  async function attach(tabId, next = 1, frameIds) {
    const target = frameIds ? { tabId, frameIds } : { tabId, allFrames: true };
    const found = await chrome.scripting.executeScript({ target, files: ['actions.js'], injectImmediately: true });
    const list = found.map(({ frameId, documentId }) => documents.get(documentId) ?? connect(tabId, frameId, documentId));
    await Promise.all(list.map(async (one) => {
      await send(one, { do: 'hello', prefix: one.prefix, next });
      const { result } = await send(one, { do: 'pair' });
      for (const { token } of result?.frames ?? []) parents.set(token, one);
    }));
    // A token goes through the page's queue of messages and back: a question later it has come.
    for (let tries = 0; tries < 20 && list.some((one) => one.frameId !== 0 && !one.token); tries += 1) await Promise.all(list.map((one) => send(one, { do: 'hello', prefix: one.prefix, next })));
    return list.map(({ documentId, frameId }) => ({ documentId, frameId }));
  }

  async function spliced(one, options) {
    const { result, error } = await send(one, { do: 'snapshot', ...options });
    if (error !== undefined) throw new Error(error);
    const lines = result.text === '' ? [] : result.text.split('\n');
    const others = [];
    for (const { token, line, text, indent } of [...result.frames].reverse()) {
      const child = children.get(token);
      const isReadable = child && documents.get(child.documentId) === child;
      const inner = isReadable ? (await spliced(child, { ...options, root: undefined, as: result.id })).text : '[not readable]';
      const below = inner.split('\n').map((one) => ' '.repeat(indent) + one);
      if (!inner || (!isReadable && line === undefined)) continue;
      if (line === undefined) others.unshift(`${text}:`, ...below);
      else {
        lines[line] += ':';
        lines.splice(line + 1, 0, ...below);
      }
    }
    lines.push(...others);
    return { ...result, text: lines.join('\n') };
  }

  globalThis.pageActions = {
    events,
    ticks,
    attach,
    async ask(tabId, frameId, request) {
      const one = inTab(tabId).find((each) => each.frameId === frameId);
      return one ? send(one, request) : { error: `nothing in frame ${frameId}` };
    },
    async snapshot(tabId, options) {
      return spliced(inTab(tabId).find(({ frameId }) => frameId === 0), options);
    },
    /** What the worker does when it is done with a page. */
    detach(tabId) {
      for (const one of inTab(tabId)) {
        one.port.disconnect();
        documents.delete(one.documentId);
      }
    },
  };
}
