/**
 * Between one document and the service worker (ISOLATED world, `document_start`, all frames).
 *
 * Where the browser has WebMCP, the relay lists, calls and observes the document's tools itself. Where it has not, the
 * bridge in the page's world does, over a `MessagePort` that is handed over once. What comes from there was written by a
 * page, or could have been: it is checked and cut before it goes on. Names, shapes and caps: docs/protocol.md.
 *
 * `document_start`, because Chrome has the page's `load` event wait for scripts at `document_idle`. But the relay only
 * begins once the page has loaded, or takes its time over that: what it does is no part of the page's loading.
 *
 * A world that exists before a page's origin-trial token is parsed never gets the page's native `document.modelContext`.
 * There, too, the bridge is the way.
 */
((relay) => {
  'use strict';

  if (!isSecureContext) return;

  /** Milliseconds between two looks at whether a page that still loads is parsed: then it waits for its pictures only. */
  const LOADING_PATIENCE = 200;

  /** Milliseconds until a page that was to be left, and is still here, is taken to stay, or the worker is asked. */
  const LEAVING_PATIENCE = 1000;

  /** Asks the worker whether the tab loads nothing. */
  const PAGE_STAYS = '{"type":"__wmcp_page_stays"}';

  /** What the browser has there. A page can put an element of its own in the place of any member of `document`. */
  const ofDocument = (member) => Reflect.get(Document.prototype, member, document);

  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  const { runtime } = chrome;

  // One relay a world. A second injection finds the first one, which only tells its list again.
  const PLACE = Symbol.for('webmcp.relay');
  const earlier = globalThis[PLACE];
  if (earlier?.alive()) {
    earlier.announceAgain();
    return;
  }

  /** What the relays of one origin's frames know of each other: they share a world, and reach it over `window`. */
  const place = {
    /** False once the extension was reloaded or removed: this script is then left over. */
    alive: () => runtime?.id !== undefined,

    announceAgain: () => begin(),

    /** The list is another now; another frame's relay says so. */
    listChanged() {},

    /** Who asks the browser for this document's list, once this relay has begun. @type {Promise<object | undefined>} */
    asker: undefined,

    /** From `beforeunload` on, until the page is known to stay; settles then. @type {Promise<void> | undefined} */
    leaving: undefined,

    /** Comes back when the page is known to stay. Only when somebody waits for that, the worker is asked. */
    stays() {
      void askWhetherItStays();
      return place.leaving;
    },

    /** From `beforeunload` on: settles after a second, by when most pages that are left are gone. @type {Promise<void> | undefined} */
    hesitating: undefined,
  };
  place.asker = new Promise((resolve) => (place.hasBegun = resolve));
  globalThis[PLACE] = place;

  /** Ends `place.leaving`. */
  let stay;

  function onBeforeUnload({ isTrusted }) {
    if (!isTrusted) return;
    leave();
    const patience = pause(LEAVING_PATIENCE);
    place.hesitating = patience;
    void patience.then(() => {
      if (place.hesitating === patience) place.hesitating = undefined;
    });
  }

  let isAsking = false;

  /** It was a download, or the user chose to stay, unless the server takes its time: the worker knows. */
  async function askWhetherItStays() {
    if (isAsking) return;
    isAsking = true;
    while (place.alive() && place.leaving !== undefined) {
      await place.hesitating;
      const status = await runtime.sendMessage(PAGE_STAYS).catch(() => {});
      if (place.hesitating !== undefined || place.leaving === undefined) continue;
      if (status === 'complete') stay();
      else await pause(LEAVING_PATIENCE);
    }
    isAsking = false;
  }

  function onPageHide({ isTrusted }) {
    if (!isTrusted) return;
    leave();
    // Whatever the tab shows now: until this page comes back, it does not stay.
    place.hesitating = place.leaving;
  }

  function leave() {
    if (place.leaving !== undefined) return;
    place.leaving = new Promise((resolve) => {
      stay = () => {
        place.leaving = undefined;
        place.hesitating = undefined;
        resolve();
      };
    });
  }

  const listeners = {
    beforeunload: onBeforeUnload,
    pagehide: onPageHide,
    pageshow: ({ isTrusted, persisted }) => isTrusted && persisted && stay?.(),
  };
  /** Also again: `document.open()` takes every listener off the window. */
  place.listen = () => Object.entries(listeners).forEach(([type, listener]) => window.addEventListener(type, listener));
  place.retire = () => Object.entries(listeners).forEach(([type, listener]) => window.removeEventListener(type, listener));
  // At once: who is not heard of before the page is left is not told of it.
  place.listen();

  let begun = false;
  const begin = () => {
    if (!begun) relay({ place, PLACE, ofDocument, pause, runtime });
    begun = true;
  };
  // Put into a page that was there before the extension.
  if (ofDocument('readyState') === 'complete') {
    begin();
    return;
  }
  // The browser tells of it in a task after the `load` event, in which no listener of ours then takes part.
  new PerformanceObserver(begin).observe({ type: 'navigation' });
  const look = () => {
    if (ofDocument('readyState') === 'loading') setTimeout(look, LOADING_PATIENCE);
    else begin();
  };
  setTimeout(look, LOADING_PATIENCE);
})((shared) => {
  'use strict';

  const { place, PLACE, ofDocument, pause, runtime } = shared;

  const NAMES = {
    CONNECT: '__wmcp_connect',
    BRIDGE_READY: '__wmcp_bridge_ready',
    TOOLS_CHANGED: '__wmcp_tools_changed',
    LIST_TOOLS: '__wmcp_list_tools',
    TOOLS_LIST: '__wmcp_tools_list',
    CALL_TOOL: '__wmcp_call_tool',
    TOOL_RESULT: '__wmcp_tool_result',
    CANCEL_CALL: '__wmcp_cancel_call',
    EXPECT_CALL: '__wmcp_expect_call',
    EXPECTED_CALL: '__wmcp_expected_call',
    USER_INTERACTION: '__wmcp_user_interaction',
    BRIDGE_MISSING: '__wmcp_bridge_missing',
    PAGE_GONE: '__wmcp_page_gone',
  };

  const CAPS = {
    TOOLS: 1000,
    LIST: 8388608,
    DESCRIPTION: 16384,
    TITLE: 1024,
    SCHEMA: 262144,
    ARGUMENTS: 4194304,
    RESULT: 4194304,
    ERROR: 4096,
  };

  /** What a bridge answers that does not know whether a tool failed or was not there. */
  const UNSURE = 'unsure';

  const FAILURES = ['threw', 'notFound', 'badArguments', 'tooLarge', 'cancelled', 'navigated', 'blocked'];

  /** Results that are kept to be given again: so many, and so many characters in all. */
  const KEPT_RESULTS = 100;
  const KEPT_CHARACTERS = 16777216;

  /**
   * Milliseconds between two lists: the least, also that of a page that changes now and then, and the most, that of one
   * that changes without pause. Lists of more characters than `LARGE` wait longer in proportion.
   */
  const PACE = 50;
  const MAX_PACE = 5000;
  const LARGE = 262144;
  /** Milliseconds until a bridge that says nothing is not there, and until one that was asked for is not coming. */
  const BRIDGE_PATIENCE = 250;
  const INJECTION_PATIENCE = 2000;
  /** Milliseconds to wait for a failure's own words. */
  const WORDS_PATIENCE = 200;
  /** Milliseconds to wait for a list that says whether a tool is there. */
  const LEFT_PATIENCE = 1200;
  /** Milliseconds until a form that was filled and not refused waits for the user. */
  const FORM_PATIENCE = 100;
  const { alive } = place;

  /**
   * The place of the tab's top document, if it is of this origin, else this one's own. Frames of the top document's origin
   * have the top relay ask for their lists, and are left with it.
   */
  const topPlace = (() => {
    try {
      return top[PLACE]?.alive() ? top[PLACE] : place;
    } catch {
      return place;
    }
  })();

  /** Comes back when neither this document nor the one around it may be on its way out. */
  async function stays() {
    place.listen();
    while (place.leaving ?? topPlace.leaving) await (place.leaving ? place.stays() : topPlace.stays());
  }

  // ------------------------------------------------------------------------------------------------------- the worker

  /** Rust reads no text with half a surrogate pair in it. */
  const toText = (message) =>
    JSON.stringify(message, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value));

  /** Tell the worker. Comes back when it has answered, or cannot. */
  const send = (message) => sendText(toText(message));

  async function sendText(text) {
    try {
      await runtime.sendMessage(text);
    } catch {
      // A worker that does not answer asks for the list when it is there again.
    }
    if (!alive()) retire();
  }

  /**
   * At most one at a time, each after a wait, and none forgotten. The wait grows with the size of what was done, and doubles
   * each time that more is wanted during it: a page that changes without pause is told of ever more rarely.
   *
   * @param {() => Promise<number>} work gives the size in characters
   * @returns {(isUrgent?: boolean) => Promise<void>} has it done; what is urgent waits as if nothing had been done before
   */
  function paced(work) {
    let wanted = false;
    let busy = false;
    let hurry = () => {};
    return async (isUrgent) => {
      wanted = true;
      if (isUrgent) hurry();
      if (busy) return;
      busy = true;
      let times = 1;
      while (wanted && alive()) {
        wanted = false;
        const hurried = new Promise((resolve) => (hurry = resolve));
        // What fails once may come about the next time.
        const size = await work().catch(() => 0);
        const least = Math.min(PACE * Math.max(1, size / LARGE), MAX_PACE);
        await pause(least);
        await Promise.race([hurried, pause(Math.min(least * times, MAX_PACE) - least)]);
        times *= 2;
      }
      busy = false;
    };
  }

  // ------------------------------------------------------------------------------------------------------- tool lists

  /** @typedef {{ backend: 'native' | 'polyfill', tools: object[], total: number, blocked?: true }} List */

  const cut = (text, cap) => (text.length > cap ? text.slice(0, cap) : text);

  /** A tool within the caps, or `undefined` if it is none. */
  function tidyTool(tool) {
    if (typeof tool !== 'object' || tool === null) return undefined;
    const { name, title, description, inputSchema, annotations } = tool;
    if (typeof name !== 'string' || name === '' || name.length > 128 || typeof description !== 'string') return undefined;
    const tidy = { name, description: cut(description, CAPS.DESCRIPTION) };
    if (typeof title === 'string' && title !== '') tidy.title = cut(title, CAPS.TITLE);
    const schema = schemaText(inputSchema);
    if (schema !== undefined && schema.length <= CAPS.SCHEMA) tidy.inputSchema = schema;
    if (typeof annotations === 'object' && annotations !== null) {
      const { readOnlyHint, untrustedContentHint, consequentialHint, destructiveHint, debugging } = annotations;
      tidy.annotations = {
        readOnlyHint: readOnlyHint === true,
        untrustedContentHint: untrustedContentHint === true,
        consequentialHint: consequentialHint === true,
        destructiveHint: destructiveHint === true,
        debugging: debugging === true,
      };
    }
    return tidy;
  }

  /** Chrome gave the schema as text until about version 153, and gives an object now. */
  function schemaText(schema) {
    if (schema === undefined || typeof schema === 'string') return schema;
    try {
      return JSON.stringify(schema);
    } catch {
      return undefined;
    }
  }

  const all = (selector) => [...ofDocument('querySelectorAll').call(document, selector)];

  /** The tool that a form is, if it is one. A form's own members are hidden by controls of their names. */
  const toolNameOf = (form) => Element.prototype.getAttribute.call(form, 'toolname');

  /** @returns {List} */
  function tidyList(backend, tools, total, blocked) {
    const list = { backend, tools: [], total: Number.isSafeInteger(total) ? Math.max(total, 0) : tools.length };
    const forms = new Set(all('form[toolname]').map(toolNameOf));
    let size = 0;
    for (const tool of tools.slice(0, CAPS.TOOLS)) {
      const tidy = tidyTool(tool);
      if (tidy === undefined) continue;
      if (forms.has(tidy.name)) tidy.form = true;
      size += JSON.stringify(tidy).length;
      if (size > CAPS.LIST) break;
      list.tools.push(tidy);
    }
    list.total = Math.max(list.total, list.tools.length);
    if (blocked === true) list.blocked = true;
    return list;
  }

  const failure = (code, error) => ({ ok: false, code, error: cut(error, CAPS.ERROR) });

  const notFound = () => failure('notFound', 'The page has no tool of this name.');

  const isBlocking = ({ name }) => name === 'NotAllowedError' || name === 'SecurityError';

  // -------------------------------------------------------------------------------------------------------- the bridge

  /** The way to the page's world. */
  const bridge = {
    /** @type {MessagePort | undefined} */
    port: undefined,
    /** What the bridge says stands behind the page's `document.modelContext`. @type {string | undefined} */
    backend: undefined,
    /** The search for it that is under way. @type {Promise<boolean> | undefined} */
    search: undefined,
    /** Whether the worker was asked to put one in: once in the life of this relay. */
    missed: false,
    /** The list, where the bridge sends it with each change; else it is to be asked. @type {List | undefined} */
    list: undefined,
    /** Who waits for which answer, by request id. @type {Map<string, (message: object) => void>} */
    waiting: new Map(),

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
      this.backend = backend === 'native' ? 'native' : 'polyfill';
      this.list = undefined;
    },

    hear(message) {
      switch (message?.type) {
        case NAMES.BRIDGE_READY:
          // Native WebMCP has come late and taken the polyfill's place.
          this.isReady(message);
          break;
        case NAMES.TOOLS_CHANGED:
          if (isNative) break;
          this.list = Array.isArray(message.tools) ? this.tidy(message) : undefined;
          announce();
          break;
        case NAMES.TOOLS_LIST:
        case NAMES.TOOL_RESULT:
        case NAMES.EXPECTED_CALL:
          this.waiting.get(message.requestId)?.(message);
          break;
        case NAMES.USER_INTERACTION: {
          const { requestId, toolName, phase, kind } = message;
          if (typeof toolName !== 'string' || toolName.length > 128 || (phase !== 'started' && phase !== 'ended')) break;
          const ours = running.has(requestId) ? requestId : null;
          void send({ type: NAMES.USER_INTERACTION, requestId: ours, toolName, phase, kind: kind === 'form' ? 'form' : 'callback' });
          break;
        }
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

    /** Comes back when it may be asked. Behind native WebMCP it asks the browser, see `askerFor`. */
    isSafe() {
      return this.backend === 'native' ? stays() : place.hesitating;
    },

    close() {
      this.port?.close();
      this.port = undefined;
      this.backend = undefined;
    },
  };

  function parseObject(text) {
    try {
      const value = typeof text === 'string' ? JSON.parse(text) : undefined;
      return typeof value === 'object' && value !== null ? value : undefined;
    } catch {
      return undefined;
    }
  }

  // ---------------------------------------------------------------------------------------------------------- backends

  /**
   * One way to a document's tools.
   *
   * @typedef {object} Backend
   * @property {(isUrgent?: boolean) => Promise<List>} list
   * @property {Promise<object>} [asker] who asks the browser for the list
   * @property {() => Promise<void>} [renew] the document comes or goes, and the list is another
   * @property {(requestId: string, toolName: string, args: string, signal: AbortSignal) => Promise<object>} call
   *   gives a `ToolResult` without type and id; what it gives after an abort is not used
   */

  /** Through the bridge. @type {Backend} */
  const bridged = {
    async list() {
      if (!(await bridge.find())) return tidyList('polyfill', [], 0);
      await bridge.isSafe();
      const requestId = crypto.randomUUID();
      const answer = await bridge.ask({ type: NAMES.LIST_TOOLS, requestId });
      return bridge.tidy({ ...answer, tools: Array.isArray(answer.tools) ? answer.tools : [] });
    },

    async call(requestId, toolName, args, signal) {
      if (!(await bridge.find())) return notFound();
      await bridge.isSafe();
      signal.addEventListener('abort', () => bridge.post({ type: NAMES.CANCEL_CALL, requestId }));
      const { ok, result, error, code } = await bridge.ask({ type: NAMES.CALL_TOOL, requestId, toolName, args }, signal);
      if (ok === true) return typeof result === 'string' ? success(result) : { ok: true };
      if (code === UNSURE) {
        const isListed = bridged.list().then(({ tools }) => tools.some(({ name }) => name === toolName));
        if (!(await unlessLeft(isListed))) return notFound();
      }
      return failure(FAILURES.includes(code) ? code : 'threw', typeof error === 'string' ? error : '');
    },
  };

  /** Whether a tool is listed, or nobody knows: a page that may be left is not asked. */
  const unlessLeft = (isListed) => Promise.race([isListed, pause(LEFT_PATIENCE).then(() => true)]);

  const success = (result) =>
    result.length > CAPS.RESULT ? failure('tooLarge', `The result is larger than ${CAPS.RESULT} characters.`) : { ok: true, result };

  /**
   * Asks the browser for the tools of this document, and of all of its origin in the tab.
   *
   * Chromium 156 dies as a whole, all its windows, when a document asks while the browser has already put another page into
   * the tab, and the page that left has tools. So only the top document asks, for the frames of its origin as well; what
   * frames of other origins ask never names its tools. It does not ask while it may be left, of which it hears by
   * `beforeunload` first (docs/decisions/0021-asking-native-webmcp.md).
   */
  function askerFor() {
    /** @typedef {{ tools: Map<Window, object[]>, error?: Error }} Answer */
    /** The answer, until it changes. @type {Promise<Answer> | undefined} */
    let current;
    /** Gives the answer to who waits for it; missing when nobody does. @type {((answer: Answer) => void) | undefined} */
    let give;
    /** Windows that had tools. @type {Set<Window>} */
    let before = new Set();

    const ask = paced(async () => {
      await stays();
      const done = give;
      give = undefined;
      if (done === undefined) return 0;
      const { tools, size, error } = await context().getTools().then(byWindow, (reason) => ({ tools: new Map(), size: 0, error: reason }));
      if (error !== undefined) current = undefined;
      done({ tools, error });
      const concerned = new Set([...before, ...tools.keys()]);
      before = new Set(tools.keys());
      concerned.delete(window);
      for (const one of concerned) {
        try {
          one[PLACE]?.listChanged();
        } catch {
          // What is in that frame now is of another origin.
        }
      }
      return size;
    });

    function byWindow(all) {
      const tools = new Map();
      let size = 0;
      for (const tool of all) {
        if (!tools.has(tool.window)) tools.set(tool.window, []);
        tools.get(tool.window).push(tool);
        size += tool.description.length;
      }
      return { tools, size };
    }

    return {
      /** @param {Window} [gone] one whose document goes away: nothing may hold it */
      changed(gone) {
        current = undefined;
        before.delete(gone);
      },

      /** @returns {Promise<Answer>} */
      answer(isUrgent) {
        if (current === undefined) {
          const earlier = give;
          current = new Promise((resolve) => {
            give = (answer) => {
              earlier?.(answer);
              resolve(answer);
            };
          });
        }
        if (give !== undefined) void ask(isUrgent);
        return current;
      },
    };
  }

  const context = () => ofDocument('modelContext');

  /**
   * Through the browser's own WebMCP.
   *
   * @returns {Backend}
   */
  function nativeBackend() {
    /** Handles of this window's tools as last listed, by name. @type {Map<string, object>} */
    let handles = new Map();
    /** A top document whose own world has no WebMCP cannot ask. */
    const asker = topPlace === place ? Promise.resolve(own()) : topPlace.asker.then((its) => its ?? own());

    function own() {
      const ours = askerFor();
      context().addEventListener('toolchange', () => {
        ours.changed();
        void announce();
      });
      return ours;
    }

    async function refresh(isUrgent) {
      const { tools, error } = await (await asker).answer(isUrgent);
      if (error !== undefined) throw error;
      const mine = tools.get(window) ?? [];
      handles = new Map(mine.map((tool) => [tool.name, tool]));
      return mine;
    }

    const anew = async () => {
      (await asker).changed();
      return refresh(true);
    };

    return {
      asker,

      // What was in this frame before may still be in the list, or what is here now when it goes.
      renew: async () => void (await asker).changed(window),

      list: (isUrgent) =>
        refresh(isUrgent).then(
          (tools) => tidyList('native', tools, tools.length),
          (error) => tidyList('native', [], 0, isBlocking(error)),
        ),

      async call(requestId, toolName, args, signal) {
        const words = await announceCall(requestId, toolName, args, signal);
        try {
          if (!handles.has(toolName)) await anew();
          const tool = handles.get(toolName);
          if (tool === undefined) return notFound();
          const result = await execute(tool, args, signal);
          return result === null ? { ok: true } : success(result);
        } catch (error) {
          if (signal.aborted) return signal.reason;
          if (isBlocking(error)) return failure('blocked', error.message);
          const said = await Promise.race([words.said, pause(WORDS_PATIENCE)]);
          if (said === undefined && (await isGone(toolName, error))) return notFound();
          return failure('threw', said ?? error.message);
        } finally {
          words.forget();
        }
      },
    };

    async function execute(tool, args, signal) {
      const options = { signal };
      try {
        return await context().executeTool(tool, JSON.parse(args), options);
      } catch (error) {
        // Chrome before 154 and some polyfills want JSON text. Neither error can come after the tool has run.
        const wantsText = error instanceof TypeError || error.message?.startsWith('Failed to parse input');
        if (signal.aborted || !wantsText) throw error;
        return context().executeTool(tool, args, options);
      }
    }

    /** Whether a call failed because there was no tool to run. A tool that ran says so, and may have removed itself. */
    async function isGone(toolName, error) {
      if (error.message?.startsWith('Tool was executed')) return false;
      const isListed = anew().then(() => handles.has(toolName), () => handles.has(toolName));
      return !(await unlessLeft(isListed));
    }

    /** Have the bridge keep the words of the coming call's failure, of which the browser tells nothing. */
    async function announceCall(requestId, toolName, args, signal) {
      await bridge.search;
      if (bridge.backend !== 'native') return { said: new Promise(() => {}), forget() {} };
      let heard;
      const said = new Promise((resolve) => (heard = resolve));
      await new Promise((resolve) => {
        bridge.waiting.set(requestId, ({ phase, error }) => {
          if (phase === 'failed' && typeof error === 'string') heard(error);
          resolve();
        });
        bridge.post({ type: NAMES.EXPECT_CALL, requestId, toolName, args });
        signal.addEventListener('abort', resolve);
        void pause(WORDS_PATIENCE).then(resolve);
      });
      return {
        said,
        forget() {
          bridge.waiting.delete(requestId);
          bridge.post({ type: NAMES.CANCEL_CALL, requestId });
        },
      };
    }
  }

  const isNative = 'modelContext' in Document.prototype;
  const backend = isNative ? nativeBackend() : bridged;
  place.hasBegun(backend.asker);

  /** The list that the worker was told last, as text. */
  let told = '';

  /**
   * Tell the worker the list, if it is another than before: native WebMCP tells every frame of each other's changes. The
   * bridge has told us the list with each change; the browser is asked.
   */
  const announce = paced(async () => {
    const list = bridge.list ?? (await backend.list());
    const text = toText({ type: NAMES.TOOLS_CHANGED, ...list });
    if (text === told) return 0;
    told = text;
    void sendText(text);
    return text.length;
  });

  /** Answer with the list. A page that is being left has none to offer any more. */
  async function tellList(requestId) {
    await place.hesitating;
    const list = await backend.list(true);
    told = toText({ type: NAMES.TOOLS_CHANGED, ...list });
    void send({ type: NAMES.TOOLS_LIST, requestId, ...list });
  }

  /** Tell the list again to a worker that may have forgotten it. */
  function announceAgain() {
    told = '';
    void announce();
  }

  // ------------------------------------------------------------------------------------------------------------- calls

  /**
   * Runs under way, by request id. `sending` is the event with which a form was sent meanwhile that is the run's tool.
   *
   * @typedef {{ toolName: string, controller: AbortController, sending?: SubmitEvent }} Run
   * @type {Map<string, Run>}
   */
  const running = new Map();

  /** Answers by request id, also of runs under way; `null` for one that is no longer kept. @type {Map<string, Promise<string> | null>} */
  const answers = new Map();

  /** Finished runs whose answers are kept, oldest first. @type {{ requestId: string, size: number }[]} */
  const kept = [];

  const resultText = (requestId, outcome) => toText({ type: NAMES.TOOL_RESULT, requestId, ...outcome });

  /** Run a tool, or give the answer of the run that this id has had: never twice. */
  function answer({ requestId, toolName, args }) {
    const known = answers.get(requestId);
    if (known === null) {
      return Promise.resolve(resultText(requestId, failure('tooLarge', 'The tool did run; its result is no longer kept.')));
    }
    if (known !== undefined) return known;
    const text = perform(requestId, toolName, args).then((outcome) => resultText(requestId, outcome));
    answers.set(requestId, text);
    void text.then(({ length: size }) => keep({ requestId, size }));
    return text;
  }

  function keep(finished) {
    kept.push(finished);
    let characters = kept.reduce((sum, { size }) => sum + size, 0);
    while (kept.length > KEPT_RESULTS || (characters > KEPT_CHARACTERS && kept.length > 1)) {
      const { requestId, size } = kept.shift();
      answers.set(requestId, null);
      characters -= size;
    }
  }

  async function perform(requestId, toolName, args) {
    if (typeof toolName !== 'string') return notFound();
    if (typeof args !== 'string' || args.length > CAPS.ARGUMENTS || !isObjectText(args)) {
      return failure('badArguments', `The arguments must be a JSON object of at most ${CAPS.ARGUMENTS} characters.`);
    }
    const controller = new AbortController();
    const { signal } = controller;
    running.set(requestId, { toolName, controller });
    // A call ends when it is ended here, whatever the page does.
    const ended = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
    const outcome = Promise.race([ended, backend.call(requestId, toolName, args, signal)]);
    void tellOfForm(requestId, toolName, outcome);
    try {
      return await outcome;
    } catch (error) {
      return failure('threw', `${error?.message ?? error}`);
    } finally {
      running.delete(requestId);
    }
  }

  /** Tell of a form that the browser has filled and that waits for the user to send it. Of its own forms the bridge tells. */
  async function tellOfForm(requestId, toolName, outcome) {
    if (!isNative && bridge.backend !== 'native') return;
    if (!all('form[toolname]:not([toolautosubmit])').some((form) => toolNameOf(form) === toolName)) return;
    let over = false;
    const end = outcome.then(
      () => (over = true),
      () => (over = true),
    );
    await Promise.race([end, pause(FORM_PATIENCE)]);
    if (over) return;
    const tell = (phase) => send({ type: NAMES.USER_INTERACTION, requestId, toolName, phase, kind: 'form' });
    void tell('started');
    await end;
    void tell('ended');
  }

  function isObjectText(text) {
    const value = parseObject(text);
    return value !== undefined && !Array.isArray(value);
  }

  const CANCELLED = failure('cancelled', 'The call was cancelled.');
  const NAVIGATED = failure('navigated', 'The page went away during the call.');

  /**
   * End all calls.
   *
   * @param {(run: Run) => object} answerTo what is to be answered
   */
  const endAll = (answerTo) => running.forEach((run) => run.controller.abort(answerTo(run)));

  // -------------------------------------------------------------------------------------------------------- life and end

  /** A message: the worker asks for the list, which comes as a message of its own. */
  function onMessage(text, _sender, respond) {
    const command = commandOf(text);
    if (command?.type !== NAMES.LIST_TOOLS) return;
    void tellList(command.requestId);
    respond('ok');
  }

  /** A port: the worker makes calls, and hears of each over the same port. */
  function onConnect(port) {
    port.onMessage.addListener((text) => {
      const command = commandOf(text);
      switch (command?.type) {
        case NAMES.CALL_TOOL:
          void answer(command).then((result) => reply(port, result));
          break;
        case NAMES.CANCEL_CALL:
          running.get(command.requestId)?.controller.abort(CANCELLED);
          break;
      }
    });
  }

  function commandOf(text) {
    const command = parseObject(text);
    return typeof command?.requestId === 'string' ? command : undefined;
  }

  function reply(port, text) {
    try {
      port.postMessage(text);
    } catch {
      // The worker was stopped. It asks again under the same id if it wants the answer.
    }
  }

  function onSubmit(event) {
    if (!event.isTrusted) return;
    const toolName = toolNameOf(event.target);
    running.forEach((run) => {
      if (run.toolName === toolName) run.sending = event;
    });
  }

  const PAGE_GONE = `{"type":"${NAMES.PAGE_GONE}"}`;

  function onPageHide({ isTrusted }) {
    if (!isTrusted) return;
    // The page may be frozen and come back: it must not go on then with calls that are long given up.
    // A form that was sent took it away. The browser's own word for that may not have come in time.
    endAll(({ sending }) => (sending !== undefined && !sending.defaultPrevented ? { ok: true } : NAVIGATED));
    void sendText(PAGE_GONE);
    void backend.renew?.();
  }

  function onPageShow({ isTrusted, persisted }) {
    if (!isTrusted || !persisted) return;
    announceAgain();
  }

  /** Fall silent: nobody listens any more, and a later relay may be at work. */
  function retire() {
    endAll(() => CANCELLED);
    bridge.close();
    place.retire();
    window.removeEventListener('submit', onSubmit, true);
    window.removeEventListener('pagehide', onPageHide);
    window.removeEventListener('pageshow', onPageShow);
    delete globalThis[PLACE];
  }

  place.announceAgain = announceAgain;
  place.listChanged = () => void announce();
  runtime.onMessage.addListener(onMessage);
  runtime.onConnect.addListener(onConnect);
  window.addEventListener('submit', onSubmit, true);
  window.addEventListener('pagehide', onPageHide);
  window.addEventListener('pageshow', onPageShow);
  // What a page tells while it is prepared in the background is not heard.
  if (ofDocument('prerendering')) {
    ofDocument('addEventListener').call(document, 'prerenderingchange', announceAgain, { once: true });
  }
  // Where this world has native WebMCP the bridge has the words of failing tools; elsewhere it tells of its list as soon as
  // it is found.
  const search = bridge.find();
  if (isNative) void backend.renew().then(() => announce());
  else void search.then((found) => found || announce());
});
