/** How tools came to be: shown in the workbench, and looked at by the rules that need it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { Stage, forBothModes } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';
import { Workbench } from '../lib/workbench.mjs';

const SCHEMA = '{ type: "object", properties: {} }';

/** A page whose tools come in every way that a rule looks at. */
const page = (far) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Ways</title><link rel="icon" href="data:,">
<script>
  window.offer = (name, options) => document.modelContext.registerTool(
    { name, description: 'Does one thing of ' + name + '.', inputSchema: ${SCHEMA}, execute: () => 'done' }, options).catch(() => {});
  offer('early');
  for (let times = 0; times < 4; times += 1) {
    const controller = new AbortController();
    offer('restless', { signal: controller.signal });
    if (times < 3) controller.abort();
  }
  offer('shown', { exposedTo: ['https://a.example/path'] });
  offer('refused', { exposedTo: ['http://b.example'] });
</script>
<script src="${far}"></script>
<form toolname="search" tooldescription="Searches for one thing by its words." toolautosubmit>
  <input name="words"><label>Code <input name="password" type="password"></label><button>Go</button>
</form>
<form toolname="silent"><input name="words"><button>Go</button></form>`;

forBothModes('how tools came to be', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {Workbench} */
  let bench;
  /** @type {import('puppeteer-core').Page} */
  let tab;
  let url;
  let far;

  before(async () => {
    stage = await Stage.set({ native });
    far = stage.site.put('far.js', `document.modelContext.registerTool({ name: 'far', description: 'Does one thing of far.', inputSchema: ${SCHEMA}, execute: () => 'done' });\n`).replace(stage.site.origin, stage.site.otherOrigin);
    url = stage.site.put('ways.html', page(`${far}?secret=1`));
    tab = await stage.begin(url, { tools: 5 });
    await tab.evaluate(() => offer('late'));
    await stage.panel.knows(6);
    await stage.panel.view('tools');
    const address = await stage.panel.page.$eval(testId('open-workbench'), (link) => link.href);
    bench = await Workbench.open(stage.chromium, new URL(address).hash.slice(1));
    await bench.see('bench-row', '[data-name="late"]');
  });
  after(() => stage?.strike());

  const registered = async (name) => {
    await bench.openTool(name);
    await bench.click('part-facts');
    return bench.text('registered');
  };

  test('a tool’s registration says when it was, by which script and line, how often again, exposed to whom', async () => {
    const early = await registered('early');
    assert.match(early, /Registered\s+[\d,]+ ms after navigation began\n/);
    assert.ok(early.includes(`${url}:3`), early);
    const other = await registered('far');
    assert.ok(other.includes(`${far}:1`), other);
    assert.match(await registered('restless'), /registered again\s+3/);
    assert.match(await registered('shown'), /Exposed to\s+https:\/\/a\.example\/path/);
    assert.match(await registered('late'), /ms after navigation began, [\d,]+ ms after the page had loaded/);
    await bench.openTool('search');
    await bench.see('facts');
    assert.equal(await bench.page.$(testId('registered')), null, 'a form is registered by nobody');
  });

  test('the rules that need it find what is wrong, and nothing else', async () => {
    await bench.click('bench-lint');
    await bench.see('lint-note', '[data-rule="tool-churn"]');
    const notes = await bench.page.$$eval(testId('lint-note'), (all) => all.map((one) => [one.dataset.rule, one.innerText]));
    const of = (rule) => notes.filter(([id]) => id === rule).map(([, text]) => text);
    const expected = {
      'tool-churn': [/restless/],
      'exposed-to-origin-only': [/shown/],
      'exposed-to-secure-origins': [/refused/],
      'declarative-description': [/silent/],
      'declarative-field-description': [/search/],
      'declarative-autosubmit-sensitive': [/search/],
      'third-party-registration': [/far/],
    };
    for (const [rule, tools] of Object.entries(expected)) {
      const found = of(rule);
      assert.equal(found.length, tools.length, `${rule}: ${JSON.stringify(notes)}`);
      tools.forEach((tool, at) => assert.match(found[at], tool, rule));
    }
    const after = [...of('tools-after-load'), ...of('tools-register-late')];
    assert.deepEqual(after.map((text) => /\blate\b/.test(text)), [true], JSON.stringify(after));
  });

  test('a tool that another page of the site defines otherwise is found with that page, by the next worker too', async () => {
    const [tea, basket] = ['tea', 'basket'].map((name) =>
      stage.site.put(`${name}.html`, `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,">
<script>
  const about = new URLSearchParams(location.search).get('about') ?? '${name}';
  document.modelContext.registerTool({ name: 'look', description: 'Looks at the ' + about + ' of the shop.', inputSchema: ${SCHEMA}, execute: () => 'done' });
</script>`),
    );
    const drift = '[data-rule="cross-page-drift"]';
    const visit = async (address, about) => {
      await bench.click('bench-tools');
      await tab.goto(address);
      const rows = () => bench.page.$$eval(testId('bench-row'), (all) => all.map(({ innerText }) => innerText));
      await until(async () => (await rows()).map((text) => /Looks at the (\w+)/.exec(text)?.[1]).join() === about, { what: `the tools of the page about ${about}` });
      await bench.click('bench-lint');
      await bench.says('lint-status', /Errors|Nothing/);
    };
    await visit(tea, 'tea');
    await visit(`${tea}?about=kettle`, 'kettle');
    assert.equal(await bench.page.$(testId('lint-note') + drift), null, 'it is the same page');
    await visit(basket, 'basket');
    assert.ok((await bench.text('lint-note', drift)).includes(tea));
    await stage.chromium.killWorker();
    await visit(tea, 'tea');
    assert.ok((await bench.text('lint-note', drift)).includes(basket));
  });
});
