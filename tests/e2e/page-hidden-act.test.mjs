/** Page actions in a tab that is not in front: no animation frames, slow timers, no focus events of the browser's. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { acting, kinds } from '../lib/acting.mjs';
import { bundled } from '../lib/bundled.mjs';
import { quick, until } from '../lib/wait.mjs';

const codes = ({ outcome, why }) => [outcome, why?.code];

describe('page actions: in a hidden tab', () => {
  const own = acting();
  const { act, see } = own;
  before(async () => {
    own.front = await own.actions.open('<title>Front</title><p>In front');
    await own.front.bringToFront();
  });

  async function on(html) {
    await own.on(html);
    await own.front.bringToFront();
    await own.page.waitForFunction(() => document.hidden, { polling: 50 });
  }

  /** Wait until the browser keeps the tab's timers back, as it does some seconds after a tab is hidden: three of 16 ms then take seconds. */
  const throttled = () =>
    until(
      () => see(async () => {
        const started = performance.now();
        for (let times = 0; times < 3; times += 1) await new Promise((resolve) => setTimeout(resolve, 16));
        return document.hidden && performance.now() - started > 1_000;
      }),
      { what: 'the browser to keep the timers of the hidden tab back', timeout: 60_000 },
    );

  test('case 87: once the tab has been hidden so long that its timers are kept back, a snapshot takes less than 300 ms and a click less than a second', async () => {
    await on(`<ul>${'<li><a href=x>Row</a> <button>Open</button></li>'.repeat(200)}</ul><button id=b onclick="pressed += 1; this.textContent = 'Pressed ' + pressed">B</button><script>var pressed = 0</script>`);
    await throttled();
    const snapshot = async () => {
      const started = performance.now();
      const text = await own.actions.outline(own.page);
      const took = performance.now() - started;
      assert.match(text, /button "Open"/);
      return took;
    };
    await quick(300, snapshot, 'a snapshot');
    let clicks = 0;
    const click = async () => {
      const started = performance.now();
      const { outcome } = await act('click', '#b');
      const took = performance.now() - started;
      assert.equal(outcome, 'ok');
      assert.equal(await see(() => pressed), (clicks += 1));
      return took;
    };
    await quick(1_000, click, 'a click');
    assert.equal(await see(() => document.hidden), true);
    await throttled();
  });

  test('case 88: text, a date, a list and a box of a React page are filled', async () => {
    own.actions.site.put('actions/react.js', await bundled('fields-react'));
    await on('<div id=app></div><script src="/actions/react.js"></script>');
    for (const [target, text] of [['[data-id=text]', 'Ada'], ['[data-id=date]', '2026-11-23'], ['[data-id=lazy]', 'late']]) {
      const { outcome, why } = await act('fill', target, { text });
      assert.deepEqual([target, outcome, why], [target, 'ok', undefined]);
    }
    assert.equal((await act('choose', '[data-id=pick]', { values: ['Two'] })).outcome, 'ok');
    assert.equal((await act('check', '[data-id=box]', { on: true })).outcome, 'ok');
    assert.deepEqual(await see(() => model()), { text: 'Ada', date: '2026-11-23', lazy: 'late', box: true, pick: '2' });
  });

  for (const name of ['prosemirror', 'lexical', 'quill', 'slate']) {
    test(`case 88: ${name} is written in`, async () => {
      own.actions.site.put(`actions/editor-${name}.js`, await bundled(`editor-${name}`));
      await on(`<div id=app></div><script src="/actions/editor-${name}.js"></script>`);
      const { outcome, why } = await act('fill', '#app [contenteditable=true], #app[contenteditable=true]', { text: 'new words' });
      assert.deepEqual([outcome, why, await see(() => model())], ['ok', undefined, 'new words']);
    });
  }

  test('case 88: CodeMirror does not see the selection there: works only in front', async () => {
    own.actions.site.put('actions/editor-codemirror.js', await bundled('editor-codemirror'));
    await on('<div id=app></div><script src="/actions/editor-codemirror.js"></script>');
    const target = '#app [contenteditable=true]';
    assert.deepEqual(codes(await act('fill', target, { text: 'new' })), ['timeout', 'frontOnly']);
    assert.equal(await see(() => model()), 'old words');
    await own.page.bringToFront();
    assert.equal((await act('fill', target, { text: 'new' })).outcome, 'ok');
    assert.equal(await see(() => model()), 'new');
  });

  test('case 89: an entry of a menu that comes in by an animation works only in front, and does there', async () => {
    await on(`<style>@keyframes in { from { opacity: 0 } } .coming { visibility: hidden; animation: in .3s }</style><button id=o aria-haspopup=menu>Open</button><div id=m role=menu hidden><div role=menuitem id=i onclick="out.textContent = 'pressed'">Item</div></div><p id=out></p>
      <script>o.onclick = () => { m.hidden = false; m.className = 'coming'; }; m.onanimationend = () => (m.className = '');</script>`);
    assert.equal((await act('click', '#o')).outcome, 'ok');
    assert.deepEqual(codes(await act('click', '#i', { timeout: 600 })), ['timeout', 'frontOnly']);
    assert.equal(await see(() => out.textContent), '');
    await own.page.bringToFront();
    assert.equal((await act('click', '#i')).outcome, 'ok');
    assert.equal(await see(() => out.textContent), 'pressed');
  });

  test('case 89: a list that grows when its end comes into view says that it works only in front, and grows there', async () => {
    await on(`<ul id=l></ul><p id=end>…</p><script>let n = 0; const more = () => { for (let k = 0; k < 40 && n < 200; k++) l.innerHTML += '<li style="height:40px">Item ' + n++; }; more();
      new IntersectionObserver((all) => all.some((one) => one.isIntersecting) && more()).observe(end);</script>`);
    const count = await see(() => l.children.length);
    const behind = await act('scroll', undefined, { to: 'bottom' });
    assert.deepEqual([behind.outcome, kinds(behind).includes('background'), behind.scrolled.grown, await see(() => l.children.length)], ['ok', true, undefined, count]);
    const wait = () => own.actions.ask(own.page, { do: 'wait', text: `Item ${count}`, timeout: 400 });
    assert.deepEqual(codes(await wait()), ['timeout', 'background']);
    await own.page.bringToFront();
    const front = await act('scroll', undefined, { to: 'bottom' });
    assert.deepEqual([front.outcome, kinds(front).includes('background')], ['ok', false]);
    assert.equal((await wait()).outcome, 'ok');
    assert.ok((await see(() => l.children.length)) > count);
  });

  test('case 90: focus events come once, in front and behind', async () => {
    const html = `<input id=a><input id=b><script>var log = []; for (const type of ['focus', 'blur', 'focusin', 'focusout', 'change']) addEventListener(type, (e) => e.target.id && log.push(type + e.target.id), true);</script>`;
    const run = async () => {
      await act('fill', undefined, { fields: [{ target: '#a', text: '1' }, { target: '#b', text: '2' }] });
      return (await see(() => log)).sort();
    };
    await own.on(html);
    await own.page.bringToFront();
    const shown = await run();
    await on(html);
    assert.deepEqual(await run(), shown);
    assert.equal(shown.filter((one) => one === 'focusa').length, 1);
    assert.equal(shown.filter((one) => one === 'changeb').length, 1);
  });

  test('case 64: a date field that cannot be focused is filled, and not its neighbour', async () => {
    await on('<input id=n value=mine><input id=d type=date>');
    await see(() => n.focus());
    assert.equal((await act('fill', '#d', { text: '2026-11-23' })).outcome, 'ok');
    assert.deepEqual(await see(() => [n.value, d.value]), ['mine', '2026-11-23']);
  });

  test('case 76: a list that grows by scroll events grows', async () => {
    await on(`<ul id=l></ul><script>let n = 0; const more = () => { for (let k = 0; k < 40; k++) l.innerHTML += '<li style="height:40px">Item ' + n++; }; more(); onscroll = () => more();</script>`);
    const { outcome, scrolled } = await act('scroll', undefined, { to: 'bottom' });
    assert.deepEqual([outcome, scrolled.grown > 0], ['ok', true]);
  });
});
