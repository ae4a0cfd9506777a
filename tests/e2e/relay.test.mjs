/**
 * `relay.js` with `bridge.js` in a small extension of their own, whose worker records the messages it gets, with native
 * WebMCP and without.
 */
// lane: alone (it checks limits in milliseconds)

import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { INSECURE_HOST, launch } from '../lib/browser.mjs';
import { OriginTrial } from '../lib/origin-trial.mjs';
import { EXTENSION, PAGES, TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { pause, quick, until, within } from '../lib/wait.mjs';

const KIT = await readFile(path.join(TESTS, 'fixtures', 'webmcp', 'kit.js'), 'utf8');

/** Create the extension's folder. Without `scripts`, only its worker injects scripts. */
async function extension({ scripts }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-relay-'));
  for (const file of ['bridge.js', 'relay.js']) await copyFile(path.join(EXTENSION, file), path.join(folder, file));
  await copyFile(path.join(TESTS, 'fixtures', 'relay-extension', 'worker.js'), path.join(folder, 'worker.js'));
  const script = (file, run_at, world) => ({
    matches: ['<all_urls>'],
    js: [file],
    run_at,
    world,
    all_frames: true,
    match_origin_as_fallback: true,
  });
  const manifest = {
    manifest_version: 3,
    name: 'Relay under test',
    version: '1.0.0',
    permissions: ['scripting', 'tabs'],
    host_permissions: ['<all_urls>'],
    background: { service_worker: 'worker.js' },
    ...(scripts && {
      content_scripts: [script('bridge.js', 'document_start', 'MAIN'), script('relay.js', 'document_start', 'ISOLATED')],
    }),
  };
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}

/** @type {import('../lib/site.mjs').Site} */
let site;
const folders = [];

before(async () => {
  site = await serve(PAGES);
});
after(async () => {
  await site?.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** A tab with its relay, and what the worker received from it. */
class Tab {
  /** Uncaught errors and `console.error`s of the page and its content scripts. */
  problems = [];

  constructor(chromium, page) {
    this.chromium = chromium;
    this.page = page;
    page.on('pageerror', (error) => this.problems.push(String(error?.message ?? error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
  }

  static async open(chromium, { url = site.url(`empty.html?${crypto.randomUUID()}`), names = [] } = {}) {
    const tab = new Tab(chromium, await chromium.open());
    await tab.page.evaluateOnNewDocument(KIT);
    await tab.page.evaluateOnNewDocument((wanted) => {
      document.addEventListener('DOMContentLoaded', () => {
        for (const name of wanted) document.modelContext?.registerTool(kit.tool(name, (input) => input));
      });
    }, names);
    await tab.go(url);
    tab.id = await chromium.inWorker((address) => tabOf(address), tab.page.url());
    return tab;
  }

  async go(url) {
    await this.page.goto(url);
  }

  /** How many messages the worker has received so far. */
  mark() {
    return this.chromium.inWorker(() => heard.length);
  }

  /** Wait until the worker receives a message like this from the top frame. */
  hear(wanted, from = 0) {
    const all = { tab: this.id, ...('frame' in wanted || 'origin' in wanted ? {} : { frame: 0 }), ...wanted };
    return within(this.chromium.inWorker((...args) => hear(...args), all, from), { what: `${JSON.stringify(wanted)} to be heard` });
  }

  /** The messages that the worker has received from this tab. */
  async heard(type, from = 0) {
    const all = await this.chromium.inWorker((tab, start) => heard.slice(start).filter((one) => one.tab === tab), this.id, from);
    return all.filter(({ message }) => type === undefined || message.type === type);
  }

  /** Wait until the top frame's last list has these names. */
  async lists(names, from = 0) {
    return until(
      async () => {
        const list = (await this.heard('__wmcp_tools_changed', from)).filter(({ frame }) => frame === 0).at(-1);
        return list?.message.tools.map(({ name }) => name).join(' ') === names && list.message;
      },
      { what: `the list ${JSON.stringify(names)}`, every: 10 },
    );
  }

  call(toolName, args, options) {
    return within(this.chromium.inWorker((...all) => call(...all), this.id, toolName, args, options), { what: `${toolName} to answer` });
  }

  tell(message, options) {
    return this.chromium.inWorker((...all) => tell(...all), this.id, message, options);
  }

  /** Inject a file of the extension into the top frame. */
  put(file, world) {
    return this.chromium.inWorker((...all) => put(...all).then(() => undefined), file, world, { tabId: this.id });
  }

  async close() {
    await this.page.close();
  }
}

/** Run `work` with a new tab, which must raise no errors that `work` does not remove from `problems`. */
async function inTab(chromium, work, options) {
  const tab = await Tab.open(chromium, options);
  try {
    await work(tab);
    assert.deepEqual(tab.problems, [], 'errors on the page');
  } finally {
    await tab.close();
  }
}

/** `{ ok, result, error, code }` of a tool result message. */
const outcome = ({ type, requestId, ...rest }) => rest;

for (const native of [true, false]) {
  const backend = native ? 'native' : 'polyfill';

  describe(`with ${backend} WebMCP`, () => {
    /** @type {import('../lib/browser.mjs').Chromium} */
    let chromium;

    before(async () => {
      const folder = await extension({ scripts: true });
      folders.push(folder);
      chromium = await launch({ native, extension: folder });
    });
    after(() => chromium?.close());

    test('a page that is still loading an image reports its tools', async () => {
      const release = site.hold('/never.png');
      const tab = new Tab(chromium, await chromium.open());
      try {
        await tab.page.evaluateOnNewDocument(KIT);
        const html = '<!doctype html><title>Slow</title><script>document.modelContext.registerTool(kit.tool("early"))</script><img src="never.png" alt="">';
        await tab.page.goto(site.put('waiting.html', html, { 'Content-Type': 'text/html' }), { waitUntil: 'domcontentloaded' });
        tab.id = await chromium.inWorker((address) => tabOf(address), tab.page.url());
        await tab.lists('early');
        assert.equal(await tab.page.evaluate(() => document.readyState), 'interactive');
        const mark = await tab.mark();
        // It listens before the image comes: the page may have loaded before a request of ours reaches it.
        await tab.page.evaluate(() => void (window.loaded = new Promise((resolve) => addEventListener('load', () => setTimeout(resolve), { once: true }))));
        release();
        await tab.page.evaluate(() => window.loaded);
        assert.deepEqual(outcome(await tab.call('early', {})), { ok: true, result: 'done' });
        assert.deepEqual(await tab.heard('__wmcp_tools_changed', mark), [], 'it is told once');
      } finally {
        release();
        await tab.close();
      }
    });

    test('the list is sent once when the page loads, and again for each change', async () => {
      await inTab(
        chromium,
        async (tab) => {
          const first = await tab.hear({ type: '__wmcp_tools_changed' });
          assert.deepEqual(first.message, {
            type: '__wmcp_tools_changed',
            backend,
            tools: [
              {
                name: 'echo',
                description: 'Gives back its arguments.',
                inputSchema: '{"type":"object"}',
                annotations: { readOnlyHint: true, untrustedContentHint: false, consequentialHint: false, destructiveHint: false, debugging: false },
              },
            ],
            total: 1,
          });
          /** How long until the worker has the list that comes of it. */
          const change = async (act, names) => {
            const mark = await tab.mark();
            const since = await tab.page.evaluate(act);
            await tab.lists(names, mark);
            const { at } = await tab.hear({ type: '__wmcp_tools_changed' }, mark);
            return at - since;
          };
          let lists = 1;
          const both = async () => {
            // The pace of the changes before is forgotten.
            if (lists > 1) await pause(1_000);
            const added = await change(() => {
              window.controller = new AbortController();
              void document.modelContext.registerTool(kit.tool('late'), { signal: window.controller.signal });
              return Date.now();
            }, 'echo late');
            const taken = await change(() => {
              window.controller.abort();
              return Date.now();
            }, 'echo');
            lists += 2;
            return Math.max(added, taken);
          };
          await quick(500, both, 'a list');
          assert.equal((await tab.heard('__wmcp_tools_changed')).length, lists);
          assert.deepEqual(await tab.heard('__wmcp_bridge_missing'), []);
        },
        { url: site.url('strict-csp.html') },
      );
    });

    test('lists back off while a page changes its tools without pause, and the final list arrives', async () => {
      await inTab(chromium, async (tab) => {
        await tab.lists('');
        await tab.page.evaluate(() => {
          let controller;
          let number = 0;
          const change = () => {
            controller?.abort();
            controller = new AbortController();
            number += 1;
            void document.modelContext.registerTool(kit.tool(`round${number}`), { signal: controller.signal }).catch(() => {});
          };
          // It ends by itself: the longer a storm, the longer the wait after it, and the test may be slow to end it.
          window.storm = () => {
            const timer = setInterval(change, 10);
            window.calm = new Promise((resolve) => setTimeout(resolve, 700)).then(() => (clearInterval(timer), { last: `round${number}`, at: Date.now() }));
          };
          window.leave = () => controller.abort();
        });
        const storm = async () => {
          const mark = await tab.mark();
          await tab.page.evaluate(() => window.storm());
          await pause(200);
          const between = await tab.mark();
          const asked = Date.now();
          await tab.tell({ type: '__wmcp_list_tools', requestId: `urgent${mark}` });
          const answer = await tab.hear({ type: '__wmcp_tools_list', requestId: `urgent${mark}` }, between);
          const calm = await tab.page.evaluate(() => window.calm);
          const told = async () => (await tab.heard(undefined, mark)).filter(({ message }) => message.tools).at(-1);
          await until(async () => (await told()).message.tools[0]?.name === calm.last, { what: `the list ${calm.last}` });
          // Expected after 50, 100, 200 and 400 ms, and the last one. At every 50 ms there would be fourteen.
          const lists = await tab.heard('__wmcp_tools_changed', mark);
          assert.ok(lists.length <= 8, `${lists.length} lists`);
          // After a pause as long as the wait, a change is reported at once again.
          await pause(2_000);
          const late = await tab.mark();
          const since = await tab.page.evaluate(() => (window.leave(), Date.now()));
          const { at } = await tab.hear({ type: '__wmcp_tools_changed' }, late);
          return answer.at < calm.at ? Math.max(answer.at - asked, at - since) : Infinity;
        };
        await quick(500, storm, 'an answer within a storm, or the first list after it,');
      });
    });

    // Chromium crashes when it is asked for the tools of a page that it has just left.
    if (native) {
      test('after beforeunload, a page is not asked for its tools until it is known to stay', async () => {
        const release = site.hold('/held.html');
        try {
          await inTab(chromium, async (tab) => {
            await tab.lists('');
            const mark = await tab.mark();
            // DevTools cannot reach a page that is being left, so it schedules its steps in advance.
            await tab.page.evaluate((url) => {
              addEventListener('beforeunload', () => {
                setTimeout(() => void document.modelContext.registerTool(kit.tool('meanwhile')), 50);
                setTimeout(() => window.stop(), 2_500);
              });
              setTimeout(() => (location.href = url));
            }, site.url('held.html'));
            // One second after `beforeunload`, and again one second later, the relay checks whether its page stays.
            await tab.hear({ type: '__wmcp_page_stays' }, mark);
            const between = await tab.mark();
            await tab.tell({ type: '__wmcp_list_tools', requestId: 'meanwhile' });
            await tab.hear({ type: '__wmcp_page_stays' }, between);
            assert.deepEqual([...(await tab.heard('__wmcp_tools_changed', mark)), ...(await tab.heard('__wmcp_tools_list', mark))], []);
            const told = async () => (await tab.heard(undefined, mark)).filter(({ message }) => message.tools).at(-1);
            await until(async () => (await told())?.message.tools[0]?.name === 'meanwhile', { what: 'the list' });
            await tab.hear({ type: '__wmcp_tools_list', requestId: 'meanwhile' }, mark);
          });
        } finally {
          release();
        }
      });

      test('the top document lists the tools of same-origin frames, also of frames added later', async () => {
        await inTab(chromium, async (tab) => {
          await tab.lists('');
          const addFrame = (name) =>
            tab.page.evaluate((tool) => {
              const frame = document.createElement('iframe');
              frame.src = 'onward.html?empty.html';
              frame.onload = () => {
                frame.onload = null;
                frame.srcdoc = `<script>void document.modelContext.registerTool({ name: '${tool}', description: 'd', execute() {} });</${'script'}>`;
              };
              document.body.append(frame);
            }, name);
          const framed = async (names) => {
            const lists = async () => {
              const latest = new Map((await tab.heard('__wmcp_tools_changed')).map(({ frame, message }) => [frame, message.tools]));
              return [...latest.values()].flat().map(({ name }) => name).sort().join(' ');
            };
            await until(async () => (await lists()) === names, { what: `the lists ${names}` });
          };
          await addFrame('one');
          await addFrame('two');
          await framed('one two');
          // The next document in the frame has none of these tools.
          const changed = await tab.mark();
          await tab.page.evaluate(() => (document.querySelector('iframe').srcdoc = '<p>Nothing</p>'));
          await until(async () => (await tab.heard('__wmcp_tools_changed', changed)).some(({ frame, message }) => frame !== 0 && message.tools.length === 0), {
            what: 'the new document’s empty list',
          });
        });
      });
    }

    test('many changes are merged into few lists, and none is lost', async () => {
      await inTab(chromium, async (tab) => {
        await tab.lists('');
        await tab.page.evaluate(async () => {
          for (let at = 0; at < 300; at += 1) await document.modelContext.registerTool(kit.tool(`t${at}`));
        });
        await tab.hear({ type: '__wmcp_tools_changed', total: 300 });
        assert.ok((await tab.heard('__wmcp_tools_changed')).length < 60);
      });
    });

    test('each frame lists and runs its own tools', async () => {
      await inTab(
        chromium,
        async (tab) => {
          const { origin, otherOrigin } = site;
          await tab.hear({ type: '__wmcp_tools_changed', frame: 0, total: 1 });
          await until(async () => new Set((await tab.heard('__wmcp_tools_changed')).map(({ frame }) => frame)).size === 3, {
            what: 'lists of three frames',
          });
          const mark = await tab.mark();
          assert.equal(await tab.tell({ type: '__wmcp_list_tools', requestId: 'all' }, {}), 'ok');
          await until(async () => (await tab.heard('__wmcp_tools_list', mark)).length === 3, { what: 'three answers' });
          const lists = (await tab.heard('__wmcp_tools_list', mark)).map(({ frame, origin: from, message }) => ({
            top: frame === 0,
            from,
            requestId: message.requestId,
            names: message.tools.map(({ name }) => name),
            blocked: message.blocked,
          }));
          const from = (wanted, top) => lists.find((list) => list.from === wanted && list.top === top);
          assert.deepEqual(from(origin, true), { top: true, from: origin, requestId: 'all', names: ['onTop'], blocked: undefined });
          assert.deepEqual(from(origin, false), { top: false, from: origin, requestId: 'all', names: ['inSameOrigin'], blocked: undefined });
          // A script in a cross-origin frame cannot find out whether the frame may use WebMCP.
          assert.deepEqual(
            from(otherOrigin, false),
            native
              ? { top: false, from: otherOrigin, requestId: 'all', names: ['inOtherOrigin'], blocked: undefined }
              : { top: false, from: otherOrigin, requestId: 'all', names: [], blocked: true },
          );
          const inSame = (await tab.heard('__wmcp_tools_list', mark)).find((one) => one.origin === origin && one.frame !== 0);
          const answer = await tab.call('inSameOrigin', {}, { documentId: inSame.document });
          assert.deepEqual(outcome(answer), { ok: true, result: `from inSameOrigin at ${origin}` });
          assert.equal((await tab.call('inSameOrigin')).code, 'notFound');
          const told = (await tab.heard('__wmcp_tools_changed')).map((one) => `${one.document} ${one.message.tools.map(({ name }) => name)}`);
          assert.equal(new Set(told).size, told.length, 'no document tells a list twice');
          // The page's own error: its cross-origin frame may not register.
          if (!native) tab.problems.splice(0);
        },
        { url: site.url('frames.html') },
      );
    });

    test('a call is answered with the tool’s result or its own error message', async () => {
      await inTab(chromium, async (tab) => {
        await tab.page.evaluate(async () => {
          const circular = {};
          circular.self = circular;
          const tools = {
            echo: (input) => input,
            text: () => 'hello',
            nothing: () => {},
            surrogate: () => 'a\uD800',
            throws: () => {
              throw new Error('no seats');
            },
            rejects: () => Promise.reject('just text'),
            circular: () => circular,
            symbol: () => Symbol('s'),
            large: ({ size }) => 'x'.repeat(size),
            wait: ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, ms)),
          };
          for (const [name, execute] of Object.entries(tools)) await document.modelContext.registerTool(kit.tool(name, execute));
        });
        const given = { a: [1, { b: '航班 🛫' }], c: null };
        assert.deepEqual(outcome(await tab.call('echo', given)), { ok: true, result: JSON.stringify(given) });
        const big = { text: 'é'.repeat(1_000_000) };
        assert.equal((await tab.call('echo', big)).result, JSON.stringify(big));
        assert.deepEqual(outcome(await tab.call('text')), { ok: true, result: 'hello' });
        assert.deepEqual(outcome(await tab.call('nothing')), { ok: true, result: 'undefined' });
        assert.deepEqual(outcome(await tab.call('surrogate')), { ok: true, result: 'a\uFFFD' });
        const threw = (error) => ({ ok: false, code: 'threw', error });
        assert.deepEqual(outcome(await tab.call('throws')), threw('no seats'));
        assert.deepEqual(outcome(await tab.call('rejects')), threw('just text'));
        assert.match((await tab.call('circular')).error, /^Converting circular structure to JSON/);
        assert.deepEqual(outcome(await tab.call('symbol')), threw('The tool returned a Symbol, which cannot be passed on.'));
        assert.deepEqual(outcome(await tab.call('nope')), { ok: false, code: 'notFound', error: 'The page has no tool of this name.' });
        for (const args of ['[1]', 'null', '5', '{', '']) assert.equal((await tab.call('echo', args)).code, 'badArguments', args);
        assert.equal((await tab.call('echo', { a: 'x'.repeat(4_194_304) })).code, 'badArguments');
        assert.equal((await tab.call('large', { size: 4_194_304 })).result.length, 4_194_304);
        assert.equal((await tab.call('large', { size: 4_194_305 })).code, 'tooLarge');
        const waits = await Promise.all([60, 0, 30].map((ms) => tab.call('wait', { ms })));
        assert.deepEqual(waits.map(({ result }) => result), ['60', '0', '30']);
        // Failures are also logged for the page's developer.
        assert.ok(tab.problems.every((text) => text.startsWith('WebMCP tool execution failed:')), tab.problems.join('\n'));
        assert.equal(tab.problems.splice(0).length, 4);
      });
    });

    test('how tools were registered is told when the worker asks, without what may be secret; of forms what the document says', async () => {
      const url = site.put(
        'told.html',
        `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script src="${site.put('told.js', "document.modelContext.registerTool(kit.tool('scripted'), { exposedTo: ['https://a.example/x'] });")}?secret=1"></script>
<form toolname="described" tooldescription="Searches." toolautosubmit>
  <input name="city"><label>Day <input name="day" type="date"></label><input name="code" type="password" toolparamdescription="Code.">
  <input name="attributes" aria-description="A clobbered member."><button name="send">Go</button><input type="hidden" name="token">
</form>
<form toolname="blank" tooldescription=" "><input name="elements"></form>`,
      );
      await inTab(
        chromium,
        async (tab) => {
          const told = JSON.parse(await tab.tell({ type: '__wmcp_list_facts', requestId: 'f' }));
          const [scripted] = told.tools;
          assert.ok(scripted.at > 0 && scripted.at < 60_000, `${scripted.at}`);
          const { at, ...rest } = scripted;
          assert.deepEqual(rest, { name: 'scripted', again: 0, script: site.url('told.js'), afterLoad: 0, line: 1, exposedTo: ['https://a.example/x'] });
          const field = (name, kind, isDescribed) => ({ name, kind, isDescribed });
          assert.deepEqual(told.forms, [
            {
              name: 'described',
              isDescribed: true,
              autosubmit: true,
              fields: [field('city', 'text', false), field('day', 'date', true), field('code', 'password', true), field('attributes', 'text', true)],
            },
            { name: 'blank', isDescribed: false, autosubmit: false, fields: [field('elements', 'text', false)] },
          ]);
          await tab.page.evaluate(() => document.modelContext.registerTool(kit.tool('late')));
          const late = JSON.parse(await tab.tell({ type: '__wmcp_list_facts', requestId: 'f', toolName: 'late' }));
          assert.deepEqual([late.forms, late.tools.map(({ name, script }) => [name, script])], [[], [['late', undefined]]]);
          assert.ok(late.tools[0].afterLoad > 0 && late.tools[0].afterLoad < late.tools[0].at, JSON.stringify(late));
        },
        { url },
      );
    });

    test('a call sent twice under one request ID runs once', async () => {
      await inTab(chromium, async (tab) => {
        await tab.page.evaluate(async () => {
          window.runs = 0;
          const answer = () => new Promise((resolve) => setTimeout(resolve, 30, (window.runs += 1)));
          await document.modelContext.registerTool(kit.tool('count', answer));
        });
        const [first, second] = await Promise.all([1, 2].map(() => tab.call('count', {}, { requestId: 'same' })));
        const third = await tab.call('count', {}, { requestId: 'same' });
        assert.deepEqual([first.result, second.result, third.result], ['1', '1', '1']);
        assert.equal((await tab.call('count', {}, { requestId: 'other' })).result, '2');

        const rush = Array.from({ length: 100 }, (_, at) => `r${at}`);
        await chromium.inWorker((id, ids) => Promise.all(ids.map((requestId) => call(id, 'count', {}, { requestId }))), tab.id, rush);
        const forgotten = await tab.call('count', {}, { requestId: 'same' });
        assert.deepEqual(outcome(forgotten), { ok: false, code: 'tooLarge', error: 'The tool did run; its result is no longer kept.' });
        assert.equal(await tab.page.evaluate(() => window.runs), 102);
      });
    });

    test('a call can be cancelled', async () => {
      await inTab(chromium, async (tab) => {
        await tab.page.evaluate(async () => {
          window.log = [];
          document.modelContext.addEventListener('toolcancel', ({ toolName }) => window.log.push(`cancel ${toolName}`));
          const hang = (_, { signal }) => {
            window.log.push('execute');
            signal.addEventListener('abort', () => window.log.push('aborted'));
            return new Promise((resolve) => (window.answer = resolve));
          };
          await document.modelContext.registerTool(kit.tool('hangs', hang));
        });
        const log = (length) => until(async () => (await tab.page.evaluate(() => window.log)).length >= length, { what: `${length} steps` });
        const call = tab.call('hangs', {}, { requestId: 'one' });
        await log(1);
        await chromium.inWorker((id) => cancel(id, 'one'), tab.id);
        assert.equal((await call).code, 'cancelled');
        await log(3);
        assert.deepEqual(await tab.page.evaluate(() => window.log), ['execute', 'aborted', 'cancel hangs']);
        await tab.page.evaluate(() => window.answer('late'));
        assert.equal((await tab.call('hangs', {}, { requestId: 'one' })).code, 'cancelled', 'and stays so');
      });
    });

    test('a call ends when its page goes away', async () => {
      await inTab(
        chromium,
        async (tab) => {
          await tab.lists('leave');
          const { document: left } = await tab.hear({ type: '__wmcp_tools_changed' });
          const answer = await tab.call('leave');
          assert.deepEqual(outcome(answer), { ok: false, code: 'navigated', error: 'The page went away during the call.' });
          await tab.hear({ type: '__wmcp_page_gone', document: left });
          await until(async () => (await tab.heard('__wmcp_tools_changed')).at(-1).document !== left, { what: 'the next page' });
        },
        { url: site.url('navigating.html') },
      );
    });

    test('lists follow reloads and back/forward navigation', async () => {
      await inTab(
        chromium,
        async (tab) => {
          const first = await tab.hear({ type: '__wmcp_tools_changed' });
          let mark = await tab.mark();
          await tab.page.reload();
          await tab.hear({ type: '__wmcp_page_gone', document: first.document }, mark);
          const again = await tab.hear({ type: '__wmcp_tools_changed' }, mark);
          assert.notEqual(again.document, first.document);
          assert.deepEqual(again.message.tools.map(({ name }) => name), ['echo']);
          await tab.page.evaluate(() => history.pushState({}, '', '#elsewhere'));
          await tab.go(site.url('empty.html'));
          await tab.hear({ type: '__wmcp_page_gone', document: again.document });
          await until(async () => (await tab.heard('__wmcp_tools_changed')).at(-1).document !== again.document, { what: 'the next page' });
          mark = await tab.mark();
          await tab.page.goBack();
          await tab.lists('echo', mark);
          assert.deepEqual(outcome(await tab.call('echo', { a: 1 })), { ok: true, result: '{"a":1}' });
          const back = await tab.hear({ type: '__wmcp_tools_changed' }, mark);
          assert.equal(back.document, again.document, 'the page came out of the back/forward cache');
        },
        { names: ['echo'] },
      );
    });

    test('a page in which WebMCP is blocked is reported as blocked', async () => {
      const files = native ? ['blocked.html', 'shared-cluster.html'] : ['shared-cluster.html'];
      for (const file of files) {
        await inTab(
          chromium,
          async (tab) => {
            const { message } = await tab.hear({ type: '__wmcp_tools_changed' });
            assert.deepEqual(message, { type: '__wmcp_tools_changed', backend, tools: [], total: 0, blocked: true }, file);
            tab.problems.splice(0); // the page's own failed registration
          },
          { url: site.url(file) },
        );
      }
    });

    test('an insecure page sends nothing to the worker', async () => {
      const insecure = await Tab.open(chromium, { url: `http://${INSECURE_HOST}:${site.port}/empty.html` });
      await inTab(chromium, async (tab) => void (await tab.lists('')));
      assert.deepEqual(await insecure.heard(), []);
      await insecure.close();
    });

    test('injecting relay and bridge again changes nothing', async () => {
      await inTab(
        chromium,
        async (tab) => {
          await tab.lists('echo');
          const mark = await tab.mark();
          await tab.put('relay.js', 'ISOLATED');
          await tab.put('bridge.js', 'MAIN');
          await tab.lists('echo', mark);
          await tab.page.evaluate(async () => {
            window.runs = 0;
            await document.modelContext.registerTool(kit.tool('count', () => (window.runs += 1)));
          });
          await tab.lists('count echo', mark);
          assert.equal((await tab.call('count')).result, '1');
          assert.equal(await tab.page.evaluate(() => window.runs), 1);
          assert.equal((await tab.heard('__wmcp_tools_changed', mark)).length, 2);
        },
        { names: ['echo'] },
      );
    });

    test('a tool that waits for the user is reported', async () => {
      await inTab(chromium, async (tab) => {
        await tab.page.evaluate(() => {
          const ask = (_, client) => client.requestUserInteraction(() => new Promise((resolve) => (window.answer = resolve)));
          navigator.modelContext.registerTool(kit.tool('asks', ask));
        });
        await tab.lists('asks');
        const call = tab.call('asks', {}, { requestId: 'one' });
        const about = { type: '__wmcp_user_interaction', requestId: 'one', toolName: 'asks' };
        await tab.hear({ ...about, phase: 'started' });
        await tab.page.evaluate(() => window.answer('yes'));
        assert.equal((await call).result, 'yes');
        await tab.hear({ ...about, phase: 'ended' });
      });
    });

    test('a page finds no extension in its stack traces', async () => {
      await inTab(chromium, async (tab) => {
        await tab.page.evaluate(async () => {
          window.stacks = [];
          const note = (stack) => window.stacks.push(stack);
          const context = document.modelContext;
          context.addEventListener('toolchange', () => note(new Error().stack));
          await context.registerTool({
            get name() {
              note(new Error().stack);
              return 'traced';
            },
            description: 'd',
            execute: (_, { signal }) => {
              note(new Error().stack);
              signal.addEventListener('abort', () => note(new Error().stack));
            },
          });
          await context.registerTool({}).catch(({ stack }) => note(stack));
          await context.registerTool(kit.tool('traced')).catch(({ stack }) => note(String(stack)));
          try {
            navigator.modelContext.registerTool({});
          } catch ({ stack }) {
            note(stack);
          }
        });
        await tab.lists('traced');
        assert.equal((await tab.call('traced')).ok, true);
        const stacks = await tab.page.evaluate(() => window.stacks);
        assert.ok(stacks.length >= 6);
        assert.deepEqual(stacks.filter((stack) => stack.includes('chrome-extension:')), []);
      });
    });
  });

  describe(`in pages opened before the extension was installed, with ${backend} WebMCP`, () => {
    /** @type {import('../lib/browser.mjs').Chromium} */
    let chromium;

    before(async () => {
      const folder = await extension({ scripts: false });
      folders.push(folder);
      chromium = await launch({ native, extension: folder });
    });
    after(() => chromium?.close());

    const repair = (yes) => chromium.inWorker((value) => void (repairs = value), yes);

    test('an injected relay asks for a bridge and uses it', async () => {
      await repair(true);
      await inTab(
        chromium,
        async (tab) => {
          await tab.page.evaluate(() => {
            window.overheard = [];
            window.addEventListener('message', ({ data }) => window.overheard.push(data));
          });
          await tab.put('relay.js', 'ISOLATED');
          await tab.hear({ type: '__wmcp_bridge_missing' });
          await tab.lists(native ? 'echo' : '');
          await until(() => tab.page.evaluate(() => 'modelContext' in navigator), { what: 'the bridge to be there' });
          await tab.page.evaluate(() => document.modelContext.registerTool(kit.tool('later', () => {
            throw new Error('own words');
          })));
          await tab.lists(native ? 'echo later' : 'later');
          const words = () => tab.call('later').then(({ error }) => error);
          await until(async () => (await words()) === 'own words', { what: 'the words of the tool' });
          assert.equal((await tab.heard('__wmcp_bridge_missing')).length, 1);
          tab.problems.splice(0); // the tool's error and, without native WebMCP, the page's failed registration
          // The page's listener was added before the bridge, so it sees the connect messages.
          assert.deepEqual(await tab.page.evaluate(() => window.overheard), Array(2).fill({ type: '__wmcp_connect' }));
        },
        { names: ['echo'] },
      );
    });

    test('without a bridge, lists and calls are still answered', async () => {
      await repair(false);
      await inTab(
        chromium,
        async (tab) => {
          await tab.put('relay.js', 'ISOLATED');
          await tab.lists(native ? 'echo' : '');
          await tab.hear({ type: '__wmcp_bridge_missing' });
          await tab.tell({ type: '__wmcp_list_tools', requestId: 'one' });
          const { message } = await tab.hear({ type: '__wmcp_tools_list' });
          assert.deepEqual([message.requestId, message.backend, message.total], ['one', backend, native ? 1 : 0]);
          if (native) {
            assert.equal((await tab.call('echo', { a: 1 })).result, '{"a":1}');
            await tab.page.evaluate(() => document.modelContext.registerTool(kit.tool('throws', () => {
              throw new Error('unheard');
            })));
            const { code, error } = await tab.call('throws');
            assert.equal(code, 'threw');
            assert.match(error, /^Tool was executed but the invocation failed/);
          } else {
            assert.equal((await tab.call('echo')).code, 'notFound');
            await tab.put('bridge.js', 'MAIN');
            await tab.page.evaluate(() => document.modelContext.registerTool(kit.tool('later')));
            await tab.tell({ type: '__wmcp_list_tools', requestId: 'two' });
            const later = await tab.hear({ type: '__wmcp_tools_list', requestId: 'two' });
            assert.deepEqual(later.message.tools.map(({ name }) => name), ['later']);
          }
          assert.equal((await tab.heard('__wmcp_bridge_missing')).length, 1);
          tab.problems.splice(0);
        },
        { names: ['echo'] },
      );
    });

    test('a relay whose extension was reloaded stops, and a new one serves the page', async () => {
      await repair(true);
      await inTab(chromium, async (tab) => {
        await tab.put('relay.js', 'ISOLATED');
        await until(() => tab.page.evaluate(() => 'modelContext' in navigator), { what: 'the bridge to be there' });
        await tab.page.evaluate(async () => {
          window.runs = 0;
          await document.modelContext.registerTool(kit.tool('count', () => (window.runs += 1)));
        });
        await tab.lists('count');
        await chromium.reinstall();
        await until(() => chromium.inWorker(() => heard.length === 0), { what: 'the new worker' });
        await tab.put('relay.js', 'ISOLATED');
        await tab.lists('count');
        // The old relay is notified of this as well.
        await tab.page.evaluate(() => document.modelContext.registerTool(kit.tool('later')));
        await tab.lists('count later');
        assert.equal((await tab.call('count')).result, '1');
        await tab.page.evaluate(() => document.modelContext.registerTool(kit.tool('last')));
        await tab.lists('count last later');
        assert.equal(await tab.page.evaluate(() => window.runs), 1);
      });
    });
  });
}

/** Replace WebMCP with bound functions: their source text ends in `{ [native code] }`, like the browser's. */
function pretend() {
  window.asked = [];
  const tool = { ...kit.tool('mark'), origin: location.origin };
  const impl = {
    getTools: (async () => window.asked.push('getTools') && [{ ...tool, window }]).bind(null),
    registerTool: (async () => {}).bind(null),
    executeTool: (async () => window.asked.push('executeTool') && 'forged').bind(null),
  };
  window.ModelContext ??= class ModelContext extends EventTarget {};
  Object.assign(ModelContext.prototype, impl);
  const fake = Object.assign(new EventTarget(), impl);
  Object.defineProperty(Document.prototype, 'modelContext', { get: (() => fake).bind(null), configurable: true });
}

describe('a page that imitates native WebMCP', () => {
  test('keeps its tools in the polyfill, with that source', async () => {
    const folder = await extension({ scripts: true });
    folders.push(folder);
    const chromium = await launch({ native: false, extension: folder });
    try {
      await inTab(
        chromium,
        async (tab) => {
          await tab.lists('mark');
          await tab.page.evaluate(pretend);
          // Reading this property makes the bridge check whether native WebMCP has arrived.
          await tab.page.evaluate(() => navigator.modelContext.registerTool(kit.tool('second', () => 'true')));
          const { backend } = await tab.lists('mark second');
          assert.equal(backend, 'polyfill');
          assert.deepEqual(outcome(await tab.call('mark', { a: 1 })), { ok: true, result: '{"a":1}' });
          assert.equal((await tab.call('second')).result, 'true');
          await tab.tell({ type: '__wmcp_list_tools', requestId: 'again' });
          const { message } = await tab.hear({ type: '__wmcp_tools_list', requestId: 'again' });
          assert.deepEqual([message.backend, message.tools.map(({ name }) => name)], ['polyfill', ['mark', 'second']]);
          assert.deepEqual(await tab.page.evaluate(() => window.asked), [], 'nothing goes to the page’s functions');
          const told = await tab.heard();
          assert.deepEqual(told.filter(({ message: { backend: source } }) => source === 'native'), []);
        },
        { names: ['mark'] },
      );
    } finally {
      await chromium.close();
    }
  });

  test('has native tools once a real origin-trial token is added', async () => {
    const trial = new OriginTrial();
    const folder = await extension({ scripts: true });
    folders.push(folder);
    const chromium = await launch({ native: false, extension: folder, args: [`--origin-trial-public-key=${trial.publicKey}`] });
    try {
      await inTab(
        chromium,
        async (tab) => {
          assert.equal((await tab.lists('before')).backend, 'polyfill');
          await tab.page.evaluate((token) => {
            const meta = document.createElement('meta');
            meta.httpEquiv = 'origin-trial';
            meta.content = token;
            document.head.append(meta);
          }, trial.token(site.origin));
          await tab.page.evaluate(() => document.modelContext.registerTool(kit.tool('later', () => 'native')));
          assert.equal((await tab.lists('before later')).backend, 'native');
          assert.deepEqual(outcome(await tab.call('later')), { ok: true, result: 'native' });
          assert.deepEqual(outcome(await tab.call('before', { a: 1 })), { ok: true, result: '{"a":1}' });
        },
        { names: ['before'] },
      );
    } finally {
      await chromium.close();
    }
  });

  test('is not taken for native WebMCP by a bridge that is injected late', async () => {
    const folder = await extension({ scripts: false });
    folders.push(folder);
    const chromium = await launch({ native: false, extension: folder });
    try {
      await inTab(chromium, async (tab) => {
        await tab.page.evaluate(pretend);
        await tab.put('relay.js', 'ISOLATED');
        const { backend } = await tab.lists('mark');
        assert.equal(backend, 'polyfill');
      });
    } finally {
      await chromium.close();
    }
  });
});

describe('a page that impersonates the bridge', () => {
  test('is held to the caps, and its malformed messages are dropped', async () => {
    const folder = await extension({ scripts: false });
    folders.push(folder);
    const chromium = await launch({ native: false, extension: folder });
    try {
      await chromium.inWorker(() => void (repairs = false));
      await inTab(chromium, async (tab) => {
        await tab.page.evaluate(() => {
          window.asked = [];
          const tools = (count, more) => Array.from({ length: count }, (_, at) => ({ name: `t${at}`, description: 'd', ...more }));
          window.addEventListener('message', (event) => {
            const [port] = event.ports;
            event.stopImmediatePropagation();
            window.say = (message) => port.postMessage(typeof message === 'string' ? message : JSON.stringify(message));
            window.tools = tools;
            port.onmessage = ({ data }) => {
              const { type, requestId } = JSON.parse(data);
              window.asked.push(type);
              if (type === '__wmcp_call_tool') window.say({ type: '__wmcp_tool_result', requestId, ...window.answer });
            };
            window.say('no JSON');
            window.say({ type: '__wmcp_bridge_ready', version: 1, backend: 'native' });
          });
        });
        await tab.put('relay.js', 'ISOLATED');
        const say = (message) => tab.page.evaluate((text) => window.say(eval(`(${text})`)), message);
        const list = async (message) => {
          const mark = await tab.mark();
          await until(() => tab.page.evaluate(() => 'say' in window), { what: 'the relay' });
          await say(message);
          return (await tab.hear({ type: '__wmcp_tools_changed' }, mark)).message;
        };
        const long = "'x'.repeat(1e6)";
        const cut = await list(`{ type: '__wmcp_tools_changed', backend: 'native', total: -5, blocked: 'yes', tools: [
          { name: 'a', description: ${long}, title: ${long}, inputSchema: ${long}, annotations: { readOnlyHint: 'yes', debugging: true, more: 1 }, more: 1 },
          { name: ${long}, description: 'd' }, { name: 5, description: 'd' }, { name: 'b' }, { name: '', description: 'd' }, null, 'text', [],
        ] }`);
        assert.deepEqual(cut, {
          type: '__wmcp_tools_changed',
          backend: 'polyfill',
          tools: [
            {
              name: 'a',
              description: 'x'.repeat(16_384),
              title: 'x'.repeat(1_024),
              annotations: { readOnlyHint: false, untrustedContentHint: false, consequentialHint: false, destructiveHint: false, debugging: true },
            },
          ],
          total: 1,
        });
        const many = await list("{ type: '__wmcp_tools_changed', tools: window.tools(3000), total: 3000 }");
        assert.deepEqual([many.tools.length, many.total], [1_000, 3_000]);
        const heavy = await list("{ type: '__wmcp_tools_changed', tools: window.tools(900, { inputSchema: 'x'.repeat(100000) }), total: 900 }");
        assert.ok(heavy.tools.length < 90 && heavy.total === 900);

        const answered = async (answer) => {
          await tab.page.evaluate((text) => void (window.answer = eval(`(${text})`)), answer);
          return outcome(await tab.call('a'));
        };
        assert.deepEqual(await answered(`{ ok: true, result: 'x'.repeat(5e6) }`), {
          ok: false,
          code: 'tooLarge',
          error: 'The result is larger than 4194304 characters.',
        });
        assert.deepEqual(await answered(`{ ok: 'yes', result: 1, error: ${long}, code: 'invented' }`), {
          ok: false,
          code: 'threw',
          error: 'x'.repeat(4_096),
        });
        assert.deepEqual(await answered(`{ ok: true, result: { not: 'text' } }`), { ok: true });

        const mark = await tab.mark();
        await say("{ type: '__wmcp_user_interaction', requestId: 'forged', toolName: 'a', phase: 'started' }");
        await say("{ type: '__wmcp_user_interaction', requestId: null, toolName: 'a', phase: 'invented' }");
        await say("{ type: '__wmcp_page_gone' }");
        await list("{ type: '__wmcp_tools_changed', tools: [], total: 0 }");
        const heard = (await tab.heard(undefined, mark)).map(({ message }) => [message.type, message.requestId]);
        assert.deepEqual(heard, [['__wmcp_user_interaction', null], ['__wmcp_tools_changed', undefined]]);
      });
    } finally {
      await chromium.close();
    }
  });
});
