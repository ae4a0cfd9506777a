/** Frames in snapshots. The numbers are those of docs/page-actions.md. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Actions } from '../lib/actions.mjs';
import { Stage } from '../lib/stage.mjs';
import { quick } from '../lib/wait.mjs';

describe('frames', () => {
  /** @type {Actions} */
  let actions;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    actions = await Actions.start();
    page = await actions.open('<p>');
    actions.site.put('actions/child.html', '<!doctype html><title>Child</title><h2>Same</h2><button>In child</button>');
    actions.site.put('actions/parent.html', '<!doctype html><title>Parent</title><h2>Outer</h2><iframe title="inner" src="child.html"></iframe>');
  });
  after(() => actions?.stop());

  test('case 14: frames of six kinds stand in their places, also in closed shadow roots, and nested', async () => {
    const other = actions.site.url('actions/child.html', actions.site.otherOrigin);
    await actions.go(page, `<h1>Top</h1>
      <iframe title="same" src="/actions/child.html"></iframe><p>one</p>
      <iframe title="other" src="${other}"></iframe><p>two</p>
      <iframe title="sandboxed" sandbox src="/actions/child.html"></iframe><p>three</p>
      <iframe title="srcdoc" srcdoc="<button>In srcdoc</button>"></iframe><p>four</p>
      <iframe title="data" src="data:text/html,<button>In data</button>"></iframe><p>five</p>
      <iframe title="blank" src="about:blank"></iframe><p>six</p>
      <div id="host"></div><p>seven</p>
      <iframe title="nested" src="/actions/parent.html"></iframe>`);
    await page.evaluate(() => {
      document.querySelector('#host').attachShadow({ mode: 'closed' }).innerHTML = '<iframe title="closed" srcdoc="<button>In closed root</button>"></iframe>';
      const blank = document.querySelector('[title=blank]').contentDocument;
      blank.body.innerHTML = '<button>In blank</button>';
    });
    await page.waitForFunction(() => document.querySelector('[title=nested]').contentWindow.length === 1);
    const text = await actions.outline(page);
    const shape = text.replace(/ \[ref=\w+\]/g, '');
    for (const [name, words] of [['same', 'heading "Same" [level=2]'], ['other', 'heading "Same" [level=2]'], ['sandboxed', 'heading "Same" [level=2]'], ['srcdoc', 'button "In srcdoc"'], ['data', 'button "In data"'], ['blank', 'button "In blank"'], ['closed', 'button "In closed root"']]) {
      assert.ok(shape.includes(`- iframe "${name}":\n  - ${words}\n`), `${name} in\n${text}`);
    }
    assert.match(shape, /- iframe "nested":\n {2}- heading "Outer" \[level=2\]\n {2}- iframe "inner":\n {4}- heading "Same"/);
    const places = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].flatMap((text, at) => [`iframe "${['same', 'other', 'sandboxed', 'srcdoc', 'data', 'blank', 'closed'][at]}"`, `text: ${text}`]);
    assert.deepEqual(shape.match(/iframe "\w+"|text: \w+/g), [...places, 'iframe "nested"', 'iframe "inner"']);
    // References of frames are the frame's own.
    assert.match(text, /In srcdoc" \[ref=f\d+e\d+\]/);
    const all = text.match(/\[ref=\w+\]/g);
    assert.equal(new Set(all).size, all.length);
  });

  test('case 15: a frame that may not be read is a closed box', async () => {
    await actions.go(page, '<h1>Top</h1><iframe title="mail" src="/actions/child.html"></iframe><p>after</p>');
    const text = await actions.outline(page, { frameIds: [0] });
    assert.match(text, /- iframe "mail" \[ref=e\d+\]:\n {2}\[not readable\]\n- text: after/);
    assert.ok(!text.includes('In child'));
  });

  test('case 16: a frame that still loads holds nothing up', async () => {
    const release = actions.site.hold('/actions/child.html');
    try {
      const snapshot = async () => {
        await actions.go(page, '<h1>Top</h1><iframe title="slow"></iframe><button>After</button>');
        await page.evaluate(() => (document.querySelector('iframe').src = '/actions/child.html'));
        const started = performance.now();
        assert.match(await actions.outline(page), /iframe "slow"[^]*button "After"/);
        return performance.now() - started;
      };
      await quick(1_500, snapshot, 'a snapshot');
    } finally {
      release();
    }
  });

  test('case 20: what changed in a frame, or matches there, is told though its own line stays', async () => {
    actions.site.put('actions/longer.html', '<h2>Same</h2><button>One</button><button>Two</button><button>Three</button><button>Four</button>');
    actions.site.put('actions/frames.html', '<h2>Outer</h2><iframe title="inner" src="child.html"></iframe><iframe title="other" src="longer.html"></iframe>');
    await actions.go(page, '<h1>Top</h1><iframe title="outer" src="/actions/frames.html"></iframe>');
    await page.waitForFunction(() => frames[0]?.frames[1]?.document.querySelector('button'));
    const first = await actions.snapshot(page);
    assert.equal((await actions.snapshot(page, { since: first.id })).text, '');
    await page.evaluate(() => (frames[0].frames[1].document.querySelector('h2').textContent = 'New'));
    const shape = ({ text }) => text.replace(/ \[ref=\w+\]/g, '').replace(/removed: f\d+e\d+/, 'removed: ref');
    const next = await actions.snapshot(page, { since: first.id });
    assert.equal(shape(next), '- iframe "outer":\n  - iframe "other":\n    - heading "New" [level=2]\n    - removed: ref');
    assert.equal((await actions.snapshot(page, { since: next.id })).text, '');
    assert.equal(shape(await actions.snapshot(page, { query: 'new' })), '- iframe "outer":\n  - iframe "other":\n    - heading "New" [level=2]');
    assert.equal((await actions.snapshot(page, { query: 'nowhere' })).text, '');
  });

  test('a token is taken from the window above only', async () => {
    actions.site.put('actions/spy.html', '<button>Spy</button>');
    await actions.go(page, '<iframe title="a" src="/actions/spy.html"></iframe><iframe title="b" src="/actions/child.html"></iframe>');
    await actions.attach(page);
    // A sibling cannot claim to be another frame: its message is only a message.
    await page.evaluate(() => frames[1].eval(`parent.frames[0].postMessage('webmcp-sidecar-frame:' + crypto.randomUUID(), '*')`));
    const text = await actions.outline(page);
    assert.match(text.replace(/ \[ref=\w+\]/g, ''), /iframe "a":\n {2}- button "Spy"\n- iframe "b":\n {2}- heading "Same"/);
  });
});

describe('frames in what the model is told', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set({ asShipped: true });
    stage.site.put('actions/child.html', '<!doctype html><title>Child</title><h2>Same</h2><button>In child</button>');
  });
  after(() => stage?.strike());

  const requests = async () => stage.model.requests();
  const told = async () => (await requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').at(-1).content;
  const shape = (text) => text.replace(/ \[ref=\w+\]/g, '');
  const on = async (html) => {
    const page = await stage.begin(stage.site.put('actions/frames-made.html', `<!doctype html><title>Made</title>${html}`), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    return page;
  };

  test('case 14: in what the model is told each frame stands in its place, too', async () => {
    await on(`<h1>Top</h1>
      <iframe title="same" src="/actions/child.html"></iframe><p>one</p>
      <iframe title="other" src="${stage.site.url('actions/child.html', stage.site.otherOrigin)}"></iframe><p>two</p>
      <iframe title="sandboxed" sandbox src="/actions/child.html"></iframe><p>three</p>
      <iframe title="srcdoc" srcdoc="<button>In srcdoc</button>"></iframe><p>four</p>
      <iframe title="data" src="data:text/html,<button>In data</button>"></iframe><p>five</p>
      <iframe title="blank" src="about:blank"></iframe><p>six</p>`);
    await stage.panel.ask('call snapshot');
    const lines = shape(await told()).split('\n').map((line) => line.trim()).filter((line) => /iframe|text|button|blank/.test(line));
    const child = 'button "In child"';
    assert.deepEqual(lines.map((line) => line.replace(/^- /, '').match(/^(?:iframe|text:|button|\[)[ ]?"?[\w ]+[\]"]?/)[0]), [
      'iframe "same"', child, 'text: one', 'iframe "other"', child, 'text: two', 'iframe "sandboxed"', child, 'text: three',
      'iframe "srcdoc"', 'button "In srcdoc"', 'text: four', 'iframe "data"', 'button "In data"', 'text: five', 'iframe "blank"', '[blank]', 'text: six',
    ]);
    // Whose a frame is stands above what it says, if it is not the page's.
    const whose = [...shape(await told()).matchAll(/- iframe "(\w+)":?\n +\[of ([^\]]+)\]/g)].map(([, name, site]) => [name, site]);
    assert.deepEqual(whose, [['other', new URL(stage.site.otherOrigin).host], ['sandboxed', 'a sandboxed frame'], ['data', 'a sandboxed frame']]);
  });

  test('case 15: nothing of a frame of a hidden site is told, whatever is asked, until it is shown', async () => {
    const { otherOrigin } = stage.site;
    stage.site.put('actions/mail.html', `<!doctype html><title>Mail</title><p>Dear Ada</p><button onclick="this.textContent = 'Pressed'">Answer it</button><iframe title="part" srcdoc="<p>Dear Bob</p>"></iframe><iframe title="jail" sandbox src="jail.html"></iframe>`);
    stage.site.put('actions/jail.html', '<!doctype html><p>Dear Eve</p>');
    await stage.begin(stage.site.url('actions/mail.html', otherOrigin), { tools: 0 });
    await stage.panel.view('tools');
    await stage.panel.click('hide-site');
    await stage.panel.see('hide-site', ':checked');
    await stage.panel.view('chat');
    const page = await on(`<h1>Top</h1><iframe title="mail" src="${stage.site.url('actions/mail.html', otherOrigin)}"></iframe><p>after</p>`);
    const mail = await (await page.$('iframe')).contentFrame();
    await mail.waitForFunction(() => frames.length === 2 && document.readyState === 'complete');
    try {
      await stage.panel.ask('call snapshot');
      assert.match(shape(await told()), /- heading "Top" \[level=1\]\n- iframe "mail"\n {2}\[not readable\]\n- text: after/);
      for (const call of ['snapshot {"query":"dear"}', 'find_elements {"css":"p, button"}', 'page_text', 'wait_for {"text":"Dear","seconds":1}', 'wait_for {"selector":"button","seconds":1}', ...[1, 2, 3, 4, 5].flatMap((frame) => [`click_element {"selector":"f${frame}e1"}`, `snapshot {"root":"f${frame}e1"}`])]) await stage.panel.ask(`call ${call}`);
      const results = (await requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
      assert.ok(results.length > 14);
      for (const words of ['Ada', 'Bob', 'Eve', 'Answer it', 'Pressed']) assert.ok(!JSON.stringify(results).includes(words), `${words} in ${results.join('\n')}`);
      assert.equal(await mail.$eval('button', (node) => node.textContent), 'Answer it');
    } finally {
      await stage.panel.view('settings');
      await stage.panel.click('hidden-take-back');
      await stage.panel.gone('hidden-row');
      await stage.panel.view('chat');
    }
    await stage.panel.ask('call snapshot');
    for (const words of ['Dear Ada', 'Dear Bob', 'Dear Eve', 'button "Answer it"']) assert.ok((await told()).includes(words), await told());
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
