/** Cases 14 to 29: calls of tools, their arguments and results. */

import assert from 'node:assert/strict';

import { until } from '../../lib/wait.mjs';

/** The longest time that counts as at once on a busy test machine, in milliseconds. */
const AT_ONCE = 1_000;

/** The results of this turn's calls, as sent to the model. */
const toldTo = async (model) =>
  (await model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

const states = async (panel) => (await panel.calls()).map(({ name, state }) => [name, state]);

/** @param {Parameters<Parameters<typeof import('../../lib/conformance.mjs').section>[1]>[0]} suite */
export function execution({ proves }) {
  proves(14, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      window.given = [];
      await document.modelContext.registerTool(kit.tool('echo', (input) => window.given.push(JSON.stringify(input)) && input));
    });
    await agent.lists(page, ['echo']);
    const inputs = [
      { a: [1, -0.5, 1e21, { b: null, c: [[], {}], d: true }], '': 'empty key', __proto__x: 'x' },
      { text: '航班 🛫 \u0000\u001f\u2028\u2029 \u202e é e\u0301 \\ " </script>' },
      { long: 'é'.repeat(1_048_576) },
    ];
    for (const input of inputs) {
      const { ok, result } = await agent.call(page, 'echo', input);
      assert.equal(ok, true);
      assert.deepEqual(JSON.parse(result), input);
    }
    assert.deepEqual((await page.evaluate(() => window.given)).map((text) => JSON.parse(text)), inputs);
  });

  proves(15, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      const describe = (args) => [args.length, Object.keys(args[1]), args[1].signal instanceof AbortSignal, args[1].signal.aborted];
      await document.modelContext.registerTool(kit.tool('today', (...args) => describe(args)));
      navigator.modelContext.registerTool(
        kit.tool('older', async (...args) => [...describe(args), await args[1].requestUserInteraction(async () => 'the user said yes')]),
      );
    });
    await agent.lists(page, ['older', 'today']);
    const given = async (name) => JSON.parse((await agent.call(page, name)).result);
    assert.deepEqual(await given('today'), [2, ['signal'], true, false]);
    assert.deepEqual(await given('older'), [2, ['signal', 'requestUserInteraction'], true, false, 'the user said yes']);
  });

  proves(16, async ({ agent, open, stage }) => {
    const page = await open();
    await page.evaluate(async () => {
      window.given = [];
      await document.modelContext.registerTool(kit.tool('ping', (...args) => window.given.push(args[0]) && 'pong'));
    });
    await agent.lists(page, ['ping']);
    assert.deepEqual(await agent.call(page, 'ping'), { ok: true, result: 'pong' });
    const panel = await stage.converse();
    await panel.ask('call ping');
    assert.deepEqual(await states(panel), [['ping', 'ok']]);
    assert.deepEqual(await page.evaluate(() => window.given), [{}, {}]);
  });

  proves(17, async ({ agent, open }) => {
    const page = await open();
    const expected = {
      text: 'hello',
      'text.empty': 'Operation succeeded',
      'text.json': '{"a":1}',
      object: '{"a":[1,{"b":"航班"}]}',
      list: '[1,null]',
      number: '42',
      notANumber: 'NaN',
      big: '10',
      yes: 'true',
      nothing: 'null',
      undefined: 'undefined',
      date: '"1970-01-01T00:00:00.000Z"',
    };
    await page.evaluate(async () => {
      const results = {
        text: 'hello',
        'text.empty': '',
        'text.json': '{"a":1}',
        object: { a: [1, { b: '航班' }], u: undefined },
        list: [1, undefined],
        number: 42,
        notANumber: NaN,
        big: 10n,
        yes: true,
        nothing: null,
        undefined: undefined,
        date: new Date(0),
      };
      for (const [name, result] of Object.entries(results)) await document.modelContext.registerTool(kit.tool(name, () => result));
    });
    await agent.lists(page, Object.keys(expected));
    for (const [name, result] of Object.entries(expected)) assert.deepEqual(await agent.call(page, name), { ok: true, result }, name);
  });

  proves(18, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      const circular = {};
      circular.self = circular;
      const throwing = {
        toJSON() {
          throw new Error('from toJSON');
        },
      };
      await document.modelContext.registerTool(kit.tool('circular', () => circular));
      await document.modelContext.registerTool(kit.tool('throwing', () => throwing));
      await document.modelContext.registerTool(kit.tool('works', () => 'fine'));
    });
    await agent.lists(page, ['circular', 'throwing', 'works']);
    const circular = await agent.call(page, 'circular');
    assert.deepEqual([circular.ok, circular.code], [false, 'threw']);
    assert.match(circular.error, /^Converting circular structure to JSON/);
    assert.deepEqual(await agent.call(page, 'throwing'), { ok: false, code: 'threw', error: 'from toJSON' });
    assert.deepEqual(await agent.call(page, 'works'), { ok: true, result: 'fine' });
  });

  proves(19, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      await document.modelContext.registerTool(kit.tool('now', () => Symbol('s')));
      await document.modelContext.registerTool(kit.tool('later', async () => Symbol('s')));
      await document.modelContext.registerTool(kit.tool('works', () => 'fine'));
    });
    await agent.lists(page, ['later', 'now', 'works']);
    for (const name of ['now', 'later']) {
      const { ok, code, error } = await agent.call(page, name);
      assert.deepEqual([ok, code], [false, 'threw']);
      assert.match(error, /Symbol/);
    }
    // A call by the page itself gets only the general error, as for any failure.
    const byPage = await page.evaluate(() => kit.outcome(() => document.modelContext.executeTool(kit.handle('now'))));
    assert.match(byPage, /^UnknownError: Tool was executed but the invocation failed/);
    assert.deepEqual(await agent.call(page, 'works'), { ok: true, result: 'fine' });
  });

  proves(20, async ({ agent, open }) => {
    const page = await open();
    const expected = {
      throws: 'The seat map has no row 99.',
      rejects: 'The payment desk is closed.',
      throwsText: 'out of paper',
      rejectsObject: '{"code":5}',
      rejectsNothing: 'The tool failed without saying why.',
    };
    await page.evaluate(async () => {
      const fail = (error) => {
        throw error;
      };
      const tools = {
        throws: () => fail(new RangeError('The seat map has no row 99.')),
        rejects: async () => fail(new Error('The payment desk is closed.')),
        throwsText: () => fail('out of paper'),
        rejectsObject: () => Promise.reject({ code: 5 }),
        rejectsNothing: () => Promise.reject(),
      };
      for (const [name, execute] of Object.entries(tools)) await document.modelContext.registerTool(kit.tool(name, execute));
    });
    await agent.lists(page, Object.keys(expected));
    for (const [name, error] of Object.entries(expected)) assert.deepEqual(await agent.call(page, name), { ok: false, code: 'threw', error }, name);
  });

  proves(21, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      const tools = {
        thenable: () => ({ then: (resolve) => setTimeout(resolve, 20, 'then') }),
        wait: ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, `after ${ms} ms`)),
        nest: async () => `around: ${await document.modelContext.executeTool(kit.handle('wait'), { ms: 10 })}`,
      };
      for (const [name, execute] of Object.entries(tools)) await document.modelContext.registerTool(kit.tool(name, execute));
    });
    await agent.lists(page, ['nest', 'thenable', 'wait']);
    assert.deepEqual(await agent.call(page, 'thenable'), { ok: true, result: 'then' });
    assert.deepEqual(await agent.call(page, 'nest'), { ok: true, result: 'around: after 10 ms' });
    const started = performance.now();
    const answered = [];
    const waits = [3_000, 200, 0].map(async (ms) => {
      const { result } = await agent.call(page, 'wait', { ms });
      answered.push(ms);
      return result;
    });
    assert.deepEqual(await Promise.all(waits), ['after 3000 ms', 'after 200 ms', 'after 0 ms']);
    assert.deepEqual(answered, [0, 200, 3_000]);
    assert.ok(performance.now() - started >= 3_000);
  });

  /** A page with a tool that hangs and records its abort, and one that works. */
  const openHanging = async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      window.log = [];
      document.modelContext.addEventListener('toolcancel', ({ toolName }) => window.log.push(`toolcancel ${toolName}`));
      const hang = (_, { signal }) => {
        window.log.push('execute');
        signal.addEventListener('abort', () => window.log.push(`aborted with ${signal.reason.name}`));
        return new Promise((resolve) => (window.answer = resolve));
      };
      await document.modelContext.registerTool(kit.tool('hang', hang));
      await document.modelContext.registerTool(kit.tool('works', () => 'fine'));
    });
    await agent.lists(page, ['hang', 'works']);
    return page;
  };

  /** Check that the page was notified of the end, that its late answer is ignored, and that another tool works. */
  const isOver = async (page, panel, state) => {
    await until(async () => (await page.evaluate(() => window.log)).length >= 3, { what: 'the page to hear of the end' });
    await page.evaluate(() => window.answer('late'));
    await panel.ask('call works');
    assert.deepEqual(await page.evaluate(() => window.log), ['execute', 'aborted with AbortError', 'toolcancel hang']);
    assert.deepEqual(await states(panel), [['hang', state], ['works', 'ok']]);
    await panel.unfold();
    assert.ok((await panel.calls()).every(({ result }) => !/late/.test(result ?? '')), 'the late answer is shown nowhere');
  };

  proves(22, async (place) => {
    const page = await openHanging(place);
    const panel = await place.stage.converse();
    await panel.say('call hang');
    await until(() => page.evaluate(() => window.log.length === 1), { what: 'the tool to run' });
    await panel.call('hang', 'running');
    const started = performance.now();
    await panel.click('stop');
    await panel.call('hang', 'cancelled');
    assert.ok(performance.now() - started < AT_ONCE);
    assert.equal((await panel.rest()).why, 'stopped');
    await isOver(page, panel, 'cancelled');
  });

  proves(23, async (place) => {
    const page = await openHanging(place);
    const panel = await place.stage.converse();
    await panel.set('limit-tool-seconds', '1');
    try {
      const started = performance.now();
      await panel.say('call hang');
      await panel.call('hang', 'timedOut');
      const took = performance.now() - started;
      assert.ok(took > 1_000 && took < 1_000 + 3 * AT_ONCE, `it took ${took} ms`);
      await panel.rest();
      assert.match((await toldTo(place.stage.model))[0], /no result after 1 s/);
      await isOver(page, panel, 'timedOut');
    } finally {
      await panel.set('limit-tool-seconds', '10');
    }
  });

  proves(24, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      const controllers = { leaves: new AbortController(), taken: new AbortController() };
      const leaves = async () => {
        controllers.leaves.abort();
        await kit.quiet([]);
        return 'after leaving';
      };
      const taken = () =>
        new Promise((resolve) => {
          window.take = async () => {
            controllers.taken.abort();
            await kit.quiet([]);
            resolve('after it was taken');
          };
        });
      await document.modelContext.registerTool(kit.tool('leaves', leaves), { signal: controllers.leaves.signal });
      await document.modelContext.registerTool(kit.tool('taken', taken), { signal: controllers.taken.signal });
    });
    await agent.lists(page, ['leaves', 'taken']);
    assert.deepEqual(await agent.call(page, 'leaves'), { ok: true, result: 'after leaving' });
    await agent.lists(page, ['taken']);
    const call = agent.call(page, 'taken');
    await page.waitForFunction(() => 'take' in window);
    await page.evaluate(() => window.take());
    assert.deepEqual(await call, { ok: true, result: 'after it was taken' });
    await agent.lists(page, []);
  });

  proves(25, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      window.controller = new AbortController();
      await document.modelContext.registerTool(kit.tool('comes', () => 'old'), { signal: window.controller.signal });
    });
    await agent.lists(page, ['comes']);
    assert.deepEqual(await agent.call(page, 'comes'), { ok: true, result: 'old' });
    await page.evaluate(() => window.controller.abort());
    assert.deepEqual(await agent.call(page, 'comes'), { ok: false, code: 'notFound', error: 'The page has no tool of this name.' });
    await page.evaluate(() => document.modelContext.registerTool(kit.tool('comes', () => 'new')));
    assert.deepEqual(await agent.call(page, 'comes'), { ok: true, result: 'new' });
  });

  proves(26, async ({ agent, open, stage }) => {
    const page = await open();
    await page.evaluate(async () => {
      window.given = [];
      const inputSchema = {
        type: 'object',
        properties: { seats: { type: 'integer', minimum: 1 }, date: { type: 'string' } },
        required: ['seats', 'date'],
        additionalProperties: false,
      };
      await document.modelContext.registerTool(kit.tool('book', (input) => window.given.push(input) && 'booked', { inputSchema }));
    });
    await agent.lists(page, ['book']);
    const panel = await stage.converse();
    await panel.ask(
      [
        'call book {"seats":"two","date":"2030-01-02"}',
        'call book {"seats":2}',
        'call book {"seats":1,"date":"2030-01-02"}',
        'call book {"seats":0,"date":"2030-01-02"}',
        'call book {"seats":2,"date":"2030-01-02","class":"first"}',
        'call book {"seats":2,"date":"2030-01-02"}',
      ].join('\nthen '),
    );
    // Three wrong calls in a row would end the turn, so one is right in between.
    assert.deepEqual((await states(panel)).map(([, state]) => state), ['failed', 'failed', 'ok', 'failed', 'failed', 'ok']);
    assert.deepEqual(await page.evaluate(() => window.given), [{ seats: 1, date: '2030-01-02' }, { seats: 2, date: '2030-01-02' }]);
    const told = await toldTo(stage.model);
    for (const [at, word] of ['seats', 'date', 'booked', 'seats', 'class'].entries()) assert.match(told[at], new RegExp(word));
  });

  proves(27, async ({ agent, open }) => {
    const page = await open();
    await page.evaluate(async () => {
      window.heard = [];
      document.modelContext.addEventListener('toolactivated', ({ toolName, constructor }) => window.heard.push(`${constructor.name} ${toolName}`));
      for (const target of [window, document]) target.addEventListener('toolactivated', () => window.heard.push('elsewhere'));
      await document.modelContext.registerTool(kit.tool('a', () => 'done'));
    });
    await agent.lists(page, ['a']);
    await agent.call(page, 'a');
    await page.evaluate(() => document.modelContext.executeTool(kit.handle('a')));
    const heard = await page.evaluate(async () => {
      await kit.quiet(window.heard);
      return window.heard;
    });
    assert.deepEqual(heard, Array(2).fill('ToolActivatedEvent a'));
  });

  proves(28, async ({ agent, open, site }) => {
    const page = await open();
    const seen = await page.evaluate(async () => {
      const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
      await document.modelContext.registerTool(kit.tool('double', ({ n }) => ({ twice: 2 * n }), { inputSchema }));
      const [tool] = await document.modelContext.getTools();
      const { window: view, ...rest } = tool;
      return {
        rest,
        here: view === window,
        result: await document.modelContext.executeTool(tool, { n: 4 }),
        text: await kit.outcome(() => document.modelContext.executeTool(tool, '{"n":4}')),
        none: await kit.outcome(() => document.modelContext.executeTool(kit.handle('none'), {})),
      };
    });
    const { text, none, ...rest } = seen;
    assert.deepEqual(rest, {
      rest: {
        name: 'double',
        title: '',
        description: 'A tool.',
        inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
        origin: site.origin,
      },
      here: true,
      result: '{"twice":8}',
    });
    assert.match(text, /^TypeError: /);
    assert.match(none, /^UnknownError: /);
    await agent.lists(page, ['double']);
  });

  proves(29, async ({ agent, open, stage }) => {
    const page = await open();
    await page.evaluate(async () => {
      const text = (words) => ({ type: 'text', text: words });
      const tools = {
        content: () => ({ content: [text('Two flights.'), text('One is direct.')] }),
        failure: () => ({ content: [text('No seats are left.')], isError: true }),
      };
      for (const [name, execute] of Object.entries(tools)) await document.modelContext.registerTool(kit.tool(name, execute));
    });
    await agent.lists(page, ['content', 'failure']);
    const panel = await stage.converse();
    await panel.ask('call content\nthen call failure');
    assert.deepEqual(await states(panel), [['content', 'ok'], ['failure', 'failed']]);
    await panel.unfold();
    const [content, failure] = await panel.calls();
    assert.match(content.result, /^Two flights\.\s+One is direct\.$/);
    assert.match(failure.text, /No seats are left\./);
    assert.doesNotMatch(failure.result ?? '', /isError|"content"/);
    const [toldContent, toldFailure] = await toldTo(stage.model);
    assert.match(toldContent, /^<page_data [^>]*>\nTwo flights\.\s+One is direct\.\n<\/page_data>$/);
    assert.match(toldFailure, /No seats are left\./);
    assert.doesNotMatch(toldFailure, /isError|"content"/);
  });
}
