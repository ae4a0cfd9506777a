/** Evals in the workbench: started, watched, stopped, resumed, read and compared. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { violations } from '../lib/axe.mjs';
import { downloaded } from '../lib/download.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage, forBothModes } from '../lib/stage.mjs';
import { quick, until } from '../lib/wait.mjs';
import { BenchEvals, ofCalls, suiteOf } from '../lib/workbench-evals.mjs';
import { Workbench } from '../lib/workbench.mjs';

const TOOLS = [{ name: 'go', description: 'Goes.', inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }];
const GOES = ofCalls('Goes', [{ functionName: 'go', arguments: { to: 'sea' }, mockOutput: { ok: true } }]);
const WRONG = ofCalls('Wrong', [{ functionName: 'go', arguments: { to: 'sea' } }], 'call go {"to": "hill"}');
const SAYS = ofCalls('Says', null, 'Hello');
const TRIAL = suiteOf([GOES, WRONG, SAYS], { tools: TOOLS });

/** Open a workbench in the view of evals. */
async function open(stage) {
  const bench = await Workbench.open(stage.chromium, 'view=evals');
  return new BenchEvals(bench);
}

describe('evals in the workbench', () => {
  /** @type {Stage} */
  let stage;
  /** @type {BenchEvals} */
  let evals;
  before(async () => {
    stage = await Stage.set();
    await stage.begin(stage.site.url('empty.html'));
    evals = await open(stage);
    evals.page.on('pageerror', (error) => assert.fail(error));
  });
  after(() => stage?.strike());

  const requests = async () => (await stage.model.requests()).length;

  test('what is no suite is told, and what is missing in the form', async () => {
    const { bench, page } = evals;
    await bench.see('evals-empty');
    await evals.paste('{"no": "cases"}');
    await bench.says('evals-fault', /cases/i);
    const never = { ...WRONG, expectedCall: [{ functionName: 'go', arguments: { to: { $eq: 'sea' } } }] };
    await evals.paste(suiteOf([{ ...GOES, 'x-sidecar': { tags: ['far'] } }, never]));
    await bench.says('evals-suite', /Trial.*2/s);
    await bench.says('evals-findings', /1/);
    await evals.figure('runs', '51');
    await bench.says('evals-faults', /50/);
    await evals.figure('runs', '2');
    await evals.figure('steps', 'many');
    await bench.says('evals-faults', /\d/);
    assert.equal(await page.$eval(testId('evals-continue'), (button) => button.disabled), true);
    await evals.figure('steps', '6');
    await evals.live('file:///etc/passwd');
    await bench.says('evals-faults', /http/);
    await evals.live(stage.site.url('empty.html'));
    await bench.click('evals-tag', '[data-name="far"]');
    await page.waitForFunction((id) => !document.querySelector(id).disabled, {}, testId('evals-continue'));
    await bench.click('evals-continue');
    await bench.says('evals-ask-runs', /2/);
    await page.keyboard.press('Escape');
    await page.waitForSelector(testId('evals-question'), { hidden: true });
  });

  test('inspector case 23: each of 18 runs asks its model anew, and the matrix is as they were scripted', async () => {
    const { bench, page } = evals;
    await stage.model.reset();
    await evals.paste(TRIAL);
    await evals.choose(['call-tool', 'echo']);
    await evals.figure('runs', '3');
    await evals.start();
    await evals.is('done');
    await until(async () => Object.keys(await evals.matrix()).length === 3, { what: 'the matrix' });
    assert.deepEqual(await evals.matrix(), {
      Goes: { 'custom:call-tool': 'pass 3/3', 'custom:echo': 'fail 0/3' },
      Wrong: { 'custom:call-tool': 'fail 0/3', 'custom:echo': 'fail 0/3' },
      Says: { 'custom:call-tool': 'pass 3/3', 'custom:echo': 'pass 3/3' },
    });
    // Two answers where the tool is called: 6 + 6 + 3 with one model, 9 with the other.
    assert.equal(await requests(), 24);
    assert.match(await bench.text('evals-rate', '[data-model="custom:call-tool"]'), /67\s*%.*–/s);
    const bars = await page.$$eval(`${testId('evals-rates')} .eval-rate-bar`, (all) => all.map(({ style }) => style.width));
    assert.deepEqual(bars, ['66.7%', '33.3%'], 'as long as the rates');
    assert.equal(await bench.text('evals-pair', '[data-kind="same"]'), 'No difference shown between custom:call-tool and custom:echo: custom:call-tool is better in 1 cases, equal in 2, worse in 0 (p = 1.000).');
    await bench.click('evals-differing');
    assert.deepEqual(Object.keys(await evals.matrix()), ['Goes']);
    await bench.click('evals-failed');
    assert.deepEqual(Object.keys(await evals.matrix()), ['Goes', 'Wrong']);
    await bench.click('evals-all');
  });

  test('a cell opens to its runs: what was expected, what was called, and why it does not pass', async () => {
    const { bench, page } = evals;
    const row = await page.evaluateHandle((selector) => document.querySelector(selector).closest('tr'), `${testId('evals-case')}[data-name="Wrong"]`);
    const cell = await row.asElement().$(`${testId('evals-cell')}[data-model="custom:call-tool"]`);
    await cell.click();
    await bench.see('evals-cell-runs');
    assert.equal((await page.$$(testId('evals-run'))).length, 3);
    assert.match(await bench.text('evals-reason'), /sea.*hill/s);
    assert.match(await bench.text('evals-row'), /go/);
    for (const width of [320, 400, 1280]) {
      await page.setViewport({ width, height: 900 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${width} px`);
      assert.deepEqual(await violations(page), [], `${width} px`);
    }
    await cell.click();
    await page.waitForSelector(testId('evals-cell-runs'), { hidden: true });
  });

  test('the report is saved in every form, and says nothing of the key', async () => {
    const { bench } = evals;
    const saved = async (form) => downloaded(stage.chromium.browser, () => bench.click(`evals-save-${form}`));
    const report = JSON.parse((await saved('json')).text);
    assert.equal(report.format, 'sidecar-evals-report');
    assert.equal(report.cells.length, 18);
    assert.match(report.suite.hash, /^[0-9a-f]{64}$/);
    assert.match(report.models[0].sent, /^[0-9a-f]{64}$/);
    assert.match((await saved('html')).text, /^<!doctype html>/i);
    assert.match((await saved('markdown')).text, /\| Goes \|/);
    assert.match((await saved('junit')).text, /<testsuites/);
    const upstream = JSON.parse((await saved('upstream')).text);
    assert.equal(upstream.results.testCount, 9);
  });

  test('each state has an address: an open eval is found again, and Back leads to the form', async () => {
    const { page } = evals;
    const address = page.url();
    assert.match(address, /eval=/);
    await page.goBack();
    await page.waitForSelector(testId('evals-form'));
    const again = new BenchEvals(await Workbench.open(stage.chromium, new URL(address).hash.slice(1)));
    await again.is('done');
    assert.equal(Object.keys(await again.matrix()).length, 3);
    await again.page.close();
  });

  test('inspector case 26: stop ends an eval within a second, nothing further is asked, and what was made stays', async () => {
    const { bench } = evals;
    const slow = Array.from({ length: 8 }, (_, at) => ofCalls(`Case ${at}`, null, at === 0 ? 'Say 1 words, 1 ms apart' : 'Say 2 words, 60000 ms apart'));
    const stop = async () => {
      await stage.model.reset();
      await evals.paste(suiteOf(slow, { tools: TOOLS, name: 'Slow' }));
      await evals.choose(['pauses']);
      await evals.figure('runs', '1');
      await evals.start();
      await evals.made(1);
      await until(async () => (await requests()) === 5, { what: 'four requests to be under way' });
      const began = Date.now();
      await bench.click('evals-stop');
      await evals.is('stopped');
      return Date.now() - began;
    };
    await quick(1_000, stop, 'stopping');
    assert.match(await bench.text('evals-made'), /1.*8/s);
    assert.equal(await requests(), 5);
    await bench.says('evals-rate', /100\s*%/);
    const phases = async () => (await stage.model.requests()).map(({ phase }) => phase).sort().join();
    await until(async () => (await phases()) === 'aborted,aborted,aborted,aborted,finished', { what: 'its requests to be cancelled' });
    const looks = async (shown) => Object.fromEntries(Object.entries(await shown.matrix()).map(([name, row]) => [name, row['custom:pauses']]));
    const made = Object.fromEntries(slow.map(({ name }, at) => [name, at === 0 ? 'pass 1/1' : 'not-run undefined']));
    assert.deepEqual(await looks(evals), made);
    const address = evals.page.url();
    // From here to the end of another one, the first would have asked for more.
    await evals.paste(suiteOf([SAYS], { tools: TOOLS, name: 'Next' }));
    await evals.choose(['echo']);
    await evals.start();
    await evals.is('done');
    assert.equal(await requests(), 6);
    const again = new BenchEvals(await Workbench.open(stage.chromium, new URL(address).hash.slice(1)));
    await again.is('stopped');
    assert.deepEqual(await looks(again), made, 'and is kept');
    await again.page.close();
  });

  test('inspector case 25: an eval outlives the workbench and the worker; no run is lost or made twice', async () => {
    await stage.model.reset();
    // Each run takes a second, so that four of them are under way when the worker ends.
    const slow = Array.from({ length: 10 }, (_, at) => ofCalls(`Case ${at}`, null, `Say 3 words, 400 ms apart, ${at}`));
    await evals.paste(suiteOf(slow, { tools: TOOLS, name: 'Long' }));
    await evals.choose(['pauses']);
    await evals.figure('runs', '2');
    await evals.start();
    await evals.made(2);
    const address = evals.page.url();
    await evals.page.close();
    await stage.chromium.killWorker();
    evals = new BenchEvals(await Workbench.open(stage.chromium, new URL(address).hash.slice(1)));
    await evals.is('done', 60_000);
    const report = JSON.parse((await downloaded(stage.chromium.browser, () => evals.bench.click('evals-save-json'))).text);
    assert.deepEqual(report.cells.map(({ case: at, run }) => [at, run]), slow.flatMap((_, at) => [[at, 1], [at, 2]]));
    assert.deepEqual(new Set(report.cells.map(({ outcome }) => outcome)), new Set(['pass']));
  });

  test('a stopped eval is resumed, and the runs that lack are made', async () => {
    await stage.model.reset();
    const cases = Array.from({ length: 6 }, (_, at) => ofCalls(`Case ${at}`, null, `Say 3 words, 300 ms apart, ${at}`));
    await evals.paste(suiteOf(cases, { tools: TOOLS, name: 'Rest' }));
    await evals.choose(['pauses']);
    await evals.figure('runs', '1');
    await evals.start();
    await evals.bench.click('evals-stop');
    await evals.is('stopped');
    await evals.bench.click('evals-resume');
    await evals.is('done');
    assert.equal(Object.values(await evals.matrix()).filter((row) => row['custom:pauses'] === 'pass 1/1').length, 6);
  });

  test('inspector case 24: a busy service is waited for; a model that cannot be asked is an error and no fail', async () => {
    await stage.model.reset();
    await evals.paste(suiteOf([SAYS], { tools: TOOLS, name: 'Busy' }));
    await evals.choose(['rate-limited', 'no-balance']);
    await evals.figure('runs', '1');
    await evals.start();
    await evals.is('done');
    assert.deepEqual(await evals.matrix(), { Says: { 'custom:rate-limited': 'pass 1/1', 'custom:no-balance': 'error 0/0' } });
  });

  test('inspector case 66: what others wrote stays text, in the view and in the HTML report, and asks for nothing', async () => {
    const { bench, page } = evals;
    const harm = (what) => `<img src="${stage.site.url(`harm-${what}.png`)}" onerror="window.harmed = true">`;
    const sent = JSON.stringify({ to: harm('argument') });
    const named = ofCalls(harm('case'), [{ functionName: 'go', arguments: { to: harm('expected') }, mockOutput: { done: harm('result') } }], `call go ${sent}`);
    const said = ofCalls('Says', null, harm('text'));
    await stage.model.reset();
    await evals.paste(suiteOf([named, said], { tools: TOOLS, name: harm('suite') }));
    await evals.choose(['call-tool', 'echo']);
    await evals.figure('runs', '1');
    await evals.start();
    await evals.is('done');
    const parts = { suite: harm('suite'), case: harm('case'), text: harm('text') };
    for (const what of ['expected', 'argument', 'result']) parts[what] = JSON.stringify(harm(what)).slice(1, -1);
    // One cell of a case is open at a time: the model that calls for the first, the one that says for the second.
    const [calls, , , says] = await page.$$(testId('evals-cell'));
    for (const cell of [calls, says]) await cell.click();
    await until(async () => (await page.$$(testId('evals-cell-runs'))).length === 2, { what: 'a cell of each case to be open' });
    const opened = await bench.text('evals-opened');
    for (const [what, part] of Object.entries(parts)) assert.ok(opened.includes(part), `${what}: ${opened}`);
    assert.equal(await page.$(`${testId('evals-opened')} :is(img, script)`), null);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-report-'));
    let shown;
    try {
      const file = path.join(folder, 'report.html');
      await writeFile(file, (await downloaded(stage.chromium.browser, () => bench.click('evals-save-html'))).text);
      shown = await stage.chromium.open();
      const asked = [];
      shown.on('request', (request) => asked.push(request.url()));
      await shown.goto(pathToFileURL(file).href);
      const words = await shown.evaluate(() => {
        document.querySelectorAll('details').forEach((folded) => (folded.open = true));
        return document.body.innerText;
      });
      for (const [what, part] of Object.entries(parts)) assert.ok(words.includes(part), `${what}: ${words}`);
      assert.deepEqual(await shown.$$eval('img, script, iframe, object, embed, link, form, [src], [onerror]', (all) => all.map(({ outerHTML }) => outerHTML)), []);
      assert.deepEqual(asked, [pathToFileURL(file).href]);
      assert.deepEqual([await shown.evaluate(() => window.harmed), await page.evaluate(() => window.harmed)], [undefined, undefined]);
      assert.deepEqual(stage.site.asked.filter((one) => one.includes('harm')), []);
    } finally {
      await shown?.close();
      await rm(folder, { recursive: true });
    }
  });

  test('inspector case 74: an expression that goes back and back, for hours if it were let, is judged with the others', async () => {
    const { bench } = evals;
    const to = `${'a'.repeat(50)}!`;
    const cases = ['(a+)+$', '(?:(a+)+)\\1$'].map((pattern, at) => ofCalls(`Back ${at}`, [{ functionName: 'go', arguments: { to: { $pattern: pattern } } }], `call go ${JSON.stringify({ to })}`));
    const judge = async () => {
      await stage.model.reset();
      await stage.model.hurry();
      await evals.paste(suiteOf(cases, { tools: TOOLS, name: 'Back' }));
      await evals.choose(['call-tool']);
      await evals.figure('runs', '1');
      await bench.click('evals-continue');
      await bench.see('evals-question', '[data-ready="true"]');
      const began = Date.now();
      await bench.click('evals-start');
      await evals.is('done');
      return Date.now() - began;
    };
    await quick(10_000, judge, 'the eval');
    const { 'Back 0': first, 'Back 1': second } = await evals.matrix();
    assert.deepEqual(first, { 'custom:call-tool': 'fail 0/1' });
    assert.match(second['custom:call-tool'], /^(fail 0\/1|error 0\/0)$/);
  });

  test('an eval is compared with an earlier one of its suite, and the cells that got worse are marked', async () => {
    const { bench, page } = evals;
    // The same model, the second time without the tool.
    for (const name of ['go', 'stay']) {
      await stage.model.reset();
      await evals.paste(suiteOf([GOES], { tools: [{ ...TOOLS[0], name }], name: 'Again' }));
      await evals.choose(['call-tool']);
      await evals.figure('runs', '5');
      await evals.figure('steps', '6');
      await evals.start();
      await evals.is('done');
    }
    await bench.click('evals-compare-toggle');
    const earlier = await page.$eval(`${testId('evals-compare-kept')} option:not([value=""])`, (option) => option.value);
    await page.select(testId('evals-compare-kept'), earlier);
    await bench.see('evals-compared', '[data-kind="regression"]');
    await bench.see('evals-cell', '[data-worse="true"]');
    await bench.click('evals-compare-clear');
    await page.waitForSelector(testId('evals-compared'), { hidden: true });
  });

  test('an eval is forgotten after a question, and its address says so', async () => {
    const { bench, page } = evals;
    const hash = new URL(page.url()).hash;
    await evals.show();
    const count = (await page.$$(testId('evals-entry'))).length;
    await bench.click('evals-delete');
    await bench.see('evals-delete-question', '[data-ready="true"]');
    await bench.click('evals-delete-yes');
    await until(async () => (await page.$$(testId('evals-entry'))).length === count - 1, { what: 'the list without it' });
    const gone = await Workbench.open(stage.chromium, hash.slice(1));
    await gone.see('evals-gone');
    await gone.page.close();
  });
});

/** A page whose tools count, and buy. */
const PAGE = `<!doctype html><title>Trial</title><output id="shown" title="none"></output><input type="password" value="secret"><script>
  // ${'long '.repeat(60_000)}
  let count = 0;
  const offer = (name, execute, more) => document.modelContext.registerTool({ name, description: 'The tool ' + name + '.', inputSchema: { type: 'object', properties: {} }, execute, ...more });
  offer('count', () => ({ content: [{ type: 'text', text: JSON.stringify({ count: (document.querySelector('#shown').textContent = ' ' + (count + 1), count++) }) }] }));
  offer('fail', () => ({ isError: true, content: [{ type: 'text', text: 'sold out' }] }));
  offer('leave', () => (location.assign('?next'), new Promise(() => {})));
  offer('hang', () => (fetch('held'), new Promise(() => {})));
  offer('checkout', async () => (await fetch('bought')).status, { annotations: { consequentialHint: true } });
</script>`;

forBothModes('evals in the workbench in a page', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {BenchEvals} */
  let evals;
  before(async () => {
    stage = await Stage.set({ native });
    stage.site.put('eval.html', PAGE);
    const page = await stage.begin(stage.site.url('eval.html'));
    await stage.panel.knows(5);
    const tab = await stage.chromium.inWorker((url) => chrome.tabs.query({ url }).then(([{ id }]) => id), page.url());
    evals = new BenchEvals(await Workbench.open(stage.chromium, `tab=${tab}&view=evals`));
  });
  after(() => stage?.strike());

  const tabs = () => stage.chromium.inWorker(() => chrome.tabs.query({}).then((all) => all.length));
  const bought = () => stage.site.asked.includes('/bought');
  const live = async (cases, options = {}) => {
    await stage.model.reset();
    await evals.paste(suiteOf(cases, { name: 'Live' }));
    await evals.choose(['call-tool']);
    await evals.figure('runs', options.runs ?? '1');
    await evals.live(stage.site.url(options.page ?? 'eval.html'), options);
    await evals.start();
    await evals.is('done', 60_000);
    return evals.matrix();
  };
  const only = (look) => ({ 'custom:call-tool': look });

  test('inspector case 27: the page is loaded anew for each run, in a tab that is closed again', async () => {
    const before = await tabs();
    const counted = [0, 1].map((count) => ({ functionName: 'count', result: { count } }));
    assert.deepEqual(await live([ofCalls('Count', counted)], { runs: '3' }), { Count: only('pass 3/3') });
    assert.equal(await tabs(), before);
  });

  test('inspector case 26: stop ends an eval in a page within a second, and neither page nor model hears of it again', async () => {
    const { bench } = evals;
    const calls = (name) => [{ functionName: name }];
    const cases = [ofCalls('Counts', calls('count')), ofCalls('Hangs', calls('hang')), ofCalls('Later', calls('count')), ofCalls('Last', calls('count'))];
    const before = await tabs();
    const heard = async () => ({ asked: (await stage.model.requests()).length, pages: stage.site.asked.filter((one) => one === '/eval.html').length });
    const stop = async () => {
      await stage.model.reset();
      stage.site.asked.length = 0;
      await evals.paste(suiteOf(cases, { name: 'Halted' }));
      await evals.choose(['call-tool']);
      await evals.figure('runs', '1');
      await evals.live(stage.site.url('eval.html'));
      await evals.start();
      await until(() => stage.site.asked.includes('/held'), { what: 'the call that hangs' });
      const began = Date.now();
      await bench.click('evals-stop');
      await evals.is('stopped');
      return Date.now() - began;
    };
    await quick(1_000, stop, 'stopping');
    assert.deepEqual(await evals.matrix(), { Counts: only('pass 1/1'), Hangs: only('not-run undefined'), Later: only('not-run undefined'), Last: only('not-run undefined') });
    await until(async () => (await tabs()) === before, { what: 'its tab to be closed' });
    // From here to the end of another one, the first would have gone on.
    assert.deepEqual(await heard(), { asked: 3, pages: 2 });
    stage.site.asked.length = 0;
    assert.deepEqual(await live([ofCalls('Counts', calls('count'))]), { Counts: only('pass 1/1') });
    assert.deepEqual(await heard(), { asked: 2, pages: 1 });
  });

  test('an error of a tool and a page that is left are told to the model', async () => {
    const cases = [
      ofCalls('Fails', [{ functionName: 'fail', result: { error: 'sold out' } }]),
      ofCalls('Leaves', [{ functionName: 'leave', result: { navigatedTo: stage.site.url('eval.html?next') } }]),
    ];
    assert.deepEqual(await live(cases), { Fails: only('pass 1/1'), Leaves: only('pass 1/1') });
  });

  test('inspector case 28: one question names the consequential tools; their calls reach the page only if that is allowed', async () => {
    const { bench } = evals;
    const mocked = ofCalls('Mocked', [{ functionName: 'checkout', mockOutput: { paid: 1 }, result: { paid: 1 } }]);
    const unanswered = ofCalls('Unanswered', [{ functionName: 'checkout' }]);
    await evals.paste(suiteOf([mocked]));
    await evals.live(stage.site.url('eval.html'));
    await bench.says('evals-consequential-tool', /checkout/);
    assert.deepEqual(await live([mocked, unanswered]), { Mocked: only('pass 1/1'), Unanswered: only('too-few 0/0') });
    assert.equal(bought(), false);
    const allowed = ofCalls('Unanswered', [{ functionName: 'checkout', result: 404 }]);
    assert.deepEqual(await live([allowed], { letThrough: true }), { Unanswered: only('pass 1/1') });
    assert.equal(bought(), true);
    assert.equal(await evals.page.$(testId('bench-asking')), null, 'no card asks in a run');
  });

  test('inspector case 73: without a model, the expected calls are made in the page, and a result that looks like a failure fails', async () => {
    const { bench, page } = evals;
    const expects = (name, ...tools) => ofCalls(name, tools.map((functionName) => ({ functionName, arguments: {} })));
    const boughtBefore = stage.site.asked.filter((path) => path === '/bought').length;
    await stage.model.reset();
    await evals.paste(suiteOf([ofCalls('Unclear', [{ functionName: 'count' }])], { name: 'Smoke' }));
    await evals.smoke(stage.site.url('eval.html'));
    await bench.says('evals-faults', /no arguments/);
    assert.equal(await page.$eval(testId('evals-continue'), (button) => button.disabled), true);
    await evals.paste(suiteOf([expects('Counts', 'count', 'count'), expects('Fails', 'fail', 'count'), expects('Buys', 'count', 'checkout'), expects('Lacks', 'gone')], { name: 'Smoke' }));
    await evals.smoke(stage.site.url('eval.html'));
    for (const unasked of ['evals-model', 'evals-runs']) assert.equal(await page.$(testId(unasked)), null);
    await bench.click('evals-continue');
    await bench.says('evals-ask-runs', /4 cases[^]*without a model/);
    await bench.says('evals-ask-page', /skipped/);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await evals.start();
    await evals.is('done');
    const smoke = (look) => ({ smoke: look });
    assert.deepEqual(await evals.matrix(), { Counts: smoke('pass 1/1'), Fails: smoke('fail 0/1'), Buys: smoke('too-few 0/0'), Lacks: smoke('fail 0/1') });
    assert.match(await bench.text('evals-facts'), /without a model/);
    assert.equal(await page.$eval(`${testId('evals-summary')} th`, (head) => head.innerText), 'page alone');
    assert.equal((await stage.model.requests()).length, 0);
    assert.equal(stage.site.asked.filter((path) => path === '/bought').length, boughtBefore);
    const report = JSON.parse((await downloaded(stage.chromium.browser, () => bench.click('evals-save-json'))).text);
    assert.equal(report.environment.mode, 'smoke');
    assert.deepEqual(report.cells.map(({ calls }) => calls.length), [2, 1, 0, 1]);
  });

  test('simulations are set up, and judged by what the page shows in the end', async () => {
    const { bench, page } = evals;
    await stage.model.reset();
    const boughtBefore = stage.site.asked.filter((path) => path === '/bought').length;
    const shows = (expect, selector = '#shown') => ({ type: 'dom', selector, expect });
    const simulation = (name, userMessage, assertions, more = {}) => ({ name, userMessage, assertions, ...more });
    const setup = [{ functionName: 'count', arguments: {} }];
    await evals.paste([{ ...simulation('Doubts', 'call count {}', []), userScenario: 'You want to count.' }]);
    await bench.says('evals-fault', /\[0\][^]*either userMessage or userScenario/);
    assert.equal(await page.$(testId('evals-simulation')), null);
    await evals.paste([
      simulation('Counts', 'call count {}', [shows({ text: '2' }), shows({ count: 1 }), shows({ attribute: { name: 'title', value: 'none' } })], { setup }),
      simulation('Wrong', 'call count {}', [shows({ exists: true }), shows({ text: { $pattern: '^7$' } })]),
      simulation('Keeps', 'Hello', [shows({ attribute: { name: 'value', value: null } }, 'input')]),
      simulation('Long', 'Hello', [shows({ exists: true }, 'body')]),
      simulation('Buys', 'call checkout {}', [shows({ exists: true })]),
      simulation('Unready', 'Hello', [shows({ exists: true })], { setup: [{ functionName: 'fail', arguments: {} }] }),
      simulation('Odd', 'Hello', [shows({ exists: true }, '#')]),
      simulation('Late', 'Hello', [shows({ exists: true })], { maxDurationMs: 1 }),
      simulation('Strays', 'call leave {}', [shows({ text: '' })]),
    ]);
    await evals.choose(['call-tool']);
    await evals.figure('runs', '1');
    await evals.simulate(stage.site.url('eval.html'));
    for (const unasked of ['evals-live', 'evals-smoke', 'evals-by-suite']) assert.equal(await page.$(testId(unasked)), null);
    assert.deepEqual(await violations(page), []);
    await bench.click('evals-continue');
    await bench.says('evals-ask-page', /skipped/);
    await page.keyboard.press('Escape');
    await evals.start();
    await evals.is('done', 60_000);
    assert.deepEqual(await evals.matrix(), {
      Counts: only('pass 1/1'), Wrong: only('fail 0/1'), Keeps: only('error 0/0'), Long: only('pass 1/1'), Buys: only('too-few 0/0'), Unready: only('error 0/0'), Odd: only('error 0/0'),
      Late: only('error 0/0'), Strays: only('pass 1/1'),
    });
    assert.equal(stage.site.asked.filter((path) => path === '/bought').length, boughtBefore);
    assert.match(await bench.text('evals-facts'), /Simulations in a page/);
    await bench.click('evals-cell', '[data-look="fail"]');
    await bench.says('evals-reason', /#shown[^]*\^7\$[^]*was expected, "1" came/);
    const report = JSON.parse((await downloaded(stage.chromium.browser, () => bench.click('evals-save-json'))).text);
    assert.equal(report.environment.mode, 'simulation');
    const kinds = Object.fromEntries(report.cells.filter(({ reasons = [] }) => reasons.length > 0).map(({ case: number, reasons }) => [report.suite.cases[number].name, reasons[0].kind]));
    assert.deepEqual(kinds, { Wrong: 'assertion', Buys: 'consequential', Keeps: 'not-judged', Unready: 'tool-error', Odd: 'not-judged', Late: 'time-limit' });
  });

  test('a page without tools is an error and no fail', async () => {
    assert.deepEqual(await live([ofCalls('None', null, 'Hello')], { page: 'empty.html' }), { None: only('error 0/0') });
  });
});
