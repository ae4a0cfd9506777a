/** What steps of SKILLs read in a page: values, rows, data for programs. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';
import { by, found, inside, seen } from '../lib/locators.mjs';
import { quick } from '../lib/wait.mjs';

describe('steps of SKILLs: values', () => {
  const own = acting();
  const { on, see } = own;
  const ask = (request) => own.actions.ask(own.page, request);
  const value = (locator, what, more = {}) => ask({ do: 'value', locator, what, ...more });
  const raw = async (...args) => (await value(...args)).raw;
  const rows = (each, fields, more = {}) => ask({ do: 'rows', each, fields, ...more });
  const data = (from, locator) => ask({ do: 'data', from, ...(locator && { locator }) });

  test('text, attribute, value, count, presence', async () => {
    await on(`<base href=/shop/><div id=t> Price:\n <b>12</b><i>.50</i><p>per  night</p><span style="display:none">Hidden</span><span style="visibility:hidden">Unseen<u style="visibility:visible">Seen</u></span>
      <script>var no</script><style>.no{}</style><textarea>typed</textarea><select><option>chosen</select>\u200b</div><p id=gone hidden>Told <b>all</b> the same</p>
      <a id=a href=../x?q=1 data-n="">Go</a><a id=bad href="http://[">Bad</a><a id=js href="javascript:alert(1)">J</a><p class=r>1</p><p class=r>2</p>`);
    assert.equal(await raw(by('#t'), 'text'), 'Price: 12.50 per night Seen');
    assert.equal(await raw(by('#gone'), 'text'), 'Told all the same');
    assert.equal(await raw(seen('#gone'), 'text'), null);
    assert.equal(await raw(by('#a'), 'attr', { attr: 'href' }), '../x?q=1');
    assert.equal(await raw(by('#a'), 'attr', { attr: 'href', address: true }), own.actions.site.url('x?q=1'));
    assert.equal(await raw(by('#bad'), 'attr', { attr: 'href', address: true }), null);
    assert.equal(await raw(by('#js'), 'attr', { attr: 'href', address: true }), 'javascript:alert(1)');
    assert.equal(await raw(by('#a'), 'attr', { attr: 'data-n' }), '');
    assert.equal(await raw(by('#a'), 'attr', { attr: 'title' }), null);
    assert.deepEqual([await raw(by('.r'), 'count'), await raw(by('.no'), 'count')], [2, 0]);
    assert.deepEqual([await raw(by('.r'), 'exists'), await raw(by('.no'), 'exists')], [true, false]);
    assert.deepEqual(await value(by('.r'), 'text'), { count: 2, n: 0, agrees: true, raw: null });
    assert.equal(await raw(by('.r'), 'text', { first: true }), '1');
    assert.equal(await raw(by('.none'), 'text', { first: true }), null);
    assert.equal((await value(by('.r'), 'nonsense', { first: true })).outcome, 'badInput');
  });

  test('SKILL case 37: what fields hold, and never what is the user’s alone', async () => {
    await on(`<input id=i value=a><textarea id=x>b</textarea><select id=s><option value=1>One<option value=2 selected>Two</select><input type=checkbox id=c checked><input type=radio id=r><div id=sw role=switch aria-checked=true>S</div><div id=e contenteditable>Rich <b>text</b></div>
      <input type=password id=pw value=hunter2><input id=card autocomplete=cc-number value=4111><input id=otp name=verification_code value=123456><textarea id=sec name=secret>4242</textarea><input type=file id=file><p id=p>x</p>
      <form id=all><label>Password <input type=password value=hunter2></label><textarea name=passcode>4242</textarea></form>`);
    await see(() => (document.querySelector('#i').value = 'typed'));
    const values = {};
    for (const id of ['i', 'x', 's', 'c', 'r', 'sw', 'e', 'p']) values[id] = await raw(by(`#${id}`), 'value');
    assert.deepEqual(values, { i: 'typed', x: 'b', s: '2', c: true, r: false, sw: true, e: 'Rich text', p: null });
    for (const id of ['pw', 'card', 'otp', 'sec', 'file']) {
      assert.deepEqual(await value(by(`#${id}`), 'value'), { count: 1, n: 0, agrees: true, raw: null, secret: true }, id);
      assert.deepEqual(await raw(by(`#${id}`), 'attr', { attr: 'VALUE' }), null, id);
      assert.equal(await raw(by(`#${id}`), 'text'), '', id);
      assert.equal(await raw(by(`#${id}`), 'markdown'), '', id);
    }
    assert.equal(await raw(by('#all'), 'text'), 'Password');
    const told = JSON.stringify(await rows(by('input, textarea'), { value: { what: 'value' }, attr: { what: 'attr', attr: 'value' }, text: { what: 'text' }, markdown: { what: 'markdown' } }));
    assert.doesNotMatch(told, /hunter2|4111|123456|4242/);
    assert.match(told, /typed/);
  });

  test('Markdown of a part of a page', async () => {
    await on(`<div id=m><h2>Title</h2><p>One <b>bold</b> and <em>soft</em> <a href=/x>link</a>, <a href="javascript:no()">none</a>.</p><ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul><pre>x = 1;\n  y</pre>
      <blockquote>Said</blockquote><table><tr><th>K<th>V<tr><td>a<td>1|2</table><p style="display:none">hidden</p>line<br>break</div>`);
    assert.equal(await raw(by('#m'), 'markdown'), `## Title

One **bold** and _soft_ [link](${own.actions.site.url('x')}), none.

- a
- b
  3. c
  4. d

\`\`\`
x = 1;
  y
\`\`\`

> Said

| K | V |
| --- | --- |
| a | 1\\|2 |

line
break`);
  });

  test('a long text is cut and says so', async () => {
    await on(`<p id=p>${'word '.repeat(10_000)}</p><div id=d title="${'x'.repeat(30_000)}"></div>`);
    const long = await value(by('#p'), 'text');
    assert.deepEqual([long.raw.length, long.cut], [20_000, true]);
    const title = await value(by('#d'), 'attr', { attr: 'title' });
    assert.deepEqual([title.raw.length, title.cut], [20_000, true]);
  });

  test('rows with fields, lists in them, and what is not there', async () => {
    await on(`<ul id=list><li class=row data-id=1><a href=/1>First</a><b class=price>3</b><span class=tag>a</span><span class=tag>b</span></li><li class=row data-id=2><a href=/2>Second</a><b class=price>4</b><b class=price>5</b></li>
      <li class=row data-id=3><a href=/3>第三</a><i class=cost>6</i><span class=tag>c</span></li><li class=row hidden><a href=/4>Copy</a></li></ul><li class=row data-id=9><a href=/9>Elsewhere</a></li>`);
    const told = await rows(inside(by('#list'), seen('.row')), {
      id: { what: 'attr', attr: 'data-id' },
      title: { locator: by('a'), what: 'text' },
      url: { locator: by('a'), what: 'attr', attr: 'href', address: true },
      price: { locator: by('.price', '.cost'), what: 'text' },
      first: { locator: by('.price'), what: 'text', first: true },
      prices: { locator: by('.price'), what: 'count' },
      isTagged: { locator: by('.tag'), what: 'exists' },
      note: { locator: by('.note'), what: 'text' },
      tags: { each: by('.tag'), fields: { name: { what: 'text' }, link: { locator: by('a'), what: 'text' } } },
    });
    const url = (path) => own.actions.site.url(path);
    const tag = (name) => ({ name, link: null });
    assert.deepEqual(told, {
      count: 3, n: 0, agrees: true, in: { count: 1, n: 0, agrees: true },
      rows: [
        { id: '1', title: 'First', url: url('1'), price: '3', first: '3', prices: 1, isTagged: true, note: null, tags: [tag('a'), tag('b')] },
        { id: '2', title: 'Second', url: url('2'), price: null, first: '4', prices: 2, isTagged: false, note: null, tags: [] },
        { id: '3', title: '第三', url: url('3'), price: '6', first: null, prices: 0, isTagged: true, note: null, tags: [tag('c')] },
      ],
      total: 3, worn: ['price'], ambiguous: ['price'],
    });
    const few = await rows(by('.row'), { id: { what: 'attr', attr: 'data-id' } }, { max: 2 });
    assert.deepEqual([few.rows.map(({ id }) => id), few.total, few.cut], [['1', '2'], 5, undefined]);
  });

  test('fields that disagree, are worn in a list, or lie inside what is around', async () => {
    await on('<div class=row><b>1</b><i>2</i><span class=in><u>x</u></span></div><div class=row><b>1</b><span class=in><u>y</u></span></div><div class=in><u>z</u></div>');
    const told = await rows(by('.row'), {
      mixed: { locator: by('b', 'i'), what: 'text' },
      list: { each: by('.none', '.in'), fields: { u: { locator: by('s', 'u'), what: 'text' } } },
      around: { locator: inside(by('.in'), by('u')), what: 'text' },
      page: { locator: inside(by('body'), by('b')), what: 'text' },
    });
    assert.deepEqual(told.rows, [{ mixed: null, list: [{ u: 'x' }], around: 'x', page: '1' }, { mixed: '1', list: [{ u: 'y' }], around: 'y', page: '1' }]);
    assert.deepEqual([told.worn, told.ambiguous], [['list', 'list.u'], ['mixed']]);
    const apart = await rows(by('.row', '.in'), { b: { locator: by('b'), what: 'text' } });
    assert.deepEqual([found(apart), apart.rows], [[2, 0, false], []]);
    const wrong = await rows(by('.row'), { b: { locator: by('b['), what: 'text' } });
    assert.deepEqual([wrong.fault, wrong.rows], ['selector', []]);
    assert.equal((await rows(by('.row'), { a: { each: by('b'), fields: { b: { each: by('b'), fields: {} } } } })).outcome, 'badInput');
    // Names that objects have already.
    const odd = await rows(by('.row'), { constructor: { locator: by('b'), what: 'text' }, toString: { what: 'count' } }, { max: 1 });
    assert.deepEqual(Object.entries(odd.rows[0]), [['constructor', '1'], ['toString', 1]]);
  });

  test('5,000 rows take bounded time and room', async () => {
    await on(`<ul>${'<li class=row><a href=/x>Title of a row</a><b>12</b><p>Some words about it</p><span class=tag>a</span><span class=tag>b</span></li>'.repeat(5_000)}</ul>`);
    const read = async () => {
      const begun = performance.now();
      const told = await rows(seen('.row', 'ul > li'), {
        title: { locator: seen({ role: 'link' }), what: 'text' }, price: { locator: by('b', { text: ['12'] }), what: 'text' }, tags: { each: by('.tag'), fields: { name: { what: 'text' } } },
      });
      const took = performance.now() - begun;
      assert.deepEqual([told.rows.length, told.total, told.most, told.cut], [200, 2_000, 2_000, undefined]);
      assert.deepEqual(told.rows[199], { title: 'Title of a row', price: '12', tags: [{ name: 'a' }, { name: 'b' }] });
      return took;
    };
    await quick(1_500, read, 'reading the rows');
    await on(`<ul>${`<li>${'long "words" '.repeat(400)}</li>`.repeat(300)}</ul>`);
    const long = await rows(by('li'), { text: { what: 'text' } });
    assert.deepEqual([long.total, long.cut], [300, true]);
    assert.ok(long.rows.length > 20 && long.rows.length < 60, `${long.rows.length} rows`);
    assert.ok(JSON.stringify(long).length < 200_000);
    // One row that is too long alone.
    await on(`<ul><li>${`<b>${'x'.repeat(19_000)}</b>`.repeat(20)}</ul>`);
    const huge = await rows(by('li'), { list: { each: by('b'), fields: { text: { what: 'text' } } } });
    assert.deepEqual([huge.rows, huge.total, huge.cut], [[], 1, true]);
  });

  test('JSON-LD: lists and graphs are laid flat, one broken script does not hide the others', async () => {
    const ld = (text) => `<script type="application/ld+json">${text}</script>`;
    await on(ld('{"@context":"https://schema.org","@graph":[{"@type":"Movie","name":"霸王别姬"},[{"@type":"Person"}],7]}') + ld('[{"@type":"Product"},{"@type":"Offer"}]') + ld('{"@id":"x","name":"Site","@graph":[]}') + ld('{broken') + '<script type="application/json">{"no":1}</script>');
    assert.deepEqual(await data('jsonLd'), { data: [{ '@type': 'Movie', name: '霸王别姬' }, { '@type': 'Person' }, { '@type': 'Product' }, { '@type': 'Offer' }, { '@id': 'x', name: 'Site' }], broken: 1 });
    await on(ld('{broken'));
    assert.deepEqual(await data('jsonLd'), { fault: 'json' });
    await on('<p>none');
    assert.deepEqual(await data('jsonLd'), { data: [] });
    await on(ld(JSON.stringify({ text: 'x'.repeat(250_000) })));
    assert.deepEqual(await data('jsonLd'), { fault: 'tooLarge' });
  });

  test('meta elements and microdata', async () => {
    await on(`<meta name=citation_title content="A paper"><meta name=citation_author content=Ada><meta name=citation_author content=Grace><meta name=citation_author content=Lin><meta property=og:title name=title content=T><meta name=__proto__ content=p><meta name=empty><meta http-equiv=x content=y>
      <div itemscope itemtype=https://schema.org/Product itemid=urn:1 itemref=more><h1 itemprop=name>Tea  pot</h1><img itemprop=image src=/a.png><meta itemprop=sku content=S1><time itemprop=date datetime=2026-11-25>today</time>
      <div itemprop=offers itemscope itemtype=https://schema.org/Offer><span itemprop="price lowPrice" content=12.5>12,50</span></div><p itemprop=name>Second</p></div><p id=more><a itemprop=url href=x>x</a></p>
      <div itemscope id=loop itemref=loop><b itemprop=self itemscope itemref=loop></b></div>`);
    const meta = (await data('meta')).data;
    assert.deepEqual([meta.citation_title, meta.citation_author, meta['og:title'], meta.title], ['A paper', ['Ada', 'Grace', 'Lin'], 'T', 'T']);
    assert.deepEqual(Object.keys(meta).filter((key) => key === 'empty' || key === 'x'), []);
    const items = (await data('microdata')).data;
    assert.deepEqual(items[0], {
      type: 'https://schema.org/Product', id: 'urn:1',
      properties: {
        name: ['Tea pot', 'Second'], image: own.actions.site.url('a.png'), sku: 'S1', date: '2026-11-25',
        offers: { type: 'https://schema.org/Offer', properties: { price: '12.5', lowPrice: '12.5' } }, url: own.actions.site.url('actions/x'),
      },
    });
    assert.equal(items.length, 2);
  });

  test('the JSON of a script element, of one that does not run', async () => {
    await on(`<script type=application/json id=j>{"a":[1,"二"]}</script><script type="x/state" id=x>"s"</script><script id=run>"runs"</script><script type=module id=mod>1</script><script type="text/javascript" id=old>2</script><script type=application/json id=bad>{</script><p id=p>3</p>
      <script type=application/json class=two>1</script><script type=application/json class=two>2</script><script type=application/json id=big>"${'x'.repeat(200_000)}"</script>`);
    const one = { count: 1, n: 0, agrees: true };
    assert.deepEqual(await data('script', by('#j')), { ...one, data: { a: [1, '二'] } });
    assert.deepEqual(await data('script', by('#x')), { ...one, data: 's' });
    for (const id of ['run', 'mod', 'old', 'bad', 'p']) assert.deepEqual(await data('script', by(`#${id}`)), { ...one, fault: 'json' }, id);
    assert.deepEqual(await data('script', by('#big')), { ...one, fault: 'tooLarge' });
    assert.deepEqual(await data('script', by('.two')), { count: 2, n: 0, agrees: true });
    assert.deepEqual(await data('script', by('#none')), { count: 0, n: null, agrees: true });
    assert.equal((await data('nonsense')).outcome, 'badInput');
  });
});
