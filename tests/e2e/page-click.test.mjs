/** Page actions: what has to hold before a click, its events, keys, and what becomes of it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { acting, kinds } from '../lib/acting.mjs';
import { downloaded } from '../lib/download.mjs';

const LOG = `<script>
  var log = [];
  const KINDS = ['pointerover','pointerenter','mouseover','mouseenter','pointermove','mousemove','pointerdown','mousedown','focus','focusin','pointerup','mouseup','click','dblclick','submit','change','input','keydown','keypress','keyup','toggle'];
  function logOf(element, kinds = KINDS) { for (const kind of kinds) element.addEventListener(kind, (event) => log.push(kind)); }
</script>`;
/** Counts every event of a press on an element. */
const COUNT = `${LOG}<script>addEventListener('DOMContentLoaded', () => document.querySelectorAll('[data-log]').forEach((one) => logOf(one, ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])));</script>`;

describe('page actions: before acting', () => {
  const own = acting();
  const { on, act, see, log } = own;

  test('case 29: a click on a covered button sends no event and names the banner', async () => {
    await on(`${COUNT}<button data-log id=b>Pay</button><div role=dialog aria-label="Cookies" style="position:fixed;inset:0;background:white"><p>We use cookies</div>`);
    const result = await act('click', '#b', { timeout: 300 });
    assert.equal(result.outcome, 'covered');
    assert.equal(result.why.code, 'coveredBy');
    assert.deepEqual({ role: result.why.by.role, name: result.why.by.name }, { role: 'dialog', name: 'Cookies' });
    assert.match(result.why.by.ref, /^e\d+$/);
    assert.deepEqual(await log(), []);
  });

  // What the pointer brings up over it, as a card that opens while one hovers.
  const POPS_UP = `<div id=over role=dialog aria-label=Offer style="position:fixed;inset:0;background:white;z-index:9" hidden onclick="this.hidden = true; presses += 1" onpointerdown="presses += 1">Buy now</div>
    <script>var presses = 0; t.addEventListener('pointerover', () => (over.hidden = false))</script>`;
  const EDITED = 'contenteditable aria-label=Text style="width:200px;height:40px"';
  for (const [act_, html, more] of [
    ['click', '<button id=t>Go</button>', {}],
    ['fill', '<input id=t aria-label=City>', { text: 'Lyon' }],
    ['fill', `<div id=t ${EDITED}></div>`, { text: 'Lyon' }],
    ['check', '<input type=checkbox id=t aria-label=News>', { on: true }],
    ['choose', '<div id=t role=combobox tabindex=0 aria-expanded=false aria-label=City style="width:200px">Pick</div>', { values: ['Lyon'] }],
    ['choose', '<select id=t aria-label=City><option>Paris<option>Lyon</select>', { values: ['Lyon'] }],
  ]) {
    test(`case 29: what the pointer brings up over ${html.split(' ').slice(0, 3).join(' ')} is not pressed in its place by ${act_}`, async () => {
      await on(html + POPS_UP);
      const result = await act(act_, '#t', { ...more, timeout: 300 });
      assert.deepEqual([...codes(result), result.why.by.name], ['covered', 'coveredBy', 'Offer']);
      assert.equal(await see(() => presses), 0);
      assert.equal(await see(() => Boolean(t.checked) || (t.value ?? t.textContent) === 'Lyon'), false);
    });
  }

  test('case 33: a box that is switched off as the pointer comes is not pressed', async () => {
    await on(`<input type=checkbox id=b aria-label=News onpointerover="this.disabled = true">`);
    assert.equal((await act('check', '#b', { on: true })).outcome, 'disabled');
    assert.equal(await see(() => b.checked), false);
  });

  test('case 30: a button covered in its middle is clicked where it is free', async () => {
    await on(`${COUNT}<button data-log id=b style="position:absolute;left:100px;top:100px;width:200px;height:100px">Wide</button><div style="position:absolute;left:150px;top:130px;width:100px;height:40px;background:red"></div>`);
    assert.equal((await act('click', '#b')).outcome, 'blocked');
    assert.deepEqual(await log(), ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']);
  });

  test('case 31: a button under a sticky head is scrolled free', async () => {
    await on(`${COUNT}<div style="position:sticky;top:0;height:120px;background:#ccc">Head</div><div style="height:1500px"></div><button data-log id=b onclick="this.textContent='pressed'">Far</button><div style="height:1500px"></div>`);
    await see(() => scrollTo(0, document.getElementById('b').offsetTop - 20));
    assert.equal((await act('click', '#b')).outcome, 'ok');
    assert.equal(await see(() => document.getElementById('b').textContent), 'pressed');
  });

  test('case 32: a button in a frame that its parent covers is not clicked', async () => {
    await on(`<iframe id=f style="width:400px;height:200px" srcdoc="<button id=b onclick=&quot;this.textContent='pressed'&quot;>In</button>"></iframe><div role=alertdialog aria-label="Over" id=over style="position:fixed;inset:0;background:white">Over</div>`);
    const frames = await own.actions.attach(own.page);
    const { frameId } = frames.find((one) => one.frameId !== 0);
    const covered = await act('click', '#b', { timeout: 300 }, frameId);
    assert.equal(covered.outcome, 'covered');
    assert.equal(covered.why.by.name, 'Over');
    await see(() => document.getElementById('over').remove());
    assert.equal((await act('click', '#b', {}, frameId)).outcome, 'ok');
  });

  test('case 32: a button in a frame far down is scrolled to', async () => {
    await on(`<div style="height:3000px"></div><iframe style="width:400px;height:200px" srcdoc="<div style='height:900px'></div><button id=b onclick=&quot;this.textContent='pressed'&quot;>In</button>"></iframe>`);
    const { frameId } = (await own.actions.attach(own.page)).find((one) => one.frameId !== 0);
    assert.equal((await act('click', '#b', {}, frameId)).outcome, 'ok');
  });

  for (const [name, html] of [
    ['disabled', '<button data-log id=b disabled>B</button>'],
    ['a child of a disabled one', '<button data-log disabled><span id=b data-log>B</span></button>'],
    ['in a disabled fieldset', '<fieldset disabled><button data-log id=b>B</button></fieldset>'],
    ['below aria-disabled', '<div aria-disabled=true><div role=button tabindex=0 data-log id=b>B</div></div>'],
    ['inert', '<div inert><button data-log id=b>B</button></div>'],
  ]) {
    test(`case 33: a button that is ${name} gets no event`, async () => {
      await on(COUNT + html);
      assert.equal((await act('click', '#b', { timeout: 200 })).outcome, 'disabled');
      assert.deepEqual(await log(), []);
    });
  }

  test('case 34: a button that becomes enabled is waited for', async () => {
    await on(`<button id=b disabled onclick="this.textContent='pressed'">B</button><script>setTimeout(() => (b.disabled = false), 1000)</script>`);
    assert.equal(await see(() => b.disabled), true);
    assert.equal((await act('click', '#b')).outcome, 'ok');
    assert.equal(await see(() => b.textContent), 'pressed');
  });

  test('case 35: a button that moves for a second is waited for, one that moves for ever is not clicked', async () => {
    await on(`${COUNT}<style>@keyframes m { to { translate: 300px } } #b { animation: m 1s linear } .ever { animation: m 1s linear infinite !important }</style><button data-log id=b onclick="this.textContent='pressed'">B</button>`);
    assert.equal((await act('click', '#b')).outcome, 'ok');
    await see(() => { log.length = 0; b.classList.add('ever'); });
    const ever = await act('click', '#b', { timeout: 400 });
    assert.deepEqual([ever.outcome, ever.why.code], ['timeout', 'keepsMoving']);
    assert.deepEqual(await log(), []);
  });

  test('case 36: a button replaced while it is checked is found again, and pressed once', async () => {
    await on(`<div id=p></div><script>let n = 0; var pressed = 0; const make = () => { p.innerHTML = '<button id=b>Go</button>'; b.onclick = () => { pressed += 1; document.title = 'pressed'; }; }; make(); const timer = setInterval(() => { make(); if (++n > 12) clearInterval(timer); }, 25);</script>`);
    assert.equal((await act('click', '#b')).outcome, 'ok');
    assert.equal(await see(() => pressed), 1);
  });

  test('case 37: of two matches none is pressed', async () => {
    await on(`${COUNT}<button data-log class=b>One</button><button data-log class=b>Two</button>`);
    const result = await act('click', '.b');
    assert.deepEqual([result.outcome, result.why.code, result.why.options.length], ['notFound', 'several', 2]);
    assert.deepEqual(await log(), []);
  });

  test('case 38: a link over two lines is hit on a line', async () => {
    await on(`<div style="width:120px;font:20px monospace">aaaaaaaa <a href="#x" id=b>bbb ccccc</a> dd</div>`);
    const result = await act('click', '#b');
    assert.equal(result.outcome, 'ok');
    assert.ok(kinds(result).includes('address'));
  });

  test('case 39: a styled box over a hidden one is checked by its label', async () => {
    await on(`<style>input{position:absolute;opacity:0;width:0;height:0}</style><label id=l><input type=checkbox id=b><span style="display:inline-block;width:20px;height:20px;background:#ccc"></span> News</label>`);
    assert.equal((await act('check', '#b', { on: true })).outcome, 'ok');
    assert.equal(await see(() => document.getElementById('b').checked), true);
    assert.equal((await act('check', '#l', { on: false })).outcome, 'ok');
    assert.equal(await see(() => document.getElementById('b').checked), false);
  });

  test('case 40: a button whose name changed after the approval is not pressed', async () => {
    await on(`${COUNT}<form aria-label=Basket><button type=button data-log id=b>Save</button></form>`);
    const facts = await own.actions.ask(own.page, { do: 'describe', target: '#b', act: 'click' });
    const approved = { role: facts.role, name: facts.name, form: facts.form.heading || facts.form.name };
    await see(() => (document.getElementById('b').textContent = 'Buy now'));
    const result = await act('click', '#b', { approved });
    assert.deepEqual([result.outcome, result.why.code], ['changed', 'notApproved']);
    assert.deepEqual(await log(), []);
  });
});

describe('page actions: clicks', () => {
  const own = acting();
  const { on, act, see, log } = own;

  test('case 41: the events of a click are those of a hand, in their order', async () => {
    const html = `${LOG}<button id=b style="margin:100px">B</button><script>logOf(b)</script>`;
    await on(html);
    const { x, y } = await see(() => { const { x, y, width, height } = b.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; });
    await own.page.mouse.click(x, y);
    const byHand = await log();
    await own.page.mouse.move(1, 1);
    await on(html);
    await act('click', '#b');
    assert.deepEqual(await log(), byHand);
  });

  for (const type of ['pointerdown', 'mousedown']) {
    test(`case 42: a menu that opens on ${type} opens`, async () => {
      await on(`<button id=b aria-haspopup=menu>Menu</button><div id=m role=menu hidden>One</div><script>b.addEventListener('${type}', () => (m.hidden = false))</script>`);
      const result = await act('click', '#b');
      assert.equal(result.outcome, 'ok');
      assert.ok(kinds(result).includes('popover'));
    });
  }

  test('case 43: what a page prevents does not follow', async () => {
    await on(`${LOG}<input id=i><button id=p>P</button><button id=m>M</button><script>logOf(p, ['mousedown','mouseup','click']); p.onpointerdown = (e) => e.preventDefault(); m.onmousedown = (e) => e.preventDefault();</script>`);
    await see(() => i.focus());
    await act('click', '#m');
    assert.equal(await see(() => document.activeElement.id), 'i');
    await act('click', '#p');
    assert.deepEqual(await log(), ['click']);
  });

  test('case 44: a double click is two clicks and a dblclick', async () => {
    await on(`${LOG}<button id=b>B</button><script>for (const type of ['click', 'dblclick']) b.addEventListener(type, (e) => { log.push(type + e.detail); document.title += '.'; })</script>`);
    assert.equal((await act('click', '#b', { count: 2 })).outcome, 'ok');
    assert.deepEqual(await log(), ['click1', 'click2', 'dblclick2']);
  });

  test('case 45: details, popover, command and label do what they are for', async () => {
    await on(`<details id=d><summary id=s>More</summary>Text</details><button id=pb popovertarget=po>Pop</button><div id=po popover>Popped</div>
      <button id=cb commandfor=dl command=show-modal>Open</button><label id=l>Box <input type=checkbox id=c></label><dialog id=dl aria-label=Asked><button id=x>X</button></dialog>`);
    assert.equal((await act('click', '#s')).outcome, 'ok');
    assert.equal(await see(() => d.open), true);
    assert.ok(kinds(await act('click', '#pb')).includes('popover'));
    assert.equal((await act('click', '#l')).outcome, 'ok');
    assert.equal(await see(() => c.checked), true);
    const dialog = await act('click', '#cb');
    assert.deepEqual(dialog.became.find(({ kind }) => kind === 'dialog'), { kind: 'dialog', text: 'Asked' });
    assert.equal((await act('click', '#l', { timeout: 200 })).outcome, 'notFound');
  });

  test('case 46: a link whose address is a script is blocked, and says so', async () => {
    await on(`<a id=a href="javascript:void(document.title = 'ran')">Run</a>`);
    assert.deepEqual(codes(await act('click', '#a')), ['blocked', 'scriptLink']);
    assert.equal(await own.page.title(), 'Made');
  });

  test('case 46: what the page made of the click itself is told, though the script of the link was left', async () => {
    await on(`<a id=a href="javascript:void(document.title = 'ran')" onclick="this.textContent = 'saved'">Save</a>`);
    assert.equal((await act('click', '#a')).outcome, 'ok');
    assert.deepEqual(await see(() => [a.textContent, document.title]), ['saved', 'Made']);
  });

  for (const address of ['javascript:', 'javascript:;', 'javascript:void(0)', 'JavaScript:void 0;', 'javascript:void(null)', 'javascript:{}', 'javascript://', 'javascript:save()']) {
    test(`case 46: a link to ${address} whose click the page handles is a button`, async () => {
      await on(`<a id=a href="${address}">Save</a><script>a.onclick = () => { a.textContent = 'saved'; return ${!address.includes('save')}; };</script>`);
      const { outcome, why } = await act('click', '#a');
      assert.deepEqual([outcome, why, await see(() => a.textContent)], ['ok', undefined, 'saved']);
    });
  }

  test('case 47: a link with target=_blank says that it opens a tab', async () => {
    await on(`<a id=a href="/actions/made.html?2" target=_blank>Other</a>`);
    const opened = new Promise((resolve) => own.page.once('popup', resolve));
    const result = await act('click', '#a');
    assert.equal(result.outcome, 'ok');
    assert.equal(result.became[0].kind, 'opened-link');
    await (await opened).close();
    await own.page.bringToFront();
  });

  test('case 48: a window that the browser does not open is blocked', async () => {
    await on(`<button id=b onclick="window.open('/actions/made.html')">Open</button><button id=c>Open</button><script>c.onclick = () => window.open('/x')</script>`);
    const result = await act('click', '#b');
    assert.deepEqual([result.outcome, result.why.code], ['blocked', 'popup']);
    assert.equal((await act('click', '#c')).outcome, 'blocked');
  });

  test('case 49: Enter submits a form, unless the page prevents it', async () => {
    await on(`<form id=f onsubmit="event.preventDefault(); out.textContent = 'sent ' + event.submitter?.id"><input id=i><button id=s>Send</button></form><p id=out></p>`);
    assert.equal((await act('press', '#i', { key: 'Enter' })).outcome, 'ok');
    assert.equal(await see(() => out.textContent), 'sent s');
    await see(() => { out.textContent = ''; i.onkeydown = (event) => event.preventDefault(); });
    await act('press', '#i', { key: 'Enter' });
    assert.equal(await see(() => out.textContent), '');
  });

  test('case 50: Tab goes through shadow roots in order', async () => {
    await on(`<input id=one><x-box></x-box><input id=three tabindex=-1><input id=four><script>
      customElements.define('x-box', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<button id=in>In</button><slot></slot>'; } });
      var focused = []; addEventListener('focusin', (event) => focused.push(event.target.id || event.target.localName));</script>`);
    for (let times = 0; times < 3; times += 1) await act('press', undefined, { key: 'Tab' });
    await act('press', undefined, { key: 'Shift+Tab' });
    assert.deepEqual(await see(() => focused), ['one', 'x-box', 'four', 'x-box']);
  });

  test('case 51: Escape closes the top popover, then the dialog', async () => {
    await on(`<dialog id=d><button>In</button><div id=p popover>Pop</div></dialog><script>d.showModal(); p.showPopover();</script>`);
    await act('press', undefined, { key: 'Escape' });
    assert.deepEqual(await see(() => [d.open, p.matches(':popover-open')]), [true, false]);
    const result = await act('press', undefined, { key: 'Escape' });
    assert.equal(result.outcome, 'ok');
    assert.equal(await see(() => d.open), false);
  });

  test('case 52: arrows move radio buttons, lists and ranges; code and keyCode are those of the key', async () => {
    await on(`<input type=radio name=r id=r1 checked><input type=radio name=r id=r2><select id=s><option>A<option disabled>B<option>C</select><input type=range id=g value=5 max=10><input id=t>
      <script>var keys = []; addEventListener('keydown', (e) => keys.push([e.key, e.code, e.keyCode, e.shiftKey, e.ctrlKey]));</script>`);
    await act('press', '#r1', { key: 'ArrowDown' });
    assert.equal(await see(() => r2.checked), true);
    await act('press', '#s', { key: 'ArrowDown' });
    assert.equal(await see(() => s.value), 'C');
    await act('press', '#g', { key: 'ArrowRight' });
    assert.equal(await see(() => g.value), '6');
    await see(() => (keys.length = 0));
    for (const key of ['a', 'A', '?', 'Control+k', 'Escape']) await act('press', '#t', { key });
    assert.deepEqual(await see(() => keys), [
      ['a', 'KeyA', 65, false, false], ['A', 'KeyA', 65, true, false], ['?', 'Slash', 191, true, false],
      ['Control', 'ControlLeft', 17, false, true], ['k', 'KeyK', 75, false, true], ['Escape', 'Escape', 27, false, false],
    ]);
    assert.equal(await see(() => t.value), 'aA?');
    assert.equal((await act('press', '#t', { key: 'Nothing' })).outcome, 'badInput');
  });

  test('case 53: a page that asks isTrusted, a hover menu and a canvas are blocked, though a hand gets on there', async () => {
    await on(`<style>#sub { display: none } #h:hover #sub { display: block }</style><button id=t>T</button><div id=h tabindex=0 style="width:200px">Menu<div id=sub>Sub</div></div><canvas id=c></canvas>
      <script>var heard = []; t.onclick = (e) => { heard.push('button ' + e.isTrusted); if (e.isTrusted) document.title = 'Done'; };
        c.onclick = (e) => { heard.push('canvas ' + e.offsetX); c.getContext('2d').fillRect(0, 0, 300, 150); }; h.onmouseenter = (e) => heard.push('menu ' + e.isTrusted);</script>`);
    const isOpen = () => see(() => sub.checkVisibility());
    assert.deepEqual(codes(await act('click', '#t')), ['blocked', 'noReaction']);
    assert.deepEqual(codes(await act('hover', '#h')), ['blocked', 'noReaction']);
    assert.deepEqual(codes(await act('click', '#c')), ['blocked', 'canvas']);
    assert.deepEqual([await see(() => heard), await isOpen(), await own.page.title()], [['button false', 'menu false', 'canvas 150'], false, 'Made']);
    await own.page.click('#t');
    await own.page.hover('#h');
    assert.deepEqual([await isOpen(), await own.page.title()], [true, 'Done']);
    await own.page.mouse.move(1, 1);
  });

  test('case 53: a box and a list that ask isTrusted are blocked too, a menu that a script opens is not', async () => {
    await on(`<input type=checkbox id=b aria-label=News><ul id=l><li id=x style="height:40px">X<li id=y style="height:40px">Y</ul><div id=h tabindex=0>Menu</div><div id=m role=menu hidden>Sub</div><script>
      b.onclick = (e) => e.isTrusted || e.preventDefault(); h.onmouseenter = () => (m.hidden = false);
      let moved; l.onpointerdown = (e) => (moved = e.isTrusted ? e.target : undefined); l.onpointerup = (e) => moved && e.target.after(moved);</script>`);
    assert.deepEqual(codes(await act('check', '#b', { on: true })), ['blocked', 'reverted']);
    assert.deepEqual(codes(await act('drag', '#x', { to: '#y' })), ['blocked', 'noReaction']);
    const menu = await act('hover', '#h');
    assert.deepEqual([menu.outcome, kinds(menu).includes('popover')], ['ok', true]);
    assert.deepEqual(await see(() => [b.checked, l.firstElementChild.id]), [false, 'x']);
  });

  test('case 54: a slider that captures the pointer is dragged', async () => {
    await on(`<div style="width:300px;height:20px;background:#ddd;position:relative"><div id=k role=slider tabindex=0 aria-valuenow=0 style="position:absolute;left:0;width:20px;height:20px;background:#333"></div></div><script>
      let from; k.onpointerdown = (e) => { k.setPointerCapture(e.pointerId); from = e.clientX; };
      k.onpointermove = (e) => { if (from === undefined) return; k.style.left = e.clientX - from + 'px'; k.ariaValueNow = Math.round(e.clientX - from); };
      k.onpointerup = () => (from = undefined);</script>`);
    assert.equal((await act('drag', '#k', { to: { dx: 120, dy: 0 } })).outcome, 'ok');
    assert.equal(await see(() => k.ariaValueNow), '120');
  });

  test('case 55: a click that removes its target is done', async () => {
    await on(`<div role=dialog id=d>Note <button id=b onclick="d.remove()">Close</button></div><button id=e onpointerdown="this.remove()">Early</button>`);
    assert.equal((await act('click', '#b')).outcome, 'ok');
    assert.equal((await act('click', '#e')).outcome, 'ok');
  });

  test('case 81: a click after which nothing is to be seen is blocked, on plain text it is not', async () => {
    await on('<button id=b>B</button><p id=p>Text</p>');
    assert.deepEqual(codes(await act('click', '#b')), ['blocked', 'noReaction']);
    const text = await act('click', '#p');
    assert.deepEqual([text.outcome, kinds(text)], ['ok', ['nothing']]);
  });

  test('case 79: another hash and another entry of the history are told, and what was read before still holds', async () => {
    await on(`<a id=h href="#there">Hash</a><button id=p onclick="history.pushState(0, '', '/actions/two.html?page=2'); out.textContent = 'two'">Next</button><button id=k onclick="history.back()">Back</button><p id=out></p>
      <script>onpopstate = () => (out.textContent = 'one'); var loaded = Math.random();</script>`);
    const [next, back] = [await own.actions.ref(own.page, '"Next"'), await own.actions.ref(own.page, '"Back"')];
    const before = await see(() => loaded);
    const address = ({ outcome, became }) => [outcome, became.find(({ kind }) => kind === 'address')?.text?.replace(own.actions.site.origin, '')];
    assert.deepEqual(address(await act('click', '#h')), ['ok', '/actions/made.html']);
    assert.deepEqual(address(await act('click', next)), ['ok', '/actions/two.html']);
    assert.deepEqual(address(await act('click', back)), ['ok', '/actions/made.html']);
    assert.deepEqual(await see(() => [location.pathname, location.hash, out.textContent]), ['/actions/made.html', '#there', 'one']);
    assert.equal(await see(() => loaded), before, 'it is the same document');
    // A link to where one is changes nothing.
    assert.equal(address(await act('click', '#h'))[1], undefined);
  });

  test('case 80: a form with errors is not sent, and they are named', async () => {
    await on(`<form id=f><label>Email <input type=email required id=e></label><button id=s>Send</button></form>`);
    const result = await act('submit', '#f');
    assert.deepEqual(codes(result), ['badInput', 'invalidFields']);
    assert.match(result.why.text, /^Email: ./);
    assert.ok(kinds(await act('click', '#s')).includes('validation'));
  });

  test('case 84: a download link says so, and the file is saved', async () => {
    await on(`<p>Report <a id=a href="/actions/report.csv" download="mine.csv"><b id=in>Get</b></a> <a id=n href="#no">Other</a>`);
    own.actions.site.put('actions/report.csv', 'a,b');
    let result;
    const saved = await downloaded(own.actions.chromium.browser, async () => (result = await act('click', '#in')));
    assert.deepEqual([result.outcome, result.became[0].kind], ['ok', 'download-link']);
    assert.deepEqual(saved, { name: 'mine.csv', text: 'a,b' });
    assert.ok(!kinds(await act('click', '#n')).includes('download-link'));
  });

  test('case 97: the user’s own press ends an action between two of its steps', async () => {
    await on(`<button id=b disabled>B</button><button id=u style="position:fixed;top:300px;left:300px">U</button>`);
    const result = act('click', '#b', { timeout: 5000 });
    let isOver = false;
    void result.then(() => (isOver = true));
    // The press counts once the action has begun.
    while (!isOver) await own.page.mouse.click(310, 310);
    assert.deepEqual(codes(await result), ['interrupted', 'userActed']);
  });
});

const codes = ({ outcome, why }) => [outcome, why?.code];
