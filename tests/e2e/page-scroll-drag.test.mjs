/** Page actions: scrolling of nested parts and growing lists, dragging by the browser and by pointer moves. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';

const codes = ({ outcome, why }) => [outcome, why?.code];

describe('page actions: scrolling and dragging', () => {
  const own = acting();
  const { on, act, see } = own;

  test('case 74: the page, a part of it, a part of a part, and a frame are scrolled', async () => {
    await on(`<div style="height:3000px">Page<div id=o style="height:300px;overflow:auto"><div style="height:900px">Outer<div id=n style="height:150px;overflow:auto"><div style="height:700px"><b id=x>Inner</b></div></div></div></div></div><iframe srcdoc="<div style='height:2000px'>In</div>"></iframe>`);
    assert.equal((await act('scroll', undefined, { to: 'down' })).outcome, 'ok');
    assert.deepEqual(await see(() => [scrollY > 300, o.scrollTop, n.scrollTop]), [true, 0, 0]);
    await act('scroll', undefined, { to: 'top' });
    await act('scroll', '#x', { to: 'bottom' });
    assert.deepEqual(await see(() => [scrollY, o.scrollTop, n.scrollTop]), [0, 0, 550]);
    const end = await act('scroll', '#x', { to: 'down' });
    assert.deepEqual(codes(end), ['ok', 'atEnd']);
    const { frameId } = (await own.actions.attach(own.page)).find((one) => one.frameId !== 0);
    const inner = await act('scroll', undefined, { to: 'bottom' }, frameId);
    assert.deepEqual([inner.outcome, inner.scrolled.y > 1000], ['ok', true]);
  });

  test('case 75: row 7,777 of a virtual list is reached', async () => {
    await on(`<div id=l style="height:400px;overflow:auto;position:relative"><div id=in></div></div><script>const box = document.getElementById('in'); box.style.height = 10000 * 20 + 'px';
      const draw = () => { const first = Math.floor(l.scrollTop / 20); box.innerHTML = Array.from({ length: 22 }, (_, n) => first + n).map((n) => '<p id=r' + n + ' style="position:absolute;margin:0;top:' + n * 20 + 'px">Row ' + n + '</p>').join(''); }; l.onscroll = draw; draw();</script>`);
    await act('scroll', '#l', { to: 'down' });
    assert.equal((await act('scroll', '#l', { to: 'bottom' })).outcome, 'ok');
    assert.ok(await see(() => document.getElementById('r9990') !== null));
    await see(() => (l.scrollTop = 7777 * 20 - 200));
    assert.equal((await own.actions.ask(own.page, { do: 'wait', text: 'Row 7777', timeout: 2000 })).outcome, 'ok');
  });

  test('case 76: an endless list grows, and its end is said', async () => {
    await on(`<ul id=l></ul><p id=end>…</p><script>let n = 0; const more = () => { for (let k = 0; k < 40 && n < 120; k++) l.innerHTML += '<li style="height:40px">Item ' + n++; }; more();
      new IntersectionObserver((all) => all[0].isIntersecting && setTimeout(more, 150)).observe(end);</script>`);
    const first = await act('scroll', undefined, { to: 'bottom' });
    assert.ok(first.scrolled.grown > 0);
    let last = first;
    for (let times = 0; times < 6 && last.why?.code !== 'atEnd'; times += 1) last = await act('scroll', undefined, { to: 'bottom' });
    assert.deepEqual([...codes(last), await see(() => l.children.length)], ['ok', 'atEnd', 120]);
  });

  const DND = `<div id=a style="padding:20px;background:#eee"><div id=card draggable=true style="width:80px">Card</div></div><div id=b style="margin-top:40px;padding:40px;background:#dde">Here</div>`;
  const SCRIPT = (accepts) => `<script>var log = [];
    card.ondragstart = (e) => { e.dataTransfer.setData('text/plain', 'card'); log.push('dragstart'); }; card.ondragend = () => log.push('dragend');
    b.ondragenter = () => log.push('dragenter'); b.ondragover = (e) => { ${accepts ? 'e.preventDefault();' : ''} }; b.ondragleave = () => log.push('dragleave');
    b.ondrop = (e) => { log.push('drop ' + e.dataTransfer.getData('text/plain')); b.append(card); };</script>`;

  test('case 77: drag and drop carries the page’s data', async () => {
    await on(DND + SCRIPT(true));
    const result = await act('drag', '#card', { to: '#b' });
    assert.deepEqual([result.outcome, await see(() => [card.parentElement.id, log])], ['ok', ['b', ['dragstart', 'dragenter', 'drop card', 'dragend']]]);
  });

  test('case 77: a drop that the target does not take is blocked', async () => {
    await on(DND + SCRIPT(false));
    const result = await act('drag', '#card', { to: '#b' });
    assert.deepEqual([...codes(result), await see(() => log)], ['blocked', 'noReaction', ['dragstart', 'dragenter', 'dragleave', 'dragend']]);
  });

  /** A list that is sorted by pointer moves, after a press of `hold` milliseconds. */
  const SORTER = (hold) => `<ul id=l style="padding:0;user-select:none">${['A', 'B', 'C', 'D'].map((one) => `<li id=${one} style="height:40px;list-style:none;border:1px solid">${one}</li>`).join('')}</ul><script>
    let moved; let since;
    l.onpointerdown = (e) => { since = performance.now(); moved = e.target.closest('li'); };
    addEventListener('pointermove', (e) => { if (!moved || performance.now() - since < ${hold}) { if (moved && ${hold} > 0) moved = undefined; return; }
      const over = document.elementFromPoint(e.clientX, e.clientY)?.closest('li'); if (over && over !== moved) (over.compareDocumentPosition(moved) & 2 ? over.before(moved) : over.after(moved)); });
    addEventListener('pointerup', () => (moved = undefined));</script>`;

  for (const [name, hold] of [['a sorted list', 0], ['a sorted list that waits for a long press', 120]]) {
    test(`case 78: ${name}`, async () => {
      await on(SORTER(hold));
      const result = await act('drag', '#A', { to: '#C' });
      const order = await see(() => [...l.children].map(({ id }) => id).join(''));
      assert.equal(result.outcome, 'ok');
      assert.notEqual(order, 'ABCD');
      assert.ok(order.indexOf('A') > 0, order);
    });
  }

  test('case 78: a list that is sorted by keys, when pointers do nothing', async () => {
    await on(`<ul id=l>${['A', 'B', 'C'].map((one) => `<li id=${one} tabindex=0 role=button aria-roledescription=sortable>${one}</li>`).join('')}</ul><script>
      let held; l.onkeydown = (e) => { const li = e.target; if (e.code === 'Space') { held = held ? undefined : li; e.preventDefault(); } else if (held && e.code === 'ArrowDown' && li.nextElementSibling) { li.nextElementSibling.after(li); li.focus(); } };</script>`);
    const result = await act('drag', '#A', { to: '#C' });
    assert.deepEqual([result.outcome, await see(() => l.textContent.trim())], ['ok', 'BCA']);
  });

  test('a text that comes and one that goes are waited for, and an element', async () => {
    await on(`<p id=p>Loading</p><script>setTimeout(() => (p.innerHTML = 'Your <b>order</b> is there'), 300)</script>`);
    const wait = (more) => own.actions.ask(own.page, { do: 'wait', timeout: 3000, ...more });
    assert.equal((await wait({ text: 'your order is' })).outcome, 'ok');
    assert.equal((await wait({ text: 'Loading', gone: true })).outcome, 'ok');
    assert.equal((await wait({ target: '#p b' })).outcome, 'ok');
    assert.equal((await wait({ text: 'never', timeout: 200 })).outcome, 'timeout');
  });
});
