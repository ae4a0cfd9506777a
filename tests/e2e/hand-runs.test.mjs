/** Runs of tools by hand, in the Tools view. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { everything } from '../lib/everything.mjs';
import { Panel, testId } from '../lib/panel.mjs';
import { Stage, forBothModes } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';
import { Workbench } from '../lib/workbench.mjs';

/** Register tools in a page. What reached `execute` is in `window.got`. */
const register = () => {
  window.got = [];
  const tool = (name, execute, inputSchema = { type: 'object', properties: { text: { type: 'string' } } }) =>
    document.modelContext.registerTool({ name, description: `Does ${name}.`, inputSchema, execute: (input, ...more) => (window.got.push(input), execute(input, ...more)) });
  tool('say', ({ text }) => text);
  tool('list', () => ({ items: [{ id: 1 }, { id: 2 }] }));
  tool('nothing', () => undefined);
  tool('fail', () => Promise.reject(new Error('out of tea')));
  tool('hang', () => new Promise(() => {}));
  tool('buy', () => 'bought');
  tool('markup', () => `<img src="harm" onerror="window.harmed = true"><script>window.harmed = true</script>\u202e`.padEnd(4 * 2 ** 20, 'x'));
  tool('strict', ({ count }) => `${count}`, { type: 'object', properties: { count: { type: 'integer', minimum: 3 } }, required: ['count'] });
};

forBothModes('runs by hand', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('puppeteer-core').Page} */
  let page;
  /** @type {Panel} */
  let panel;
  before(async () => {
    stage = await Stage.set({ native, incognito: true });
    page = await stage.begin(stage.site.url('empty.html'));
    await page.evaluate(register);
    panel = stage.panel;
    await panel.knows(8);
    await panel.view('tools');
  });
  after(() => stage?.strike());

  const inRow = (name, id) => `${testId('tool-row')}[data-name="${name}"] ${testId(id)}`;
  const see = (name, id, more = '') => panel.page.waitForSelector(inRow(name, id) + more, { visible: true });
  const click = (name, id) => panel.page.locator(inRow(name, id)).click();
  const text = async (name, id) => (await see(name, id)).evaluate((node) => node.innerText.trim());
  const got = () => page.evaluate(() => window.got);

  /** Open the run of a tool, once its example has come. */
  const open = async (name) => {
    if (await panel.page.$(inRow(name, 'run-arguments'))) return;
    await click(name, 'tool-row-toggle');
    await click(name, 'tool-run-toggle');
    const field = await see(name, 'run-arguments');
    await until(() => field.evaluate((node) => node.value.startsWith('{')), { what: 'the example' });
  };
  const write = async (name, value) => {
    const field = await see(name, 'run-arguments');
    await field.evaluate((node, value) => {
      node.value = value;
      node.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }, value);
  };
  const run = async (name, value) => {
    await open(name);
    if (value !== undefined) await write(name, value);
    await click(name, 'run-start');
    const result = await see(name, 'run-result');
    return result.evaluate((node) => ({ state: node.dataset.state, text: node.innerText }));
  };

  /** Press a button of the card beside a run, once it takes clicks. */
  const decide = async (name, decision) => {
    const card = await see(name, 'approval');
    await panel.page.evaluate(() => window.focus());
    await card.evaluate((node) => node.scrollIntoView({ block: 'nearest' }));
    await see(name, 'approval', '[data-ready="true"]');
    await click(name, `approval-${decision}`);
  };

  test('inspector case 50: text, an object, nothing and an error are told apart', async () => {
    const said = await run('say', '{"text": "tea"}');
    assert.equal(said.state, 'ok');
    assert.equal(await text('say', 'run-text'), 'tea');
    assert.deepEqual((await got()).at(-1), { text: 'tea' });
    assert.equal((await run('list')).state, 'ok');
    assert.deepEqual(JSON.parse(await text('list', 'run-text')), { items: [{ id: 1 }, { id: 2 }] });
    assert.equal((await run('nothing')).state, 'ok');
    const failed = await run('fail');
    assert.equal(failed.state, 'failed');
    assert.match(failed.text, /out of tea/);
  });

  test('inspector case 50: a run is stopped', async () => {
    await open('hang');
    await click('hang', 'run-start');
    await click('hang', 'run-stop');
    await see('hang', 'run-result', '[data-state="cancelled"]');
    assert.equal(await panel.page.$eval(inRow('hang', 'run-start'), (button) => button.disabled), false);
  });

  test('inspector case 46: arguments that do not fit go only by another button', async () => {
    await open('strict');
    const example = await (await see('strict', 'run-arguments')).evaluate((node) => JSON.parse(node.value));
    assert.ok(example.count >= 3, 'the example fits');
    const before = (await got()).length;
    const refused = await run('strict', '{"count": 1}');
    assert.equal(refused.state, 'failed');
    assert.match(refused.text, /count/);
    assert.equal((await got()).length, before);
    await click('strict', 'run-anyway');
    await until(async () => (await got()).length === before + 1, { what: 'the page to be called' });
    assert.deepEqual((await got()).at(-1), { count: 1 });
    await run('strict', '{"count": 1');
    assert.equal(await panel.page.$(inRow('strict', 'run-anyway')), null, 'what is no JSON cannot be sent');
  });

  test('what is serious asks once, beside the run', async () => {
    await open('buy');
    await click('buy', 'run-start');
    const before = (await got()).length;
    await decide('buy', 'decline');
    await see('buy', 'run-result', '[data-state="declined"]');
    assert.equal((await got()).length, before);
    await click('buy', 'run-start');
    await decide('buy', 'run');
    await see('buy', 'run-result', '[data-state="ok"]');
    assert.equal((await got()).length, before + 1);
  });

  test('inspector case 52: a run is repeated with the same arguments, and edited', async () => {
    const sent = '{"text":   "one", "n": 1e3}';
    await run('say', sent);
    await click('say', 'tool-history-toggle');
    await see('say', 'run-entry');
    const count = (await got()).length;
    await click('say', 'run-again');
    await until(async () => (await got()).length === count + 1, { what: 'the second run' });
    assert.deepEqual((await got()).at(-1), { text: 'one', n: 1000 });
    await write('say', '{}');
    await click('say', 'run-edit');
    const field = await see('say', 'run-arguments');
    assert.equal(await field.evaluate((node) => node.value), sent, 'byte by byte');
  });

  test('inspector case 53: a result of 4 MiB full of markup is text, cut, and the panel goes on', async () => {
    const asked = [];
    const note = (request) => asked.push(request.url());
    panel.page.on('request', note);
    const result = await run('markup');
    assert.equal(result.state, 'ok');
    assert.match(result.text.split('\n')[0], /4\.2MB/, 'the size of the whole');
    const shown = await text('markup', 'run-text');
    assert.match(shown, /^<img src="harm" onerror="window.harmed = true"><script>window.harmed = true<\/script>⟨U\+202E⟩x/);
    assert.ok(shown.length < 2 ** 16 + 10, `${shown.length}`);
    assert.equal(await panel.page.$(`${inRow('markup', 'run-text')} *`), null);
    assert.equal(await panel.page.evaluate(() => window.harmed), undefined);
    assert.deepEqual(asked, []);
    panel.page.off('request', note);
    await run('say', '{"text": "tea"}');
    assert.equal(await text('say', 'run-text'), 'tea');
  });

  test('inspector case 51: what is typed stays when the page registers the tool anew', async () => {
    const again = (description) =>
      page.evaluate((description) => {
        window.ending?.abort();
        window.ending = new AbortController();
        document.modelContext.registerTool({ name: 'more', description, execute: () => description }, { signal: window.ending.signal });
      }, description);
    await again('More of it.');
    await open('more');
    await write('more', '{"half": 1e3');
    await again('More, of another kind.');
    await see('more', 'run-changed');
    assert.equal(await (await see('more', 'run-arguments')).evaluate((node) => node.value), '{"half": 1e3');
    assert.equal(await panel.page.$eval(inRow('more', 'run-start'), (button) => button.disabled), true, 'it is another tool');
    await panel.view('log');
    await panel.view('tools');
    assert.equal(await (await see('more', 'run-arguments')).evaluate((node) => node.value), '{"half": 1e3');
    await click('more', 'run-seen');
    await write('more', '{}');
    await click('more', 'run-start');
    await see('more', 'run-result', '[data-state="ok"]');
    assert.equal(await text('more', 'run-text'), 'More, of another kind.');
  });

  test('inspector case 54: clearing the history empties the storage, and no worker finds it again', async () => {
    const marker = randomUUID();
    // The log of calls is another list, which is cleared by itself.
    const isStored = () => stage.chromium.inWorker(async (marker) => JSON.stringify([await chrome.storage.session.get(), await chrome.storage.local.get()]).includes(marker), marker);
    await run('say', JSON.stringify({ text: marker }));
    await until(isStored, { what: 'the run to be stored' });
    if (!(await panel.page.$(inRow('say', 'tool-history')))) await click('say', 'tool-history-toggle');
    await see('say', 'run-entry');
    await click('say', 'history-clear');
    await see('say', 'history-empty');
    await until(async () => !(await isStored()), { what: 'the storage to be empty' });
    assert.deepEqual(await stage.chromium.inWorker(() => chrome.storage.session.get('toolRuns').then(({ toolRuns = '[]' }) => JSON.parse(toolRuns))), []);
    await stage.chromium.killWorker();
    const bench = await Workbench.open(stage.chromium, 'view=history');
    await bench.says('history-count', /^No run is remembered/);
    await bench.page.close();
  });

  test('inspector case 54: a private window remembers its runs while it is open, and stores nothing', async () => {
    const marker = randomUUID();
    const untouched = await stage.chromium.inWorker(everything);
    const usual = { page, panel };
    page = await stage.chromium.openPrivateWindow(stage.site.url(`empty.html?${marker}`));
    try {
      panel = await Panel.beside(stage.chromium, page);
      await page.evaluate(register);
      await panel.knows(8);
      await panel.view('tools');
      await run('say', JSON.stringify({ text: marker }));
      assert.equal(await text('say', 'run-text'), marker);
      await click('say', 'tool-history-toggle');
      await see('say', 'run-entry');
      for (const now of [await stage.chromium.inWorker(everything), await stage.chromium.inPrivateWorker(everything)]) assert.ok(!now.includes(marker));
      assert.equal(await stage.chromium.inWorker(everything), untouched);
    } finally {
      await page.close();
      ({ page, panel } = usual);
    }
    await until(() => !stage.chromium.hasPrivateTargets(), { what: 'the private window and its worker to be gone' });
    assert.equal(await stage.chromium.inWorker(everything), untouched);
  });

  test('inspector case 60: what is wrong with the tools is said, and anew when they change', async () => {
    await panel.click('lint-toggle');
    await panel.see('lint-note');
    const rules = () => panel.page.$$eval(testId('lint-note'), (notes) => notes.map(({ dataset }) => dataset.rule));
    assert.ok(!(await rules()).includes('schema-impossible'));
    await page.evaluate(() =>
      document.modelContext.registerTool({
        name: 'never',
        description: 'Takes what no value is.',
        inputSchema: { type: 'object', properties: { a: { type: 'string', minLength: 5, maxLength: 2 } }, required: ['a'] },
        execute: () => 1,
      }),
    );
    const note = await panel.page.waitForSelector(`${testId('lint-note')}[data-rule="schema-impossible"]`, { visible: true });
    assert.match(await note.evaluate((node) => node.innerText), /never/);
    assert.match(await panel.text('lint-status'), /Errors: [1-9]/);
    assert.deepEqual(await violations(panel.page), []);
    await panel.click('lint-toggle');
  });

  test('inspector case 49: runs and history have no axe violations, in a narrow panel too', async () => {
    await run('say', '{"text": "tea"}');
    for (const language of ['en', 'zh-CN']) {
      await panel.set('language', language);
      await panel.view('tools');
      await open('say');
      await panel.page.setViewport({ width: 320, height: 700 });
      if (!(await panel.page.$(inRow('say', 'tool-history')))) await click('say', 'tool-history-toggle');
      await see('say', 'run-entry');
      assert.deepEqual(await violations(panel.page), []);
      const overflow = await panel.page.$eval('html', (html) => html.scrollWidth - html.clientWidth);
      assert.equal(overflow, 0, language);
      await panel.page.setViewport(null);
    }
  });
});
