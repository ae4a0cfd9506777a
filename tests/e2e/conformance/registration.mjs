/** Cases 1 to 13: registering tools and listing them. */

import assert from 'node:assert/strict';

import { html } from '../../lib/conformance.mjs';

/** How soon the agent must list a change, in milliseconds. */
const SOON = 500;

/** The outcomes with only the names of errors. */
const kinds = (outcomes) => outcomes.map((outcome) => (typeof outcome === 'string' ? outcome.replace(/: .*$/s, '') : outcome));

const resolved = { resolved: 'undefined' };

/** @param {Parameters<Parameters<typeof import('../../lib/conformance.mjs').section>[1]>[0]} suite */
export function registration({ native, proves }) {
  proves(1, async ({ agent, open, site }) => {
    const inputSchema = {
      type: 'object',
      properties: {
        city: { type: 'string', description: '城市 “to”' },
        nights: { type: 'integer', minimum: 1, default: 2 },
        wishes: { type: 'array', items: { enum: ['sea', null, 3] } },
      },
      required: ['city'],
      additionalProperties: false,
    };
    const url = site.put(
      'head.html',
      html(`<script>
        document.modelContext.registerTool({
          name: 'find.rooms', title: 'Find rooms', description: 'Finds rooms in a city.', inputSchema: ${JSON.stringify(inputSchema)},
          annotations: { readOnlyHint: true, untrustedContentHint: true }, execute() {},
        });
        document.modelContext.registerTool({
          name: 'trace', description: 'For developers.', annotations: { consequentialHint: true, debugging: true }, execute() {},
        });
      </script>`),
    );
    const page = await open(url);
    await agent.lists(page, ['find.rooms']);
    // A tool with the `debugging` annotation is sent to the worker, but not listed.
    assert.deepEqual(await agent.tools(), [
      {
        name: 'find.rooms',
        title: 'Find rooms',
        description: 'Finds rooms in a city.',
        inputSchema,
        annotations: { readOnlyHint: true, untrustedContentHint: true, destructiveHint: false, consequentialHint: false, debugging: false },
        schemaProblem: '',
        risk: 'readOnly',
        source: native ? 'native' : 'polyfill',
        form: false,
        frame: '',
        origin: site.origin,
        key: { tool: { origin: site.origin, name: 'find.rooms' } },
      },
    ]);
    const [{ document, ...told }, ...more] = await agent.told(page);
    assert.deepEqual(more, []);
    assert.match(document, /^[0-9A-F]{32}$/);
    assert.deepEqual(told, {
      frame: 0,
      origin: site.origin,
      backend: native ? 'native' : 'polyfill',
      tools: [
        {
          name: 'find.rooms',
          description: 'Finds rooms in a city.',
          title: 'Find rooms',
          inputSchema: JSON.stringify(inputSchema),
          annotations: { readOnlyHint: true, untrustedContentHint: true, consequentialHint: false, destructiveHint: false, debugging: false },
        },
        {
          name: 'trace',
          description: 'For developers.',
          annotations: { readOnlyHint: false, untrustedContentHint: false, consequentialHint: true, destructiveHint: false, debugging: true },
        },
      ],
      total: 2,
    });
  });

  proves(2, async ({ agent, open, site }) => {
    const url = site.put(
      'late.html',
      html(`<script>
        addEventListener('load', () => setTimeout(() => {
          window.controller = new AbortController();
          window.registeredAt = Date.now();
          document.modelContext.registerTool({ name: 'late', description: 'Comes late.', execute() {} }, { signal: controller.signal });
        }, 2000));
      </script>`),
    );
    const page = await open(url);
    await agent.lists(page, []);
    const listed = await agent.lists(page, ['late']);
    const registered = await page.evaluate(() => window.registeredAt);
    assert.ok(listed - registered < SOON, `${listed - registered} ms until it was listed`);
    const aborted = await page.evaluate(() => {
      const at = Date.now();
      window.controller.abort();
      return at;
    });
    const gone = await agent.lists(page, []);
    assert.ok(gone - aborted < SOON, `${gone - aborted} ms until it was gone`);
  });

  proves(
    2,
    async ({ agent, open }) => {
      const page = await open();
      await page.evaluate(async () => {
        let controller;
        const comes = async () => {
          window.round = (window.round ?? 0) + 1;
          controller = new AbortController();
          await document.modelContext.registerTool(kit.tool(`stays${window.round}`));
          // Lists are sent some milliseconds apart, so the brief tool is registered at another moment in each round.
          await new Promise((resolve) => setTimeout(resolve, 5 * window.round));
          await document.modelContext.registerTool(kit.tool('brief'), { signal: controller.signal });
        };
        await document.modelContext.registerTool(kit.tool('comes', comes));
        await document.modelContext.registerTool(kit.tool('goes', () => controller.abort()));
      });
      const names = ['comes', 'goes'];
      for (let round = 1; round <= 6; round += 1) {
        await agent.lists(page, names);
        assert.ok((await agent.asksBetween(page, 'comes', 'goes')).includes('brief'));
        names.push(`stays${round}`);
      }
      await agent.lists(page, names);
    },
    'when the worker asks in between',
  );

  proves(3, async ({ open }) => {
    const page = await open();
    const seen = await page.evaluate(async () => {
      const log = [];
      document.modelContext.addEventListener('toolchange', () => log.push('toolchange'));
      const controller = new AbortController();
      const value = await document.modelContext.registerTool(kit.tool('a'), { signal: controller.signal });
      log.push(`resolved with ${value}`);
      await document.modelContext.registerTool(kit.tool('a')).catch(() => log.push('refused'));
      controller.abort();
      await kit.quiet(log);
      return log;
    });
    assert.deepEqual(seen, ['toolchange', 'resolved with undefined', 'refused', 'toolchange']);
  });

  proves(4, async ({ agent, open }) => {
    const page = await open();
    const outcomes = await page.evaluate(async () => [
      await kit.outcome(() => document.modelContext.registerTool(kit.tool('only', () => 'first'))),
      await kit.outcome(() => document.modelContext.registerTool(kit.tool('only', () => 'second'))),
    ]);
    assert.deepEqual(kinds(outcomes), [resolved, 'InvalidStateError']);
    await agent.lists(page, ['only']);
    assert.deepEqual(await agent.call(page, 'only'), { ok: true, result: 'first' });
  });

  proves(5, async ({ agent, open }) => {
    const page = await open();
    const good = ['.a-b_9.', 'n'.repeat(128)];
    const outcomes = await page.evaluate(async (names) => {
      const register = (name) => kit.outcome(() => document.modelContext.registerTool(kit.tool(name, () => `ran ${name}`)));
      const all = [];
      for (const name of ['', 'n'.repeat(129), 'a b', 'a/b', 'é', ...names]) all.push(await register(name));
      return all;
    }, good);
    assert.deepEqual(kinds(outcomes), [...Array(5).fill('InvalidStateError'), resolved, resolved]);
    await agent.lists(page, good);
    for (const name of good) assert.deepEqual(await agent.call(page, name), { ok: true, result: `ran ${name}` });
  });

  proves(6, async ({ agent, open }) => {
    const page = await open();
    const outcomes = await page.evaluate(async () => {
      const without = (key) => {
        const tool = kit.tool('a');
        delete tool[key];
        return tool;
      };
      const tools = [kit.tool('a', () => {}, { description: '' }), without('description'), without('execute'), without('name')];
      return Promise.all(tools.map((tool) => kit.outcome(() => document.modelContext.registerTool(tool))));
    });
    assert.deepEqual(kinds(outcomes), ['InvalidStateError', 'TypeError', 'TypeError', 'TypeError']);
    await agent.lists(page, []);
  });

  proves(7, async ({ open }) => {
    const page = await open();
    const seen = await page.evaluate(async () => {
      const circular = {};
      circular.self = circular;
      const mine = { mine: true };
      const throwing = {
        toJSON() {
          throw mine;
        },
      };
      const register = (inputSchema) => document.modelContext.registerTool(kit.tool('a', () => {}, { inputSchema }));
      const schemas = [circular, { a: 1n }, { toJSON() {} }, 'x', null];
      const outcomes = [];
      for (const schema of schemas) outcomes.push(await kit.outcome(() => register(schema)));
      return { outcomes, same: await register(throwing).catch((error) => error === mine) };
    });
    assert.deepEqual(kinds(seen.outcomes), Array(5).fill('TypeError'));
    assert.equal(seen.same, true);
  });

  proves(8, async ({ agent, open }) => {
    const page = await open();
    const seen = await page.evaluate(async () => {
      const reason = { mine: true };
      const register = (signal, execute) => document.modelContext.registerTool(kit.tool('a', execute), { signal });
      const isReason = (error) => error === reason;
      const before = await register(AbortSignal.abort(reason)).catch(isReason);
      const controller = new AbortController();
      const pending = register(controller.signal).catch(isReason);
      controller.abort(reason);
      const listed = (await document.modelContext.getTools()).length;
      const again = await kit.outcome(() => register(undefined, () => 'again'));
      return { before, pending: await pending, listed, again };
    });
    assert.deepEqual(seen, { before: true, pending: true, listed: 0, again: resolved });
    await agent.lists(page, ['a']);
    assert.deepEqual(await agent.call(page, 'a'), { ok: true, result: 'again' });
  });

  proves(9, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      const tool = kit.tool('kept', () => 'first', { inputSchema: { type: 'object', properties: { a: { type: 'string' } } } });
      const registered = document.modelContext.registerTool(tool);
      tool.inputSchema.properties.b = { type: 'number' };
      tool.execute = () => 'second';
      tool.description = 'Another.';
      await registered;
    });
    await agent.lists(page, ['kept']);
    const [{ description, inputSchema }] = await agent.tools();
    assert.deepEqual({ description, inputSchema }, { description: 'A tool.', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } });
    assert.deepEqual(await agent.call(page, 'kept'), { ok: true, result: 'first' });
  });

  proves(10, async ({ open }) => {
    const page = await open();
    const seen = await page.evaluate(async () => {
      const flags = { b: {}, B: { annotations: {} } };
      for (const name of ['b', '_', 'B', 'a', '9', '10', '.', '-']) {
        await document.modelContext.registerTool(kit.tool(name, () => {}, flags[name]));
      }
      const [first, second] = [await document.modelContext.getTools(), await document.modelContext.getTools()];
      const of = (name) => first.find((tool) => tool.name === name);
      return {
        names: first.map(({ name }) => name),
        fresh: first.every((tool, at) => tool !== second[at]) && of('B').annotations !== second.find(({ name }) => name === 'B').annotations,
        plain: Object.keys(of('b')),
        annotations: of('B').annotations,
        title: of('b').title,
        here: first.every((tool) => tool.window === window && tool.origin === location.origin),
      };
    });
    assert.deepEqual(seen, {
      names: ['-', '.', '10', '9', 'B', '_', 'a', 'b'],
      fresh: true,
      plain: ['description', 'name', 'origin', 'title', 'window'],
      annotations: { consequentialHint: false, debugging: false, readOnlyHint: false, untrustedContentHint: false },
      title: '',
      here: true,
    });
  });

  proves(11, async ({ agent, open }) => {
    const page = await open();
    const names = Array.from({ length: 200 }, (_, at) => `tool${at}`);
    const { started, listed } = await page.evaluate(async (all) => {
      const begin = Date.now();
      await Promise.all(all.map((name) => document.modelContext.registerTool(kit.tool(name))));
      return { started: begin, listed: (await document.modelContext.getTools()).length };
    }, names);
    assert.equal(listed, 200);
    const known = await agent.lists(page, names);
    assert.ok(known - started < 1_000, `${known - started} ms until the agent knew them all`);
  });

  proves(12, async ({ agent, open }) => {
    const page = await open();
    const outcomes = await page.evaluate(async () => {
      const expose = (exposedTo) => kit.outcome(() => document.modelContext.registerTool(kit.tool('a'), { exposedTo }));
      const from = (fromOrigins) => kit.outcome(() => document.modelContext.getTools({ fromOrigins }));
      return [await expose(['http://example.com']), await expose(['*']), await from(['junk']), await from(['http://example.com'])];
    });
    assert.deepEqual(kinds(outcomes), Array(4).fill('SecurityError'));
    await agent.lists(page, []);
  });

  proves(13, async ({ open, site }) => {
    // In a script element, because Chromium does not report rejections in evaluated code to the page's handlers.
    const url = site.put(
      'unhandled.html',
      html(`<script>
        const seen = [];
        addEventListener('unhandledrejection', (event) => {
          event.preventDefault();
          seen.push(event.reason.name);
        });
        async function observe() {
          // Kept, because Chromium does not report a rejection whose promise is garbage-collected first.
          window.kept = document.modelContext.registerTool({});
          await kit.quiet(seen);
          const failed = seen.splice(0);
          const controller = new AbortController();
          await document.modelContext.registerTool(kit.tool('settled'), { signal: controller.signal });
          controller.abort();
          await kit.quiet(seen);
          return { failed, aborted: seen };
        }
      </script>`),
    );
    const page = await open(url);
    assert.deepEqual(await page.evaluate(() => observe()), { failed: ['TypeError'], aborted: [] });
  });
}
