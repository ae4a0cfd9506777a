/**
 * The demo of the workbench: the developer of a shop finds what is wrong with its tools, runs one through its form, turns the
 * run into a case of a suite, has two models try it in the page three times each, reads the report, and asks a model freely.
 *
 * With a display it opens both and stays until the browser is closed. Without one, or with `--headless`, it does all of that,
 * saves screenshots at three widths in light and dark, prints what the report says, and exits with 0 only when all of it came
 * out as it should.
 */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { launch } from './lib/browser.mjs';
import { hasDisplay, play } from './lib/demo.mjs';
import { SCRIPTED_KEY, startModel } from './lib/model.mjs';
import { Panel, testId } from './lib/panel.mjs';
import { ROOT, SHOP } from './lib/paths.mjs';
import { serve } from './lib/site.mjs';
import { until } from './lib/wait.mjs';
import { BenchEvals } from './lib/workbench-evals.mjs';
import { Workbench } from './lib/workbench.mjs';

/** What a user would say; one scripted model does what such a line says, the other one only talks. */
const SAID = 'call find_products {"query": "kettle", "maxPrice": 300}';
const MODELS = ['call-tool', 'echo'];
const RUNS = 3;
const WIDTHS = [320, 400, 1280];

const { values: options } = parseArgs({
  options: {
    inspector: { type: 'boolean' },
    headless: { type: 'boolean', default: false },
    lang: { type: 'string', default: 'en' },
    native: { type: 'boolean', default: false },
    screenshots: { type: 'string', default: path.join(ROOT, 'dist', 'demo-inspector') },
  },
});
const lang = options.lang.startsWith('zh') ? 'zh' : 'en';
const headless = options.headless || !hasDisplay();

await play(async (narrator, closers) => {
  const site = await serve(SHOP);
  closers.push(() => site.close());
  const address = `http://shop.localhost:${site.port}/?webmcp=1&lang=${lang}`;
  const chromium = await launch({ headless, native: options.native, language: lang === 'zh' ? 'zh-CN' : 'en-US', width: 1280, height: 900 });
  closers.push(() => chromium.close());
  const page = await chromium.open(address);
  narrator.step(`the shop is at ${address} and offers tools of its own`);
  const model = await startModel();
  closers.push(() => model.close());
  const panel = await Panel.beside(chromium, page);
  await panel.fill('provider', 'custom');
  await panel.fill('base-url', model.url);
  await panel.fill('model', MODELS[0]);
  await panel.fillKey(SCRIPTED_KEY);
  narrator.step('entered a scripted model in the settings');
  await panel.view('tools');
  const link = await panel.page.waitForSelector(testId('open-workbench'));
  const bench = await Workbench.open(chromium, new URL(await link.evaluate((node) => node.href)).hash.slice(1));
  if (!headless) {
    narrator.say('\nThe workbench is open in a tab of its own. Close the browser to end the demo.');
    await new Promise((resolve) => chromium.browser.once('disconnected', resolve));
    return true;
  }
  await mkdir(options.screenshots, { recursive: true });
  const pictures = (name) => photograph(bench, path.join(options.screenshots, `${name}-${lang}`));

  await bench.see('bench-row', '[data-name="estimate_delivery"]');
  await pictures('1-tools');
  await bench.click('bench-lint');
  const fault = await bench.text('lint-note', '[data-rule="schema-impossible"]');
  narrator.step(`found: ${fault.split('\n').join(' ')}`);
  await pictures('2-checks');

  await bench.click('bench-tools');
  await bench.openTool('find_products');
  await bench.type('query', 'kettle');
  await bench.type('maxPrice', '300');
  await pictures('3-form');
  const result = await bench.run();
  const rows = await bench.page.$$eval(`${testId('run-table')} tbody tr`, (found) => found.length);
  narrator.step(`find_products came to "${result.state}", ${rows} rows`);
  await pictures('4-result');

  await bench.click('bench-history');
  await bench.click('run-entry-toggle');
  await bench.click('entry-case');
  await bench.page.locator(testId('case-words')).fill(SAID);
  const suite = await bench.text('case-made');
  await bench.see('case-made');
  await pictures('5-case');
  await bench.click('bench-contract');
  await until(async () => !(await bench.page.$eval(testId('contract-save'), (button) => button.disabled)), { what: 'the snapshot' });
  await pictures('6-contract');
  const [{ name }] = JSON.parse(suite);
  narrator.step(`the run is a case now: ${name}`);

  const evals = new BenchEvals(bench);
  await evals.paste(suite);
  await evals.choose(MODELS);
  await evals.figure('runs', RUNS);
  await evals.live(address);
  await pictures('7-evals');
  await evals.start();
  await evals.is('done', 120_000);
  const cells = (await evals.matrix())[name] ?? {};
  const report = MODELS.map((model) => (cells[`custom:${model}`] ?? '').match(/(\d+)\/(\d+)/)?.slice(1).map(Number) ?? []);
  narrator.say();
  MODELS.forEach((model, at) => narrator.step(`${model}: ${report[at][0]} of ${report[at][1]} runs pass`));
  narrator.say();
  await pictures('8-report');
  await bench.click('evals-cell', `[data-model="custom:${MODELS[1]}"]`);
  const reason = await bench.text('evals-reason');
  narrator.step(`${MODELS[1]}: ${reason}`);
  await pictures('9-cell');

  await bench.click('bench-ask');
  await bench.page.locator(testId('question-text')).fill(SAID);
  await bench.click('question-ask');
  // What it took is told once it is done.
  await bench.see('question-figures');
  const call = await bench.text('question-call');
  await pictures('10-question');

  const findings = [
    { ok: /estimate_delivery/.test(fault), text: 'the planted fault was found' },
    { ok: result.state === 'ok' && rows > 0, text: 'the tool ran through its form' },
    { ok: report.every(([, runs]) => runs === RUNS), text: `two models ran the case ${RUNS} times each, in the page` },
    { ok: report[0][0] === RUNS, text: 'the model that does what is said passes' },
    { ok: report[1][0] === 0 && reason !== '', text: 'the model that only talks fails, and the report says why' },
    { ok: /find_products/.test(call), text: 'a model that was asked freely called the tool' },
  ];
  findings.forEach((finding) => narrator.finding(finding));
  narrator.step(`pictures are in ${path.relative(ROOT, options.screenshots) || '.'}`);
  return findings.every(({ ok }) => ok);
});

/** Pictures of the workbench at three widths, light and dark. */
async function photograph(bench, file) {
  for (const theme of ['light', 'dark']) {
    await bench.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await bench.page.waitForSelector(`:root[data-theme="${theme}"]`);
    for (const width of WIDTHS) {
      await bench.page.setViewport({ width, height: 900 });
      await bench.page.screenshot({ path: `${file}-${theme}-${width}.png` });
    }
  }
  await bench.page.emulateMediaFeatures([]);
  await bench.page.setViewport({ width: 1280, height: 900 });
}
