/** The main text of a page as Markdown, as the agent's tool `page_text` reads it. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Actions } from '../lib/actions.mjs';

describe('the text of a page', () => {
  /** @type {Actions} */
  let actions;
  /** @type {import('puppeteer-core').Page} */
  let page;

  before(async () => {
    actions = await Actions.start();
    page = await actions.open('<p>Begin</p>');
  });
  after(() => actions?.stop());

  /** Put the reader into a page; gives the file's last value. */
  const texts = async () => {
    const tabId = await actions.tabOf(page);
    return actions.chromium.inWorker(async (id) => (await chrome.scripting.executeScript({ target: { tabId: id }, files: ['reader.js'] }))[0].result, tabId);
  };
  const readOn = async (request) => {
    const tabId = await actions.tabOf(page);
    const told = await actions.chromium.inWorker(
      async (id, asked) => (await chrome.scripting.executeScript({ target: { tabId: id }, func: (one) => {
        const begun = performance.now();
        return { result: globalThis.webmcpSidecarReader.read(one), ms: performance.now() - begun };
      }, args: [asked] }))[0].result,
      tabId,
      request ?? {},
    );
    return { ...told.result, ms: told.ms };
  };
  const read = async (html, request) => {
    await actions.go(page, html);
    await texts();
    return readOn(request);
  };
  const markdown = async (html) => (await read(html)).markdown;

  test('an article is read without what stands around it, tables and lists as rows', async () => {
    await page.goto(actions.site.url('reading/article.html?utm=1#top'));
    await texts();
    const { ms, ...result } = await readOn();
    const expected = `The first lamp on this coast was lit in 1703, and it burned _whale oil_, as most lamps did at that time. Sailors called it the old eye, and its keeper lived alone in a stone house of two rooms, which storms cut off for weeks. The house [still stands](/houses/old-eye?from=article), and the [society](https://example.org/society) keeps it.

## How the lamps changed

Oil gave way to gas, gas to electricity, and each change took fewer hands. By 1960 a lamp needed a visit once a year, and the keepers' houses were let to painters, to walkers, and to a man who counted birds and wrote down what he saw each day.

- Oil, until 1880
- Gas, until 1922
  3. from coal
  4. from carbide
- Electricity

The society has counted what each kind cost in a year, and what it saved, so that its members can see why a lamp was changed when it was, and what the harbour paid for it in the end; the figures are those of the harbour's own books, as far as they go.

Cost of a lamp

| Kind | Cost \\| year | Notes |
| --- | --- | --- |
| Oil | 120 | dear<br>smoky |
| Gas | 75  | needs a **tank** |

\`\`\`js
const lamp = on;
  // stays
\`\`\`

![The old eye at dusk]

At dusk

In a storm the lamp could be seen at a distance of nineteen miles, which is why ships kept to the west of the reef, and why the parish, which had lived from wrecks in worse times, paid its share of the oil with little joy, as the old letters show.`;
    assert.equal(result.markdown.replace(/^#.*\n\n(?=The first)/, ''), expected);
    assert.deepEqual({ ...result, markdown: '' }, {
      title: 'Lighthouses of the north', origin: actions.site.origin, address: actions.site.url('reading/article.html'), markdown: '', offset: 0, total: result.markdown.length, invisible: 74,
    });
  });

  test('reading changes nothing in the page', async () => {
    await page.goto(actions.site.url('reading/article.html'));
    await page.evaluate(() => {
      globalThis.before = document.documentElement.outerHTML;
      globalThis.records = 0;
      new MutationObserver((list) => (globalThis.records += list.length)).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    });
    await texts();
    await readOn();
    assert.deepEqual(await page.evaluate(() => [document.documentElement.outerHTML === globalThis.before, globalThis.records, Object.keys(globalThis).filter((name) => /sidecar/i.test(name))]), [true, 0, []]);
  });

  test('a table of 1,000 rows is read whole, in parts that go on in the same text', async () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => `<tr><td>${at + 1}</td><td>Item ${at + 1}</td><td>Lyon</td></tr>`).join('');
    const first = await read(`<nav><a href="/">Home</a></nav><h1>Stock</h1><table><tr><th>No.</th><th>Name</th><th>Place</th></tr>${rows}</table>`);
    assert.match(first.markdown, /\| 1 {3}\| Item 1 \| Lyon \|\n\| 2 {3}\| Item 2 \| Lyon \|\n/);
    assert.ok(first.markdown.length <= 16_000 && first.markdown.endsWith('|\n'));
    await page.evaluate(() => document.querySelector('table').remove());
    const parts = [first.markdown];
    for (let at = first.markdown.length; at < first.total; at += parts.at(-1).length) parts.push((await readOn({ offset: at, maxChars: 5_000 })).markdown);
    assert.equal(parts.join('').match(/^\| \d+ +\| Item \d+ +\| Lyon \|$/gm).length, 1_000);
    assert.ok(parts.slice(1).every((part) => part.length <= 5_000));
  });

  test('a page that is no article is read whole, without its navigation', async () => {
    const text = await markdown('<nav><a href="/x">Elsewhere</a></nav><h1>Seats</h1><div role="list"><div role="listitem">12A</div><div role="listitem">12B</div></div><div role="table"><div role="row"><span role="columnheader">Row</span><span role="columnheader">Price</span></div><div role="row"><span role="cell">12</span><span role="cell">30</span></div></div><footer>Imprint</footer>');
    assert.equal(text, '# Seats\n\n- 12A\n- 12B\n\n| Row | Price |\n| --- | --- |\n| 12  | 30  |');
  });

  test('shadow roots, open and closed, are read with what is in their slots', async () => {
    const text = await markdown(`<p>Before</p><div id="open"><b slot="a">in the slot</b></div><section id="closed"></section><script>
      document.querySelector('#open').attachShadow({ mode: 'open' }).innerHTML = '<p>Open: <slot name="a"></slot></p><style>p { color: red }</style>';
      document.querySelector('#closed').attachShadow({ mode: 'closed' }).innerHTML = '<p>Closed</p>';
    </script>`);
    assert.equal(text, 'Before\n\nOpen: **in the slot**\n\nClosed');
  });

  test('what a user typed and what cannot be seen is not read', async () => {
    const { markdown: text, invisible } = await read('<p>Seen</p><input value="secret"><textarea>draft</textarea><select><option>one</option></select><p style="font-size: 1px">tiny</p><p style="visibility: hidden">v<b style="visibility: visible">isible</b></p><details><summary>More</summary>closed</details><div inert>inert</div>');
    assert.equal(text, 'Seen\n\n**isible**\n\nMore');
    assert.equal(invisible, 4);
  });

  test('named elements, patched prototypes and trusted types do not reach the reader', async () => {
    const html = `<script>
      for (const name of ['textContent', 'innerHTML', 'childNodes', 'firstChild']) Object.defineProperty(globalThis[name === 'innerHTML' ? 'Element' : 'Node'].prototype, name, { get: () => 'patched', set: () => undefined });
      Document.prototype.createElement = () => null;
      document.implementation.createHTMLDocument = () => null;
    </script><form name="documentElement"><input name="tagName"><input name="children"><input name="className"><input name="querySelector"></form>
    <form name="implementation"></form><img name="body"><p>Plain words.</p>`;
    await page.goto(actions.site.put('reading/strict.html', `<!doctype html>${html}`, { 'Content-Security-Policy': "require-trusted-types-for 'script'; trusted-types 'none'; default-src 'self' 'unsafe-inline'; sandbox allow-scripts" }));
    const { page: { text } } = await texts();
    assert.match(text, /Plain words\./);
    const result = await readOn();
    assert.equal(result.markdown, 'Plain words.');
    assert.equal(result.origin, 'null');
  });

  test('a long article on a page with trusted types is read as elsewhere', async () => {
    const body = Array.from({ length: 12 }, (_, at) => `<div class="comment hidden"><p>Paragraph ${at} has enough words, commas, and so on, for Readability to look at it more than once.</p></div>`).join('');
    await page.goto(actions.site.put('reading/types.html', `<!doctype html><title>T</title>${body}`, { 'Content-Security-Policy': "require-trusted-types-for 'script'; trusted-types 'none'" }));
    await texts();
    assert.equal((await readOn()).markdown.match(/Paragraph \d+ has/g).length, 12);
  });

  test('50,000 nodes, 2,000 levels and endless text end in a bounded time', async (context) => {
    const pages = {
      flat: '<script>document.body.append(...Array.from({ length: 50_000 }, (_, at) => Object.assign(document.createElement("p"), { textContent: `Line ${at}` })))</script>',
      deep: '<script>let at = document.body; for (let i = 0; i < 2000; i += 1) at = at.appendChild(document.createElement("div")); at.textContent = "Bottom"</script>',
      long: '<script>document.body.append("word ".repeat(3e5))</script>',
      nested: '<script>let at = document.body; for (let i = 0; i < 300; i += 1) { const t = at.appendChild(document.createElement("table")); at = t.insertRow().insertCell(); t.insertRow().insertCell().append("x") }</script>',
    };
    for (const [name, html] of Object.entries(pages)) {
      const { ms, total, markdown: text, isWhole = true } = await read(`<body>${html}`);
      context.diagnostic(`${name}: ${Math.round(ms)} ms, ${total} characters`);
      assert.ok(ms < 6_000, `${name}: ${ms} ms`);
      assert.ok(total > 5 && total <= 1_000_000, name);
      if (name === 'long') assert.equal(isWhole, false);
      if (name === 'deep') assert.equal(text, 'Bottom');
    }
  });

  test('an empty text and other documents than HTML are read', async () => {
    assert.equal(await markdown('<div></div>'), '');
    await page.goto(actions.site.put('reading/plain.txt', '# not\n\n  a *heading*', { 'Content-Type': 'text/plain' }));
    await texts();
    assert.equal((await readOn()).markdown, '# not\n\n  a *heading*');
    await page.goto(actions.site.put('reading/data.svg', '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Drawn</text></svg>', { 'Content-Type': 'image/svg+xml' }));
    await texts();
    assert.equal((await readOn()).markdown, 'Drawn');
  });

  test('lone surrogates are replaced, a selection is given, parts do not split characters', async () => {
    await actions.go(page, '<p id="a">\u{1f600}\u{1f600}\u{1f600}</p>');
    await page.evaluate(() => {
      document.querySelector('#a').append('\ud800');
      getSelection().selectAllChildren(document.querySelector('#a'));
    });
    await texts();
    assert.equal((await readOn()).markdown, '\u{1f600}\u{1f600}\u{1f600}\ufffd');
    assert.equal((await readOn({ maxChars: 3 })).markdown, '\u{1f600}');
    assert.equal((await readOn()).selection, '\u{1f600}\u{1f600}\u{1f600}\ufffd');
  });
});
