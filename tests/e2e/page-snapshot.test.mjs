/** What a snapshot shows of a page, and what not. The numbers are those of docs/page-actions.md. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Actions } from '../lib/actions.mjs';

describe('snapshot', () => {
  /** @type {Actions} */
  let actions;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    actions = await Actions.start();
    page = await actions.open('<p>');
  });
  after(() => actions?.stop());

  /** The outline of HTML, or of a page by name. */
  const outline = async (what, options) => {
    await actions.go(page, what);
    return actions.outline(page, options);
  };
  const has = (text, ...words) => words.forEach((word) => assert.ok(text.includes(word), `${JSON.stringify(word)} in\n${text}`));
  const lacks = (text, ...words) => words.forEach((word) => assert.ok(!text.includes(word), `no ${JSON.stringify(word)} in\n${text}`));
  /** Without references: what a golden outline compares. */
  const shape = (text) => text.replace(/ \[ref=\w+\]/g, '');

  test('case 1: a page is an outline of roles, names, states and values', async () => {
    const text = await outline('shop.html');
    assert.equal(shape(text), `- banner:
  - link "Harbour Books"
  - navigation "Main":
    - list:
      - link "New"
      - link "Sea" [current]:
        - /url: /shelves/sea-stories
  - search:
    - searchbox "Title or author"
    - button "Search"
- main:
  - heading "Sea stories" [level=1]
  - text: Two books in stock,
  - link "shipping"
  - text: is free.
  - generic:
    - heading "Moby Dick" [level=2]
    - text: 12 €
    - button "Add to basket"
    - generic "Remember" [cursor=pointer]
  - generic:
    - heading "Lord Jim" [level=2]
    - text: 9 €
    - button "Add to basket" [disabled]
  - group "Delivery":
    - radio "Post" [checked]
    - radio "Pick up"
    - combobox "City": Paris
      - /options: Lyon | Paris
    - textbox "Notes" [required]: Ring twice
    - switch "Gift wrap" [checked]
    - spinbutton "Copies": 2
    - slider "Discount": 30
  - button "Terms" [expanded=false]
  - table "Orders":
    - row: No | Book | Paid
    - row: 17 | Typhoon | 8 €
      - button "Cancel order 17"
    - row: 18 |  | 11 €
      - link "Nostromo":
        - /url: /books/nostromo-1904
  - list:
    - listitem: Open on Sundays
    - listitem: Closed on Mondays
  - progressbar "Stamps": 3 of 8
- contentinfo:
  - link "Imprint":
    - /url: https://elsewhere.test/imprint
  - text: © Harbour Books`);
  });

  test('a closed list is one line: its groups, what is disabled, the same list again, and a query names what matches', async () => {
    const cities = ['Lyon', 'Paris', 'Nîmes', 'Rouen', 'Tours', 'Arles', 'Brest', 'Calais', 'Dijon', 'Grenoble'].map((name) => `<option>${name}`).join('');
    const many = Array.from({ length: 80 }, (_, at) => `<option>Street ${at}`).join('');
    const html = `<select aria-label=From>${cities}</select><select aria-label=To><option hidden value="">${cities}</select><select aria-label=Back>${cities}</select>
      <select aria-label=Room><option>a | b<option disabled>c<optgroup label=Above><option>d</optgroup></select><select aria-label=Street>${many}</select>
      <select aria-label=Off disabled><option>e<option>f</select><select aria-label=Open size=2><option>g<option selected>h</select>`;
    const text = await outline(html);
    const [from] = /(?<=combobox "From" \[ref=)\w+/.exec(text);
    assert.match(text, /"From".*\n\s+- \/options: Lyon \| Paris \| .* \| Grenoble\n/);
    assert.match(text, new RegExp(`"Back".*\\n\\s+- /options: as ${from}\\n`));
    assert.match(shape(text), /"Room": a \| b\n\s+- \/options: "a \| b" \| c \[disabled\]\n\s+- group "Above":\n\s+- \/options: d\n/);
    assert.match(text, /\/options: Street 0 \| .* \| Street 59 \| … 20 more; use query\n/);
    assert.match(shape(text), /"Off" \[disabled\]: e\n\s+- \/options: e \| f\n/);
    assert.match(shape(text), /listbox "Open": h\n\s+- option "g"\n\s+- option "h" \[selected\]/);
    const found = await actions.outline(page, { query: 'street 77' });
    has(found, 'combobox "Street"', '/options: Street 77');
    lacks(found, 'Street 7 ', 'Street 78');
  });

  test('case 2: nothing that is hidden is in it', async () => {
    const text = await outline(`<style>.sr { position: absolute; width: 1px; height: 1px; overflow: hidden }</style>
      <p>Shown</p>
      <div style="display:none">none-1 <button>none-2</button></div>
      <div hidden>hidden-1</div>
      <div style="visibility:hidden">vis-1 <b style="visibility:visible">Back again</b></div>
      <details><summary>More</summary>details-1 <button>details-2</button></details>
      <div style="content-visibility:hidden">cv-1</div>
      <div inert>inert-1 <button>inert-2</button></div>
      <div style="height:0;overflow:hidden">zero-1 <button>zero-2</button></div>
      <div style="width:0;overflow:hidden">zero-3</div>
      <template>template-1</template><noscript>noscript-1</noscript>
      <dialog>dialog-1</dialog><div popover>popover-1</div>
      <input type="hidden" value="input-1">
      <div style="display:contents"><p>Through contents</p></div>
      <div style="height:0"><p style="margin:0">Out of an empty box</p></div>
      <button><span class="sr">Clipped</span> label</button>`);
    lacks(text, 'none-', 'hidden-', 'vis-', 'details-', 'cv-', 'inert-', 'zero-', 'template-', 'noscript-', 'dialog-', 'popover-', 'input-');
    has(text, 'Shown', 'Back again', 'button "More" [expanded=false]', 'Through contents', 'Out of an empty box', 'button "Clipped label"');
  });

  test('case 3: behind a modal dialog the page is one line, until it closes', async () => {
    await actions.go(page, '<h1>Page</h1><button>Behind</button><dialog id="d" aria-label="Delete"><p>Sure?</p><button>Yes</button></dialog>');
    await page.evaluate(() => document.querySelector('#d').showModal());
    const { text, head } = await actions.snapshot(page);
    assert.equal(shape(text), '- … page behind the dialog\n- dialog "Delete":\n  - text: Sure?\n  - button "Yes" [active]');
    assert.equal(head.dialog, 'Delete');
    await page.evaluate(() => document.querySelector('#d').close());
    const again = await actions.snapshot(page);
    has(again.text, 'heading "Page"', 'button "Behind"');
    lacks(again.text, 'Sure?');
    assert.equal(again.head.dialog, undefined);
  });

  test('case 3: a dialog made with aria-modal holds the page back too, but not the list that opens over it', async () => {
    await actions.go(page, `<button>Behind</button>
      <div role="dialog" aria-modal="true" aria-label="City" style="position:fixed;inset:100px;background:#fff"><button>Choose</button></div>
      <ul role="listbox" aria-label="Cities" style="position:fixed;left:150px;top:150px;width:200px;margin:0;background:#fff;z-index:9"><li role="option">Lyon</li></ul>`);
    const text = await actions.outline(page);
    has(text, 'page behind the dialog', 'dialog "City"', 'listbox "Cities"', 'option "Lyon"');
    lacks(text, 'Behind');
  });

  test('case 4: a live button under aria-hidden stays, text under it goes', async () => {
    const text = await outline('<div aria-hidden="true">Hidden words <button>Live</button><h2>Heading</h2></div><p>Shown</p>');
    assert.equal(shape(text), '- button "Live" [aria-hidden]\n- text: Shown');
  });

  test('case 5: shadow roots, open, closed and nested, and slots are read as they are rendered', async () => {
    await actions.go(page, '<div id="open"><span slot="b">Second</span><span slot="a">First</span><i>Not slotted</i></div><div id="closed"></div>');
    await page.evaluate(() => {
      document.querySelector('#open').attachShadow({ mode: 'open' }).innerHTML = '<button>Open</button><p><slot name="a"></slot></p><p><slot name="b"></slot></p><p><slot name="c">Fallback</slot></p>';
      const root = document.querySelector('#closed').attachShadow({ mode: 'closed' });
      root.innerHTML = '<button>Closed</button><div></div>';
      root.querySelector('div').attachShadow({ mode: 'closed' }).innerHTML = '<a href="/deep">Nested</a>';
    });
    const text = await actions.outline(page);
    assert.deepEqual(text.match(/Open|First|Second|Fallback|Closed|Nested|Not slotted/g), ['Open', 'First', 'Second', 'Fallback', 'Closed', 'Nested']);
  });

  test('case 6: aria-owns moves a node once, and a cycle ends', async () => {
    const text = await outline('<div id="menu" role="menu" aria-label="File" aria-owns="open b">x</div><p>Between</p><div role="menuitem" id="open">Open</div><div id="a" role="group" aria-label="A" aria-owns="b">a</div><div id="b" role="group" aria-label="B" aria-owns="a">b</div>');
    assert.equal(text.match(/menuitem "Open"/g).length, 1);
    assert.ok(text.indexOf('menuitem "Open"') < text.indexOf('Between'), text);
    assert.equal(text.match(/group "B"/g).length, 1);
  });

  test('case 7: aria-labelledby is looked up in its own root', async () => {
    await actions.go(page, '<b id="l">Outside</b><div id="host"></div>');
    await page.evaluate(() => (document.querySelector('#host').attachShadow({ mode: 'closed' }).innerHTML = '<b id="l">Inside</b><input aria-labelledby="l">'));
    has(await actions.outline(page), 'textbox "Inside"');
  });

  test('case 9: what can be clicked has a reference, though it has no name', async () => {
    const text = await outline(`<style>i { display: inline-block; width: 16px; height: 16px; background: #888 }</style>
      <div style="cursor:pointer"><i></i></div>
      <div style="cursor:pointer"><i class="fa fa-trash"></i></div>
      <div onclick="1"><svg width="9" height="9"><title>Star</title><rect width="9" height="9"/></svg></div>
      <div tabindex="0" data-testid="knob"><i></i></div>
      <button><svg width="9" height="9"><rect width="9" height="9"/></svg></button>
      <button><svg width="9" height="9"><title>Close</title></svg></button>
      <div style="cursor:pointer"><a href="/inside">Inside</a></div>
      <div style="height:40px;overflow:auto"><p style="height:90px">Long</p></div>`);
    assert.equal(text.replace(/\[ref=e\d+\]/g, '[ref]'), `- generic [ref] [cursor=pointer]
- generic "trash" [ref] [cursor=pointer]
- generic "Star" [ref] [cursor=pointer]
- generic "knob" [ref] [cursor=pointer]
- button "" [ref]
- button "Close" [ref]
- link "Inside" [ref]
- generic [scrollable] [ref]: Long`);
  });

  test('case 10: of secret fields neither value nor length is read', async () => {
    const text = await outline(`<input type="password" value="hunter2" aria-label="A"><input autocomplete="cc-number" value="4111111111111111" aria-label="B">
      <input autocomplete="one-time-code" value="123456" aria-label="C"><input name="cvv" value="987" aria-label="D"><input id="cardNumber" value="5555" aria-label="E">
      <input name="iban" value="DE89370400440532013000" aria-label="F"><input style="-webkit-text-security:disc" value="dotted" aria-label="G"><input name="comment" value="plain" aria-label="H">
      <label>Password <input type="password" value="inlabel"></label><input type="password" aria-label="Empty">`);
    lacks(text, 'hunter2', '4111', '123456', '987', '5555', 'DE89', 'dotted', 'inlabel');
    assert.equal(text.match(/: \[secret\]/g).length, 9);
    has(text, 'textbox "H"', ': plain');
    const { rows } = await actions.ask(page, { do: 'find', css: 'input', maxChars: 100_000 });
    assert.equal(rows.filter(({ value }) => value === '[secret]').length, 9);
    lacks(JSON.stringify(rows), 'hunter2', '4111', '123456', '987', '5555', 'DE89', 'dotted', 'inlabel');
  });

  test('case 10: what is selected in a secret field is not read with the page, and what is elsewhere is', async () => {
    const selection = async (html) => {
      await actions.go(page, `<p>Words</p>${html}`);
      await actions.attach(page);
      await page.evaluate(() => document.querySelector('input').select());
      return (await actions.ask(page, { do: 'text' })).selection;
    };
    assert.equal(await selection('<input type=password value=hunter2>'), undefined);
    assert.equal(await selection('<input autocomplete=cc-number value=4111111111111111>'), undefined);
    assert.equal(await selection('<input value=Lyon>'), 'Lyon');
  });

  test('case 70: a day of a grid is found by its whole date, though Tab passes it', async () => {
    const days = [1, 2, 3].map((day) => `<td role=gridcell tabindex=-1 aria-label="December ${day}, 2026">${day}</td>`).join('');
    await actions.go(page, `<table role=grid><tr>${days}</tr></table>`);
    const ref = await actions.ref(page, 'gridcell "December 2, 2026"', { query: 'December 2, 2026' });
    assert.match(ref, /^e\d+$/);
  });

  test('case 10: pages that differ only in what their secrets are read alike, whatever is read of them', async () => {
    const SECRETS = [['hunter2', '4111111111111111', '987', '12'], ['a much longer pass phrase', '42', '', '0123456789']];
    const readings = async ([password, number, code, pin]) => {
      await actions.go(page, `<form aria-label="Pay" onsubmit="return false"><label>Password <input type="password" id="p" value="${password}"></label>
        <input type="text" name="password" aria-label="Shown" value="${password}"><textarea name="pin" aria-label="Pin">${pin}</textarea>
        <label for="t">Pay with <input name="cardNumber" id="c" value="${number}"> now</label><input id="t"><button id="b" aria-labelledby="b p c">Pay</button>
        <input autocomplete="one-time-code" id="o" aria-label="Code" aria-describedby="p"></form><table><tr><td>Card</td><td><input name="cvc" value="${code}"></td><td>3 digits</td></tr></table>`);
      const first = await actions.snapshot(page);
      // The same by a script, as a page fills in what it kept.
      await page.evaluate((text) => (document.querySelector('#o').value = text), number);
      const found = [];
      for (const query of [password, number, pin].filter(Boolean)) found.push((await actions.snapshot(page, { query })).matches);
      return {
        text: first.text,
        since: (await actions.snapshot(page, { since: first.id })).text,
        found: [...new Set(found)],
        rows: (await actions.ask(page, { do: 'find', css: 'input, textarea, label, button, td, form' })).rows,
        described: await Promise.all(['#p', '#c', '#b', '#t'].map((target) => actions.ask(page, { do: 'describe', target, act: 'click' }))),
        acted: [await actions.act(page, 'click', '#p'), await actions.act(page, 'hover', '#c'), await actions.act(page, 'submit', '#b')],
        read: (await actions.ask(page, { do: 'text' })).markdown,
      };
    };
    const [one, other] = [await readings(SECRETS[0]), await readings(SECRETS[1])];
    assert.deepEqual(one, other);
    assert.deepEqual([one.found, one.since], [[0], '']);
    assert.equal(one.text.match(/: \[secret\]/g).length, 6, one.text);
    for (const secret of SECRETS.flat().filter((text) => text.length > 3)) lacks(JSON.stringify([one, other]), secret);
  });

  test('case 11: a row is one line, and its controls have lines of their own', async () => {
    const text = await outline('<table><tr><th onclick="1">City</th><th>Price</th></tr><tr><td>Lyon</td><td>124.95</td><td><input type="checkbox" aria-label="Take Lyon"></td></tr><tr><td><a href="/rome">Rome</a></td><td></td><td>9</td></tr></table>');
    assert.equal(shape(text), `- table:
  - row: City | Price
    - columnheader [cursor=pointer]: City
  - row: Lyon | 124.95
    - checkbox "Take Lyon"
  - row:  |  | 9
    - link "Rome"`);
  });

  test('case 12: of 1,000 like rows few are shown, and a query finds each', async () => {
    await actions.go(page, `<table>${Array.from({ length: 1000 }, (_, at) => `<tr><td>${at + 1}</td><td>Item ${at + 1}</td><td><button>Buy ${at + 1}</button></td></tr>`).join('')}</table>`);
    const { text, dropped } = await actions.snapshot(page);
    assert.ok(text.length < 1500, text);
    has(text, 'row', '1 | Item 1', '5 | Item 5', '1000 | Item 1000', '… 994 more rows like these; use query or root');
    assert.equal(dropped.rows, 994);
    const found = await actions.snapshot(page, { query: 'item 777' });
    assert.equal(shape(found.text), '- table:\n  - row: 777 | Item 777\n    - button "Buy 777"');
    assert.equal(found.matches, 1);
    has(await actions.outline(page, { query: 'ＢＵＹ 778' }), 'button "Buy 778" [ref=');
    const whole = await actions.outline(page, { maxChars: 0 });
    assert.equal(whole.match(/button "Buy/g).length, 1000);
  });

  test('case 13: what says least goes first, and what is in view, fields, headings and the focus stay', async () => {
    const filler = (from) => Array.from({ length: 300 }, (_, at) => `<p>Paragraph ${from + at} ${'word '.repeat(8)}</p><p><a href="/pages/of/${from + at}">Link ${from + at}</a></p>`).join('');
    await actions.go(page, `<h1>Top</h1><button>In view</button>${filler(0)}<h2>Middle</h2><input aria-label="Field below"><p id="e" role="alert">Wrong!</p><button id="f">Focused</button>${filler(300)}<nav>${Array.from({ length: 30 }, (_, at) => `<a href="/n${at}">Nav ${at}</a> `).join('')}</nav>`);
    await page.evaluate(() => document.querySelector('#f').focus({ preventScroll: true }));
    const { text, dropped, head } = await actions.snapshot(page, { maxChars: 8000 });
    assert.ok(text.length <= 8000, `${text.length}`);
    has(text, 'heading "Top"', 'button "In view"', 'heading "Middle"', 'textbox "Field below"', 'Wrong!', 'button "Focused" [active]', 'lines in all left out; use query or root');
    assert.ok(head.focus && text.includes(`[ref=${head.focus}]`));
    assert.ok(dropped.addresses > 0 && dropped.texts > 0 && dropped.controls > 0, JSON.stringify(dropped));
    assert.ok(dropped.controlsBeside === 30 || !text.includes('Nav '), text);
    // A little over the cap: addresses go, no control does.
    const wide = await actions.snapshot(page, { maxChars: 0 });
    const little = await actions.snapshot(page, { maxChars: wide.text.length - 2000 });
    assert.deepEqual(Object.keys(little.dropped).filter((key) => key.startsWith('controls')), []);
    has(await actions.outline(page, { query: 'link 599', maxChars: 2000 }), 'link "Link 599" [ref=');
    assert.ok((await actions.outline(page, { maxChars: 300 })).length <= 300);
  });

  test('case 13: an open dialog stays whole however long the page is', async () => {
    await actions.go(page, `${Array.from({ length: 900 }, (_, at) => `<p>Text ${at} <a href="/${at}">L${at}</a></p>`).join('')}<dialog open aria-label="Sale"><p>Ends today</p><button>No thanks</button></dialog>`);
    const text = await actions.outline(page, { maxChars: 3000 });
    has(text, 'dialog "Sale"', 'Ends today', 'button "No thanks"');
  });

  test('case 27: SVG, XHTML, framesets and plain text can be read', async () => {
    const put = (name, body, type) => actions.site.put(`actions/${name}`, body, { 'content-type': type });
    const read = async (address) => {
      await page.goto(address);
      return actions.outline(page);
    };
    has(await read(put('a.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="90"><title>Chart</title><text x="9" y="30">Forty two</text><a href="/x"><text x="9" y="60">Go</text></a></svg>', 'image/svg+xml')), 'Forty two', 'link "Go"');
    has(await read(put('a.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head><body><h1>Strict</h1><button>Press</button></body></html>', 'application/xhtml+xml')), 'heading "Strict"', 'button "Press"');
    has(await read(put('a.txt', 'Just\nwords [ref=e1]', 'text/plain')), 'text: Just words [ ref=e1]');
    put('in-frame.html', '<h1>In the frame</h1>', 'text/html');
    has(await read(put('set.html', '<html><frameset cols="50%,50%"><frame src="in-frame.html" name="left"><frame src="in-frame.html"></frameset></html>', 'text/html')), 'iframe "left"', 'heading "In the frame"');
  });

  test('case 28: Chinese pages and pages from right to left are read in full', async () => {
    has(await outline('<h1>航班搜索</h1><label>出发城市 <input value="上海"></label><button>搜索　航班</button>'), 'heading "航班搜索"', 'textbox "出发城市"', ': 上海', 'button "搜索 航班"');
    has(await actions.outline(page, { query: '上海' }), '出发城市');
    const text = await outline('<html dir="rtl"><h1>שלום</h1><div style="width:3000px"><button>לקנות</button><p style="margin-right:2500px">רחוק</p></div>');
    has(text, 'heading "שלום"', 'button "לקנות"', 'רחוק');
  });
});
