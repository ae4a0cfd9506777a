/** A site that the user hides from the agent: its tools and its text are withheld, and the panel shows that. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { testId } from '../lib/panel.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

forBothModes('a hidden site', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  const offered = async () => ((await stage.model.requests()).at(-1).body.tools ?? []).map((tool) => tool.function.name);
  const hide = async () => {
    await stage.panel.view('tools');
    await stage.panel.click('hide-site');
    await stage.panel.see('hide-site', ':checked');
    await stage.panel.view('chat');
    await stage.panel.see('site-hidden');
  };

  test('its tools are not offered and do not run, its text cannot be attached, until it is shown again', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await hide();
    assert.ok((await stage.panel.text('site-hidden')).includes(new URL(stage.site.origin).host));
    assert.deepEqual(await violations(stage.panel.page), []);
    await stage.panel.ask('call readNote');
    assert.deepEqual(await offered(), []);
    assert.equal((await stage.panel.calls())[0].state, 'failed');
    assert.equal(await stage.panel.shows('approval'), false);
    await stage.panel.click('attach');
    await stage.panel.click('attach-page');
    assert.match(await stage.panel.text('alert'), /You hid this site/);
    assert.equal(await stage.panel.shows('attachments'), false);
    await stage.panel.click('alert-close');
    await stage.panel.view('tools');
    assert.deepEqual(await stage.panel.page.$$eval(testId('tool-row'), (rows) => rows.map((row) => row.dataset.hidden)), ['true', 'true', 'true', 'true']);
    assert.deepEqual(await violations(stage.panel.page), []);
    // The setting survives worker and panel.
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
    await stage.panel.view('chat');
    await stage.panel.click('show-site');
    await stage.panel.gone('site-hidden');
    await stage.panel.ask('call readNote');
    assert.ok((await offered()).includes('readNote'));
  });

  test('its tools are withdrawn from a running turn', async () => {
    const tab = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await tab.evaluate(async () => {
      window.release = undefined;
      await addTool('slow', { execute: () => new Promise((resolve) => (window.release = () => resolve('done'))) });
      await addTool('mark', { description: 'Changes a colour.', annotations: {} });
    });
    await stage.panel.knows(3);
    await stage.panel.say('call slow\nthen call mark');
    await until(() => tab.evaluate(() => window.release !== undefined), { what: 'the first tool to run' });
    await hide();
    await tab.evaluate(() => window.release());
    await stage.panel.rest();
    assert.deepEqual(await offered(), []);
    assert.deepEqual(await tab.evaluate(() => window.runs.map(({ tool }) => tool)), ['slow']);
    assert.equal(await stage.panel.shows('approval'), false);
    await stage.panel.click('show-site');
    await stage.panel.gone('site-hidden');
  });

  // Without native WebMCP a cross-origin frame has no tools.
  if (native) {
    test('its frames in pages of other sites are hidden, too', async () => {
      await stage.begin(stage.site.url('echo.html'), { tools: 4 });
      await hide();
      const outer = await stage.tab(stage.site.url('empty.html', stage.site.otherOrigin));
      await outer.evaluate((url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        frame.allow = 'tools';
        document.body.append(frame);
      }, stage.site.url('echo.html'));
      await stage.panel.knows(4);
      assert.equal(await stage.panel.shows('site-hidden'), false, 'the page itself is not hidden');
      await stage.panel.ask('call readNote');
      assert.deepEqual(await offered(), ['request_page_access', 'ask_user'], 'nothing of the frame');
      await stage.panel.view('settings');
      await stage.panel.click('hidden-take-back');
      await stage.panel.gone('hidden-row');
      await stage.panel.ask('call readNote');
      assert.ok((await offered()).includes('readNote'));
    });
  }

  test('a sandboxed document is hidden with the site of its URL; under native WebMCP it has no tools at all', async () => {
    const register = (name) => `<script>void document.modelContext.registerTool({ name: '${name}', description: 'Marks.', execute: () => 'ran' });</${'script'}>`;
    const rows = () => stage.panel.page.$$eval(testId('tool-row'), (all) => all.map((row) => [row.dataset.name, row.dataset.hidden]));
    if (native) {
      const frame = (sandbox, name) => `<iframe ${sandbox} allow="tools *" srcdoc="${register(name)}"></iframe>`;
      const page = register('own') + frame('sandbox="allow-scripts"', 'sandboxed') + frame('', 'framed');
      await stage.begin(stage.site.put('sandboxes.html', `<!doctype html>${page}`), { tools: 2 });
      await stage.panel.ask('call sandboxed');
      assert.equal((await offered()).some((name) => name.startsWith('sandboxed')), false);
      assert.ok((await offered()).includes('own'));
      await stage.panel.view('tools');
      assert.deepEqual((await rows()).map(([name]) => name).sort(), ['framed', 'own']);
    } else {
      const url = stage.site.put('sandboxed.html', `<!doctype html>${register('alone')}`, { 'Content-Security-Policy': 'sandbox allow-scripts' });
      await stage.begin(url, { tools: 1 });
      await stage.panel.ask('call alone');
      assert.ok((await offered()).includes('alone'));
    }
    await hide();
    await stage.panel.ask(`call ${native ? 'sandboxed' : 'alone'}`);
    assert.deepEqual(await offered(), []);
    assert.equal((await stage.panel.calls()).at(-1).state, 'failed');
    await stage.panel.view('tools');
    assert.deepEqual([...new Set((await rows()).map(([, hidden]) => hidden))], ['true']);
    await stage.panel.view('chat');
    await stage.panel.click('show-site');
    await stage.panel.gone('site-hidden');
  });

  test('Settings lists it, with Take back and Undo', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await hide();
    await stage.panel.view('settings');
    const rows = () => stage.panel.page.$$eval(testId('hidden-row'), (nodes) => nodes.map((node) => node.dataset.site));
    const becomes = (wanted) => until(async () => (await rows()).join() === wanted, { what: `the list to be ${wanted}` });
    const { host } = new URL(stage.site.origin);
    await becomes(host);
    await stage.panel.click('hidden-take-back');
    await becomes('');
    await stage.panel.click('hidden-undo');
    await becomes(host);
    assert.deepEqual(await violations(stage.panel.page), []);
    await stage.panel.click('hidden-take-back');
    await becomes('');
    await stage.panel.view('chat');
    await stage.panel.gone('site-hidden');
    await stage.panel.ask('call readNote');
    assert.ok((await offered()).includes('readNote'));
  });

  test('no view scrolls sideways at 320 px', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await hide();
    await stage.panel.page.setViewport({ width: 320, height: 640 });
    for (const view of ['chat', 'tools', 'settings']) {
      await stage.panel.view(view);
      const { scroll, width } = await stage.panel.page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        width: document.documentElement.clientWidth,
      }));
      assert.ok(scroll <= width, `${view}: ${scroll} > ${width}`);
    }
    await stage.panel.page.setViewport(null);
    await stage.panel.view('chat');
    await stage.panel.click('show-site');
    await stage.panel.gone('site-hidden');
  });
});
