/** Page actions: fields of all types, frameworks that control their fields, and what must not be written in. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';
import { bundled } from '../lib/bundled.mjs';

const codes = ({ outcome, why }) => [outcome, why?.code];

describe('page actions: fields', () => {
  const own = acting();
  const { on, act, see } = own;
  const fill = (target, text, more) => act('fill', target, { text, ...more });
  const valueOf = (id) => see((name) => document.getElementById(name).value, id);

  const GOOD = {
    text: 'Ada L.', search: 'rust', tel: '+33 6 12', url: 'https://example.com/', email: 'a@b.example', number: '12.5', date: '2026-11-23', time: '17:30', month: '2026-11',
    week: '2026-W48', 'datetime-local': '2026-11-23T17:30', range: '30', color: '#1a2b3c',
  };
  const BAD = { url: 'nowhere', email: 'nobody', number: '12x', date: '23.11.2026', time: '25:00', month: 'May', week: '2026-48', 'datetime-local': 'now', range: 'much', color: 'red' };

  test('case 56: every type of field takes a good value and tells the page', async () => {
    await on(`${Object.keys(GOOD).map((type) => `<p><label>${type}<input type=${type} id=${type} ${type === 'number' ? 'step=any' : ''}></label>`).join('')}<textarea id=area></textarea>
      <script>var seen = {}; for (const type of ['input', 'change']) addEventListener(type, (e) => (seen[e.target.id] = (seen[e.target.id] ?? '') + type[0]));</script>`);
    for (const [type, value] of Object.entries({ ...GOOD, area: 'one\ntwo' })) {
      const result = await fill(`#${type}`, value);
      assert.deepEqual([type, result.outcome, result.why, await valueOf(type)], [type, 'ok', undefined, value]);
      // The browser tells of each line of a text area.
      assert.match(await see((id) => seen[id], type), /^i+c$/, type);
    }
  });

  test('case 56: a bad value is refused with words, before or after', async () => {
    await on(`${Object.keys(BAD).map((type) => `<p><input type=${type} id=${type} aria-label=${type}>`).join('')}`);
    for (const [type, value] of Object.entries(BAD)) assert.deepEqual([type, ...codes(await fill(`#${type}`, value))], [type, 'badInput', 'malformed']);
  });

  test('case 57: maxlength, pattern, limits, a mask and thousands', async () => {
    await on(`<input id=short maxlength=3><input id=coded pattern="[A-Z]{2}\\d"><input id=few type=number min=1 max=9><input id=day type=date min=2026-01-01 max=2026-12-31>
      <input id=phone><input id=money><script>
        phone.oninput = () => { const d = phone.value.replace(/\\D/g, '').slice(0, 10); phone.value = d.length > 6 ? '(' + d.slice(0, 3) + ') ' + d.slice(3, 6) + '-' + d.slice(6) : d; };
        money.onblur = () => { money.value = Number(money.value.replace(/,/g, '')).toLocaleString('en-US'); };</script>`);
    assert.deepEqual(codes(await fill('#short', 'four')), ['badInput', 'tooLong']);
    assert.equal(await valueOf('short'), '');
    assert.deepEqual(codes(await fill('#coded', 'abc')), ['badInput', 'malformed']);
    assert.equal((await fill('#coded', 'AB1')).outcome, 'ok');
    assert.deepEqual(codes(await fill('#few', '12')), ['badInput', 'outOfRange']);
    const day = await fill('#day', '2027-01-01');
    assert.deepEqual([...codes(day), day.why.options], ['badInput', 'outOfRange', ['min 2026-01-01', 'max 2026-12-31']]);
    assert.equal((await fill('#phone', '5551234567')).outcome, 'ok');
    assert.equal(await valueOf('phone'), '(555) 123-4567');
    const money = await fill('#money', '1234567');
    assert.deepEqual([money.outcome, money.value], ['ok', '1,234,567']);
  });

  test('case 57: a mask that only takes single keys is typed key by key', async () => {
    await on(`<input id=c><script>let v = ''; c.onkeydown = (e) => { if (/^\\d$/.test(e.key) && e.code === 'Digit' + e.key) { v += e.key; } if (/^\\d$|Backspace/.test(e.key)) e.preventDefault(); c.value = v.replace(/(..)(?=.)/g, '$1-'); };
      c.oninput = () => { c.value = v.replace(/(..)(?=.)/g, '$1-'); };</script>`);
    assert.equal((await fill('#c', '123456')).outcome, 'ok');
    assert.equal(await valueOf('c'), '12-34-56');
  });

  test('a long fill tells that it goes on, a short one does not', async () => {
    const count = async () => (await own.actions.events(own.page)).filter(({ event }) => event === 'progress').length;
    await on(`<input id=f0><input id=f1><input id=f2><input id=f3><script>for (const one of [f1, f2, f3]) {
      let text = '';
      one.onkeydown = (event) => { if (event.key.length === 1) { text += event.key; event.preventDefault(); } one.value = text; };
      one.oninput = () => { one.value = text; };
    }</script>`);
    const before = await count();
    assert.equal((await fill('#f0', 'one')).outcome, 'ok');
    assert.equal(await count(), before);
    const text = 'typed key by key '.repeat(11);
    const begun = Date.now();
    const result = await act('fill', undefined, { fields: ['#f1', '#f2', '#f3'].map((target) => ({ target, text })) });
    assert.deepEqual([result.outcome, await valueOf('f3')], ['ok', text]);
    const told = (await count()) - before;
    assert.ok(told >= 1 && told <= (Date.now() - begun) / 1000, `${told} in ${Date.now() - begun} ms`);
  });

  for (const kit of ['react', 'vue', 'svelte', 'lit']) {
    test(`case 58: a field that ${kit} controls has the text in the page's model`, async () => {
      own.actions.site.put(`actions/${kit}.js`, await bundled(`fields-${kit}`));
      await on(`<div id=app></div><script src="/actions/${kit}.js"></script>`);
      await own.page.waitForFunction(() => globalThis.model);
      for (const [target, value] of [['[data-id=text]', 'Ada & Bob'], ['[data-id=date]', '2026-11-23'], ['[data-id=lazy]', 'late']]) {
        const result = await fill(target, value);
        assert.deepEqual([target, result.outcome, result.why], [target, 'ok', undefined]);
      }
      assert.equal((await act('check', '[data-id=box]', { on: true })).outcome, 'ok');
      assert.equal((await act('choose', '[data-id=pick]', { values: ['Two'] })).outcome, 'ok');
      assert.deepEqual(await see(() => ({ ...model() })), { text: 'Ada & Bob', date: '2026-11-23', lazy: 'late', box: true, pick: '2' });
    });
  }

  test('case 59: of five fields the third refuses: the others before it stand, those after are untouched', async () => {
    await on(`<input id=f1><input id=f2><input id=f3><input id=f4><input id=f5><script>f3.oninput = () => (f3.value = '')</script>`);
    const result = await act('fill', undefined, { fields: [1, 2, 3, 4, 5].map((n) => ({ target: `#f${n}`, text: `v${n}` })) });
    assert.deepEqual([...codes(result), result.filled.map(({ value }) => value)], ['blocked', 'reverted', ['v1', 'v2']]);
    assert.deepEqual(await see(() => [f1, f2, f3, f4, f5].map((one) => one.value)), ['v1', 'v2', '', '', '']);
  });

  test('case 59: a field that cannot be written in is found before the first is touched', async () => {
    await on(`<input id=f1><input id=f2 type=number><input id=f3 readonly value=x>`);
    assert.deepEqual(codes(await act('fill', undefined, { fields: [{ target: '#f1', text: 'a' }, { target: '#f2', text: 'b' }] })), ['badInput', 'malformed']);
    assert.deepEqual(codes(await act('fill', undefined, { fields: [{ target: '#f1', text: 'a' }, { target: '#f3', text: 'b' }], timeout: 200 })), ['disabled', 'readOnly']);
    assert.equal(await valueOf('f1'), '');
  });

  test('case 60: text is appended, replaced and cleared', async () => {
    await on(`<input id=i value="one"><textarea id=a>one</textarea><input type=email id=e value="a@b.exa">`);
    for (const id of ['i', 'a']) {
      assert.equal((await fill(`#${id}`, ' two', { append: true })).outcome, 'ok');
      assert.equal(await valueOf(id), 'one two');
      assert.equal((await fill(`#${id}`, 'three')).outcome, 'ok');
      assert.equal((await fill(`#${id}`, '')).outcome, 'ok');
      assert.equal(await valueOf(id), '');
    }
    assert.equal((await fill('#e', 'mple', { append: true })).outcome, 'ok');
    assert.equal(await valueOf('e'), 'a@b.example');
  });

  test('case 61: secret and file fields are refused and stay as they are', async () => {
    await on(`<input type=password id=p><input autocomplete=cc-number id=c><input name=otp id=o><input type=file id=f><input id=ok>`);
    for (const id of ['p', 'c', 'o']) assert.deepEqual([id, ...codes(await fill(`#${id}`, '1'))], [id, 'refused', 'secretField']);
    assert.deepEqual(codes(await fill('#f', 'x')), ['refused', 'fileField']);
    assert.deepEqual(codes(await act('click', '#f')), ['refused', 'fileField']);
    assert.deepEqual(codes(await act('press', '#p', { key: 'a' })), ['refused', 'secretField']);
    assert.equal((await fill('#ok', 'x')).outcome, 'ok');
    assert.equal(await valueOf('p'), '');
  });

  test('case 61: a field that only its label calls a secret is refused; a label that speaks of one makes none of an address', async () => {
    await on(`<label>Card number <input id=w></label><label for=f>PIN</label><input id=f><span id=l>Verification code</span><input id=a aria-labelledby=l><label>验证码<input id=z></label>
      <label>Email, for the password reset <input type=email id=e></label><label>City <input id=c></label>`);
    for (const id of ['w', 'f', 'a', 'z']) assert.deepEqual([id, ...codes(await fill(`#${id}`, '1234'))], [id, 'refused', 'secretField']);
    assert.deepEqual(await see(() => [w, f, a, z].map((one) => one.value)), ['', '', '', '']);
    assert.equal((await fill('#e', 'ada@example.com')).outcome, 'ok');
    assert.equal((await fill('#c', 'Lyon')).outcome, 'ok');
  });

  test('case 83: each field that was written in counts as unsent, also before one that failed', async () => {
    const unsent = async () => (await own.actions.ask(own.page, { do: 'unsaved' })).count;
    const two = { fields: [{ target: '#i', text: 'one' }, { target: '#k', text: 'two' }] };
    await on('<input id=i aria-label=A><input id=k aria-label=B>');
    assert.equal((await act('fill', undefined, two)).outcome, 'ok');
    assert.equal(await unsent(), 2);
    await on('<input id=i aria-label=A><input id=k aria-label=B oninput="this.value = 0">');
    const result = await act('fill', undefined, two);
    assert.deepEqual([...codes(result), result.filled], ['blocked', 'otherValue', [{ ref: result.filled[0].ref, role: 'textbox', name: 'A', value: 'one' }]]);
    assert.equal(await unsent(), 2);
  });

  test('case 83: what an action leads away from is told, and what is unsent beside the form that it sends', async () => {
    const page = `<input id=f aria-label=Free><form id=one><input id=i aria-label=In><textarea id=area></textarea><button id=b>Go</button></form><form id=two target=_top><input id=w aria-label=Other><button id=c>On</button>
      <button id=d formtarget=_blank>New</button><button id=e formmethod=dialog>Close</button></form><a id=a href="two.html">A</a><a id=h href="#x">H</a><a id=r href="">R</a><a id=n href="two.html" target=_blank>N</a><a id=t href="two.html" target=_top>T</a>
      <a id=s href="two.html" download>S</a><svg width=40 height=20><a id=svg href="two.html"><text y=15>V</text></a><a id=old xlink:href="two.html"><text y=15 x=20>W</text></a></svg><img usemap="#m" width=20 height=20 alt=""><map name=m><area id=map href="two.html" target=_parent alt=M shape=default></map>
      <form id=three><input id=y aria-label=Y><input aria-label=Z></form><form><input id=more type=button value=More><button>Go</button></form>`;
    const told = async (target, act, more) => {
      const { leads, unsent } = await own.actions.ask(own.page, { do: 'describe', target, act, ...more });
      return [leads, unsent];
    };
    await on(page);
    await act('fill', '#i', { text: 'one' });
    const enter = { key: 'Enter' };
    for (const [target, how, more, expected] of [
      ['#b', 'click', {}, ['frame', false]], ['#i', 'press', enter, ['frame', false]], ['#one', 'submit', {}, ['frame', false]],
      ['#c', 'click', {}, ['tab', true]], ['#c', 'press', { key: ' ' }, ['tab', true]], ['#w', 'press', enter, ['tab', true]], ['#w', 'fill', { submit: true }, ['tab', true]], ['#two', 'submit', {}, ['tab', true]],
      ['#d', 'click', {}, [undefined, true]], ['#e', 'click', {}, [undefined, true]], ['#w', 'fill', {}, [undefined, true]], ['#w', 'press', { key: 'a' }, [undefined, true]], ['#area', 'press', enter, [undefined, true]], ['#w', 'press', { key: 'Enter', modifiers: ['Control'] }, [undefined, true]], ['#y', 'press', enter, [undefined, true]],
      ['#svg', 'click', {}, ['frame', true]], ['#svg', 'press', enter, ['frame', true]], ['#map', 'click', {}, ['tab', true]], ['#old', 'click', {}, ['frame', true]], ['#more', 'press', enter, [undefined, true]],
      ['#a', 'click', {}, ['frame', true]], ['#a', 'press', enter, ['frame', true]], ['#a', 'press', { key: ' ' }, [undefined, true]], ['#a', 'drag', {}, [undefined, true]], ['#r', 'click', {}, ['frame', true]], ['#t', 'click', {}, ['tab', true]],
      ['#h', 'click', {}, [undefined, true]], ['#n', 'click', {}, [undefined, true]], ['#s', 'click', {}, [undefined, true]],
    ]) assert.deepEqual(await told(target, how, more), expected, `${how} ${target} ${JSON.stringify(more)}`);
    await act('fill', '#f', { text: 'free' });
    assert.deepEqual(await told('#b', 'click'), ['frame', true], 'what is in no form is not sent by one');
    await on(`<base target=_parent>${page}`);
    assert.deepEqual([await told('#a', 'click'), await told('#b', 'click')], [['tab', false], ['tab', false]]);
  });

  test('what stands in fields is told as it is after the last was left, and what was written stays known when sending fails', async () => {
    await on(`<input id=i aria-label=A onchange="this.value = this.value.toUpperCase()"><input id=k aria-label=B>`);
    const { outcome, filled } = await act('fill', undefined, { fields: [{ target: '#i', text: 'one' }, { target: '#k', text: 'two' }] });
    assert.deepEqual([outcome, filled.map(({ name, value }) => [name, value])], ['ok', [['A', 'ONE'], ['B', 'two']]]);
    await on(`<form onsubmit="return false"><input id=i aria-label=A><button id=b disabled>Send</button></form><div id=over role=dialog aria-label=Over hidden style="position:fixed;inset:0;background:white"></div><script>i.oninput = () => { b.disabled = false; }; i.onblur = () => { over.hidden = false; };</script>`);
    const failed = await act('fill', '#i', { text: 'one', submit: true });
    assert.equal(failed.outcome, 'covered');
    assert.deepEqual(failed.filled.map(({ value }) => value), ['one']);
    assert.equal((await own.actions.ask(own.page, { do: 'unsaved' })).count, 1);
  });

  test('case 64: a field whose focus goes elsewhere is not written in, nor is its neighbour', async () => {
    await on(`<input id=n value=mine><input id=i><script>i.onfocus = () => n.focus()</script>`);
    const result = await fill('#i', 'x');
    assert.equal(await valueOf('n'), 'mine');
    assert.equal(result.outcome === 'ok', (await valueOf('i')) === 'x');
  });

  test('case 65: a field that suggests while one types gets its text key by key', async () => {
    await on(`<input id=i role=combobox aria-autocomplete=list aria-expanded=false aria-controls=l><ul id=l role=listbox hidden><li role=option>Lyon</ul>
      <script>i.onkeyup = (e) => { if (e.key.length === 1 && i.value.length > 2) { l.hidden = false; i.ariaExpanded = 'true'; } };</script>`);
    const result = await fill('#i', 'Lyon');
    assert.equal(result.outcome, 'ok');
    assert.equal(await see(() => [i.value, l.hidden].join()), 'Lyon,false');
  });

  test('case 66: emoji and 20,000 characters', async () => {
    await on('<input id=i><textarea id=a></textarea>');
    const emoji = 'née 👩‍🚀 好 🇫🇷';
    assert.equal((await fill('#i', emoji)).outcome, 'ok');
    assert.equal(await valueOf('i'), emoji);
    const long = 'word '.repeat(4000);
    assert.equal((await fill('#a', long)).outcome, 'ok');
    assert.equal((await valueOf('a')).length, 20_000);
  });

  test('case 71: colour and range', async () => {
    await on('<input type=range id=r min=0 max=10 step=2><input type=color id=c>');
    assert.equal((await fill('#r', '4')).outcome, 'ok');
    assert.deepEqual(codes(await fill('#r', '5')), ['badInput', 'outOfRange']);
    assert.deepEqual(codes(await fill('#r', '12')), ['badInput', 'outOfRange']);
    assert.equal((await fill('#c', '#ABCDEF')).outcome, 'ok');
    assert.equal(await valueOf('c'), '#abcdef');
  });

  test('case 49: a fill with submit sends the form once', async () => {
    await on(`<form id=f><input id=i><button>Go</button></form><p id=out></p><script>let n = 0; f.onsubmit = (e) => { e.preventDefault(); out.textContent = ++n + i.value; }</script>`);
    assert.equal((await fill('#i', 'x', { submit: true })).outcome, 'ok');
    assert.equal(await see(() => out.textContent), '1x');
  });

  test('a field in a closed shadow root is found by its host', async () => {
    await on(`<x-field id=h></x-field><script>customElements.define('x-field', class extends HTMLElement { constructor() { super(); this.root = this.attachShadow({ mode: 'closed' }); this.root.innerHTML = '<label>Name <input></label>'; } });</script>`);
    assert.equal((await fill('#h', 'x')).outcome, 'ok');
    assert.equal(await see(() => h.root.querySelector('input').value), 'x');
  });
});
