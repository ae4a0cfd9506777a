/** Cases 41 to 52: older APIs, third-party libraries, origin trials, and hostile pages. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after } from 'node:test';

import { FORM_OBSERVATIONS } from '../../fixtures/webmcp/form-observations.mjs';
import { OBSERVATIONS } from '../../fixtures/webmcp/observations.mjs';
import { register, sabotage } from '../../fixtures/webmcp/sabotage.mjs';
import { Ground, html } from '../../lib/conformance.mjs';
import { OriginTrial } from '../../lib/origin-trial.mjs';
import { TESTS } from '../../lib/paths.mjs';
import { Plain } from '../../lib/plain.mjs';
import { until } from '../../lib/wait.mjs';

const modules = createRequire(import.meta.url);

/**
 * Third-party polyfills and libraries as scripts, each with the object that a page written for it uses, and how such a
 * page removes a tool.
 *
 * @type {Record<string, { script: string, context: string, remove: string }>}
 */
const LIBRARIES = {
  '@mcp-b/webmcp-polyfill 2.0.8': { script: modules.resolve('webmcp-polyfill-2/iife'), context: 'navigator.modelContext', remove: 'context.unregisterTool("second")' },
  '@mcp-b/webmcp-polyfill 3.0.0': { script: modules.resolve('webmcp-polyfill-3/iife'), context: 'document.modelContext', remove: 'controller.abort()' },
  '@mcp-b/webmcp-polyfill 5.1.0': { script: modules.resolve('webmcp-polyfill-5/iife'), context: 'document.modelContext', remove: 'controller.abort()' },
  '@mcp-b/global 1.6.4': { script: modules.resolve('mcp-b-global-1/iife'), context: 'navigator.modelContext', remove: 'handle.unregister()' },
  '@mcp-b/global 2.3.2': { script: modules.resolve('mcp-b-global-2/iife'), context: 'navigator.modelContext', remove: 'controller.abort()' },
  '@mcp-b/global 5.1.0': { script: modules.resolve('mcp-b-global-5/iife'), context: 'document.modelContext', remove: 'controller.abort()' },
  'the polyfill of a demo': { script: path.join(TESTS, 'fixtures', 'webmcp', 'demo-polyfill.js'), context: 'document.modelContext', remove: 'controller.abort()' },
};

/** The longest time that the panel may block, in milliseconds, on a busy test machine. */
const PAUSE = 2_000;

const trial = new OriginTrial();

/** The element with an origin-trial token for a site. */
const tokenFor = ({ origin }) => `<meta http-equiv="origin-trial" content="${trial.token(origin)}">`;

/** A script that registers a tool, whose result says which `document.modelContext` it was registered with. */
const registering = (name) => `<script>offer('${name}')</script>`;
const OFFER = `<script>
  function isNative() {
    return String(Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext').get).includes('[native code]');
  }
  const controllers = {};
  function offer(name) {
    const given = isNative() ? 'native' : 'polyfill';
    const execute = (input) => {
      if (input.fail) throw new Error('own words of ' + name);
      return 'given to ' + given;
    };
    controllers[name] = new AbortController();
    return document.modelContext.registerTool({ name, description: 'd', execute }, { signal: controllers[name].signal });
  }
</script>`;

/** Evaluates functions in a page that has broken the built-ins that `page.evaluate` needs. */
async function raw(page) {
  const session = await page.createCDPSession();
  return async (fn) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression: `(${fn})()`, returnByValue: true });
    assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description ?? exceptionDetails?.exception?.value);
    return result.value;
  };
}

/** @param {Parameters<Parameters<typeof import('../../lib/conformance.mjs').section>[1]>[0]} suite */
export function compatibility({ native, proves }) {
  proves(41, async ({ open }) => {
    const page = await open();
    const seen = await page.evaluate(() => {
      const { property, attempt } = kit;
      return {
        instance: [document.modelContext instanceof ModelContext, document.modelContext instanceof EventTarget],
        same: document.modelContext === document.modelContext,
        construct: attempt(() => new ModelContext()),
        own: Object.hasOwn(document, 'modelContext'),
        accessor: property(Document.prototype, 'modelContext'),
        text: String(document.modelContext),
      };
    });
    assert.deepEqual(seen, {
      instance: [true, true],
      same: true,
      construct: 'TypeError: Illegal constructor',
      own: false,
      accessor: { get: 'function get modelContext of 0', set: 'undefined', enumerable: 'true', configurable: 'true' },
      text: '[object ModelContext]',
    });
  });

  proves(42, async ({ agent, open, site }) => {
    const url = site.put(
      'older.html',
      html(`<script>
        const handle = navigator.modelContext.registerTool({
          name: 'older',
          description: 'An older tool.',
          inputSchema: { type: 'object', properties: {} },
          execute: (input) => ({ content: [{ type: 'text', text: 'older ran' }] }),
        });
        window.after = typeof handle.unregister;
      </script>`),
    );
    const page = await open(url);
    await agent.lists(page, ['older']);
    const { ok, result } = await agent.call(page, 'older');
    assert.deepEqual([ok, JSON.parse(result)], [true, { content: [{ type: 'text', text: 'older ran' }] }]);
    assert.equal(await page.evaluate(() => window.after), 'function', 'the script went on');
    await page.evaluate(() => handle.unregister());
    await agent.lists(page, []);
  });

  proves(43, async ({ agent, open }) => {
    const page = await open();
    const step = async (act, names) => {
      await page.evaluate(act);
      await agent.lists(page, names);
    };
    await step(() => document.modelContext.registerTool(kit.tool('page')), ['page']);
    await step(() => navigator.modelContext.provideContext({ tools: [kit.tool('a'), kit.tool('b')] }), ['a', 'b', 'page']);
    await step(() => navigator.modelContext.provideContext({ tools: [kit.tool('b', () => 'newer b'), kit.tool('c')] }), ['b', 'c', 'page']);
    assert.deepEqual(await agent.call(page, 'b'), { ok: true, result: 'newer b' });
    await step(() => navigator.modelContext.unregisterTool('c'), ['b', 'page']);
    await step(() => navigator.modelContext.clearContext(), ['page']);
    const older = await page.evaluate(() =>
      ['provideContext', 'clearContext', 'unregisterTool'].map((name) => [name in document.modelContext, name in ModelContext.prototype, typeof navigator.modelContext[name]]),
    );
    assert.deepEqual(older, Array(3).fill([false, false, 'function']));
  });

  for (const [library, { script, context, remove }] of Object.entries(LIBRARIES)) {
    proves(
      44,
      async ({ agent, open, site }) => {
        site.put('library.js', await readFile(script, 'utf8'));
        const url = site.put(
          'library.html',
          html(`<script src="library.js"></script><script type="module">
            const context = ${context};
            const controller = new AbortController();
            const tool = (name) => ({
              name,
              description: 'A tool of a page with a library.',
              inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
              execute: (input) => ({ content: [{ type: 'text', text: name + ' ran with ' + JSON.stringify(input) }] }),
            });
            await context.registerTool(tool('first'));
            const handle = context.registerTool(tool('second'), { signal: controller.signal });
            await handle;
            window.remove = () => ${remove};
          </script>`),
        );
        const page = await open(url);
        await agent.lists(page, ['first', 'second']);
        for (const name of ['first', 'second']) {
          const { ok, result } = await agent.call(page, name, { a: 1 });
          assert.equal(ok, true);
          assert.match(JSON.parse(result).content[0].text, new RegExp(`^${name} ran with \\{"a":1\\}$`));
        }
        await page.evaluate(() => window.remove());
        await agent.lists(page, ['first']);
        assert.equal((await agent.call(page, 'second')).code, 'notFound');
      },
      library,
    );
  }

  proves(45, async ({ agent, open, site }) => {
    const url = site.put(
      'wrapper.html',
      html(`<script>
        const inner = document.modelContext;
        const wrapper = { registerTool: (tool, options) => inner.registerTool({ ...tool, title: 'Wrapped' }, options) };
        Object.defineProperty(document, 'modelContext', { value: wrapper, configurable: true });
        document.modelContext.registerTool({ name: 'inside', description: 'd', execute: () => 'ran' });
      </script>`),
    );
    const page = await open(url);
    await agent.lists(page, ['inside']);
    assert.equal((await agent.tools())[0].title, 'Wrapped');
    assert.deepEqual(await agent.call(page, 'inside'), { ok: true, result: 'ran' });
    await page.evaluate(() => document.modelContext.registerTool(kit.tool('later')));
    await agent.lists(page, ['inside', 'later']);
  });

  proves(46, async ({ agent, open, site }) => {
    const url = site.put(
      'patched.html',
      html(`<script>
        document.modelContext.registerTool({ name: 'kept', description: 'As it was.', execute: ({ n }) => 'real ' + n });
        ModelContext.prototype.registerTool = async () => {};
        ModelContext.prototype.getTools = async () => [];
        ModelContext.prototype.executeTool = async () => 'forged';
        Object.defineProperty(Document.prototype, 'modelContext', { get: () => ({ getTools: async () => [] }), configurable: true });
        for (const name of ['parse', 'stringify']) JSON[name] = () => { throw new Error('patched'); };
      </script>`),
    );
    const page = await open(url);
    await agent.lists(page, ['kept']);
    const [{ description, source }] = await agent.tools();
    assert.deepEqual([description, source], ['As it was.', 'native']);
    assert.deepEqual(await agent.call(page, 'kept', { n: 5 }), { ok: true, result: 'real 5' });
  });

  originTrials({ native, proves });
  differences({ native, proves });

  proves(
    51,
    async ({ agent, chromium, open, site }) => {
      const url = site.put(
        'eavesdropper.html',
        html(
          `<script>
            window.overheard = [];
            for (const capture of [true, false]) addEventListener('message', ({ data }) => overheard.push(data), capture);
            onmessage = ({ data }) => overheard.push(data);
            document.modelContext.registerTool({ name: 'real', description: 'Is here.', execute: () => 'ran' });
          </script>`,
          `<iframe src="${site.url('empty.html', site.otherOrigin)}"></iframe>`,
        ),
      );
      const page = await open(url);
      await agent.lists(page, ['real']);
      await until(async () => (await agent.told(page)).length === 2, { what: 'the relay of the frame' });
      assert.deepEqual(await agent.call(page, 'real'), { ok: true, result: 'ran' });
      assert.deepEqual(await page.evaluate(() => window.overheard), [], 'no message of the extension is heard');

      // Forged messages: on the window, as events, from a frame, and over a port of the page's own.
      const forge = () => {
        const lie = {
          type: '__wmcp_tools_changed', backend: 'native', total: 1, tab: 1, frame: 0, frameId: 0, documentId: 'forged', origin: 'https://bank.example',
          tools: [{ name: 'forged', description: 'Of another.', origin: 'https://bank.example' }],
        };
        for (const target of [window, top]) {
          target.postMessage(lie, '*');
          target.postMessage(JSON.stringify(lie), '*');
          const { port1, port2 } = new MessageChannel();
          target.postMessage({ type: '__wmcp_connect' }, '*', [port2]);
          for (const type of ['__wmcp_tools_changed', '__wmcp_tools_list', '__wmcp_tool_result', '__wmcp_page_gone', '__wmcp_bridge_missing']) {
            port1.postMessage(JSON.stringify({ ...lie, type, requestId: 'forged' }));
          }
        }
        window.dispatchEvent(new MessageEvent('message', { data: lie, source: window }));
        window.dispatchEvent(new CustomEvent('__wmcp_tools_changed', { detail: lie }));
      };
      await page.evaluate(forge);
      await page.frames()[1].evaluate(forge);
      // A list that arrives after the forged messages on the same channels proves that they were processed.
      await page.evaluate(() => document.modelContext.registerTool(kit.tool('last')));
      await agent.lists(page, ['last', 'real']);
      const told = (await agent.told(page)).map(({ frame, origin, tools }) => [frame === 0, origin, tools.map(({ name }) => name)]);
      assert.deepEqual(told, [[true, site.origin, ['last', 'real']], [false, site.otherOrigin, []]]);
      assert.equal(await agent.everListed('forged'), false);

      const reached = await page.evaluate(async (address) => {
        const manifest = await fetch(address).then(() => 'read', () => 'refused');
        return [typeof chrome.runtime?.sendMessage, typeof chrome.runtime?.connect, typeof chrome.tabs, manifest];
      }, chromium.extensionUrl('manifest.json'));
      assert.deepEqual(reached, ['undefined', 'undefined', 'undefined', 'refused']);
    },
    'the channel',
  );

  proves(
    51,
    async ({ agent, open }) => {
      const page = await open();
      const inMain = await raw(page);
      await inMain(sabotage);
      await inMain(register);
      await agent.lists(page, ['hangs', 'older', 'throws', 'works']);
      assert.deepEqual(await agent.call(page, 'works'), { ok: true, result: 'fine' });
      assert.deepEqual(await agent.call(page, 'older'), { ok: true, result: 'older' });
      assert.deepEqual(await agent.call(page, 'throws'), { ok: false, code: 'threw', error: 'mine' });
      const hanging = agent.call(page, 'hangs', {}, { requestId: 'hanging' });
      await until(() => inMain(() => 'hanging' in window), { what: 'the tool to run' });
      await agent.cancel(page, 'hanging');
      assert.equal((await hanging).code, 'cancelled');
      assert.deepEqual(await inMain(() => window.touched), []);
    },
    'patched built-ins',
  );

  proves(52, async ({ agent, open, stage }) => {
    const page = await open();
    await stage.panel.view('tools');
    await stage.panel.page.evaluate(() => {
      let last = performance.now();
      window.longest = 0;
      window.beats = setInterval(() => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
      }, 20);
    });
    try {
      await page.evaluate(async () => {
        const nested = (depth) => {
          const schema = { type: 'object' };
          let inner = schema;
          for (let at = 0; at < depth; at += 1) inner = inner.items = {};
          return schema;
        };
        const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
        const tools = {
          'a.long': { description: 'x'.repeat(10_000_000), title: 'y'.repeat(1_000_000) },
          'b.control': { description: `begin${controls}\u202e\u2066end`, title: `\u202e${controls}` },
          'c.large': { inputSchema: { enum: ['z'.repeat(300_000)] } },
          'd.deep': { inputSchema: nested(5_000) },
          'e.deeper': { inputSchema: nested(10_000) },
          'f.broken': { inputSchema: { type: 'object', required: 'a' } },
        };
        window.outcomes = {};
        for (const [name, more] of Object.entries(tools)) {
          window.outcomes[name] = await kit.outcome(() => document.modelContext.registerTool(kit.tool(name, () => 'ran', more)));
        }
      });
      const outcomes = Object.entries(await page.evaluate(() => window.outcomes));
      const names = outcomes.filter(([, outcome]) => outcome.resolved).map(([name]) => name);
      // Native WebMCP refuses the deepest schema.
      assert.deepEqual(outcomes.filter(([name]) => !names.includes(name)), native ? [['e.deeper', 'RangeError: Maximum call stack size exceeded']] : []);
      await agent.lists(page, names);
      const listed = await agent.tools();
      const [long, control, large] = listed;
      assert.deepEqual([long.description.length, long.title.length], [16_384, 201]);
      assert.match(control.description, /^begin[^]*end$/);
      assert.equal(large.inputSchema, undefined);
      const broken = listed.find(({ name }) => name === 'f.broken');
      assert.equal(broken.schemaProblem, '/required: "a" is not of type "array"');
      await stage.panel.seeTools(names);
      assert.deepEqual(await agent.call(page, 'd.deep'), { ok: true, result: 'ran' });
      assert.deepEqual(await agent.call(page, 'f.broken'), { ok: true, result: 'ran' });

      // 10,000 tools. With native WebMCP each goes through the browser's process, which is slow.
      await page.evaluate(async () => {
        const all = Array.from({ length: 10_000 }, (_, at) => document.modelContext.registerTool(kit.tool(`t${at}`)));
        await Promise.all(all);
      });
      await agent.counts(10_000 + names.length, { timeout: 30_000 });
      const filter = await stage.panel.see('tool-filter');
      await filter.type('b.control');
      // Not with `Panel.tools`: reading a thousand rows would block the panel longer than showing them.
      await stage.panel.page.waitForFunction(() => document.querySelectorAll('[data-testid="tool-row"]').length === 1);
      await filter.click({ count: 3 });
      await stage.panel.page.keyboard.press('Backspace');
      assert.deepEqual(await agent.call(page, 't9999'), { ok: true, result: 'done' });
      const longest = await stage.panel.page.evaluate(() => window.longest);
      assert.ok(longest < PAUSE, `the panel did nothing for ${longest} ms`);
      assert.equal((await agent.tools()).length, 1_000);
      assert.deepEqual(stage.panel.problems, []);
    } finally {
      await stage.panel.page.evaluate(() => clearInterval(window.beats));
      await stage.panel.view('chat');
    }
  });
}

/** Cases 47 and 48: pages that switch native WebMCP on with an origin-trial token. */
function originTrials({ proves }) {
  const ground = new Ground({ args: [`--origin-trial-public-key=${trial.publicKey}`] });
  after(() => ground.leave());

  /**
   * Run a case on a page with this head, whose tools must all end up in native WebMCP.
   *
   * @param {(site: import('../../lib/site.mjs').Site) => { head: string, headers?: Record<string, string> }} text
   * @param {Record<string, 'native' | 'polyfill'>} tools each with what the page registered it with
   * @param {(page: import('puppeteer-core').Page, place: import('../../lib/conformance.mjs').Place) => Promise<void>} [act]
   */
  const onPage = (text, tools, act = async () => {}) => () =>
    ground.run(async (place) => {
      const { agent, open, site } = place;
      const { head, headers } = text(site);
      const page = await open(site.put('trial.html', html(head), headers));
      await act(page, place);
      const names = Object.keys(tools);
      await agent.lists(page, names);
      assert.equal(await page.evaluate(() => isNative()), true, 'the token was taken');
      const inPage = () => page.evaluate(async () => (await document.modelContext.getTools()).map(({ name }) => name));
      assert.deepEqual(await inPage(), names);
      for (const { name, source } of await agent.tools()) assert.equal(source, 'native', name);
      for (const [name, given] of Object.entries(tools)) {
        assert.deepEqual(await agent.call(page, name), { ok: true, result: `given to ${given}` });
        assert.deepEqual(await agent.call(page, name, { fail: true }), { ok: false, code: 'threw', error: `own words of ${name}` });
      }
      await page.evaluate(() => controllers[Object.keys(controllers)[0]].abort());
      await agent.lists(page, names.slice(1));
      assert.deepEqual(await inPage(), names.slice(1));
    });

  /** Add a token to the document. Runs in the page. */
  const insert = (token) => {
    const meta = document.createElement('meta');
    meta.httpEquiv = 'origin-trial';
    meta.content = token;
    document.head.append(meta);
  };

  proves(47, onPage((site) => ({ head: OFFER + registering('a'), headers: { 'Origin-Trial': trial.token(site.origin) } }), { a: 'native' }));
  proves(48, onPage((site) => ({ head: tokenFor(site) + OFFER + registering('a') }), { a: 'native' }), 'a meta element');
  proves(
    48,
    onPage((site) => ({ head: OFFER + registering('before') + tokenFor(site) + registering('later') }), { before: 'polyfill', later: 'native' }),
    'a meta element behind a script that registers',
  );
  proves(
    48,
    onPage(
      (site) => ({ head: `${OFFER}${registering('before')}<script>(${insert})('${trial.token(site.origin)}')</script>${registering('later')}` }),
      { before: 'polyfill', later: 'native' },
    ),
    'a script while the page loads',
  );
  proves(
    48,
    onPage(
      () => ({ head: OFFER + registering('before') }),
      { before: 'polyfill', later: 'native' },
      async (page, { agent, site }) => {
        await agent.lists(page, ['before']);
        await page.evaluate(insert, trial.token(site.origin));
        await page.evaluate(() => offer('later'));
      },
    ),
    'a script after the page has loaded',
  );
}

/** Cases 49 and 50: a page with the extension compared with one in a browser with native WebMCP and no extension. */
function differences({ proves }) {
  const plain = new Plain();
  after(() => plain.close());
  for (const [name, observation] of Object.entries(OBSERVATIONS)) {
    for (const number of observation.nativeOnly ? [49] : [49, 50]) proves(number, (place) => plain.agrees(observation, place), name);
  }
  for (const [name, observation] of Object.entries(FORM_OBSERVATIONS)) proves(49, (place) => plain.agrees(observation, place), name);
}
