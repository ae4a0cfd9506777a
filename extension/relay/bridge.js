/** The connection to the bridge in the page's world. */

import * as NAMES from '../shared/names.js';
import { tidyList } from './lists.js';
import { isNative, isProvided } from './own.js';
import { pause } from './pace.js';
import { place, stays } from './place.js';
import { alive, parseObject, send } from './worker.js';

/** Timeouts in milliseconds: for a bridge to answer, and for a requested bridge to be injected. */
const BRIDGE_PATIENCE = 250;
const INJECTION_PATIENCE = 2000;

/** The way to the page's world. */
export const bridge = {
  /** @type {MessagePort | undefined} */
  port: undefined,
  /**
   * What stands behind the page's `document.modelContext`. The bridge says so, and a page could say it in its place: that it is
   * the browser's own is believed only where the browser provides it.
   *
   * @type {'native' | 'polyfill' | undefined}
   */
  backend: undefined,
  /** The search for it that is under way. @type {Promise<boolean> | undefined} */
  search: undefined,
  /** Whether the worker was asked to inject one, which happens once for each relay. */
  missed: false,
  /** The list, where the bridge sends it with each change; else it is to be asked. @type {List | undefined} */
  list: undefined,
  /** Callbacks for answers, by request id. @type {Map<string, (message: object) => void>} */
  waiting: new Map(),

  /** The bridge reports that the list has changed. */
  onToolsChanged() {},

  /** The bridge tells which tools of SKILLs it has registered. @type {(message: object) => void} */
  onSkillsShown() {},

  /** Somebody calls one. @type {(message: object) => void} */
  onSkillCalled() {},

  /** The bridge tells of a tool that waits for its user. @type {(message: object) => void} */
  onInteraction() {},

  post(message) {
    this.port?.postMessage(JSON.stringify(message));
  },

  /** @returns {Promise<boolean>} whether there is a bridge */
  find() {
    if (this.backend !== undefined) return Promise.resolve(true);
    this.search ??= this.seek().finally(() => (this.search = undefined));
    return this.search;
  },

  async seek() {
    if (await this.meet()) return true;
    if (this.missed) return false;
    this.missed = true;
    await Promise.race([send({ type: NAMES.BRIDGE_MISSING }), pause(INJECTION_PATIENCE)]);
    return alive() && this.meet();
  },

  /**
   * Post the one message that the page's window sees. A bridge takes and stops it; if it comes back to this world, there
   * is none.
   */
  async meet() {
    const { port1, port2 } = new MessageChannel();
    const there = await new Promise((resolve) => {
      const echo = (event) => {
        if (event.source !== window || event.data?.type !== NAMES.CONNECT) return;
        event.stopImmediatePropagation();
        window.removeEventListener('message', echo, true);
        resolve(false);
      };
      window.addEventListener('message', echo, true);
      port1.onmessage = ({ data }) => {
        const message = parseObject(data);
        if (message?.type !== NAMES.BRIDGE_READY) return;
        window.removeEventListener('message', echo, true);
        this.port = port1;
        this.isReady(message);
        port1.onmessage = (event) => this.hear(parseObject(event.data));
        resolve(true);
      };
      window.postMessage({ type: NAMES.CONNECT }, '*', [port2]);
      setTimeout(() => {
        window.removeEventListener('message', echo, true);
        resolve(false);
      }, BRIDGE_PATIENCE);
    });
    if (!there) port1.close();
    return there;
  },

  isReady({ backend }) {
    this.backend = backend === 'native' && isProvided() ? 'native' : 'polyfill';
    this.list = undefined;
  },

  hear(message) {
    switch (message?.type) {
      case NAMES.BRIDGE_READY:
        // Native WebMCP has appeared late and replaced the polyfill.
        this.isReady(message);
        break;
      case NAMES.TOOLS_CHANGED:
        if (isNative) break;
        this.list = Array.isArray(message.tools) ? this.tidy(message) : undefined;
        this.onToolsChanged();
        break;
      case NAMES.TOOLS_LIST:
      case NAMES.FACTS:
      case NAMES.TOOL_RESULT:
      case NAMES.EXPECTED_CALL:
        this.waiting.get(message.requestId)?.(message);
        break;
      case NAMES.USER_INTERACTION:
        this.onInteraction(message);
        break;
      case NAMES.SKILLS_SHOWN:
        this.onSkillsShown(message);
        break;
      case NAMES.SKILL_CALLED:
        this.onSkillCalled(message);
        break;
    }
  },

  tidy({ tools, total, blocked }) {
    return tidyList(this.backend, tools, total, blocked);
  },

  /** Ask, and wait for the answer under this id. */
  ask(message, signal) {
    const { requestId } = message;
    return new Promise((resolve) => {
      const done = (answer) => {
        this.waiting.delete(requestId);
        resolve(answer);
      };
      this.waiting.set(requestId, done);
      signal?.addEventListener('abort', () => this.waiting.delete(requestId));
      this.post(message);
    });
  },

  /** Resolves when it may be asked. Behind native WebMCP it asks the browser, see `askerFor`. */
  isSafe() {
    return this.backend === 'native' ? stays() : place.hesitating;
  },

  close() {
    this.port?.close();
    this.port = undefined;
    this.backend = undefined;
  },
};
