/** A tab with a page whose tools are tried out: loaded anew for each run, its tools listed and called as a page's script would. */

/** How long a list has to stay as it is, in milliseconds. */
const QUIET = 500;
/** How long a list is waited for. */
const LISTED = 10_000;
/** How long a tool may take to be registered. */
const REGISTERED = 5_000;
/** How long a call may take. */
const CALLED = 30_000;
/** How long a form may take that sends itself. */
const FILLED = 1_000;
/** How long the page may take to say anything at all, besides. */
const SPARE = 5_000;

/** A tab. What fails with an error is a page that cannot be used. */
export class EvalTab {
  #chromium;
  #url;
  #page;
  /** Ends with an error when the page crashes. */
  #crash;
  /** The tools as they were last listed, by name: JSON texts. @type {Map<string, string>} */
  #listed = new Map();

  /**
   * @param {import('./browser.mjs').Chromium} chromium
   * @param {string} url
   */
  constructor(chromium, url) {
    this.#chromium = chromium;
    this.#url = url;
  }

  /**
   * Load the page, in a new tab: one that was there could hold a dialog, a crash, or what a page keeps for its tab.
   *
   * @returns {Promise<{ browser: string, backend: 'native' | 'polyfill', origin: string }>}
   */
  async open() {
    await this.#page?.close().catch(() => {});
    const page = await this.#chromium.open();
    this.#page = page;
    this.#crash = new Promise((_, reject) => page.once('error', reject));
    this.#crash.catch(() => {});
    // A dialog would hold the page for ever.
    page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}));
    // Some pages never load to the end.
    await page.goto(this.#url, { waitUntil: 'domcontentloaded' });
    const own = () => page.mainFrame().isolatedRealm();
    const isNative = await this.#inPage(LISTED, () => own().evaluate(() => 'modelContext' in Document.prototype));
    return {
      browser: await this.#chromium.browser.version(),
      backend: isNative ? 'native' : 'polyfill',
      origin: new URL(page.url()).origin,
    };
  }

  /**
   * The tools, once the list is quiet. A page without tools has the whole time to register some.
   *
   * @returns {Promise<{ name: string, title: string, description: string, inputSchema: object | null, annotations: object }[]>}
   */
  async list() {
    const tools = await this.#inPage(LISTED + SPARE, () => this.#run(quietList, { quiet: QUIET, most: LISTED }));
    this.#listed = new Map(tools.map((tool) => [tool.name, JSON.stringify(tool)]));
    return tools;
  }

  /**
   * Call a tool, if it is as it was when the tools were last listed.
   *
   * @param {{ name: string, arguments: object }} call
   * @returns {Promise<{ changed: true } | { returned: string | null } | { missing: true } | { failed: string } | { waiting: true } | { left: string }>}
   */
  async call(call) {
    const known = this.#listed.get(call.name) ?? '';
    const made = this.#run(callTool, { ...call, known }, { registered: REGISTERED, filled: FILLED });
    const late = { failed: `it did not answer within ${CALLED / 1_000} s` };
    return this.#answer(made, REGISTERED + CALLED, late).catch(async (error) => {
      if (!isLeaving(error)) throw error;
      return { left: await this.#inPage(LISTED, () => this.#page.evaluate(() => location.href)) };
    });
  }

  /**
   * What elements of the page are like.
   *
   * @param {{ selector: string, attribute: string | null }[]} looks
   * @returns {Promise<({ count: number, text: string | null, attribute: string | null } | { wrong: string })[]>}
   */
  look(looks) {
    return this.#inPage(SPARE, () => this.#page.evaluate(lookAt, looks));
  }

  /** Runs a function in the page, which gets `described` as its last argument. */
  #run(what, ...values) {
    return this.#page.evaluate(`(${what})(${values.map((value) => JSON.stringify(value)).join()}, ${described})`);
  }

  /** What the page says, or the one to which the tab goes on meanwhile. */
  async #inPage(most, ask) {
    const until = Date.now() + most;
    for (;;) {
      try {
        return await this.#answer(ask(), most);
      } catch (error) {
        if (!isLeaving(error) || this.#page.isClosed() || Date.now() > until) throw error;
      }
    }
  }

  /** An answer of the page. The time is kept here, and not in the page, whose thread a tool can hold. */
  async #answer(answer, most, late) {
    let timer;
    const timeout = new Promise((resolve, reject) => {
      timer = setTimeout(() => (late ? resolve(late) : reject(new Error(`it did not answer within ${most / 1_000} s`))), most);
    });
    try {
      return await Promise.race([answer, timeout, this.#crash]);
    } finally {
      clearTimeout(timer);
      answer.catch(() => {});
    }
  }
}

/** Whether a page did not answer because its tab went to another one. */
const isLeaving = ({ message }) => /context was destroyed|cannot find context|navigated or closed|promise was collected/i.test(message);

/** In the page: a tool as it is listed. */
function described({ name, title, description, inputSchema, annotations }) {
  const hints = ['readOnlyHint', 'untrustedContentHint', 'consequentialHint', 'destructiveHint', 'debugging'];
  return {
    name: String(name),
    title: String(title ?? ''),
    description: String(description ?? ''),
    inputSchema: (typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema) ?? null,
    annotations: Object.fromEntries(hints.map((hint) => [hint, annotations?.[hint] === true])),
  };
}

/** In the page: its tools, when they have not changed for a while. */
async function quietList({ quiet, most }, described) {
  const context = document.modelContext;
  if (!context) return [];
  const until = Date.now() + most;
  for (;;) {
    const changed = new Promise((resolve) => context.addEventListener('toolchange', () => resolve(true), { once: true }));
    const tools = await context.getTools();
    const left = until - Date.now();
    const pause = new Promise((resolve) => setTimeout(resolve, Math.min(tools.length > 0 ? quiet : left, left)));
    const isQuiet = !(await Promise.race([changed, pause]));
    if (isQuiet || left <= 0) {
      return tools.map(described);
    }
  }
}

/** In the page: what came of a call, which is made only if the tool is the one that is `known`. */
async function callTool({ name, arguments: input, known }, { registered, filled }, described) {
  const context = document.modelContext;
  if (!context) return { missing: true };
  const find = async () => (await context.getTools()).find((tool) => tool.name === name);
  const until = Date.now() + registered;
  let tool = await find();
  while (!tool && Date.now() < until) {
    await new Promise((changed) => {
      context.addEventListener('toolchange', changed, { once: true });
      setTimeout(changed, 100);
    });
    tool = await find();
  }
  if (!tool) return { missing: true };
  if (JSON.stringify(described(tool)) !== known) return { changed: true };
  const made = Promise.resolve(context.executeTool(tool, input)).then(
    (result) => ({ returned: typeof result === 'string' ? result : (JSON.stringify(result) ?? null) }),
    (error) => ({ failed: String(error?.message ?? error) }),
  );
  const waits = document.querySelector(`form[toolname="${CSS.escape(name)}"]:not([toolautosubmit])`) !== null;
  const pause = () => new Promise((resolve) => setTimeout(() => resolve({ waiting: true }), filled));
  return waits ? Promise.race([made, pause()]) : made;
}

/** In the page: what elements are like. */
function lookAt(looks) {
  return looks.map(({ selector, attribute }) => {
    try {
      const found = document.querySelectorAll(selector);
      const first = found[0];
      return { count: found.length, text: first?.textContent.trim() ?? null, attribute: (attribute && first?.getAttribute(attribute)) ?? null };
    } catch (error) {
      return { wrong: error.message };
    }
  });
}
