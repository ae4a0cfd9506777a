/**
 * `bridge.js` as a plain script in pages without an extension: as a polyfill where the browser has no WebMCP, and
 * around the browser's own. The page or an isolated world takes the part of the relay.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { register, sabotage } from '../fixtures/webmcp/sabotage.mjs';
import { INSECURE_HOST, launch } from '../lib/browser.mjs';
import { EXTENSION, PAGES, TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { quick } from '../lib/wait.mjs';

const BRIDGE = await readFile(path.join(EXTENSION, 'bridge.js'), 'utf8');
const KIT = await readFile(path.join(TESTS, 'fixtures', 'webmcp', 'kit.js'), 'utf8');

/** A page's WebMCP: the browser's own with the bridge around it, or the bridge alone. */
const MODES = ['wrapped', 'polyfill'];

/** @type {import('../lib/site.mjs').Site} */
let site;
/** @type {Map<boolean, import('../lib/browser.mjs').Chromium>} browsers by whether they have WebMCP */
const browsers = new Map();

before(async () => {
  site = await serve(PAGES);
  for (const native of [false, true]) browsers.set(native, await launch({ native, extension: null }));
});
after(async () => {
  for (const chromium of browsers.values()) await chromium.close();
  await site?.close();
});

/**
 * Run `work` in a new page, which must raise no uncaught error.
 *
 * @param {'wrapped' | 'polyfill'} mode
 * @param {(page: import('puppeteer-core').Page) => Promise<unknown>} work
 * @param {{ url?: string }} [options]
 */
async function inPage(mode, work, { url = site.url('empty.html') } = {}) {
  const page = await browsers.get(mode === 'wrapped').open();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error?.message ?? error)));
  try {
    await page.evaluateOnNewDocument(BRIDGE);
    await page.evaluateOnNewDocument(KIT);
    await page.goto(url);
    const result = await work(page);
    assert.deepEqual(errors, [], 'uncaught errors in the page');
    return result;
  } finally {
    await page.close();
  }
}

/** Evaluate a function in a new page. */
const look = (mode, fn, options, ...args) => inPage(mode, (page) => page.evaluate(fn, ...args), options);

/** Returns a function that evaluates in an isolated world of the page, like a content script. */
async function isolatedWorld(page) {
  const session = await page.createCDPSession();
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'relay' });
  return async (expression) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      contextId: executionContextId,
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
}

describe('faults of Chromium that the bridge does not have', () => {
  for (const mode of MODES) {
    test(`a tool that returns a Symbol fails and does not crash the tab (${mode})`, async () => {
      const seen = await look(mode, async () => {
        const { handle, outcome, tool } = kit;
        const results = [() => Symbol('s'), async () => Symbol('s')];
        const outcomes = [];
        for (const [at, execute] of results.entries()) {
          await document.modelContext.registerTool(tool(`t${at}`, execute));
          outcomes.push(await outcome(() => document.modelContext.executeTool(handle(`t${at}`))));
        }
        return outcomes;
      });
      const failed = 'UnknownError: Tool was executed but the invocation failed. For example, the script function threw an error';
      assert.deepEqual(seen, [failed, failed]);
    });
  }

  test('the polyfill keeps lone surrogates', async () => {
    const seen = await look('polyfill', async () => {
      await document.modelContext.registerTool(kit.tool('t', () => 'a\uD800', { description: 'd\uD800' }));
      const [{ description }] = await document.modelContext.getTools();
      const result = await document.modelContext.executeTool(kit.handle('t'));
      return [description, result].map((text) => text.charCodeAt(1).toString(16));
    });
    assert.deepEqual(seen, ['d800', 'd800']);
  });

  test('a document without a frame has a modelContext that refuses every call', async () => {
    const seen = await look('polyfill', async () => {
      const { handle, outcome, tool } = kit;
      const template = document.createElement('template');
      const documents = [
        document.implementation.createHTMLDocument(),
        new DOMParser().parseFromString('<p>', 'text/html'),
        template.content.ownerDocument,
      ];
      return Promise.all(
        documents.map(async (one) => [
          one.modelContext === one.modelContext && one.modelContext !== document.modelContext,
          await outcome(() => one.modelContext.registerTool(tool('a'))),
          await outcome(() => one.modelContext.getTools()),
          await outcome(() => one.modelContext.executeTool(handle('a'))),
        ]),
      );
    });
    const refused = 'InvalidStateError: The document is not active.';
    assert.deepEqual(seen, Array(3).fill([true, refused, refused, refused]));
  });
});

describe('where modelContext exists', () => {
  const presence = () => ['modelContext' in document, 'modelContext' in navigator, 'ModelContext' in window, 'ToolCancelEvent' in window];

  test('nothing is added to an insecure page', async () => {
    for (const url of [`http://${INSECURE_HOST}:${site.port}/empty.html`, 'data:text/html,<p>x']) {
      assert.deepEqual(await look('polyfill', presence, { url }), [false, false, false, false], url);
    }
  });

  test('a cross-origin frame has it, and every call is refused', async () => {
    for (const mode of MODES) {
      await inPage(mode, async (page) => {
        await page.evaluate(
          (src) =>
            new Promise((resolve) => {
              const frame = document.createElement('iframe');
              frame.onload = resolve;
              frame.src = src;
              document.body.append(frame);
            }),
          site.url('empty.html', site.otherOrigin),
        );
        const frame = page.frames().find((one) => one.url().startsWith(site.otherOrigin));
        const seen = await frame.evaluate(async () => [
          await kit.outcome(() => document.modelContext.registerTool(kit.tool('a'))),
          await kit.outcome(() => document.modelContext.getTools()),
        ]);
        const refused = 'NotAllowedError: Access to the feature "tools" is disallowed by permissions policy.';
        assert.deepEqual(seen, [refused, refused], mode);
      });
    }
  });

  test('a srcdoc frame of a secure page has it', async () => {
    await inPage('polyfill', async (page) => {
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            const frame = document.createElement('iframe');
            frame.srcdoc = '<p>inside';
            frame.onload = resolve;
            document.body.append(frame);
          }),
      );
      const seen = await page.frames()[1].evaluate(async () => {
        await document.modelContext.registerTool(kit.tool('inside', () => location.href));
        const [tool] = await document.modelContext.getTools();
        return [tool.name, tool.window === window, tool.origin, await document.modelContext.executeTool(tool)];
      });
      assert.deepEqual(seen, ['inside', true, site.origin, 'about:srcdoc']);
    });
  });

  test('a native accessor defined later replaces the polyfill’s', async () => {
    const seen = await look('polyfill', () => {
      const native = {};
      Object.defineProperty(Document.prototype, 'modelContext', { get: () => native, configurable: true, enumerable: true });
      return document.modelContext === native;
    });
    assert.equal(seen, true);
  });
});

for (const mode of MODES) {
  describe(`navigator.modelContext (${mode})`, () => {
    test('is document.modelContext with the older methods added', async () => {
      const seen = await look(mode, async () => {
        const older = ['provideContext', 'clearContext', 'unregisterTool'];
        const { property, attempt } = kit;
        const view = navigator.modelContext;
        const events = [];
        view.addEventListener('toolchange', function (event) {
          events.push(this === document.modelContext && event.target === document.modelContext);
        });
        view.ontoolchange = () => events.push('attribute');
        await view.registerTool(kit.tool('a', () => 'ran'));
        const [tool] = await view.getTools();
        const ran = await view.executeTool(tool, {});
        const facts = {
          accessor: property(Navigator.prototype, 'modelContext'),
          same: view === navigator.modelContext,
          instance: view instanceof ModelContext,
          text: String(view),
          older: older.map((name) => typeof view[name]),
          onDocument: older.map((name) => name in document.modelContext),
          wrong: attempt(() => Navigator.prototype.modelContext),
          events,
          ran,
          attribute: typeof document.modelContext.ontoolchange,
        };
        navigator.modelContext = 'own';
        facts.replaced = navigator.modelContext;
        return facts;
      });
      assert.deepEqual(seen, {
        accessor: { get: 'function get modelContext of 0', set: 'function set modelContext of 1', enumerable: 'true', configurable: 'true' },
        same: true,
        instance: true,
        text: '[object ModelContext]',
        older: ['function', 'function', 'function'],
        onDocument: [false, false, false],
        wrong: 'TypeError: Illegal invocation',
        events: [true, 'attribute'],
        ran: 'ran',
        attribute: 'function',
        replaced: 'own',
      });
    });

    test('registerTool throws synchronously, as it used to, and causes no unhandled rejection', async () => {
      const seen = await look(mode, async () => {
        const { outcome, quiet, tool } = kit;
        const unhandled = [];
        window.addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));
        const names = async () => (await document.modelContext.getTools()).map(({ name }) => name);
        const view = navigator.modelContext;
        const circular = {};
        circular.self = circular;

        const facts = {};
        const handle = view.registerTool(tool('mine', () => 'first'));
        facts.handle = [handle instanceof Promise, typeof handle.unregister];
        await document.modelContext.registerTool(tool('theirs'));
        facts.wrong = {
          taken: await outcome(() => view.registerTool(tool('mine', () => 'second'))),
          takenOnDocument: await outcome(() => view.registerTool(tool('theirs'))),
          takenForDocument: await outcome(() => document.modelContext.registerTool(tool('mine'))),
          name: await outcome(() => view.registerTool(tool('a b'))),
          description: await outcome(() => view.registerTool(tool('a', () => {}, { description: '' }))),
          schema: await outcome(() => view.registerTool(tool('a', () => {}, { inputSchema: circular }))),
          nothing: await outcome(() => view.registerTool()),
          execute: await outcome(() => view.registerTool({ name: 'a', description: 'd' })),
          signal: await outcome(() => view.registerTool(tool('a'), { signal: 5 })),
        };
        view.registerTool(tool('aborted'), { signal: AbortSignal.abort('why') });
        const controller = new AbortController();
        view.registerTool(tool('pending'), { signal: controller.signal });
        controller.abort('why');
        await quiet(unhandled);
        facts.names = await names();
        facts.first = await document.modelContext.executeTool(kit.handle('mine'));
        handle.unregister();
        facts.unregistered = await names();
        await view.registerTool(tool('mine'));
        facts.again = await names();
        facts.unhandled = unhandled;
        return facts;
      });
      const { schema, ...wrong } = seen.wrong;
      assert.match(schema, /^thrown at once: TypeError: Converting circular structure/);
      assert.deepEqual(wrong, {
        taken: 'thrown at once: InvalidStateError: Duplicate tool name',
        takenOnDocument: 'thrown at once: InvalidStateError: Duplicate tool name',
        takenForDocument: 'InvalidStateError: Duplicate tool name',
        name: 'thrown at once: InvalidStateError: Invalid tool name',
        description: 'thrown at once: InvalidStateError: Description is required',
        nothing: "thrown at once: TypeError: The provided value is not of type 'ModelContextTool'.",
        execute: 'thrown at once: TypeError: Required member is undefined.',
        signal: "thrown at once: TypeError: Failed to convert value to 'AbortSignal'.",
      });
      assert.deepEqual(seen.handle, [true, 'function']);
      assert.deepEqual(seen.names, ['mine', 'theirs']);
      assert.equal(seen.first, 'first');
      assert.deepEqual(seen.unregistered, ['theirs']);
      assert.deepEqual(seen.again, ['mine', 'theirs']);
      assert.deepEqual(seen.unhandled, []);
    });

    test('provideContext, clearContext and unregisterTool affect only tools registered through it', async () => {
      const seen = await look(mode, async () => {
        const { outcome, tool } = kit;
        const view = navigator.modelContext;
        const steps = [];
        const step = async () => steps.push((await document.modelContext.getTools()).map(({ name }) => name).join(' '));
        await document.modelContext.registerTool(tool('page'));
        view.provideContext({ tools: [tool('a'), tool('b')] });
        await step();
        view.provideContext({ tools: [tool('b'), tool('c')] });
        await step();
        const wrong = [
          await outcome(() => view.provideContext({ tools: [tool('d'), tool('d')] })),
          await outcome(() => view.provideContext({ tools: [tool('page')] })),
          await outcome(() => view.provideContext({ tools: [{}] })),
          await outcome(() => view.provideContext('x')),
        ];
        await step();
        view.unregisterTool('b');
        view.unregisterTool('page');
        view.unregisterTool('never there');
        await step();
        view.unregisterTool({ name: 'c' });
        await step();
        view.registerTool(tool('e'));
        view.clearContext();
        await step();
        view.provideContext({ tools: new Set([tool('f')]) });
        await step();
        view.provideContext();
        await step();
        return { steps, wrong };
      });
      assert.deepEqual(seen.steps, ['a b page', 'b c page', 'b c page', 'c page', 'page', 'page', 'f page', 'page']);
      assert.deepEqual(seen.wrong, [
        'thrown at once: InvalidStateError: Duplicate tool name',
        'thrown at once: InvalidStateError: Duplicate tool name',
        'thrown at once: TypeError: Required member is undefined.',
        "thrown at once: TypeError: The provided value is not of type 'ModelContextOptions'.",
      ]);
    });

    test('passes its tools the older second argument (client) with today’s signal', async () => {
      const seen = await look(mode, async () => {
        const { handle, outcome, tool } = kit;
        const facts = {};
        let kept;
        const older = async (input, client, ...more) => {
          kept = client;
          facts.older = [input, Object.keys(client), client.signal.aborted, more.length];
          facts.answers = [
            await outcome(() => client.requestUserInteraction(async () => 'yes')),
            await outcome(() => client.requestUserInteraction(() => 'sync')),
            await outcome(() => client.requestUserInteraction(() => Promise.reject(new Error('refused')))),
            await outcome(() => client.requestUserInteraction(() => {
              throw new Error('thrown');
            })),
            await outcome(() => client.requestUserInteraction('x')),
          ];
          return 'done';
        };
        navigator.modelContext.registerTool(tool('older', older));
        await document.modelContext.registerTool(tool('today', (_, options) => Object.keys(options)));
        facts.result = await document.modelContext.executeTool(handle('older'), { a: 1 });
        facts.today = await document.modelContext.executeTool(handle('today'));
        facts.afterwards = await outcome(() => kept.requestUserInteraction(() => 'late'));
        return facts;
      });
      assert.deepEqual(seen, {
        older: [{ a: 1 }, ['signal', 'requestUserInteraction'], false, 0],
        answers: [
          { resolved: 'yes' },
          { resolved: 'sync' },
          'Error: refused',
          'Error: thrown',
          "TypeError: parameter 1 is not of type 'Function'.",
        ],
        result: 'done',
        today: '["signal"]',
        afterwards: 'InvalidStateError: The tool call is over.',
      });
    });
  });
}

test('navigator.modelContext causes no unhandled rejection where WebMCP is blocked', async () => {
  const refusedHere = [
    ['wrapped', 'blocked.html'],
    ['wrapped', 'shared-cluster.html'],
    ['polyfill', 'shared-cluster.html'],
  ];
  for (const [mode, file] of refusedHere) {
    const seen = await look(
      mode,
      async () => {
        const { quiet, tool } = kit;
        const unhandled = [];
        window.addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));
        const first = navigator.modelContext.registerTool(tool('a'));
        await first.catch(() => {});
        navigator.modelContext.registerTool(tool('a'));
        navigator.modelContext.provideContext({ tools: [tool('b')] });
        await quiet(unhandled);
        return unhandled;
      },
      { url: site.url(file) },
    );
    assert.deepEqual(seen, [], `${mode} ${file}`);
  }
});

describe('a hostile page', () => {
  test('neither breaks nor observes the polyfill', async () => {
    await inPage('polyfill', async (page) => {
      const relay = await isolatedWorld(page);
      await relay(KIT);
      const spoilt = await page.createCDPSession();
      const inMain = async (fn) => {
        const { result, exceptionDetails } = await spoilt.send('Runtime.evaluate', { expression: `(${fn})()`, returnByValue: true });
        assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description ?? exceptionDetails?.exception?.value);
        return result.value;
      };
      await inMain(sabotage);
      await inMain(register);
      const seen = await relay(`(async () => {
        const link = await kit.connect();
        const { tools } = await link.any('__wmcp_tools_changed');
        const works = await link.call('works');
        const throws = await link.call('throws');
        const older = await link.call('older', {}, 'r-older');
        await link.any('__wmcp_user_interaction', ({ phase }) => phase === 'ended');
        const phases = link.heard.filter(({ type }) => type === '__wmcp_user_interaction').map(({ requestId, phase }) => [requestId, phase]);
        const hanging = link.call('hangs', {}, 'r-hangs');
        link.say({ type: '__wmcp_list_tools', requestId: 'l' });
        const list = await link.any('__wmcp_tools_list');
        link.say({ type: '__wmcp_cancel_call', requestId: 'r-hangs' });
        const { code } = await hanging;
        return { tools: tools.map(({ name, description }) => [name, description]), works: works.result, throws: throws.error, older: older.result, phases, code, total: list.total };
      })()`);
      assert.deepEqual(seen, {
        tools: [['hangs', 'Does hangs.'], ['older', 'Does older.'], ['throws', 'Does throws.'], ['works', 'Does works.']],
        works: 'fine',
        throws: 'mine',
        older: 'older',
        phases: [['r-older', 'started'], ['r-older', 'ended']],
        code: 'cancelled',
        total: 4,
      });
      assert.deepEqual(await inMain(() => window.touched), []);
    });
  });

  test('neither breaks nor observes what frames share with each other', async () => {
    await inPage('polyfill', async (page) => {
      await page.evaluate(async () => {
        const { contentDocument } = await kit.addFrame('inside');
        await contentDocument.modelContext.registerTool(kit.tool('inside', () => 'from inside'));
      });
      const session = await page.createCDPSession();
      const inMain = async (fn) => {
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression: `(${fn})()`, returnByValue: true });
        assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description ?? exceptionDetails?.exception?.value);
        return result.value;
      };
      await inMain(sabotage);
      await inMain(() => {
        const { modelContext } = document;
        const origin = location.origin;
        window.length = 0;
        window.performance = undefined;
        modelContext.registerTool({ __proto__: null, name: 'outside', description: 'd', execute: () => 'from outside' });
        window.outcome = { __proto__: null };
        const list = modelContext.getTools();
        const run = modelContext.executeTool({ __proto__: null, name: 'inside', description: 'd', origin, window: window[0] }, { __proto__: null });
        (async () => {
          const tools = await list;
          window.outcome.names = `${tools[0].name} ${tools[1].name}`;
          window.outcome.result = await run;
        })();
      });
      const frame = page.frames()[1];
      // The frame's built-ins are intact.
      await frame.waitForFunction(() => parent.outcome.result !== undefined);
      const seen = await frame.evaluate(async () => [
        parent.outcome.names,
        parent.outcome.result,
        (await document.modelContext.getTools()).map(({ name }) => name),
        await document.modelContext.executeTool(kit.handle('outside', { window: parent })),
      ]);
      assert.deepEqual(seen, ['inside outside', 'from inside', ['inside', 'outside'], 'from outside']);
      assert.deepEqual(await inMain(() => window.touched), []);
    });
  });

  test('neither breaks nor observes the bridge around native WebMCP', async () => {
    await inPage('wrapped', async (page) => {
      const relay = await isolatedWorld(page);
      await relay(KIT);
      const spoilt = await page.createCDPSession();
      const inMain = async (fn) => {
        const { result, exceptionDetails } = await spoilt.send('Runtime.evaluate', { expression: `(${fn})()`, returnByValue: true });
        assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description ?? exceptionDetails?.exception?.value);
        return result.value;
      };
      await inMain(sabotage);
      await inMain(register);
      const seen = await relay(`(async () => {
        const link = await kit.connect();
        const run = async (toolName) => {
          const requestId = 'r-' + toolName;
          link.say({ type: '__wmcp_expect_call', requestId, toolName, args: '{}' });
          await link.any('__wmcp_expected_call', (message) => message.requestId === requestId);
          return kit.outcome(() => document.modelContext.executeTool(kit.handle(toolName)));
        };
        const works = await run('works');
        await run('throws');
        const { error } = await link.any('__wmcp_expected_call', ({ phase }) => phase === 'failed');
        const older = await run('older');
        await link.any('__wmcp_user_interaction', ({ phase }) => phase === 'ended');
        const phases = link.heard.filter(({ type }) => type === '__wmcp_user_interaction').map(({ requestId, phase }) => [requestId, phase]);
        return { works, error, older, phases };
      })()`);
      assert.deepEqual(seen, {
        works: { resolved: 'fine' },
        error: 'mine',
        older: { resolved: 'older' },
        phases: [['r-older', 'started'], ['r-older', 'ended']],
      });
      assert.deepEqual(await inMain(() => window.touched), []);
    });
  });
});

describe('the port of the bridge', () => {
  test('is invisible to the page, and reports the backend', async () => {
    for (const mode of MODES) {
      const seen = await look(mode, async () => {
        const overheard = [];
        for (const capture of [true, false]) window.addEventListener('message', ({ data }) => overheard.push(data), capture);
        window.onmessage = ({ data }) => overheard.push(data);
        const { heard, say, next } = await kit.connect();
        const ready = heard[0];
        say({ type: '__wmcp_list_tools', requestId: 'one' });
        if (ready.backend === 'polyfill') await next('__wmcp_tools_list');
        return { ready, types: heard.map(({ type }) => type), overheard };
      });
      const polyfill = mode === 'polyfill';
      assert.deepEqual(seen, {
        ready: { type: '__wmcp_bridge_ready', version: 1, backend: polyfill ? 'polyfill' : 'native' },
        types: polyfill ? ['__wmcp_bridge_ready', '__wmcp_tools_changed', '__wmcp_tools_list'] : ['__wmcp_bridge_ready'],
        overheard: [],
      });
    }
  });

  test('consumes only its own connect message', async () => {
    const seen = await look('polyfill', async () => {
      const overheard = [];
      window.addEventListener('message', ({ data }) => overheard.push(data));
      const connect = { type: '__wmcp_connect' };
      const port = () => new MessageChannel().port2;
      window.postMessage(connect, '*');
      window.postMessage(connect, '*', [port(), port()]);
      window.postMessage({ ...connect, more: 1 }, '*', [port()]);
      window.postMessage({ type: 'other' }, '*', [port()]);
      window.postMessage('__wmcp_connect', '*', [port()]);
      window.dispatchEvent(new MessageEvent('message', { data: connect, ports: [port()], source: window }));
      const frame = document.createElement('iframe');
      document.body.append(frame);
      frame.contentWindow.eval(`parent.postMessage({ type: '__wmcp_connect' }, '*', [new MessageChannel().port2])`);
      await new Promise((resolve) => {
        window.addEventListener('message', ({ data }) => data === 'last' && resolve());
        window.postMessage('last', '*');
      });
      return overheard.length;
    });
    assert.equal(seen, 8);
  });

  test('survives a second injection of the script', async () => {
    for (const mode of MODES) {
      const seen = await look(
        mode,
        async (bridge) => {
          const { modelContext } = document;
          const { getTools } = ModelContext.prototype;
          const view = navigator.modelContext;
          await modelContext.registerTool(kit.tool('kept'));
          (0, eval)(bridge);
          const first = await kit.connect();
          document.open();
          document.write('<p>rewritten');
          document.close();
          (0, eval)(bridge);
          const second = await kit.connect();
          await modelContext.registerTool(kit.tool('later', () => { throw new Error('own words'); }));
          let words;
          if (second.heard[0].backend === 'native') {
            second.say({ type: '__wmcp_expect_call', requestId: 'one', toolName: 'later', args: '{}' });
            await second.any('__wmcp_expected_call');
            await modelContext.executeTool(kit.handle('later')).catch(() => {});
            ({ error: words } = await second.any('__wmcp_expected_call', ({ phase }) => phase === 'failed'));
          } else {
            ({ error: words } = await second.call('later'));
          }
          return {
            same: [document.modelContext === modelContext, ModelContext.prototype.getTools === getTools, navigator.modelContext === view],
            ready: [first, second].map(({ heard }) => heard.filter(({ type }) => type === '__wmcp_bridge_ready').length),
            tools: (await document.modelContext.getTools()).map(({ name }) => name),
            words,
          };
        },
        {},
        BRIDGE,
      );
      assert.deepEqual(seen, { same: [true, true, true], ready: [1, 1], tools: ['kept', 'later'], words: 'own words' }, mode);
    }
  });

  test('survives document.open', async () => {
    for (const mode of MODES) {
      const seen = await look(mode, async () => {
        const { modelContext } = document;
        document.open();
        document.write('<p>rewritten');
        document.close();
        await modelContext.registerTool(kit.tool('a'));
        const { heard } = await kit.connect();
        return heard[0].type;
      });
      assert.equal(seen, '__wmcp_bridge_ready', mode);
    }
  });

  test('answers no event of the page, except webmcp.meet without native WebMCP', async () => {
    for (const mode of MODES) {
      const seen = await look(mode, () => {
        const send = (type) => {
          const event = new Event(type, { cancelable: true });
          return [performance.dispatchEvent(event), Reflect.ownKeys(event).map(String)];
        };
        return [send('__wmcp_connect'), send('webmcp.meet')];
      });
      const silence = [true, ['isTrusted']];
      assert.deepEqual(seen, [silence, mode === 'polyfill' ? [true, ['isTrusted', 'bridge']] : silence], mode);
    }
  });

  test('leaves another polyfill’s object alone when injected after it', async () => {
    const page = await browsers.get(false).open(site.url('empty.html'));
    try {
      await page.evaluate(KIT);
      const seen = await page.evaluate(async (bridge) => {
        const tools = [];
        const theirs = { registerTool: (tool) => Promise.resolve(void tools.push(tool.name)) };
        Object.defineProperty(document, 'modelContext', { value: theirs, configurable: true });
        (0, eval)(bridge);
        const { heard } = await kit.connect();
        navigator.modelContext.registerTool(kit.tool('a'));
        return [document.modelContext === theirs, 'ModelContext' in window, heard[0].backend, tools];
      }, BRIDGE);
      assert.deepEqual(seen, [true, false, 'polyfill', ['a']]);
    } finally {
      await page.close();
    }
  });

  test('reports every change of the tool list, several in one message', async () => {
    const seen = await look('polyfill', async () => {
      const link = await kit.connect();
      const other = await kit.connect();
      const lists = () => link.heard.filter(({ type }) => type === '__wmcp_tools_changed').map(({ tools }) => tools.length);
      const names = (message) => message.tools.map(({ name }) => name).join(' ');
      const facts = { first: lists() };
      for (const name of ['c', 'a', 'b']) void document.modelContext.registerTool(kit.tool(name));
      facts.inOneTask = names(await link.next('__wmcp_tools_changed'));
      facts.count = lists().length;
      for (let at = 0; at < 200; at += 1) await document.modelContext.registerTool(kit.tool(`t${at}`));
      await link.any('__wmcp_tools_changed', ({ total }) => total === 203);
      facts.few = lists().length < 50;
      facts.same = (await other.any('__wmcp_tools_changed', ({ total }) => total === 203)).tools.length;
      other.port.close();
      const controller = new AbortController();
      await document.modelContext.registerTool(kit.tool('leaves'), { signal: controller.signal });
      await link.any('__wmcp_tools_changed', ({ total }) => total === 204);
      controller.abort();
      facts.left = (await link.next('__wmcp_tools_changed')).total;
      facts.others = other.heard.some(({ total }) => total === 204);
      return facts;
    });
    assert.deepEqual(seen, { first: [0], inOneTask: 'a b c', count: 2, few: true, same: 203, left: 203, others: false });
  });

  test('backs off while a page changes its tools without pause, and reports the final list soon after', async () => {
    const storm = (mode) =>
      look(mode, async () => {
        const link = await kit.connect();
        let controller;
        let round = 0;
        let pauses = 0;
        let changed = performance.now();
        const storm = () => {
          // A busy machine lets the storm rest, and after a rest the pace begins anew.
          if (performance.now() - changed > 45) pauses += 1;
          changed = performance.now();
          controller?.abort();
          controller = new AbortController();
          round += 1;
          const tool = kit.tool('storm', () => {}, { description: `${round}` });
          document.modelContext.registerTool(tool, { signal: controller.signal }).catch(() => {});
        };
        if (link.heard[0].backend === 'native') {
          // As the relay does, which is told only that something changed.
          link.say({ type: '__wmcp_list_tools', requestId: 'first' });
          await link.any('__wmcp_tools_list');
        }
        const from = link.heard.length;
        const times = [];
        link.port.addEventListener('message', ({ data }) => JSON.parse(data).type === '__wmcp_tools_changed' && times.push(performance.now()));
        const timer = setInterval(storm, 20);
        const start = performance.now();
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        clearInterval(timer);
        const during = times.filter((time) => time <= start + 1_200).length;
        const last = await new Promise((resolve) => {
          const look = async () => {
            const listed = link.heard.slice(from).filter(({ type }) => type === '__wmcp_tools_changed').at(-1);
            const isLast = listed.tools === undefined ? times.at(-1) > start + 1_200 : listed.tools[0].description === `${round}`;
            if (isLast) resolve(performance.now() - start - 1_200);
            else setTimeout(look, 20);
          };
          look();
        });
        return { during, pauses, last };
      });
    for (const mode of MODES) {
      const last = async () => {
        const seen = await storm(mode);
        // Expected at 0, 50, 150, 350 and 750 ms; three more after each rest.
        assert.ok(seen.during >= 2 && seen.during <= 6 + 3 * seen.pauses, `${mode}: ${seen.during} lists in 1.2 seconds, ${seen.pauses} rests`);
        return seen.last;
      };
      await quick(2_000, last, `${mode}: the last state after a storm`);
    }
  });

  test('delays a long list in proportion to its length, and not after a pause', async () => {
    const once = () => look('polyfill', async () => {
      const link = await kit.connect();
      const { modelContext } = document;
      const list = async (name) => {
        const start = performance.now();
        void modelContext.registerTool(kit.tool(name, () => {}, { inputSchema: { a: 'x'.repeat(200_000) } }));
        await link.any('__wmcp_tools_changed', ({ tools }) => tools.some((one) => one.name === name));
        return performance.now() - start;
      };
      for (let at = 0; at < 20; at += 1) void modelContext.registerTool(kit.tool(`t${at}`, () => {}, { inputSchema: { a: 'x'.repeat(200_000) } }));
      await link.any('__wmcp_tools_changed', ({ total }) => total === 20);
      // 4 MB is sixteen times the length that goes out every 50 ms.
      const soon = await list('soon');
      await new Promise((resolve) => setTimeout(resolve, 1_800));
      return { soon, later: await list('later') };
    });
    const afterPause = async () => {
      const { soon, later } = await once();
      assert.ok(soon > 400, `it came after ${soon} ms`);
      return later;
    };
    await quick(1_200, afterPause, 'a long list after a pause');
  });

  test('describes tools as docs/protocol.md specifies', async () => {
    const seen = await look('polyfill', async () => {
      const schema = { type: 'object', properties: { 城市: { type: 'string' } } };
      const annotations = { readOnlyHint: true, other: 1 };
      await document.modelContext.registerTool(kit.tool('full', () => {}, { title: 'Full', inputSchema: schema, annotations }));
      await document.modelContext.registerTool(kit.tool('plain', () => {}, { description: 'half \uD800 pair' }));
      const { heard } = await kit.connect();
      return heard[1] ?? (await (await kit.connect()).any('__wmcp_tools_changed'));
    });
    assert.deepEqual(seen, {
      type: '__wmcp_tools_changed',
      backend: 'polyfill',
      tools: [
        {
          name: 'full',
          description: 'A tool.',
          title: 'Full',
          inputSchema: '{"type":"object","properties":{"城市":{"type":"string"}}}',
          annotations: { consequentialHint: false, debugging: false, readOnlyHint: true, untrustedContentHint: false },
        },
        { name: 'plain', description: 'half \uFFFD pair' },
      ],
      total: 2,
    });
  });

  test('tells how tools were registered: when, by which script, how often, exposed to whom', async () => {
    const far = `${site.put('far-registers.js', "document.modelContext.registerTool(kit.tool('far'));\n").replace(site.origin, site.otherOrigin)}?secret=1`;
    const url = site.put(
      'registers.html',
      `<!doctype html><meta charset="utf-8"><script src="${far}"></script>
<script>
  const signals = [];
  const offer = (name, options) => document.modelContext.registerTool(kit.tool(name), options).catch(() => {});
  offer('here');
  navigator.modelContext.registerTool(kit.tool('older'));
  navigator.modelContext.provideContext({ tools: [kit.tool('context')] });
  eval("offer('evaluated')\\n//# sourceURL=https://trusted.example/spoofed.js");
  for (let times = 0; times < 3; times += 1) {
    const controller = new AbortController();
    offer('again', { signal: controller.signal });
    if (times < 2) controller.abort();
  }
  offer('exposed', { exposedTo: ['https://a.example/path', 'https://b.example'] });
  offer('refused', { exposedTo: ['http://c.example'] });
</script>`,
    );
    const read = async () => {
      const link = await kit.connect();
      link.say({ type: '__wmcp_list_facts', requestId: 'f' });
      const { facts } = await link.any('__wmcp_facts', ({ requestId }) => requestId === 'f');
      return facts.map(({ at, ...rest }) => ({ ...rest, isInTime: at > 0 && at < performance.now() }));
    };
    for (const mode of MODES) {
      const seen = await look(mode, read, { url });
      const told = new Map(seen.map(({ name, ...rest }) => [name, rest]));
      const here = (line, more) => ({ again: 0, script: url, line, isInTime: true, ...more });
      assert.deepEqual(
        Object.fromEntries(told),
        {
          far: { again: 0, script: far, line: 1, isInTime: true },
          here: here(4),
          older: here(6),
          context: here(7),
          evaluated: here(4),
          again: here(4, { again: 2 }),
          exposed: here(4, { exposedTo: ['https://a.example/path', 'https://b.example'] }),
          refused: here(4, { exposedTo: ['http://c.example'] }),
        },
        mode,
      );
    }
  });

  test('runs none of the page’s code to find out who registers, and leaves what the page made of stacks', async () => {
    for (const mode of MODES) {
      const seen = await look(mode, async () => {
        const link = await kit.connect();
        const told = async () => {
          link.say({ type: '__wmcp_list_facts', requestId: `${told.count}` });
          const { facts } = await link.any('__wmcp_facts', ({ requestId }) => requestId === `${told.count}`);
          told.count += 1;
          return facts.map(({ name }) => name);
        };
        told.count = 0;
        const runs = [];
        const spoil = (target, key, get) => Object.defineProperty(target, key, { get, set: () => runs.push('set'), configurable: true });
        const prepare = () => runs.push('prepared');
        Error.prepareStackTrace = prepare;
        Error.stackTraceLimit = 0;
        spoil(Object.prototype, 'prepareStackTrace', () => runs.push('inherited'));
        spoil(Array.prototype, 'toJSON', () => runs.push('toJSON'));
        await document.modelContext.registerTool(kit.tool('plain', undefined, {}));
        const kept = [Error.prepareStackTrace === prepare, Error.stackTraceLimit];
        delete Object.prototype.prepareStackTrace;
        delete Array.prototype.toJSON;
        Object.defineProperty(Error, 'prepareStackTrace', { get: () => runs.push('read'), configurable: true });
        await document.modelContext.registerTool(kit.tool('accessor'));
        Object.freeze(Error);
        await document.modelContext.registerTool(kit.tool('frozen'));
        const entries = new Proxy(['https://a.example'], {
          getOwnPropertyDescriptor() {
            throw new Error('no look');
          },
        });
        await document.modelContext.registerTool(kit.tool('hostile'), { exposedTo: entries });
        return { runs, kept, told: await told() };
      });
      assert.deepEqual(seen, { runs: [], kept: [true, 0], told: ['plain', 'accessor', 'frozen', 'hostile'] }, mode);
    }
  });

  test('reports a document in which WebMCP is blocked', async () => {
    const seen = await look(
      'polyfill',
      async () => {
        await document.modelContext.registerTool(kit.tool('a')).catch(() => {});
        return (await kit.connect()).any('__wmcp_tools_changed');
      },
      { url: site.url('shared-cluster.html') },
    );
    assert.deepEqual(seen, { type: '__wmcp_tools_changed', backend: 'polyfill', tools: [], total: 0, blocked: true });
  });

  test('enforces the size caps', async () => {
    const seen = await look('polyfill', async () => {
      const { modelContext } = document;
      const long = (length) => 'x'.repeat(length);
      const controller = new AbortController();
      const { signal } = controller;
      await modelContext.registerTool(kit.tool('a.long', () => {}, { description: long(20_000), title: long(2_000), inputSchema: { a: long(300_000) } }), { signal });
      const link = await kit.connect();
      const { tools } = await link.any('__wmcp_tools_changed');
      const facts = { long: [tools[0].description.length, tools[0].title.length, 'inputSchema' in tools[0]] };

      await modelContext.registerTool(kit.tool('result', ({ size }) => long(size)));
      await modelContext.registerTool(kit.tool('error', () => { throw new Error(long(10_000)); }));
      const exact = await link.call('result', { size: 4_194_304 });
      const larger = await link.call('result', { size: 4_194_305 });
      facts.results = [exact.ok, exact.result.length, larger.ok, larger.code];
      facts.error = (await link.call('error')).error.length;
      facts.args = (await link.call('result', JSON.stringify({ a: long(4_194_304) }))).code;

      controller.abort();
      for (let at = 0; at < 1_100; at += 1) void modelContext.registerTool(kit.tool(`t${at}`));
      const many = await link.any('__wmcp_tools_changed', ({ total }) => total === 1_102);
      facts.many = many.tools.length;
      for (let at = 0; at < 40; at += 1) void modelContext.registerTool(kit.tool(`a${at}`, () => {}, { inputSchema: { a: long(250_000) } }));
      const heavy = await link.any('__wmcp_tools_changed', ({ total }) => total === 1_142);
      facts.heavy = [heavy.tools.length < 40, JSON.stringify(heavy.tools).length <= 8_388_608 + 100];
      return facts;
    });
    assert.deepEqual(seen, {
      long: [16_384, 1_024, false],
      results: [true, 4_194_304, false, 'tooLarge'],
      error: 4_096,
      args: 'badArguments',
      many: 1_000,
      heavy: [true, true],
    });
  });
});

describe('a call over the port', () => {
  /** The answer to the relay for each tool of `registerAll`. */
  const fail = (error) => ({ ok: false, error, code: 'threw' });
  const ANSWERS = {
    'text': { ok: true, result: 'hello' },
    'empty': { ok: true, result: 'Operation succeeded' },
    'undefined': { ok: true, result: 'undefined' },
    'null': { ok: true, result: 'null' },
    'object': { ok: true, result: '{"a":[1,{"b":"航班"}]}' },
    'promise': { ok: true, result: '[1,null]' },
    'surrogate': { ok: true, result: 'a\uFFFD' },
    'throws': fail('no seats'),
    'rejects': fail('rejected'),
    'throwsText': fail('just text'),
    'throwsNothing': fail('The tool failed without saying why.'),
    'throwsObject': fail('{"code":5}'),
    'throwsNameless': fail('RangeError'),
    'throwsHostile': fail('The tool failed without saying why.'),
    'symbol': fail('The tool returned a Symbol, which cannot be passed on.'),
    'bigint': fail('Do not know how to serialize a BigInt'),
    'toJSON': fail('from toJSON'),
  };

  /** Register one tool for each answer. Runs in the page. */
  function registerAll() {
    const throwing = (error) => () => {
      throw error;
    };
    const tools = {
      text: () => 'hello',
      empty: () => '',
      undefined: () => {},
      null: () => null,
      object: () => ({ a: [1, { b: '航班' }] }),
      promise: async () => [1, undefined],
      surrogate: () => 'a\uD800',
      throws: throwing(new Error('no seats')),
      rejects: () => Promise.reject(new TypeError('rejected')),
      throwsText: throwing('just text'),
      throwsNothing: () => Promise.reject(),
      throwsObject: throwing({ code: 5 }),
      throwsNameless: throwing(new RangeError()),
      throwsHostile: throwing({ get message() { throw 1; }, toString() { throw 2; } }),
      symbol: () => Symbol('s'),
      bigint: () => ({ a: 1n }),
      toJSON: () => ({ toJSON: throwing(new Error('from toJSON')) }),
    };
    return Promise.all(Object.entries(tools).map(([name, execute]) => document.modelContext.registerTool(kit.tool(name, execute))));
  }

  test('is answered with the tool’s result or its own error message', async () => {
    const seen = await inPage('polyfill', async (page) => {
      await page.evaluate(registerAll);
      return page.evaluate(async (names) => {
        const link = await kit.connect();
        const answers = await Promise.all(names.map((name) => link.call(name)));
        return Object.fromEntries(answers.map(({ type, requestId, ...rest }, at) => [names[at], rest]));
      }, Object.keys(ANSWERS));
    });
    assert.deepEqual(seen, ANSWERS);
  });

  test('keeps the tool’s error message where native WebMCP runs it', async () => {
    const seen = await inPage('wrapped', async (page) => {
      await page.evaluate(registerAll);
      return page.evaluate(async (names) => {
        const link = await kit.connect();
        const answers = {};
        for (const name of names) {
          const requestId = `r-${name}`;
          const about = (wanted) => ({ requestId: id, phase }) => id === requestId && phase === wanted;
          link.say({ type: '__wmcp_expect_call', requestId, toolName: name, args: '{"a":1}' });
          await link.any('__wmcp_expected_call', about('expecting'));
          const outcome = await kit.outcome(() => document.modelContext.executeTool(kit.handle(name), { a: 1 }));
          answers[name] = outcome.resolved
            ? { ok: true, result: outcome.resolved }
            : { ok: false, error: (await link.any('__wmcp_expected_call', about('failed'))).error, code: 'threw' };
        }
        return answers;
      }, Object.keys(ANSWERS));
    });
    assert.deepEqual(seen, ANSWERS);
  });

  test('is told apart from calls of the page by name and input', async () => {
    const seen = await look('wrapped', async () => {
      const link = await kit.connect();
      await document.modelContext.registerTool(kit.tool('fails', ({ n }) => { throw new Error(`failed ${n}`); }));
      const run = (n) => document.modelContext.executeTool(kit.handle('fails'), { n }).catch(() => {});
      const failures = () => link.heard.filter(({ phase }) => phase === 'failed').map(({ requestId, error }) => `${requestId}: ${error}`);
      const expect = async (requestId, args, toolName = 'fails') => {
        link.say({ type: '__wmcp_expect_call', requestId, toolName, args });
        await link.any('__wmcp_expected_call', (message) => message.requestId === requestId);
      };
      await expect('first', '{"n":1}');
      await expect('second', '{"n":1}');
      await expect('forgotten', '{"n":4}');
      await expect('elsewhere', '{"n":5}', 'other');
      link.say({ type: '__wmcp_cancel_call', requestId: 'forgotten' });
      for (const n of [3, 1, 1, 1, 4, 5]) await run(n);
      await expect('last', '{"n":6}');
      await run(6);
      await link.any('__wmcp_expected_call', ({ requestId, phase }) => requestId === 'last' && phase === 'failed');
      return failures();
    });
    assert.deepEqual(seen, ['first: failed 1', 'second: failed 1', 'last: failed 6']);
  });

  test('runs the tool once per request ID, as executeTool does', async () => {
    const seen = await look('polyfill', async () => {
      const { note, take } = kit.journal();
      const facts = {};
      for (const type of ['toolactivated', 'toolcancel']) {
        document.modelContext.addEventListener(type, ({ toolName }) => note(`${type} ${toolName}`));
      }
      await document.modelContext.registerTool(
        kit.tool('runs', function (input, options) {
          note(`execute ${JSON.stringify(input)}`);
          facts.given = [this === window, arguments.length, Object.keys(options)];
          return 'done';
        }),
      );
      const link = await kit.connect();
      const twice = [link.call('runs', { n: 1 }, 'same'), link.call('runs', { n: 1 }, 'same')];
      facts.answers = (await Promise.all(twice)).map(({ result }) => result);
      facts.log = await take();
      facts.refused = [];
      const refused = [['nope', {}], ['runs', '[1]'], ['runs', 'null'], ['runs', '"text"'], ['runs', '{'], ['runs', '']];
      for (const [name, args] of refused) facts.refused.push((await link.call(name, args)).code);
      link.say({ type: '__wmcp_call_tool', requestId: 'noArgs', toolName: 'runs' });
      facts.refused.push((await link.any('__wmcp_tool_result', ({ requestId }) => requestId === 'noArgs')).code);
      link.port.postMessage('no JSON');
      link.port.postMessage({ type: '__wmcp_call_tool', requestId: 'object', toolName: 'runs', args: '{}' });
      link.say('text');
      link.say({ type: '__wmcp_call_tool', toolName: 'runs', args: '{}' });
      facts.stillThere = (await link.call('runs')).ok;
      facts.afterwards = (await take()).length;
      return facts;
    });
    assert.deepEqual(seen, {
      given: [true, 2, ['signal']],
      answers: ['done', 'done'],
      log: ['execute {"n":1}', 'toolactivated runs'],
      refused: ['notFound', 'badArguments', 'badArguments', 'badArguments', 'badArguments', 'badArguments', 'badArguments'],
      stillThere: true,
      afterwards: 2,
    });
  });

  test('can be cancelled through its own port only', async () => {
    const seen = await look('polyfill', async () => {
      const { note, take } = kit.journal();
      document.modelContext.addEventListener('toolcancel', ({ toolName }) => note(`cancel ${toolName}`));
      let answer;
      await document.modelContext.registerTool(
        kit.tool('hangs', (_, { signal }) => {
          note('execute');
          signal.addEventListener('abort', () => note(`aborted: ${kit.error(signal.reason)}`));
          return new Promise((resolve) => (answer = resolve));
        }),
      );
      const link = await kit.connect();
      const stranger = await kit.connect();
      const call = link.call('hangs', {}, 'one');
      await take();
      stranger.say({ type: '__wmcp_cancel_call', requestId: 'one' });
      const untouched = await take();
      link.say({ type: '__wmcp_cancel_call', requestId: 'one' });
      const { ok, code } = await call;
      const log = await take();
      answer('late');
      await take();
      const results = link.heard.filter(({ type }) => type === '__wmcp_tool_result').length;
      return { untouched, ok, code, log, results, leaked: stranger.heard.length };
    });
    assert.deepEqual(seen, {
      untouched: [],
      ok: false,
      code: 'cancelled',
      log: ['aborted: AbortError: signal is aborted without reason', 'cancel hangs'],
      results: 1,
      leaked: 2,
    });
  });

  test('reports when the tool waits for the user', async () => {
    for (const mode of MODES) {
      const seen = await look(mode, async () => {
        let reply;
        navigator.modelContext.registerTool(
          kit.tool('asks', (_, client) =>
            Promise.all([client.requestUserInteraction(() => new Promise((resolve) => (reply = resolve))), client.requestUserInteraction(() => 1)]),
          ),
        );
        const link = await kit.connect();
        const stranger = await kit.connect();
        const told = () => link.heard.filter(({ type }) => type === '__wmcp_user_interaction').map(({ requestId, toolName, phase }) => [requestId, toolName, phase].join());
        let call;
        if (link.heard[0].backend === 'native') {
          link.say({ type: '__wmcp_expect_call', requestId: 'one', toolName: 'asks', args: '{}' });
          await link.any('__wmcp_expected_call');
          call = document.modelContext.executeTool(kit.handle('asks'));
        } else {
          call = link.call('asks', {}, 'one').then(({ result }) => result);
        }
        await link.any('__wmcp_user_interaction');
        reply('yes');
        const result = await call;
        const byPage = document.modelContext.executeTool(kit.handle('asks'));
        await link.any('__wmcp_user_interaction', ({ requestId }) => requestId === null);
        reply('again');
        await byPage;
        for (const one of [link, stranger]) await one.any('__wmcp_user_interaction', ({ requestId, phase }) => requestId === null && phase === 'ended');
        return { told: told(), result, toStranger: stranger.heard.filter(({ type }) => type === '__wmcp_user_interaction').map(({ requestId }) => requestId) };
      });
      assert.deepEqual(
        seen,
        {
          told: ['one,asks,started', 'one,asks,ended', ',asks,started', ',asks,ended'],
          result: '["yes",1]',
          toStranger: [null, null],
        },
        mode,
      );
    }
  });

  test('reports the end of a wait for the user when it is cancelled', async () => {
    const seen = await look('polyfill', async () => {
      navigator.modelContext.registerTool(kit.tool('asks', (_, client) => client.requestUserInteraction(() => new Promise(() => {}))));
      const link = await kit.connect();
      const call = link.call('asks', {}, 'one');
      await link.any('__wmcp_user_interaction', ({ phase }) => phase === 'started');
      link.say({ type: '__wmcp_cancel_call', requestId: 'one' });
      const { phase } = await link.any('__wmcp_user_interaction', (message) => message.phase === 'ended');
      return [phase, (await call).code];
    });
    assert.deepEqual(seen, ['ended', 'cancelled']);
  });
});
