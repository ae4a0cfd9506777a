/** References of snapshots, and what changed since one. The numbers are those of docs/page-actions.md. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Actions } from '../lib/actions.mjs';

describe('references', () => {
  /** @type {Actions} */
  let actions;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    actions = await Actions.start();
    page = await actions.open('<p>');
  });
  after(() => actions?.stop());

  const refs = (text) => text.match(/\[ref=\w+\]/g) ?? [];

  test('case 17: what is rendered again as it was keeps its references', async () => {
    const list = (names) => `<h1>List</h1><ul>${names.map((name) => `<li>${name} <button>Delete</button> <a href="/${name}">Open</a></li>`).join('')}</ul>`;
    await actions.go(page, `<main id="m">${list(['a', 'b', 'c'])}</main>`);
    const first = await actions.outline(page);
    assert.ok(refs(first).length >= 9, first);
    const render = (html) => page.evaluate((text) => (document.querySelector('#m').innerHTML = text), html);
    await render(list(['a', 'b', 'c']));
    assert.equal(await actions.outline(page), first);
    // Without b, what belongs to c is still what belongs to c.
    await render(list(['a', 'c']));
    const second = await actions.outline(page);
    const lineOf = (text, name) => text.split('\n').slice(text.split('\n').findIndex((line) => line.includes(`text: ${name}`))).find((line) => line.includes('Delete'));
    assert.equal(lineOf(second, 'c'), lineOf(first, 'c'));
    // Another name is another thing.
    await render('<button>Delete all</button>');
    const third = await actions.outline(page);
    assert.ok(!first.includes(/"Delete all" (\[ref=\w+\])/.exec(third)[1]), third);
  });

  test('case 17: a reference of something rendered again is found before the next snapshot', async () => {
    await actions.go(page, '<div id="m"><p>x</p><button>Save</button></div>');
    const ref = await actions.ref(page, 'Save');
    await page.evaluate(() => {
      const { innerHTML } = document.querySelector('#m');
      document.querySelector('#m').innerHTML = innerHTML;
    });
    const { text } = await actions.snapshot(page, { root: ref });
    assert.match(text, new RegExp(`button "Save" \\[ref=${ref}\\]`));
  });

  test('case 18: a reference of an old document, or of nothing, is stale', async () => {
    await actions.go(page, '<button>One</button>');
    const ref = await actions.ref(page, 'One');
    await actions.go(page, '<p>Two</p>');
    await actions.attach(page, { next: 50 });
    assert.deepEqual(await actions.ask(page, { do: 'snapshot', root: ref }), { outcome: 'stale', why: { code: 'gone' } });
    assert.deepEqual(await actions.ask(page, { do: 'snapshot', root: 'e9999' }), { outcome: 'stale', why: { code: 'gone' } });
    assert.deepEqual(await actions.ask(page, { do: 'snapshot', root: 'f7e1' }), { outcome: 'stale', why: { code: 'gone' } });
  });

  test('case 18: a stale reference names what took its place, if that is one', async () => {
    await actions.go(page, '<section id="a"><button>Buy</button></section><aside id="b"></aside>');
    const ref = await actions.ref(page, 'Buy');
    await page.evaluate(() => {
      document.querySelector('#a').innerHTML = '';
      document.querySelector('#b').innerHTML = '<p><button>Buy</button></p>';
    });
    const answer = await actions.ask(page, { do: 'snapshot', root: ref });
    assert.equal(answer.outcome, 'stale');
    assert.equal(answer.why.code, 'replaced');
    assert.match((await actions.snapshot(page, { root: answer.successor })).text, /button "Buy"/);
    await page.evaluate(() => (document.querySelector('#b').innerHTML = '<button>Buy</button><button>Buy</button>'));
    assert.equal((await actions.ask(page, { do: 'snapshot', root: ref })).successor, undefined);
  });

  test('case 19: numbers grow over ten documents of a tab', async () => {
    let next = 1;
    const seen = new Set();
    for (let at = 0; at < 10; at += 1) {
      await actions.go(page, `<h1>Page ${at}</h1><button>Go</button>`);
      const text = await actions.outline(page, { next });
      for (const ref of refs(text)) {
        assert.ok(!seen.has(ref), `${ref} again`);
        seen.add(ref);
        next = Math.max(next, Number(/\d+/.exec(ref)[0]) + 1);
      }
    }
    assert.equal(seen.size, 20);
  });

  test('case 20: since a snapshot: nothing, one, a removal, a new order, too much, unknown', async () => {
    const items = (from, to) => Array.from({ length: to - from }, (_, at) => `<li><button>Item ${from + at}</button> text ${from + at}</li>`).join('');
    await actions.go(page, `<h1>List</h1><ul id="l">${items(0, 10)}</ul><p id="p">Quiet</p>`);
    const first = await actions.snapshot(page);
    const none = await actions.snapshot(page, { since: first.id });
    assert.deepEqual([none.text, none.unchanged, none.isWhole], ['', true, false]);

    await page.evaluate(() => (document.querySelector('#p').textContent = 'Loud'));
    const one = await actions.snapshot(page, { since: first.id });
    assert.equal(one.text, '- text: Loud\n- removed text: Quiet');
    assert.equal(one.isWhole, false);

    const gone = /button "Item 3" \[ref=(\w+)\]/.exec(first.text)[1];
    await page.evaluate(() => document.querySelectorAll('li')[3].remove());
    const removal = await actions.snapshot(page, { since: one.id });
    assert.match(removal.text, new RegExp(`removed: .*\\b${gone}\\b`));
    assert.ok(!removal.text.includes('"Item 4"'), removal.text);

    // In a new order: what moved is told, in its list.
    await page.evaluate(() => document.querySelector('#l').prepend(document.querySelectorAll('li')[8]));
    const moved = await actions.snapshot(page, { since: removal.id });
    assert.match(moved.text, /^- list.*\n( {2}- listitem.*\n {4}- button "Item 9".*\n {4}- text: text 9)/m);
    assert.ok(!moved.text.includes('"Item 5"'), moved.text);

    await page.evaluate((html) => (document.querySelector('#l').innerHTML = html), items(20, 30));
    const most = await actions.snapshot(page, { since: moved.id });
    assert.equal(most.isWhole, true);
    assert.ok(most.text.includes('heading "List"'));

    const unknown = await actions.snapshot(page, { since: 's999' });
    assert.equal(unknown.isWhole, true);
  });

  test('find answers a selector, through closed shadow roots, with what can be seen', async () => {
    await actions.go(page, '<a class="x" href="/a?token=1#b">One</a><a class="x" hidden href="/c">Two</a><div id="h"></div><span class="x" data-testid="t">Three</span>');
    await page.evaluate(() => (document.querySelector('#h').attachShadow({ mode: 'closed' }).innerHTML = '<button class="x" disabled>Four</button>'));
    await actions.attach(page);
    const { rows, count } = await actions.ask(page, { do: 'find', css: '.x' });
    assert.equal(count, 3);
    assert.deepEqual(rows.map(({ ref, ...row }) => (assert.match(ref, /^e\d+$/), row)), [
      { role: 'link', name: 'One', text: 'One', attributes: { href: '/a' } },
      { role: 'span', name: '', text: 'Three', attributes: { 'data-testid': 't' } },
      { role: 'button', name: 'Four', text: 'Four', states: ['disabled'], attributes: {} },
    ]);
    assert.deepEqual(await actions.ask(page, { do: 'find', css: 'a[' }), { outcome: 'badInput', why: { code: 'malformed' } });
  });
});
