/**
 * The service worker's shim. Chrome wants every listener registered in the first turn of the event loop; the module
 * that does the work is ready a moment later. So each listener waits for it, and events keep their order because
 * they all wait for the same promise.
 */
import { workerModule } from './worker-module.js';
import init, {
  __wbg_reset_state, onAlarm, onConnect, onInstalled, onMessage, onNotificationClicked, onPortDisconnect, onPortMessage,
  onTabActivated, onTabRemoved, onTabUpdated, start,
} from './wasm/worker.js';
import { readFirst } from './first-values.js';
import { fitPicture } from './picture.js';

/** Asks the browser for something at once; what it refuses or does not know ends nothing. */
const ask = (question) => (async () => question())().catch((error) => console.warn(error));
/** Content scripts share a process with pages: they may not read what is saved. */
const closeStorage = () => ask(() => chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' }));

/** Resolves when the module can be called; a new promise after each failure of the module. */
let ready = Promise.all([readFirst(), init({ module_or_path: workerModule })]).then(([first]) => start(first));

/** Calls a function of the module once it is ready. */
const hand = (listener, ...args) => ready.then(() => listener(...args));

const arrive = () => {
  // The browser keeps both, so that no other start has to wait for them.
  closeStorage();
  ask(() => chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true }));
  hand(onInstalled);
};
chrome.runtime.onInstalled.addListener(arrive);
chrome.runtime.onStartup.addListener(arrive);
// Should the browser not have kept it.
setTimeout(closeStorage, 1000);
chrome.alarms.onAlarm.addListener(() => hand(onAlarm));

chrome.runtime.onMessage.addListener((text, sender, respond) => {
  if (typeof text !== 'string' || sender.tab === undefined || sender.documentId === undefined) return false;
  // Every answer is the loading state of the tab when the message came: while nothing loads, the page stays.
  hand(onMessage, text, sender, () => respond(sender.tab.status));
  return true; // the answer comes later
});

/**
 * Asks functions of a module that is made with the first question, or when that can be expected. Should it trap, which
 * leaves a dead instance, the question goes to a new one, once.
 * @param {string} name of its file
 * @param {() => Promise<object>} load evaluates its JavaScript, which the bundle has
 * @param {string[]} functions
 */
const seldom = (name, load, functions) => {
  /** Resolves when it can be called; undefined until first needed. @type {Promise<object> | undefined} */
  let made;
  const make = async () => {
    const module = await load();
    await module.default({ module_or_path: chrome.runtime.getURL(`wasm/${name}_bg.wasm`) });
    return module;
  };
  const prepare = () => {
    made ??= make();
    return made.catch((error) => {
      made = undefined; // the next question tries again
      throw error;
    });
  };
  const asking = (question) => async (...args) => {
    const module = await prepare();
    try {
      return module[question](...args);
    } catch (error) {
      console.warn(`The ${name} failed and is started again.`, error);
      module.__wbg_reset_state();
      return module[question](...args);
    }
  };
  return { prepare, asks: Object.fromEntries(functions.map((one) => [one, asking(one)])) };
};
const validator = seldom('validator', () => import('./wasm/validator.js'), ['mistake', 'mistakes', 'problem']);
const importer = seldom('importer', () => import('./wasm/importer.js'), ['answer']);
const inspector = seldom('inspector', () => import('./wasm/inspector.js'), [
  'checkSuite', 'contract', 'evalStep', 'example', 'lint', 'recordCase',
]);

// For the worker's module.
globalThis.validator = validator.asks;
globalThis.importer = importer.asks;
globalThis.inspector = inspector.asks;

/** For the worker's module. */
globalThis.pictures = {
  fit: async (url, longestEdge, mostBytes) => fitPicture(await (await fetch(url)).blob(), longestEdge, mostBytes),
  async capture(windowId, x, y, width, height, longestEdge, mostBytes) {
    const url = await chrome.tabs.captureVisibleTab(windowId, { format: 'png' }).catch(async (error) => {
      // The browser allows two a second.
      if (!/quota|per_second/i.test(error.message)) throw error;
      await new Promise((done) => setTimeout(done, 1000));
      return chrome.tabs.captureVisibleTab(windowId, { format: 'png' });
    });
    return fitPicture(await (await fetch(url)).blob(), longestEdge, mostBytes, { x, y, width, height });
  },
};

/** The pages that may give commands, by the name of their port. */
const PAGES = { panel: chrome.runtime.getURL('panel.html'), workbench: chrome.runtime.getURL('workbench.html') };
/** The open panels' ports by number. @type {Map<number, chrome.runtime.Port>} */
const ports = new Map();
let links = 0;

chrome.runtime.onConnect.addListener((port) => {
  // A relay shares a process with its page and could open a port too; only our own pages may give commands.
  if (!Object.hasOwn(PAGES, port.name) || !port.sender?.url?.startsWith(PAGES[port.name])) {
    port.disconnect();
    return;
  }
  const link = ++links;
  ports.set(link, port);
  hand(onConnect, link, port);
  // A workbench asks about tools soon; a question tries again what failed.
  if (port.name === 'workbench') hand(inspector.prepare).catch(() => {});
  port.onMessage.addListener((text) => { if (typeof text === 'string') hand(onPortMessage, link, text); });
  port.onDisconnect.addListener(() => {
    ports.delete(link);
    hand(onPortDisconnect, link);
  });
});

chrome.tabs.onActivated.addListener(({ tabId, windowId }) => hand(onTabActivated, tabId, windowId));
chrome.tabs.onUpdated.addListener((tabId, change, tab) => hand(onTabUpdated, tab));
chrome.tabs.onRemoved.addListener((tabId) => hand(onTabRemoved, tabId));

chrome.notifications.onClicked.addListener((id) => {
  // Its id begins with the tab. Whether the click may open the panel is the browser's decision, made in this very turn.
  chrome.sidePanel.open?.({ tabId: Number.parseInt(id, 10) }).catch(() => {});
  hand(onNotificationClicked, id);
});

let failures = 0;
/** From a failure until its replacement starts. */
let isReviving = false;
/** Whether the rejections that are told now are those of the instance before. */
let areRejectionsOld = false;
/** The reason of a rejection of ours, by which they end: rejections are told in order, but later than errors. */
const REPLACED = Symbol('replaced');

/**
 * A trap leaves a dead instance of the module in a living worker. A new one takes its place and reads everything back
 * from disk; panels are disconnected, because they then connect again and get a fresh snapshot. One that fails again
 * and again is given pauses, a second longer each time.
 * @param {unknown} error
 */
const revive = (error) => {
  // A stack that is too deep ends the module too, and comes as a RangeError.
  if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) return;
  console.error('The worker\'s module failed and is started again.', error);
  if (isReviving) return;
  isReviving = true;
  for (const port of ports.values()) port.disconnect();
  ports.clear();
  const pause = 1000 * failures++;
  ready = new Promise((resolve) => setTimeout(resolve, pause)).then(() => {
    areRejectionsOld = true;
    Promise.reject(REPLACED);
    isReviving = false;
    __wbg_reset_state();
    start({});
    onAlarm(); // an event, should there be no other: what the instance before left on the icon is then put right
  });
};
self.addEventListener('error', (event) => revive(event.error));
self.addEventListener('unhandledrejection', (event) => {
  if (event.reason === REPLACED) {
    event.preventDefault();
    areRejectionsOld = false;
  } else if (!areRejectionsOld) {
    revive(event.reason);
  }
});
