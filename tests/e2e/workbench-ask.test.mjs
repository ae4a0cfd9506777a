/** Questions to a model in the workbench: with just the page's tools, in the tab that is shown. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage, forBothModes } from '../lib/stage.mjs';
import { pause, until } from '../lib/wait.mjs';
import { Workbench } from '../lib/workbench.mjs';
import { calls } from '../lib/workbench-evals.mjs';

/** Register tools in a page. What reached `execute` is in `window.got`. */
const register = () => {
  window.got = [];
  const offer = (name, execute, more = {}) =>
    document.modelContext.registerTool({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      execute: (input) => (window.got.push({ name, ...input }), execute(input)),
      ...more,
    });
  offer('look', () => ({ items: ['Tea', 'Pot'] }), { annotations: { readOnlyHint: true } });
  offer('buy', () => 'bought');
  offer('hang', () => new Promise(() => {}), { annotations: { readOnlyHint: true } });
};

forBothModes('questions in the workbench', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('puppeteer-core').Page} */
  let page;
  /** @type {Workbench} */
  let bench;
  before(async () => {
    stage = await Stage.set({ native });
    page = await stage.begin(stage.site.url('empty.html'));
    await page.evaluate(register);
    await stage.panel.knows(3);
    await stage.panel.view('tools');
    const address = await stage.panel.page.$eval(testId('open-workbench'), (link) => link.href);
    bench = await Workbench.open(stage.chromium, new URL(address).hash.slice(1));
    bench.page.on('pageerror', (error) => assert.fail(error));
    await bench.click('bench-ask');
    await bench.see('question-form');
  });
  after(() => stage?.strike());

  const got = () => page.evaluate(() => window.got);
  const type = (text) =>
    bench.page.$eval(
      testId('question-text'),
      (field, text) => {
        field.focus();
        field.value = text;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      },
      text,
    );
  const ask = async (text) => {
    await type(text);
    await bench.click('question-ask');
    await until(async () => (await bench.text('question-said').catch(() => '')) === text.trim(), { what: 'the question' });
  };
  /** Answer the question about a call: its buttons take clicks once it has stood still in a page that is in front. */
  const decide = async (button) => {
    await bench.page.bringToFront();
    await bench.see('bench-question', '[data-ready="true"]');
    await bench.click(button);
  };
  const is = (state) => bench.see('question-opened', ` .eval-state[data-state="${state}"]`);

  test('an empty question cannot be asked, and none has been', async () => {
    await bench.see('evals-empty');
    assert.equal(await bench.page.$eval(testId('question-ask'), (button) => button.disabled), true);
    await type('  ');
    assert.equal(await bench.page.$eval(testId('question-ask'), (button) => button.disabled), true);
  });

  test('the model sees just the page’s tools, and each call is shown with its result', async () => {
    await ask(calls([{ functionName: 'look', arguments: { text: 'all' } }]));
    await is('done');
    assert.deepEqual(await got(), [{ name: 'look', text: 'all' }]);
    const requests = await stage.model.requests();
    const offered = requests.at(-1).body.tools.map((tool) => tool.function.name).sort();
    assert.deepEqual(offered, ['buy', 'hang', 'look'], 'no tools of the browser');
    assert.match(await bench.text('question-call'), /look[^]*all[^]*Tea/);
    assert.match(await bench.text('question-figures'), /\d/);
    await bench.see('question-answer');
    assert.equal(await bench.page.$(testId('question-reason')), null);
  });

  test('a call that is hard to undo asks in the workbench, and is made once it is agreed to', async () => {
    await ask(calls([{ functionName: 'buy', arguments: { text: 'tea' } }]));
    await bench.see('bench-question');
    await bench.says('question-opened', /buy/);
    assert.equal((await got()).some((call) => call.name === 'buy'), false);
    await decide('ask-run');
    await is('done');
    assert.deepEqual((await got()).at(-1), { name: 'buy', text: 'tea' });
    assert.match(await bench.text('question-call'), /bought/);
  });

  test('what is declined is told to the model, and the page does not hear of it', async () => {
    const before = (await got()).length;
    await ask(calls([{ functionName: 'buy', arguments: { text: 'pot' } }]));
    await decide('ask-decline');
    await is('done');
    assert.equal((await got()).length, before);
  });

  test('a form waits for the user who is there, and its answer goes to the model', async () => {
    await page.evaluate(() => {
      document.body.innerHTML = '<form toolname="note" tooldescription="Writes a note."><input name="text"><button>Write</button></form>';
      document.querySelector('form').addEventListener('submit', (event) => {
        event.preventDefault();
        if (event.agentInvoked) event.respondWith(Promise.resolve(`wrote ${event.target.elements.text.value}`));
      });
    });
    // The panel counts the tools of the tab in front.
    await page.bringToFront();
    await stage.panel.knows(4);
    await bench.page.bringToFront();
    await ask(calls([{ functionName: 'note', arguments: { text: 'tea' } }]));
    await until(() => page.$eval('input', (field) => field.value === 'tea'), { what: 'the form to be filled in' });
    // Longer than an eval, in which nobody is there, would wait.
    await pause(2_000);
    await page.bringToFront();
    await page.click('button');
    await bench.page.bringToFront();
    await is('done');
    assert.match(await bench.text('question-call'), /wrote tea/);
  });

  test('Stop ends a call that takes too long, and what was done stays', async () => {
    await ask(calls([{ functionName: 'look', arguments: { text: 'first' } }, { functionName: 'hang', arguments: {} }]));
    await until(async () => (await got()).at(-1).name === 'hang', { what: 'the call' });
    await bench.click('bench-tools');
    await bench.click('bench-ask');
    await bench.says('question-said', /first/);
    await bench.click('question-stop');
    await is('stopped');
    await bench.says('question-opened', /look[^]*first[^]*hang/);
    assert.match(await bench.text('question-reason'), /end/);
    assert.equal(await bench.page.$(testId('question-stop')), null);
  });

  test('a worker that dies does nothing twice, and the question stays', async () => {
    await ask(calls([{ functionName: 'look', arguments: { text: 'once' } }, { functionName: 'hang', arguments: { text: 'on' } }]));
    await until(async () => (await got()).at(-1).text === 'on', { what: 'the call' });
    const before = (await got()).length;
    await stage.chromium.killWorker();
    await is('stopped');
    await bench.says('question-opened', /look[^]*once[^]*hang/);
    assert.equal((await got()).length, before);
  });

  test('earlier questions are listed, opened by their address, asked again and deleted', async () => {
    await until(async () => (await bench.page.$$(testId('evals-entry'))).length === 6, { what: 'the questions' });
    await bench.page.$$(testId('evals-open')).then((rows) => rows.at(-1).click());
    await bench.says('question-said', /all/);
    const again = await Workbench.open(stage.chromium, new URL(bench.page.url()).hash.slice(1));
    await again.says('question-said', /all/);
    await again.page.close();
    await bench.page.bringToFront();
    await bench.click('question-again');
    assert.match(await bench.page.$eval(testId('question-text'), (field) => field.value), /call look/);
    await bench.click('question-copy-case');
    await bench.click('evals-delete');
    await bench.see('evals-delete-question', '[data-ready="true"]');
    await bench.click('evals-delete-yes');
    await until(async () => (await bench.page.$$(testId('evals-entry'))).length === 5, { what: 'one to go' });
    await bench.click('bench-evals');
    await bench.see('evals-empty');
    await bench.click('bench-ask');
  });

  for (const width of [320, 400, 1280]) {
    test(`nothing is cut off at ${width} px, and axe finds nothing`, async () => {
      await bench.page.setViewport({ width, height: 900 });
      await bench.page.$$(testId('evals-open')).then((rows) => rows[0].click());
      await bench.see('question-call');
      assert.equal(await bench.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
      assert.deepEqual(await violations(bench.page), []);
      await bench.page.setViewport({ width: 1280, height: 900 });
    });
  }
});
