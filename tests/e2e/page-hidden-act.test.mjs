/** Page actions in a tab that is not in front: no animation frames, slow timers, no focus events of the browser's. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';
import { bundled } from '../lib/bundled.mjs';
import { quick } from '../lib/wait.mjs';

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

  test('case 87: a snapshot is taken within 300 ms', async () => {
    await on(`<ul>${'<li><a href=x>Row</a> <button>Open</button></li>'.repeat(200)}</ul>`);
    const snapshot = async () => {
      const started = performance.now();
      assert.match(await own.actions.outline(own.page), /button "Open"/);
      return performance.now() - started;
    };
    await quick(300, snapshot, 'a snapshot');
  });

  test('case 87: a click is done within a second', async () => {
    await on(`<button id=b onclick="this.textContent = 'pressed'">B</button>`);
    const click = async () => {
      const started = performance.now();
      assert.equal((await act('click', '#b')).outcome, 'ok');
      return performance.now() - started;
    };
    await quick(1_000, click, 'a click');
    assert.equal(await see(() => b.textContent), 'pressed');
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

  test('case 89: what waits for an animation works only in front, and does there', async () => {
    await on(`<style>@keyframes in { from { opacity: 0 } } .coming { visibility: hidden; animation: in .3s }</style><button id=m onclick="this.textContent = 'pressed'">Item</button><script>m.onanimationend = () => (m.className = '')</script>`);
    await see(() => (m.className = 'coming'));
    assert.deepEqual(codes(await act('click', '#m', { timeout: 600 })), ['timeout', 'frontOnly']);
    await own.page.bringToFront();
    assert.equal((await act('click', '#m')).outcome, 'ok');
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
