/** Hostile pages: their texts are limited and made visible, and they affect no other tab. */
// lane: alone (it checks limits in milliseconds)

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';

forBothModes('hostile pages', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  test('invisible characters are written out in the tool list, in a call and in its result', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(async () => {
      await addTool('titled', { title: '\u202ekcurT' });
      await addTool('hidden', {
        description: 'Lists.\u200b And \u{e0070}\u{e0061}\u{e0079}\u{e0021}\u{e0021}.',
        execute: () => ({ note: 'a\u2066b', plain: '好 👩\u200d🚀' }),
      });
    });
    await stage.panel.knows(3);
    const textOf = async (wanted) => (await stage.panel.tools()).find(({ name }) => name === wanted).text;
    assert.match(await textOf('titled'), /⟨U\+202E⟩kcurT/);
    assert.match(await textOf('hidden'), /Lists\.⟨U\+200B⟩ And ⟨U\+E0070…U\+E0021 ×5⟩\./);
    await stage.panel.view('chat');
    await stage.panel.ask('call hidden {"a":"x\\u202ey"}');
    await stage.panel.unfold();
    const [call] = await stage.panel.calls();
    assert.equal(call.arguments, 'a: x⟨U+202E⟩y');
    assert.match(call.result, /a⟨U\+2066⟩b/);
    assert.match(call.result, /好 👩\u200d🚀/);
  });

  test('a long host is shown with its end, which identifies the site', async () => {
    const host = `accounts.bank.example.${'sign-in-and-verify.'.repeat(4)}attacker.localhost:${stage.site.port}`;
    await stage.begin(stage.site.url('echo.html', `http://${host}`), { tools: 4 });
    const seen = await stage.panel.page.$eval('[data-testid="site"]', (node) => {
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      let text = walker.nextNode();
      while (text.data.length === 0) text = walker.nextNode();
      const range = document.createRange();
      const box = node.getBoundingClientRect();
      const isIn = (at) => {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const letter = range.getBoundingClientRect();
        return letter.left >= box.left - 1 && letter.right <= box.right + 1;
      };
      return { text: text.data, first: isIn(0), last: isIn(text.data.length - 1), title: node.title };
    });
    assert.deepEqual({ ...seen, title: seen.title.includes(host) }, { text: host, first: false, last: true, title: true });
  });

  test('an endless description is cut, with an ellipsis', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => addTool('endless', { description: 'word '.repeat(2_000_000) }));
    await stage.panel.knows(2);
    const { text } = (await stage.panel.tools()).find(({ name }) => name === 'endless');
    assert.ok(text.length < 17_000);
    assert.match(text, /word…$|wor…$|wo…$|w…$|…$/);
  });

  test('DOM clobbering hides no tool', async () => {
    const names = ['modelContext', 'querySelectorAll', 'readyState', 'prerendering', 'addEventListener'];
    const url = stage.site.put(
      'clobbered.html',
      `<!doctype html><title>Clobbered</title>${names.map((name) => `<form name="${name}"></form>`).join('')}
      <form toolname="odd_form" tooldescription="Has a control of this name." toolautosubmit><input name="getAttribute"><button>Go</button></form>
      <script>
        const context = Reflect.get(Document.prototype, 'modelContext', document);
        context.registerTool({ name: 'found', description: 'Reads.', annotations: { readOnlyHint: true }, execute: () => 'here' });
      </script>`,
    );
    await stage.begin(url, { tools: 2 });
    await stage.panel.ask('call found');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['found', 'ok']]);
  });

  test('a page that dispatches beforeunload and pagehide itself ends no call and hides no tool', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => addTool('slow', { execute: () => new Promise((resolve) => (window.release = () => resolve('done'))) }));
    await stage.panel.knows(2);
    await stage.panel.say('call slow');
    await page.waitForFunction(() => window.release !== undefined);
    await page.evaluate(() => {
      for (const type of ['beforeunload', 'pagehide']) dispatchEvent(new Event(type));
      release();
    });
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['slow', 'ok']]);
    await stage.panel.knows(2);
  });

  test('an invalid schema is reported in Tools, and the tool still runs', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => addTool('broken', { inputSchema: { type: 'object', properties: { a: { type: 'nothing' } } } }));
    await stage.panel.knows(2);
    await stage.panel.view('tools');
    await stage.panel.click('tool-row-toggle');
    await stage.panel.page.click('[data-name="broken"] [data-testid="tool-row-toggle"]');
    assert.match(await stage.panel.text('tool-schema-problem'), /properties\/a\/type|nothing/);
    const problems = await stage.panel.page.$$(testId('tool-schema-problem'));
    assert.equal(problems.length, 1, 'a sound schema has no problem');
    await stage.panel.newChat();
    await stage.panel.ask('call broken {"a":1}');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['broken', 'ok']]);
  });

  test('a result of 100 MB fails its call only: page and conversation go on', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(() => addTool('floods', { execute: () => 'x'.repeat(100_000_000) }));
    await stage.panel.knows(2);
    await stage.panel.ask('call floods\nthen call always');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['floods', 'failed'], ['always', 'ok']]);
    await stage.panel.unfold();
    assert.match((await stage.panel.calls())[0].result, /too large to take in/);
  });

  test('a tool with a throwing getter is not registered, and the tools around it are', async () => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    const refusals = await page.evaluate(async () => {
      const outcome = (promise) => Promise.resolve(promise).then(() => 'registered', (error) => error.message);
      const throwing = (key) => ({ name: 'a', description: 'd', execute() {}, get [key]() { throw new Error(`no ${key}`); } });
      const all = ['name', 'description', 'inputSchema', 'annotations', 'execute'].map((key) => outcome(document.modelContext.registerTool(throwing(key))));
      all.push(outcome(document.modelContext.registerTool({ name: 'b', description: 'd', execute() {}, inputSchema: { get type() { throw new Error('no type'); } } })));
      await addTool('after');
      return Promise.all(all);
    });
    assert.deepEqual(refusals, ['no name', 'no description', 'no inputSchema', 'no annotations', 'no execute', 'no type']);
    await stage.panel.seeTools(['after', 'always']);
  });

  test('a page with ten thousand tools does not affect another tab', async () => {
    const crowded = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    const calm = await stage.tab(stage.site.url('echo.html'));
    await stage.panel.knows(4);
    await crowded.evaluate(() =>
      Promise.all(Array.from({ length: 10_000 }, (_, at) => document.modelContext.registerTool({ name: `t${at}`, description: 'One of many.', execute: () => at }))),
    );
    assert.equal(await stage.panel.toolCount(), 4);
    await stage.panel.newChat();
    await stage.panel.ask('call echoText {"text":"still here"}');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['echoText', 'ok']]);
    assert.deepEqual(await calm.evaluate(() => window.runs.length), 1);
    await crowded.bringToFront();
    await stage.panel.knows(10_001, { timeout: 30_000 });
  });

  test('the panel stays usable while a page re-registers a thousand long tools without pause', async () => {
    await stage.begin(stage.site.url('empty.html'));
    await stage.panel.view('tools');
    const page = await stage.tab(stage.site.url('changing.html?storm'));
    await stage.panel.see('tool-row');
    await page.evaluate(() => {
      let round = 0;
      let last;
      window.storm = setInterval(() => {
        last?.abort();
        last = new AbortController();
        round += 1;
        for (let at = 0; at < 1000; at += 1) {
          const description = `${round} ${'word '.repeat(800)}`;
          const tool = { name: `storm${at}`, description, inputSchema: { type: 'object' }, execute() {} };
          document.modelContext.registerTool(tool, { signal: last.signal }).catch(() => {});
        }
      }, 50);
    });
    const storm = `${testId('tool-row')}[data-name="storm0"]`;
    await stage.panel.happens((selector) => document.querySelector(selector) !== null, [storm], { what: 'the storm', timeout: 30_000 });
    const spent = await stage.panel.work();
    // A scripted click: on a machine busy with the storm, a real click would also wait for frames of the browser.
    await stage.panel.page.$eval(testId('tab-chat'), (tab) => tab.click());
    await stage.panel.happens((selector) => document.querySelector(selector)?.checkVisibility(), [testId('composer-input')], { what: 'the Chat view', timeout: 30_000 });
    const before = (await spent()) * 1000;
    assert.ok(before > 0 && before < 5_000, `the panel was at work for ${before} ms before the Chat view came`);
    await page.evaluate(() => clearInterval(window.storm));
    await stage.panel.ask('call always');
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['always', 'ok']]);
  });
});
