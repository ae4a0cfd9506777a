/**
 * What the design assumes of the browser, checked in the browser itself and written to docs/platform.md.
 * `SIDECAR_WRITE_PLATFORM=1` rewrites that file; without it the test fails when the browser's behaviour has changed.
 */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { INSECURE_HOST, launch } from '../lib/browser.mjs';
import { PAGES, ROOT, TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { until } from '../lib/wait.mjs';

const FIXTURE = path.join(TESTS, 'fixtures', 'platform-extension');
const DOCUMENT = path.join(ROOT, 'docs', 'platform.md');

/** The boundaries of the product, in the order of the table. */
const BOUNDARIES = {
  windowMessage: 'page → relay, `window.postMessage`',
  messagePort: 'page → relay, `MessagePort`',
  runtimeMessage: 'relay → worker, `runtime.sendMessage`',
  runtimePort: 'relay → worker, `runtime.connect`',
  tabMessage: 'worker → relay, `tabs.sendMessage`',
  scriptResult: 'page → worker, result of `executeScript`',
  scriptArgument: 'worker → page, `args` of `executeScript`',
  storageLocal: 'worker → `storage.local` → worker',
};

/** @type {import('../lib/site.mjs').Site} */
let site;
/** The findings for the document. */
const found = { version: '', world: [], native: [], matrix: new Map() };

/** Check a fact and add its sentence to the findings. */
function hold(list, sentence, actual, expected) {
  assert.deepEqual(actual, expected, sentence);
  list.push(sentence);
}

before(async () => {
  site = await serve(PAGES);
});
after(() => site?.close());

describe('without native WebMCP', () => {
  /** @type {import('../lib/browser.mjs').Chromium} */
  let chromium;
  /** @type {import('puppeteer-core').Page} */
  let page;
  let tabId;

  before(async () => {
    chromium = await launch({ extension: FIXTURE });
    found.version = await chromium.browser.version();
    page = await chromium.open(site.url('empty.html'));
    tabId = await chromium.inWorker((url) => tabOf(url), site.url('empty.html'));
  });
  after(() => chromium?.close());

  const ask = (message, options) => chromium.inWorker((...all) => ask(...all), tabId, message, options);

  test('modelContext can be defined in the page’s world', async () => {
    const { extensible, polyfill, own } = await page.evaluate(() => {
      const context = {};
      Object.defineProperty(navigator, 'modelContext', { value: context, configurable: true });
      Object.defineProperty(Document.prototype, 'modelContext', { get: () => context, configurable: true, enumerable: true });
      const installed = {
        extensible: Object.isExtensible(navigator),
        polyfill: document.modelContext === context && navigator.modelContext === context,
        own: Object.hasOwn(document, 'modelContext'),
      };
      delete navigator.modelContext;
      delete Document.prototype.modelContext;
      return installed;
    });
    hold(found.world, '`Object.isExtensible(navigator)` is true.', extensible, true);
    hold(
      found.world,
      'A `modelContext` can be defined on `navigator` and as a configurable getter on `Document.prototype`; both are then readable.',
      [polyfill, own],
      [true, false],
    );
  });

  test('a MAIN content script runs before every script of the page', async () => {
    const start = await page.evaluate(() => window.platformBefore);
    hold(
      found.world,
      'A MAIN content script at `document_start` runs before the first script of the page.',
      start.pageScripts,
      0,
    );
  });

  test('the worlds do not share globals', async () => {
    const inMain = await page.evaluate(() => window.platform.isolated ?? false);
    hold(found.world, 'What an ISOLATED script puts on `window` is invisible to the page.', inMain, false);
  });

  test('a transferred port is a private channel', async () => {
    assert.equal(await ask({ question: 'connected' }), true);
    const overheard = await page.evaluate(async () => {
      const messages = [];
      window.addEventListener('message', (event) => messages.push(event.data.ask), true);
      const { port1, port2 } = new MessageChannel();
      const ready = new Promise((resolve) => (port1.onmessage = resolve));
      window.postMessage({ ask: 'connect' }, '*', [port2]);
      await ready;
      port1.postMessage({ ask: 'call', requestId: '1', args: '{}' });
      await new Promise((resolve) => (port1.onmessage = resolve));
      return messages;
    });
    hold(
      found.world,
      'The first capturing `message` listener of a page can take a `MessagePort` and stop the event: later listeners receive neither the event nor what is sent over the port.',
      overheard,
      [],
    );
  });

  test('a request reaches the page, and its answer returns under its own ID', async () => {
    for (const way of ['window', 'port']) {
      const answers = await chromium.inWorker(
        (tab, one) => Promise.all([1, 2, 3].map((n) => ask(tab, { question: 'call', way: one, args: JSON.stringify({ n, text: '航班 🛫' }) }))),
        tabId,
        way,
      );
      assert.deepEqual(
        answers.map((text) => JSON.parse(text)),
        [1, 2, 3].map((n) => ({ args: { n, text: '航班 🛫' }, href: '/empty.html' })),
      );
    }
    found.world.push(
      'Worker → relay → page → relay → worker works over `window.postMessage` and over a `MessagePort`, each answer with the id of its request.',
    );
  });

  test('the sender of a message has tab, frame and document from the browser', async () => {
    await ask({ question: 'runtimeMessage', kind: 'null' });
    const sender = await chromium.inWorker(() => ({
      id: lastSender.id === chrome.runtime.id,
      tab: typeof lastSender.tab.id,
      frame: lastSender.frameId,
      document: typeof lastSender.documentId,
      origin: lastSender.origin,
    }));
    hold(
      found.world,
      'The `sender` of a message has tab, frame, document and origin from the browser.',
      sender,
      { id: true, tab: 'number', frame: 0, document: 'string', origin: site.origin },
    );
    const [right, wrong] = await chromium.inWorker(async (tab) => {
      const question = { question: 'connected' };
      const answered = await ask(tab, question, { documentId: lastSender.documentId });
      const refused = await ask(tab, question, { documentId: '0123456789ABCDEF0123456789ABCDEF' }).catch(() => 'refused');
      return [answered, refused];
    }, tabId);
    hold(
      found.world,
      '`tabs.sendMessage` reaches exactly the named document, and fails when that is gone.',
      [right, wrong],
      [true, 'refused'],
    );
  });

  test('a strict Content Security Policy stops neither bridge nor relay', async () => {
    const strict = await chromium.open(site.url('strict-csp.html'));
    const inline = await strict.evaluate(() => {
      const script = document.createElement('script');
      try {
        script.textContent = 'window.inline = true';
        document.body.append(script);
      } catch {
        // Trusted Types already refuse the assignment.
      }
      return window.inline ?? false;
    });
    assert.equal(inline, false, 'the policy is in force');
    const strictTab = await chromium.inWorker((url) => tabOf(url), site.url('strict-csp.html'));
    const answers = await chromium.inWorker(
      async (tab) => [
        await ask(tab, { question: 'connected' }),
        JSON.parse(await ask(tab, { question: 'call', way: 'port', args: '{"a":1}' })).args,
        (await chrome.scripting.executeScript({ target: { tabId: tab }, world: 'MAIN', func: () => platform.kinds.length > 0 }))[0].result,
      ],
      strictTab,
    );
    await strict.close();
    hold(
      found.world,
      "On a page with `default-src 'none'; require-trusted-types-for 'script'` the bridge is injected, answers the relay, and `executeScript` into MAIN works.",
      answers,
      [true, { a: 1 }, true],
    );
  });

  test('storage can be closed to content scripts', async () => {
    const open = await ask({ question: 'storage' });
    await chromium.inWorker(() => chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' }));
    const closed = await ask({ question: 'storage' });
    await chromium.inWorker(() => chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_AND_UNTRUSTED_CONTEXTS' }));
    hold(
      found.world,
      'A content script can read `storage.local`, and is refused once its access level is `TRUSTED_CONTEXTS`.',
      [open, closed],
      ['allowed', 'error: Error'],
    );
  });

  test('a click on the toolbar icon opens the side panel as a page', async () => {
    const panel = await chromium.openPanel(page);
    const words = await panel.evaluate(() => document.body.innerText.trim());
    hold(found.world, 'The toolbar icon opens the real side panel, which can be driven like a page.', words, 'Opened.');
  });

  test('without the feature, WebMCP is absent', async () => {
    const traces = await page.evaluate(() => [
      'modelContext' in document,
      'modelContext' in navigator,
      'ModelContext' in window,
      'modelContextTesting' in navigator,
    ]);
    hold(
      found.native,
      'Without `--enable-features=WebMCP` there is no `document.modelContext`, `navigator.modelContext` or `ModelContext`.',
      traces,
      [false, false, false, false],
    );
  });

  test('which values survive each boundary', async () => {
    const kinds = await chromium.inWorker(() => platform.kinds);
    for (const kind of kinds) {
      const row = {};
      for (const boundary of Object.keys(BOUNDARIES)) {
        row[boundary] = await chromium.inWorker((...all) => cross(...all), tabId, boundary, kind);
      }
      found.matrix.set(kind, row);
    }
    // The design depends on these: JSON text survives every boundary unchanged.
    for (const boundary of Object.keys(BOUNDARIES)) {
      for (const kind of ['string', 'string of 1 MB', 'nested', 'null', 'number']) {
        assert.equal(found.matrix.get(kind)[boundary], 'same', `${kind} over ${boundary}`);
      }
    }
  });
});

describe('with native WebMCP', () => {
  /** @type {import('../lib/browser.mjs').Chromium} */
  let chromium;
  /** @type {import('puppeteer-core').Page} */
  let page;
  let tabId;

  before(async () => {
    chromium = await launch({ extension: FIXTURE, native: true });
    page = await chromium.open(site.url('throwing.html'));
    tabId = await chromium.inWorker((url) => tabOf(url), site.url('throwing.html'));
  });
  after(() => chromium?.close());

  /** Run a function in the isolated world of the extension. */
  const inIsolated = (name, ...args) =>
    chromium.inWorker(
      async (tab, source, all) => {
        const func = NATIVE_QUESTIONS[source];
        const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab }, world: 'ISOLATED', func, args: all });
        return result;
      },
      tabId,
      name,
      args,
    );

  before(() =>
    // Functions for the isolated world. Arrow functions, because executeScript sends their source.
    chromium.inWorker(() => {
      globalThis.NATIVE_QUESTIONS = {
        list: async () => {
          const tools = await document.modelContext.getTools();
          return tools.filter((tool) => tool.window === window).map((tool) => tool.name);
        },
        call: async (name, input) => {
          const tools = await document.modelContext.getTools();
          const tool = tools.find((one) => one.name === name && one.window === window);
          return document.modelContext.executeTool(tool, input).then(
            (result) => [typeof result, result],
            (error) => [error.name, error.message],
          );
        },
        observe: async () => {
          globalThis.changes = 0;
          document.modelContext.addEventListener('toolchange', () => (globalThis.changes += 1));
          return (await document.modelContext.getTools()).length;
        },
        observed: () => globalThis.changes,
        patched: () => String(ModelContext.prototype.registerTool).includes('[native code]'),
        shape: async () => {
          const [tool] = await document.modelContext.getTools();
          let clone = 'clonable';
          try {
            structuredClone(tool);
          } catch (error) {
            clone = error.name;
          }
          return { window: tool.window === window, clone };
        },
      };
    }),
  );

  test('modelContext exists from document_start, on documents only', async () => {
    const facts = await page.evaluate(() => {
      const property = Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext');
      return {
        early: window.platformBefore.modelContext,
        onNavigator: 'modelContext' in navigator,
        own: Object.hasOwn(document, 'modelContext'),
        getter: typeof property.get,
        setter: typeof property.set,
        configurable: property.configurable,
      };
    });
    hold(
      found.native,
      'With it, `document.modelContext` exists at `document_start`: a configurable getter on `Document.prototype`. `navigator.modelContext` does not exist.',
      facts,
      { early: true, onNavigator: false, own: false, getter: 'function', setter: 'undefined', configurable: true },
    );
  });

  test('the isolated world lists and runs the tools of the page', async () => {
    const names = await inIsolated('list');
    assert.deepEqual(names, ['giveCycle', 'rejectNothing', 'rejectPromise', 'throwError', 'throwText', 'works']);
    assert.deepEqual(await inIsolated('call', 'works', {}), ['string', 'fine']);
    const runs = await page.evaluate(() => window.runs.map((run) => run.tool));
    hold(
      found.native,
      'An ISOLATED script lists the tools of the page through its own `document.modelContext`, and a call runs in the world of the page.',
      runs,
      ['works'],
    );
  });

  test('a failing tool gives no reason to its caller', async () => {
    const failures = [];
    for (const name of ['throwError', 'rejectPromise', 'throwText', 'giveCycle']) failures.push(await inIsolated('call', name, {}));
    assert.equal(new Set(failures.map((failure) => failure.join())).size, 1, 'all failures look the same');
    const [name, message] = failures[0];
    hold(
      found.native,
      'Whatever a tool throws, `executeTool` rejects with an `UnknownError` and a fixed message, without the message of the page.',
      [name, /row 99|payment desk|out of paper/.test(message)],
      ['UnknownError', false],
    );
  });

  test('a wrapper in MAIN sees the reason, and the isolated world keeps its own functions', async () => {
    const reason = await page.evaluate(async () => {
      const { registerTool } = ModelContext.prototype;
      const reasons = [];
      ModelContext.prototype.registerTool = function (tool, options) {
        const execute = async (...all) => {
          try {
            return await tool.execute(...all);
          } catch (error) {
            reasons.push(error.message);
            throw error;
          }
        };
        return registerTool.call(this, { ...tool, execute }, options);
      };
      await document.modelContext.registerTool({
        name: 'wrapped',
        description: 'Fails behind a wrapper.',
        execute: () => {
          throw new Error('the reason');
        },
      });
      const tool = (await document.modelContext.getTools()).find((one) => one.name === 'wrapped');
      await document.modelContext.executeTool(tool, {}).catch(() => {});
      ModelContext.prototype.registerTool = registerTool;
      return reasons;
    });
    hold(
      found.native,
      'A wrapper of `ModelContext.prototype.registerTool` in MAIN sees what a tool throws.',
      reason,
      ['the reason'],
    );
    await page.evaluate(() => {
      ModelContext.prototype.registerTool = function mine() {};
      ModelContext.prototype.getTools = async () => [];
    });
    hold(
      found.native,
      'Changes that the page makes to `ModelContext.prototype` do not reach the ISOLATED world.',
      [await inIsolated('patched'), (await inIsolated('list')).includes('works')],
      [true, true],
    );
  });

  test('toolchange fires in the isolated world', async () => {
    await page.goto(site.url('changing.html'));
    assert.equal(await inIsolated('observe'), 1);
    await page.evaluate(async () => {
      await addTool('second');
      removeTool('second');
    });
    await until(async () => (await inIsolated('observed')) >= 2, { what: 'two toolchange events' });
    hold(
      found.native,
      '`toolchange` fires in the ISOLATED world, once for a registration and once for a removal.',
      await inIsolated('observed'),
      2,
    );
  });

  test('a listed tool references its window and cannot be cloned', async () => {
    hold(
      found.native,
      'A tool from `getTools` references its `window` and therefore cannot be cloned: its members must be copied before it is sent.',
      await inIsolated('shape'),
      { window: true, clone: 'DataCloneError' },
    );
  });

  test('results are strings', async () => {
    await page.goto(site.url('echo.html'));
    assert.deepEqual(await inIsolated('call', 'echoText', { text: 'a "b"' }), ['string', 'a "b"']);
    assert.deepEqual(await inIsolated('call', 'echo', { a: [1, null] }), ['string', '{"a":[1,null]}']);
    found.native.push('`executeTool` takes an object and returns a string: a string result as it is, anything else as JSON.');
  });

  test('only secure contexts and pages that allow it have WebMCP', async () => {
    const insecure = await chromium.open(site.url('empty.html', `http://${INSECURE_HOST}:${site.port}`));
    const there = await insecure.evaluate(() => [isSecureContext, 'modelContext' in document]);
    hold(found.native, 'An insecure page has no `document.modelContext`.', there, [false, false]);
    await insecure.close();

    const attempt = async (file) => {
      await page.goto(site.url(file));
      return page.evaluate(() => document.modelContext.getTools().then(() => 'works', (error) => error.name));
    };
    hold(found.native, 'Under `Permissions-Policy: tools=()` every call is refused with `NotAllowedError`.', await attempt('blocked.html'), 'NotAllowedError');
    hold(found.native, 'Under `Origin-Agent-Cluster: ?0` every call is refused with `SecurityError`.', await attempt('shared-cluster.html'), 'SecurityError');
  });
});

test('docs/platform.md has these findings', async () => {
  const text = render();
  if (process.env.SIDECAR_WRITE_PLATFORM === '1') await writeFile(DOCUMENT, text);
  const written = await readFile(DOCUMENT, 'utf8').catch(() => '');
  const facts = (document) => document.replace(/^Browser: .*$/m, '');
  assert.equal(
    facts(text),
    facts(written),
    'The browser differs from docs/platform.md. See whether the design still holds, then run with SIDECAR_WRITE_PLATFORM=1.',
  );
});

/** The text of docs/platform.md. */
function render() {
  const bullets = (list) => list.map((sentence) => `- ${sentence}`).join('\n');
  const columns = Object.keys(BOUNDARIES);
  const cell = (text) => (text === 'same' ? '✓' : text.replaceAll('|', '\\|'));
  const rows = [...found.matrix].map(([kind, row]) => `| ${kind} | ${columns.map((column) => cell(row[column])).join(' | ')} |`);
  return `# The platform, as measured

Written by \`tests/e2e/platform.test.mjs\`, which asks a real browser. Do not edit: run the test with \`SIDECAR_WRITE_PLATFORM=1\`.

Browser: ${found.version}

## The page, the worlds and the extension

${bullets(found.world)}

## Native WebMCP

${bullets(found.native)}

## What survives each boundary

✓: the same value of the same type arrives. Otherwise the cell says what arrives instead, or which error the sender gets.

${columns.map((column, index) => `${index + 1}. ${BOUNDARIES[column]}`).join('\n')}

| value | ${columns.map((_, index) => index + 1).join(' | ')} |
| --- | ${columns.map(() => '---').join(' | ')} |
${rows.join('\n')}

What follows for the product: every message is one JSON text on every leg. Well-formed text of the sizes in use survives every boundary unchanged; most other values do not.
`;
}
