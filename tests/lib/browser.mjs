/** A Chromium with an empty profile, the extension in it, and its real side panel. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import puppeteer from 'puppeteer-core';

import { chromium, EXTENSION } from './paths.mjs';
import { until, within } from './wait.mjs';

/**
 * The host of an insecure origin that resolves to this machine: `http://insecure.test:PORT`.
 */
export const INSECURE_HOST = 'insecure.test';

const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-search-engine-choice-screen',
  `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
];

/** With these, which the driver sets, popups open and hidden tabs keep time: nothing a user's browser does. */
const INDULGENT = [
  '--disable-popup-blocking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

/**
 * @typedef {object} LaunchOptions
 * @property {boolean} [native] Switches the browser's own WebMCP on.
 * @property {string | null} [extension] Folder of an unpacked extension; null for none.
 * @property {boolean} [incognito] Lets the extension into private windows.
 * @property {boolean} [installable] Lets `Chromium.install` add an extension later.
 * @property {string[]} [args] More command line switches.
 * @property {boolean} [asShipped] Without the driver's switches that let popups through and keep hidden tabs awake.
 * @property {boolean} [headless]
 * @property {number} [width] Of the window, in pixels.
 * @property {number} [height]
 * @property {string} [language] Of the browser's interface (BCP 47).
 * @property {string} [profile] A profile folder to keep; without it a new one is made and removed at the end.
 */

/**
 * Start a browser.
 *
 * @param {LaunchOptions} [options]
 * @returns {Promise<Chromium>}
 */
export async function launch({
  native = false,
  extension = EXTENSION,
  incognito = false,
  installable = false,
  args = [],
  asShipped = false,
  headless = true,
  width = 1280,
  height = 800,
  language = 'en-US',
  profile,
} = {}) {
  const userDataDir = profile ?? (await mkdtemp(path.join(os.tmpdir(), 'sidecar-profile-')));
  const browser = await puppeteer.launch({
    executablePath: chromium(),
    headless,
    pipe: true,
    userDataDir,
    defaultViewport: null,
    ignoreDefaultArgs: asShipped ? INDULGENT : undefined,
    enableExtensions: extension && !incognito ? [extension] : incognito || installable,
    env: { ...process.env, LANGUAGE: language.replace('-', '_') },
    args: [
      ...QUIET,
      // Chromium refuses to run its sandbox as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(native ? ['--enable-features=WebMCP'] : []),
      `--window-size=${width},${height}`,
      `--lang=${language}`,
      `--accept-lang=${language}`,
      ...args,
    ],
  });
  const started = new Chromium(browser, { native, language, extension, userDataDir, keepProfile: profile !== undefined });
  if (extension) {
    try {
      if (incognito) await started.loadForPrivateWindows();
      await started.findExtension();
    } catch (error) {
      await started.close();
      throw error;
    }
  }
  return started;
}

/** A running browser. */
export class Chromium {
  #userDataDir;
  #keepProfile;
  #folder;
  #usual;

  /**
   * @param {import('puppeteer-core').Browser} browser
   * @param {{ native: boolean, language: string, extension: string | null, userDataDir: string, keepProfile: boolean }} facts
   */
  constructor(browser, { native, language, extension, userDataDir, keepProfile }) {
    this.browser = browser;
    this.native = native;
    this.language = language;
    this.#folder = extension;
    this.#userDataDir = userDataDir;
    this.#usual = contextOf(browser.targets().find((target) => target.type() === 'page'));
    this.#keepProfile = keepProfile;
    /** The extension's ID; empty without one. */
    this.extensionId = '';
    /** The extension's manifest. */
    this.manifest = undefined;
  }

  /**
   * Install an unpacked extension now.
   *
   * @param {string} folder
   */
  async install(folder) {
    await this.browser.installExtension(folder);
    this.#folder = folder;
    await this.findExtension();
  }

  /** Install the extension with the permission for private windows. */
  async loadForPrivateWindows() {
    const session = await this.browser.target().createCDPSession();
    await session.send('Extensions.loadUnpacked', { path: this.#folder, enableInIncognito: true });
    await session.detach();
  }

  /** Install the extension again, like an update: its worker and panels end, open tabs stay. */
  async reinstall() {
    const old = await this.workerTarget();
    const next = this.browser.waitForTarget((target) => this.#isWorker(target) && target !== old, { timeout: 10_000 });
    await Promise.all([next, this.browser.installExtension(this.#folder)]);
    await this.#panelIsOnTheIcon();
  }

  /** Read the extension's ID and manifest. */
  async findExtension() {
    this.manifest = JSON.parse(await readFile(path.join(this.#folder, 'manifest.json'), 'utf8'));
    const extension = await until(async () => [...(await this.browser.extensions()).values()][0], {
      what: `the extension in ${this.#folder} to be loaded`,
    });
    this.extensionId = extension.id;
    await this.#panelIsOnTheIcon();
  }

  /** Wait until the worker has set that a click on the icon opens the panel; before that a click does nothing. */
  async #panelIsOnTheIcon() {
    if (!this.manifest.side_panel) return;
    await until(() => this.inWorker(async () => (await chrome.sidePanel.getPanelBehavior()).openPanelOnActionClick), {
      what: 'the toolbar icon to open the panel',
    });
  }

  /**
   * Address of a file of the extension.
   *
   * @param {string} file
   */
  extensionUrl(file) {
    return `chrome-extension://${this.extensionId}/${file}`;
  }

  /**
   * Open a tab.
   *
   * @param {string} [url]
   * @param {import('puppeteer-core').GoToOptions} [options]
   * @returns {Promise<import('puppeteer-core').Page>}
   */
  async open(url, options) {
    const page = await this.browser.newPage();
    if (url) await page.goto(url, options);
    return page;
  }

  /**
   * Open a second window with one tab.
   *
   * @param {string} url
   * @returns {Promise<import('puppeteer-core').Page>}
   */
  async openWindow(url) {
    const session = await this.browser.target().createCDPSession();
    const { targetId } = await session.send('Target.createTarget', { url: 'about:blank', newWindow: true });
    await session.detach();
    const target = await this.browser.waitForTarget((one) => targetIdOf(one) === targetId);
    const page = await target.page();
    await page.goto(url);
    return page;
  }

  /**
   * Open a private window with one tab.
   *
   * @param {string} url
   * @returns {Promise<import('puppeteer-core').Page>}
   */
  async openPrivateWindow(url) {
    await this.inWorker((address) => void chrome.windows.create({ incognito: true, url: address }), url);
    const target = await this.browser.waitForTarget((one) => one.type() === 'page' && one.url() === url && this.#isPrivate(one));
    return target.page();
  }

  /**
   * Run a function in the service worker of private windows.
   *
   * @template T
   * @param {(...args: any[]) => T} fn
   * @param {...any} args
   * @returns {Promise<Awaited<T>>}
   */
  async inPrivateWorker(fn, ...args) {
    const worker = await (await this.privateWorkerTarget()).worker();
    return worker.evaluate(fn, ...args);
  }

  /** The target of the service worker of private windows, once it runs. */
  async privateWorkerTarget() {
    return this.browser.waitForTarget((target) => this.#isWorker(target) && this.#isPrivate(target), { timeout: 10_000 });
  }

  /** Whether a private window, or a worker of private windows, is open. */
  hasPrivateTargets() {
    return this.browser.targets().some((target) => this.#isPrivate(target));
  }

  /**
   * The target of the extension's service worker, once it runs. Attaching to it keeps it alive.
   *
   * @returns {Promise<import('puppeteer-core').Target>}
   */
  async workerTarget() {
    const isIt = (target) => this.#isWorker(target) && !this.#isPrivate(target);
    await this.browser.waitForTarget(isIt, { timeout: 10_000 });
    // After a reinstall the old worker stays in the list while something is attached to it.
    return this.browser.targets().findLast(isIt);
  }

  /** Whether the service worker runs now. */
  workerRuns() {
    return this.browser.targets().some((target) => this.#isWorker(target));
  }

  /**
   * Run a function in the service worker.
   *
   * @template T
   * @param {(...args: any[]) => T} fn
   * @param {...any} args
   * @returns {Promise<Awaited<T>>}
   */
  async inWorker(fn, ...args) {
    const worker = await (await this.workerTarget()).worker();
    return worker.evaluate(fn, ...args);
  }

  /**
   * Stop the service worker, as the browser does when it is idle.
   *
   * @param {import('puppeteer-core').Target} [which] the worker of private windows, instead of the regular one
   */
  async killWorker(which) {
    const target = which ?? (await this.workerTarget());
    const gone = new Promise((resolve) => {
      const listener = (destroyed) => {
        if (destroyed !== target) return;
        this.browser.off('targetdestroyed', listener);
        resolve();
      };
      this.browser.on('targetdestroyed', listener);
    });
    const worker = await target.worker();
    // Sometimes the browser ignores the first request. A second one too early would hit the next worker.
    const again = setInterval(() => void worker.close().catch(() => {}), 2_000);
    try {
      await worker.close();
      await within(gone, { what: 'the service worker to be gone' });
    } finally {
      clearInterval(again);
    }
  }

  /**
   * Notice the memories of the WebAssembly instances in the service worker as they are used from now on: the heap cannot
   * be searched for them, since that sometimes ends the process.
   */
  async watchModules() {
    await this.inWorker(() => {
      self.memories ??= (() => {
        const seen = new Set();
        const { decode } = TextDecoder.prototype;
        TextDecoder.prototype.decode = function (view, ...rest) {
          if (view !== undefined) seen.add(view.buffer);
          return decode.call(this, view, ...rest);
        };
        const { get } = Object.getOwnPropertyDescriptor(WebAssembly.Memory.prototype, 'buffer');
        const buffer = function () {
          const found = get.call(this);
          seen.add(found);
          return found;
        };
        Object.defineProperty(WebAssembly.Memory.prototype, 'buffer', { get: buffer, configurable: true });
        // One that has grown has another buffer.
        return { seen, known: new Set(), all: () => [...seen].filter(({ byteLength }) => byteLength >= 65_536) };
      })();
    });
  }

  /**
   * Count the WebAssembly instances in the service worker that were used since `watchModules`, and mark them as known.
   */
  async modules() {
    return this.inWorker(() => {
      const all = memories.all();
      all.forEach((one) => memories.known.add(one));
      return all.length;
    });
  }

  /**
   * Overwrite the memory of the WebAssembly instances in the service worker that were used since `watchModules`, so that
   * whatever they do next traps.
   *
   * @param {{ known?: boolean }} [which] with `known: false`, only those that `modules` has not counted
   */
  async spoilWorker({ known = true } = {}) {
    const count = await this.inWorker((isKnown) => {
      const all = memories.all().filter((one) => isKnown || !memories.known.has(one));
      all.forEach((one) => new Uint8Array(one).fill(0xff));
      return all.length;
    }, known);
    if (!count) throw new Error('There is no such WebAssembly memory in the service worker.');
  }

  /**
   * Click the toolbar icon with this tab in front, which opens the side panel of the tab's window.
   *
   * @param {import('puppeteer-core').Page} page
   * @returns {Promise<import('puppeteer-core').Page>} the panel
   */
  async openPanel(page) {
    const known = new Set(this.panelTargets());
    await page.bringToFront();
    const extension = (await this.browser.extensions()).get(this.extensionId);
    await extension.triggerAction(page);
    const target = await this.browser.waitForTarget((one) => this.#isPanel(one) && !known.has(one), {
      timeout: 10_000,
    });
    const panel = await target.asPage();
    await this.speak(panel);
    return panel;
  }

  /**
   * A Chromium without translations of its own interface always reports English. In that case, make `chrome.i18n` in
   * a page of ours report the requested language.
   */
  async speak(panel) {
    const spoken = await panel.evaluate(() => chrome.i18n.getUILanguage());
    if (spoken === this.language) return;
    await panel.evaluateOnNewDocument((language) => (chrome.i18n.getUILanguage = () => language), this.language);
    await panel.reload();
  }

  /** The targets of all open side panels. */
  panelTargets() {
    return this.browser.targets().filter((target) => this.#isPanel(target));
  }

  /** Close the browser and remove its profile. */
  async close() {
    await this.browser.close();
    if (!this.#keepProfile) {
      await rm(this.#userDataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  }

  /** The browser starts with a page of the regular profile; private windows are another browser context. */
  #isPrivate(target) {
    return contextOf(target) !== undefined && contextOf(target) !== this.#usual;
  }

  #isWorker(target) {
    return target.type() === 'service_worker' && target.url().startsWith(this.extensionUrl(''));
  }

  #isPanel(target) {
    const file = this.manifest?.side_panel?.default_path;
    return file !== undefined && target.url().split(/[?#]/)[0] === this.extensionUrl(file);
  }
}

/** @param {import('puppeteer-core').Target} target */
function contextOf(target) {
  return target._getTargetInfo().browserContextId;
}

/** @param {import('puppeteer-core').Target} target */
function targetIdOf(target) {
  return target._targetId;
}
