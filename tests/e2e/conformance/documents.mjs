/** Cases 30 to 40, 57 and 58: tools across documents, frames and tabs, and when these go away. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { INSECURE_HOST } from '../../lib/browser.mjs';
import { html } from '../../lib/conformance.mjs';
import { offered } from '../../lib/model.mjs';
import { PAGES } from '../../lib/paths.mjs';
import { until, within } from '../../lib/wait.mjs';

/** How soon the panel must show a change, in milliseconds. */
const SOON = 500;

/** A page whose script registers a tool that returns its URL, or posts the reason of a refusal to the top window. */
const pageWith = (name, body = '') =>
  html(
    `<script>
      document.modelContext.registerTool({ name: '${name}', description: 'Says where it is.', execute: () => location.href })
        .catch((error) => top.postMessage({ refused: '${name}', why: error.name }, '*'));
    </script>`,
    body,
  );

const states = async (panel) => (await panel.calls()).map(({ name, state }) => [name, state]);

/** @param {Parameters<Parameters<typeof import('../../lib/conformance.mjs').section>[1]>[0]} suite */
export function documents({ native, proves }) {
  proves(30, async ({ stage }) => {
    const page = await stage.begin(stage.site.url('navigating.html'), { tools: 1 });
    await stage.panel.ask('call leave');
    await stage.panel.unfold();
    const [call] = await stage.panel.calls();
    assert.deepEqual([call.name, call.state], ['leave', 'failed']);
    assert.match(call.result, /page|left|went/i);
    assert.match(page.url(), /echo\.html$/);
    await stage.panel.seeTools(['echo', 'echoText', 'readNote', 'writeNote']);
    await stage.panel.view('chat');
    assert.equal((await stage.panel.transcript()).at(-1).why, 'done');
    const [first, next] = (await stage.model.requests()).map((request) => offered(request).map(({ name }) => name));
    assert.deepEqual(first, ['leave']);
    assert.ok(!next?.includes('leave'), 'the tools of the page that was left are offered no more');
    assert.match((await stage.model.requests()).at(-1).body.messages.at(-1).content, /the page went away while the tool ran/);
  });

  proves(31, async ({ agent, open, site }) => {
    const page = await open(site.url('changing.html?case'));
    await agent.lists(page, ['always']);
    const [{ document }] = await agent.told(page);
    await page.evaluate(async () => {
      history.pushState({}, '', '?page=2');
      location.hash = 'part';
      await addTool('second');
    });
    await agent.knows(page);
    await agent.lists(page, ['always', 'second']);
    assert.deepEqual((await agent.told(page)).map((one) => one.document), [document]);
    await page.reload();
    await until(async () => (await agent.told(page))[0]?.document !== document, { what: 'the reloaded page' });
    await agent.lists(page, ['always']);
    assert.deepEqual(await agent.call(page, 'always'), { ok: true, result: 'this is always' });
    assert.equal((await agent.told(page)).length, 1);
  });

  proves(32, async ({ agent, open, site, stage }) => {
    site.put('inner.html', pageWith('same', '<script>document.modelContext.registerTool({ name: "inner", description: "d", execute: () => location.search })</script>'));
    const page = await open(site.put('outer.html', pageWith('same', '<iframe src="onward.html?inner.html?in"></iframe>')));
    await agent.lists(page, ['inner', 'same', 'same']);
    const listed = (await agent.tools()).map(({ name, frame }) => [name, frame]);
    assert.deepEqual(listed, [['same', ''], ['inner', `localhost:${site.port}`], ['same', `localhost:${site.port}`]]);
    const { document } = await agent.frameWith(page, ['inner', 'same']);
    assert.deepEqual(await agent.call(page, 'same', {}, { document }), { ok: true, result: site.url('inner.html?in') });
    assert.deepEqual(await agent.call(page, 'same'), { ok: true, result: site.url('outer.html') });

    // For the model, the top frame's tool keeps its name; the other gets another name, and a description with its frame.
    const panel = await stage.converse();
    await panel.ask('hello');
    const [request] = await stage.model.requests();
    const tools = offered(request);
    const other = tools.find(({ name }) => name !== 'same' && name !== 'inner');
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['inner', 'same', other.name].sort());
    assert.match(other.name, /^same_[a-z]/);
    assert.notEqual(other.description, tools.find(({ name }) => name === 'same').description);
    await panel.ask(`call ${other.name}\nthen call same`);
    await panel.unfold();
    assert.deepEqual((await panel.calls()).map(({ result }) => result), [site.url('inner.html?in'), site.url('outer.html')]);
  });

  proves(33, async ({ agent, open, site }) => {
    site.put(
      'hanging-frame.html',
      html(`<script>
        document.modelContext.registerTool({ name: 'hang', description: 'Never answers.', execute() {
          parent.runs += 1;
          return new Promise(() => {});
        } });
      </script>`),
    );
    const page = await open();
    await page.evaluate(() => (window.runs = 0));
    const session = await page.createCDPSession();
    const alive = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { Documents, Frames } = await page.metrics();
      return { Documents, Frames };
    };
    const before = await alive();
    for (let round = 1; round <= 3; round += 1) {
      await page.evaluate(() => {
        const frame = document.createElement('iframe');
        frame.src = 'onward.html?hanging-frame.html';
        document.body.append(frame);
      });
      await agent.lists(page, ['hang']);
      const { document } = await agent.frameWith(page, ['hang']);
      const call = agent.call(page, 'hang', {}, { document });
      await page.waitForFunction((runs) => window.runs === runs, {}, round);
      await page.evaluate(() => document.querySelector('iframe').remove());
      const { ok } = await within(call, { what: 'the call to end', timeout: 1_000 });
      assert.equal(ok, false);
      await agent.lists(page, []);
    }
    await until(async () => {
      const { Documents, Frames } = await alive();
      return Documents <= before.Documents && Frames <= before.Frames;
    }, { what: 'the frames to be forgotten' });
    await session.detach();
    assert.deepEqual((await agent.told(page)).map(({ frame }) => frame), [0]);
  });

  proves(34, async ({ agent, open, site, stage }) => {
    for (const name of ['allowed', 'unasked']) site.put(`${name}.html`, pageWith(name));
    const frame = (name, allow) => `<iframe id="${name}" ${allow} src="${site.url(`${name}.html`, site.otherOrigin)}"></iframe>`;
    const page = await open(site.put('frames-of-others.html', html(
          `<script>
            window.refused = {};
            addEventListener('message', ({ data }) => data?.refused && (window.refused[data.refused] = data.why));
          </script>`,
          frame('allowed', 'allow="tools"') + frame('unasked', ''),
        )));
    await until(async () => (await agent.told(page)).length === 3, { what: 'three relays' });
    // Read through the page: Puppeteer sometimes loses frames of other processes.
    const refused = (name) => until(() => page.evaluate((one) => window.refused[one], name), { what: `the refusal of ${name}` });
    assert.equal(await refused('unasked'), 'NotAllowedError');
    if (native) {
      await agent.lists(page, ['allowed']);
      const [{ frame: where }] = await agent.tools();
      assert.equal(where, new URL(site.otherOrigin).host);
      const { document, origin } = await agent.frameWith(page, ['allowed']);
      assert.equal(origin, site.otherOrigin);
      assert.deepEqual(await agent.call(page, 'allowed', {}, { document }), { ok: true, result: site.url('allowed.html', site.otherOrigin) });
    } else {
      // A frame's scripts cannot see its permission, so the polyfill refuses.
      assert.equal(await refused('allowed'), 'NotAllowedError');
      await agent.lists(page, []);
    }
    assert.equal((await agent.page()).status, 'ready', 'the page itself is not blocked');
    assert.deepEqual(stage.panel.problems, []);
  });

  proves(35, async ({ agent, open, site, stage }) => {
    const url = site.put(
      'children.html',
      html(
        `<script>
          function offer(view, name) {
            view.document.modelContext.registerTool({ name, description: 'd', execute: () => view.location.href });
          }
        </script>`,
        `<iframe src="empty.html" onload="this.onload = null; this.srcdoc = '&lt;script>parent.offer(window, &quot;inSrcdoc&quot;)&lt;/script>'"></iframe>
         <iframe src="about:blank" onload="offer(contentWindow, 'inBlank')"></iframe>`,
      ),
    );
    const page = await open(url);
    await agent.lists(page, ['inBlank', 'inSrcdoc']);
    for (const [name, address] of [['inSrcdoc', 'about:srcdoc'], ['inBlank', 'about:blank']]) {
      const { document, origin } = await agent.frameWith(page, [name]);
      assert.equal(origin, site.origin);
      assert.deepEqual(await agent.call(page, name, {}, { document }), { ok: true, result: address });
    }

    const before = stage.panel.problems;
    for (const address of ['about:blank', 'data:text/html,<p>x', 'chrome://version/']) {
      await open(address);
      const { tools, status } = await agent.page();
      assert.deepEqual(tools, [], address);
      assert.notEqual(status, 'ready', address);
    }
    assert.deepEqual(stage.panel.problems, before);
  });

  proves(36, async ({ agent, open, site }) => {
    const page = await open(site.url('empty.html', `http://${INSECURE_HOST}:${site.port}`));
    const traces = await page.evaluate(() => [
      'modelContext' in document,
      'modelContext' in navigator,
      ...['ModelContext', 'ToolActivatedEvent', 'ToolCancelEvent'].map((name) => name in window),
    ]);
    assert.deepEqual(traces, Array(5).fill(false));
    const { status, tools } = await agent.page();
    assert.deepEqual([status, tools], ['insecure', []]);
  });

  const refusals = { 'shared-cluster.html': 'SecurityError', ...(native && { 'blocked.html': 'NotAllowedError' }) };
  for (const [file, error] of Object.entries(refusals)) {
    proves(
      37,
      async ({ agent, open, site }) => {
        const page = await open(site.url(file));
        const seen = await page.evaluate(async () => ({
          cluster: window.originAgentCluster,
          outcome: await kit.outcome(() => document.modelContext.registerTool(kit.tool('a'))),
          getter: String(Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext').get).includes('[native code]'),
        }));
        assert.equal(seen.cluster, file === 'blocked.html');
        assert.match(seen.outcome, new RegExp(`^${error}: `));
        // With native WebMCP the browser refuses, otherwise the polyfill does, in the same way.
        assert.equal(seen.getter, native);
        const { status, tools } = await agent.page();
        assert.deepEqual([status, tools], ['blocked', []]);
      },
      error,
    );
  }

  proves(38, async ({ agent, chromium, open, site }) => {
    /** Documents without a window, made in the ways of pages. Runs in the page. */
    const make = () => {
      const template = document.createElement('template');
      template.innerHTML = '<form toolname="x" tooldescription="d"><input name="a"></form>';
      return [document.implementation.createHTMLDocument(), new DOMParser().parseFromString('<p>', 'text/html'), template.content.ownerDocument];
    };
    if (!native) {
      const page = await open();
      const seen = await page.evaluate(async (source) => {
        const outcomes = [];
        for (const one of (0, eval)(`(${source})`)()) {
          outcomes.push(
            await kit.outcome(() => one.modelContext.registerTool(kit.tool('a'))),
            await kit.outcome(() => one.modelContext.getTools()),
            await kit.outcome(() => one.modelContext.executeTool(kit.handle('a'))),
          );
        }
        return outcomes;
      }, String(make));
      assert.deepEqual(seen.map((outcome) => String(outcome).replace(/: .*/, '')), Array(9).fill('InvalidStateError'));
      return;
    }
    // Reading native WebMCP there often crashes the tab, so a getter defined before the bridge records each read.
    const page = await chromium.open();
    try {
      await page.evaluateOnNewDocument(() => {
        const { get, ...rest } = Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext');
        window.readings = [];
        Object.defineProperty(Document.prototype, 'modelContext', {
          ...rest,
          get() {
            window.readings.push(this.defaultView === window);
            return this.defaultView === null ? undefined : get.call(this);
          },
        });
      });
      await page.goto(site.url('echo.html?frameless'));
      await page.bringToFront();
      await agent.lists(page, ['echo', 'echoText', 'readNote', 'writeNote']);
      await page.evaluate((source) => {
        window.made = (0, eval)(`(${source})`)();
        for (const one of window.made) one.body?.append(one.createElement('form'));
        navigator.modelContext.registerTool({ name: 'older', description: 'd', execute: () => 'ran' });
        document.body.append(document.adoptNode(window.made[1].querySelector('p')));
      }, String(make));
      await agent.lists(page, ['echo', 'echoText', 'older', 'readNote', 'writeNote']);
      assert.deepEqual(await agent.call(page, 'older'), { ok: true, result: 'ran' });
      const readings = await page.evaluate(() => window.readings);
      assert.ok(readings.length > 0, 'the getter is the one that the bridge reads');
      assert.ok(readings.every(Boolean), 'only the page’s own document was read');
    } finally {
      await page.close();
    }
  });

  proves(39, async ({ agent, open, site }) => {
    const urls = ['one', 'two'].map((name) => site.put(`${name}.html`, pageWith(name)));
    const page = await open(urls[0]);
    await agent.lists(page, ['one']);
    const shows = async (name) => {
      await agent.lists(page, [name]);
      assert.deepEqual(await agent.call(page, name), { ok: true, result: site.url(`${name}.html`) });
    };
    await page.goto(urls[1]);
    await shows('two');
    for (const round of ['first', 'second']) {
      await page.goBack();
      await shows('one');
      await page.goForward();
      await shows('two');
      assert.equal((await agent.tools()).length, 1, `${round} time`);
    }
    await page.goto('about:blank');
    await agent.knows(page);
    assert.deepEqual(await agent.tools(), []);
    await page.goBack();
    await shows('two');
  });

  proves(
    40,
    async ({ stage }) => {
      const first = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
      await stage.panel.say('call takeTime {"run":1}\nthen call takeTime {"run":2}');
      await stage.panel.call('takeTime', 'running');
      const second = await stage.tab(stage.site.url('hanging.html'));
      await stage.panel.knows(2);
      const finish = async (count) => {
        await until(() => first.evaluate((wanted) => window.runs.length === wanted, count), { what: `run ${count}` });
        await first.evaluate(() => window.finish());
      };
      await finish(1);
      await finish(2);
      await until(async () => (await stage.panel.calls()).filter((call) => call.state === 'ok').length === 2, { what: 'both calls' });
      assert.deepEqual(await second.evaluate(() => window.runs), []);
      assert.deepEqual(await first.evaluate(() => window.runs.length), 2);
    },
    'the tab where the turn began',
  );

  proves(
    40,
    async ({ stage }) => {
      const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
      await stage.tab(stage.site.url('echo.html'));
      await page.bringToFront();
      await stage.panel.knows(2);
      await stage.panel.say('call hang');
      await stage.panel.call('hang', 'running');
      await page.close();
      await stage.panel.rest();
      assert.deepEqual(await states(stage.panel), [['hang', 'failed']]);
    },
    'a closed tab',
  );

  proves(57, async ({ agent, open }) => {
    const page = await open(pathToFileURL(path.join(PAGES, 'echo.html')).href);
    await agent.lists(page, ['echo', 'echoText', 'readNote', 'writeNote']);
    assert.equal((await agent.page()).status, 'ready');
    assert.deepEqual(await agent.call(page, 'echoText', { text: 'from a file' }), { ok: true, result: 'from a file' });
    const inPage = await page.evaluate(async () => {
      const frame = document.createElement('iframe');
      for (const text of ['', '<p>inside']) {
        await new Promise((resolve) => {
          frame.onload = resolve;
          frame.srcdoc = text;
          document.body.append(frame);
        });
      }
      await frame.contentDocument.modelContext.registerTool(kit.tool('inside'));
      const tools = await document.modelContext.getTools();
      return tools.map(({ name, origin, window: view }) => [name, origin, view === window]);
    });
    const own = ['echo', 'echoText', 'readNote', 'writeNote'].map((name) => [name, 'file://', true]);
    own.splice(2, 0, ['inside', 'file://', false]);
    assert.deepEqual(inPage, own);
    await agent.lists(page, ['echo', 'echoText', 'inside', 'readNote', 'writeNote']);
  });

  proves(58, async ({ agent, open, site }) => {
    site.put('inner-most.html', pageWith('same'));
    site.put('inner-one.html', pageWith('same', '<iframe src="onward.html?empty.html"></iframe><iframe src="onward.html?inner-most.html"></iframe>'));
    const stranger = `<iframe src="${site.url('inner-most.html', site.otherOrigin)}"></iframe>`;
    const page = await open(site.put('outer-most.html', pageWith('same', `${stranger}<iframe src="onward.html?inner-one.html"></iframe>`)));
    await agent.lists(page, ['same', 'same', 'same']);
    const told = async () => (await agent.told(page)).map(({ origin, tools }) => [origin === site.origin, tools.length]).sort();
    await until(async () => (await told()).length === 5, { what: 'five relays' });
    assert.deepEqual(await told(), [[false, 0], [true, 0], [true, 1], [true, 1], [true, 1]]);
    const seen = await page.evaluate(async () => {
      const inner = frames[1];
      const changes = [];
      document.modelContext.addEventListener('toolchange', () => changes.push('toolchange'));
      await frames[1].frames[0].document.modelContext.registerTool(kit.tool('inEmpty'));
      await kit.quiet(changes);
      const popup = open('inner-most.html', '_blank', 'popup');
      await new Promise((resolve) => popup.addEventListener('load', resolve));
      const list = async (view) => (await view.document.modelContext.getTools()).map(({ name, window: where }) => [name, where === window, where === inner]);
      const lists = [await list(window), await list(inner), await list(inner.frames[1])];
      const [, { window: where }] = await document.modelContext.getTools();
      const elsewhere = await kit.outcome(() => document.modelContext.executeTool(kit.handle('same', { window: popup })));
      popup.close();
      const called = await document.modelContext.executeTool(kit.handle('same', { window: inner }));
      return { changes, lists, where: where === window, elsewhere, called };
    });
    const list = [['inEmpty', false, false], ['same', true, false], ['same', false, true], ['same', false, false]];
    assert.deepEqual(seen, {
      changes: ['toolchange'],
      lists: [list, list, list],
      where: true,
      elsewhere: 'UnknownError: The operation failed for an unknown transient reason (e.g. out of memory).',
      called: site.url('inner-one.html'),
    });
    await agent.lists(page, ['inEmpty', 'same', 'same', 'same']);
  });
}
