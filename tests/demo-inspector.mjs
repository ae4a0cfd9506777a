/**
 * The demo of the workbench: the developer of a shop finds what is wrong with its tools, runs one through its form, turns the
 * run into a case of a suite, and has two models try it three times each.
 *
 * With a display it opens both and stays until the browser is closed. Without one, or with `--headless`, it does all of that,
 * saves screenshots at three widths in light and dark, prints what the report says, and exits with 0 only when all of it came
 * out as it should.
 */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { launch } from './lib/browser.mjs';
import { hasDisplay, play } from './lib/demo.mjs';
import { SCRIPTED_KEY, startModel } from './lib/model.mjs';
import { Panel, testId } from './lib/panel.mjs';
import { ROOT, SHOP } from './lib/paths.mjs';
import { serve } from './lib/site.mjs';
import { until } from './lib/wait.mjs';
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
    xtask: { type: 'string' },
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
  const panel = await Panel.beside(chromium, page);
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
  const snapshot = await saved(bench);
  narrator.step(`the run is a case now: ${JSON.parse(suite)[0].name}`);

  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-demo-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const file = (name) => path.join(folder, name);
  await writeFile(file('suite.json'), suite);
  await writeFile(file('tools.json'), snapshot);
  const model = await startModel();
  closers.push(() => model.close());
  const report = await evaluate(file, model.url);
  narrator.say();
  for (const { model: name, c, n } of report) narrator.step(`${name}: ${c} of ${n} runs pass`);
  narrator.say();

  const findings = [
    { ok: /estimate_delivery/.test(fault), text: 'the planted fault was found' },
    { ok: result.state === 'ok' && rows > 0, text: 'the tool ran through its form' },
    { ok: report.length === 2 && report.every(({ n }) => n === RUNS), text: `two models ran the case ${RUNS} times each` },
    { ok: report[0]?.c === RUNS, text: 'the model that does what is said passes' },
    { ok: report[1]?.c === 0, text: 'the model that only talks fails' },
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

/** The text of the snapshot that the workbench saves. */
async function saved(bench) {
  return bench.page.evaluate(async (save) => {
    const made = new Promise((resolve) => {
      const create = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        URL.createObjectURL = create;
        resolve(blob.text());
        return create.call(URL, blob);
      };
    });
    document.querySelector(save).click();
    return made;
  }, testId('contract-save'));
}

/** Has the models run the suite, and reads the report: how many runs of how many pass, for each model. */
async function evaluate(file, url) {
  const models = MODELS.flatMap((name) => ['--model', `custom:${name}`]);
  const program = options.xtask ?? process.env.SIDECAR_XTASK ?? 'cargo';
  const task = program === 'cargo' ? ['xtask'] : [];
  const run = promisify(execFile)(
    program,
    [...task, 'evals', '--suite', file('suite.json'), '--tools', file('tools.json'), '--endpoint', `custom=${url}`, ...models, '--runs', String(RUNS), '--out', file('reports')],
    { cwd: ROOT, env: { ...process.env, CUSTOM_API_KEY: SCRIPTED_KEY } },
  );
  // It ends with 1, because a model fails.
  await run.catch((error) => {
    if (error.code !== 1) throw new Error(`${error.message}\n${error.stdout}`);
  });
  const { cells } = JSON.parse(await readFile(path.join(file('reports'), 'report.json'), 'utf8'));
  return MODELS.map((name) => {
    const own = cells.filter((cell) => JSON.stringify(cell.model).includes(name));
    return { model: name, c: own.filter((cell) => cell.outcome === 'pass').length, n: own.length };
  });
}
