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

  test('case 75: row 7,777 of a virtual list is reached by scrolling alone, and used', async () => {
    await on(`<h1>Rows</h1><div id=l aria-label=Rows role=list style="height:600px;overflow:auto;position:relative"><div id=in></div></div><script>const box = document.getElementById('in'); box.style.height = 10000 * 20 + 'px'; var pressed = [];
      const draw = () => { const first = Math.floor(l.scrollTop / 20); box.innerHTML = Array.from({ length: 32 }, (_, n) => first + n).filter((n) => n < 10000).map((n) => '<div role=listitem style="position:absolute;height:20px;top:' + n * 20 + 'px">Row ' + n + ' <button onclick="pressed.push(' + n + '); this.textContent += 1">Take ' + n + '</button></div>').join(''); }; l.onscroll = draw; draw();</script>`);
    const take = async () => /button "Take 7777" \[ref=(\w+)\]/.exec(await own.actions.outline(own.page, { query: 'take 7777' }))?.[1];
    assert.equal(await take(), undefined, 'it is not there before');
    const end = await act('scroll', '#l', { to: 'bottom' });
    assert.deepEqual([end.outcome, end.scrolled.y, (await own.actions.outline(own.page, { query: 'take 9999' })).includes('Take 9999')], ['ok', 200_000 - 600, true]);
    // Up by a part of what is in view each time, so that no row is passed.
    let [ref, times, top] = [undefined, 0, end.scrolled.y];
    for (; ref === undefined && times < 120; times += 1) {
      const { outcome, scrolled } = await act('scroll', '#l', { to: 'up' });
      assert.equal(outcome, 'ok');
      assert.ok(scrolled.y < top && top - scrolled.y < 600, `from ${top} to ${scrolled.y}`);
      top = scrolled.y;
      if (top <= 7777 * 20) ref = await take();
    }
    assert.ok(ref, `after ${times} times`);
    assert.equal((await act('click', ref)).outcome, 'ok');
    assert.deepEqual(await see(() => pressed), [7777]);
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

  for (const [what, change, expected] of [
    ['is gone', 'b.remove()', ['stale', 'gone']],
    ['cannot be seen', 'b.hidden = true', ['notFound', 'hidden']],
    ['is elsewhere', 'b.style.transform = "translateY(300px)"', ['changed', undefined]],
    ['lies under something', 'over.hidden = false', ['covered', 'coveredBy']],
  ]) {
    test(`case 77: a drag to what ${what} when it arrives ends without a drop`, async () => {
      await on(`${DND}<div id=over role=dialog aria-label=Cookies hidden style="position:fixed;inset:0"></div>${SCRIPT(true)}<script>addEventListener('dragenter', ({ target }) => { if (target === b) setTimeout(() => { ${change}; }); });
        addEventListener('dragover', (event) => event.preventDefault()); addEventListener('drop', () => log.push('drop elsewhere'));</script>`);
      const result = await act('drag', '#card', { to: '#b' });
      assert.deepEqual(codes(result), expected);
      assert.deepEqual([result.why?.by?.name, await see(() => card.parentElement.id)], [expected[1] === 'coveredBy' ? 'Cookies' : undefined, 'a']);
      assert.deepEqual((await see(() => log)).filter((one) => /^drop|^dragend/.test(one)), ['dragend']);
    });
  }

  test('case 77: a list that makes room for what is dragged gets it where its entry was', async () => {
    const entries = (id, names) => `<ul id=${id} style="padding:0">${names.map((name) => `<li id=${name} draggable=true style="height:40px;list-style:none">${name}</li>`).join('')}</ul>`;
    // As libraries do it: a place is kept free, and the entry that was there moves on.
    await on(`${entries('l', ['A', 'B', 'C'])}${entries('m', ['D', 'E'])}<script>const room = Object.assign(document.createElement('li'), { id: 'room', style: 'height:40px;list-style:none' }); let moved;
      addEventListener('dragstart', (event) => (moved = event.target)); addEventListener('dragover', (event) => { event.preventDefault(); const over = event.target.closest('li'); if (over && over !== room && over !== moved) over.before(room); });
      addEventListener('drop', () => room.replaceWith(moved)); addEventListener('dragend', () => room.remove());</script>`);
    const order = () => see(() => [l, m].map(({ children }) => [...children].map(({ id }) => id).join('')));
    assert.deepEqual([(await act('drag', '#C', { to: '#A' })).outcome, await order()], ['ok', ['CAB', 'DE']]);
    assert.deepEqual([(await act('drag', '#B', { to: '#D' })).outcome, await order()], ['ok', ['CA', 'BDE']]);
  });

  test('case 77: a place to drop at that the page lays over the target takes what is dragged', async () => {
    await on(`<section style="position:relative"><div id=a style="padding:20px"><div id=card draggable=true style="width:80px">Card</div></div><div id=b style="margin-top:40px;padding:40px">Here</div></section>
      <script>const zone = Object.assign(document.createElement('div'), { id: 'zone', textContent: 'Drop here', style: 'position:absolute;inset:0' });
      b.ondragenter = () => b.after(zone); zone.ondragover = (event) => event.preventDefault(); zone.ondrop = () => { zone.remove(); b.append(card); };</script>`);
    assert.deepEqual([(await act('drag', '#card', { to: '#b' })).outcome, await see(() => card.parentElement.id)], ['ok', 'b']);
  });

  test('case 77: a list that is drawn anew in the middle of a drag gets it where it is dragged to, and nothing on the way does', async () => {
    await on(`<div id=l><div id=card draggable=true style="height:30px">Card</div></div><div id=way style="height:200px">Bin</div><div id=b style="height:60px">Here</div>
      <script>var log = []; addEventListener('dragover', (event) => event.preventDefault()); addEventListener('drop', ({ target }) => log.push(target.id));
      way.ondragenter = () => { l.innerHTML = l.innerHTML; };</script>`);
    await act('drag', '#card', { to: '#b' });
    assert.deepEqual(await see(() => log), ['b']);
  });

  test('case 97: the user’s own press in the middle of a drag ends it without a drop', async () => {
    await on(`${DND}<button id=u style="position:fixed;top:300px;left:300px">U</button>${SCRIPT(true)}<script>var isDragged; addEventListener('dragstart', () => (isDragged = true)); addEventListener('drag', (event) => { while (performance.now() < event.timeStamp + 200); });</script>`);
    const result = act('drag', '#card', { to: '#b' });
    await own.page.waitForFunction(() => window.isDragged);
    await own.page.mouse.click(310, 310);
    assert.deepEqual([...codes(await result), await see(() => [card.parentElement.id, log.at(-1)])], ['interrupted', 'userActed', ['a', 'dragend']]);
  });

  /** A list that is sorted by pointer moves, after a press of `hold` milliseconds: who moves before that scrolls. It logs each press. */
  const SORTER = (hold) => `<ul id=l style="padding:0;user-select:none">${['A', 'B', 'C', 'D'].map((one) => `<li id=${one} style="height:40px;list-style:none;border:1px solid">${one}</li>`).join('')}</ul><script>
    let moved; var presses = [];
    l.onpointerdown = (e) => { moved = e.target.closest('li'); presses.push({ at: performance.now(), from: [e.clientX, e.clientY], moves: [] }); };
    addEventListener('pointermove', (e) => {
      const press = presses.at(-1);
      if (!moved) return;
      press.waited ??= performance.now() - press.at;
      press.moves.push([e.clientX, e.clientY]);
      if (press.waited < ${hold}) { moved = undefined; return; }
      const over = document.elementFromPoint(e.clientX, e.clientY)?.closest('li'); if (over && over !== moved) (over.compareDocumentPosition(moved) & 2 ? over.after(moved) : over.before(moved)); });
    addEventListener('pointerup', () => { if (moved) presses.at(-1).isDropped = true; moved = undefined; });</script>`;

  for (const [name, hold] of [['a sorted list', 0], ['a sorted list that waits for a long press', 120]]) {
    test(`case 78: ${name}`, async () => {
      await on(SORTER(hold));
      for (const [from, to, wanted] of [['#A', '#C', 'BCAD'], ['#D', '#B', 'DBCA'], ['#B', '#D', 'BDCA']]) {
        await see(() => (presses.length = 0));
        const result = await act('drag', from, { to });
        assert.deepEqual([result.outcome, await see(() => [...l.children].map(({ id }) => id).join(''))], ['ok', wanted]);
        const presses = await see(() => presses);
        // The short press is tried first, unless the machine made it long; a list that has moved is not pressed once more.
        assert.deepEqual(presses.map(({ isDropped = false }) => isDropped), presses[0].waited < hold ? [false, true] : [true]);
        const { from: [x, y], moves, waited } = presses.at(-1);
        assert.ok(waited >= hold);
        assert.ok(moves.length >= 8, `${moves.length} moves`);
        assert.ok(Math.hypot(moves[0][0] - x, moves[0][1] - y) >= 10, 'the first move is long enough to count as one');
      }
    });
  }

  test('case 78: a list that is sorted by keys, when pointers do nothing', async () => {
    await on(`<ul id=l>${['A', 'B', 'C'].map((one) => `<li id=${one} tabindex=0 role=button aria-roledescription=sortable>${one}</li>`).join('')}</ul><script>
      var held, codes = []; l.onkeydown = (e) => { const li = e.target; codes.push(e.code); if (e.code === 'Space') { held = held ? undefined : li; e.preventDefault(); }
        else if (held && e.code === 'ArrowDown' && li.nextElementSibling) { li.nextElementSibling.after(li); li.focus(); } else if (held && e.code === 'ArrowUp' && li.previousElementSibling) { li.previousElementSibling.before(li); li.focus(); } };</script>`);
    const keys = () => see(() => codes.splice(0).join(' '));
    const order = () => see(() => l.textContent.trim());
    const result = await act('drag', '#A', { to: '#C' });
    assert.deepEqual([result.outcome, await order(), await keys()], ['ok', 'BCA', 'Space ArrowDown ArrowDown Space']);
    assert.deepEqual([(await act('drag', '#A', { to: '#C' })).outcome, await order(), await keys()], ['ok', 'BAC', 'Space ArrowUp Space']);
    assert.equal(await see(() => held), undefined, 'what was taken up is put down');
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
