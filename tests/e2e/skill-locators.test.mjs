/** What steps of SKILLs ask of a page: locators, conditions, quiet, the end of a list. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';
import { by, found, inside, seen } from '../lib/locators.mjs';
import { quick } from '../lib/wait.mjs';

describe('steps of SKILLs: locators', () => {
  const own = acting();
  const { on, see } = own;
  const ask = (request) => own.actions.ask(own.page, request);
  const locate = (locator) => ask({ do: 'locate', locator });
  const count = async (locator) => (await locate(locator)).count;
  /** The text of what a locator finds. */
  const text = async (locator) => (await ask({ do: 'value', locator, what: 'text' })).raw;
  const attr = async (locator, name) => (await ask({ do: 'value', locator, what: 'attr', attr: name })).raw;

  test('each kind of link, in English and in Chinese', async () => {
    await on(`<h1 id=top>Hello</h1><nav aria-label=Main><a href=/a>Sign  in</a><a href=/b>登录</a></nav>
      <button data-testid='a"b' id=b1>Search</button><button id=b2> 搜 索 </button><div role=button id=b3>Go on</div>
      <label for=m>E-mail</label><input id=m placeholder="you@example.com"><label>邮箱 <input id=m2 placeholder=请输入邮箱></label>
      <input id=m3 aria-label=City><span id=l>Post</span><span id=l2>code</span><input id=m4 aria-labelledby="l l2">
      <p id=p>Total: <b>12</b> <i>items</i></p><p id=p2>共 <b>12</b> 件</p>`);
    const ids = async (locator) => attr(locator, 'id');
    assert.deepEqual(await locate(by('#top')), { count: 1, n: 0, agrees: true, ref: 'e1' });
    assert.equal(await ids(by({ testid: 'a"b' })), 'b1');
    assert.equal(await ids(by({ role: 'button', names: ['Find', 'Search'] })), 'b1');
    assert.equal(await ids(by({ role: 'button', names: ['搜 索'] })), 'b2');
    assert.equal(await count(by({ role: 'button' })), 3);
    assert.equal(await attr(by({ role: 'link', names: [' Sign in '] }), 'href'), '/a');
    assert.equal(await attr(by({ role: 'link', names: ['登录'] }), 'href'), '/b');
    assert.equal(await ids(by({ role: 'heading', names: ['Hello'] })), 'top');
    assert.equal(await ids(by({ label: ['E-mail'] })), 'm');
    assert.equal(await ids(by({ label: ['邮箱'] })), 'm2');
    assert.equal(await ids(by({ label: ['City'] })), 'm3');
    assert.equal(await ids(by({ label: ['Post code'] })), 'm4');
    assert.equal(await ids(by({ placeholder: ['you@example.com'] })), 'm');
    assert.equal(await ids(by({ placeholder: ['nothing', '请输入邮箱'] })), 'm2');
    assert.equal(await ids(by({ text: ['Total: 12 items'] })), 'p');
    assert.equal(await ids(by({ text: ['共 12 件'] })), 'p2');
    assert.equal(await ids(by({ text: ['Hello'] })), 'top');
    for (const none of [{ testid: 'x' }, { role: 'button', names: ['search'] }, { role: 'nonsense' }, { label: ['E-mai'] }, { placeholder: ['you'] }, { text: ['Total:'] }]) {
      assert.deepEqual(await locate(by(none)), { count: 0, n: null, agrees: true }, JSON.stringify(none));
    }
  });

  test('by its role is found whatever has it', async () => {
    await on(`<header><nav><ul><li><a href=#>x</a></ul></nav></header><main><article><h2>h</h2><section aria-label=s><table><caption>c</caption><tr><th>h<th scope=col>c<tr><th scope=row>r<td>d</table></section>
      <form aria-label=f><input><input type=search><input type=number><input type=range><input type=checkbox><input type=radio><input type=submit><input type=button value=x><input type=file><input type=color><input list=d><datalist id=d></datalist>
      <select><option>1</select><select multiple><optgroup label=g><option>2</optgroup></select><textarea></textarea><button>b</button><output>o</output><progress></progress><meter></meter><fieldset><legend>l</legend></fieldset></form>
      <details><summary>s</summary></details><img alt=i><svg><title>t</title></svg><hr><figure></figure><div role=image aria-label=r></div><div role=directory></div><div role="nope tab">t</div><div role=BUTTON>b</div>
      <div contenteditable>e</div><label>k<input type=checkbox hidden></label><dialog open>d</dialog><search>s</search><menu><li>m</menu><svg><a href=#><text>t</text></a></svg><iframe></iframe><canvas></canvas></article></main><aside></aside><footer>f</footer>`);
    const { rows } = await ask({ do: 'find', css: 'body *', maxChars: 100_000 });
    const roles = new Map();
    for (const { ref, role } of rows) roles.set(role, [...(roles.get(role) ?? []), ref]);
    let compared = 0;
    for (const [role, refs] of roles) {
      const { count: many } = await locate(seen({ role }));
      // What has no role is listed by its tag.
      if (many === 0) assert.match(role, /^(caption|legend|tbody|datalist|text|title|label|figcaption|div|svg)$/);
      else assert.equal(many, refs.length, role);
      compared += many > 0 ? 1 : 0;
    }
    assert.ok(compared > 30, `${compared} roles`);
  });

  test('a chain goes inwards, and an element around narrows', async () => {
    await on(`<div class=card><h3>One</h3><button>Buy</button></div><div class=card id=two><h3>Two</h3><button id=b2>Buy</button></div><aside><button>Buy</button></aside>`);
    assert.equal(await count(by({ role: 'button', names: ['Buy'] })), 3);
    assert.equal(await count(by(['.card', { role: 'button', names: ['Buy'] }])), 2);
    assert.equal(await attr(by(['#two', { role: 'button' }]), 'id'), 'b2');
    assert.equal(await count(by(['.card', 'h3', 'button'])), 0);
    // Each link is looked for inside, not again the same.
    assert.equal(await count(by(['.card', '.card'])), 0);
    const around = inside(by('#none', '#two'), by({ text: ['Buy'] }));
    assert.deepEqual(await locate(around), { count: 1, n: 0, agrees: true, in: { count: 1, n: 1, agrees: true }, ref: (await locate(by('#b2'))).ref });
    assert.equal(await count(inside(by('#none'), by('button'))), 0);
    assert.equal(await count(inside(inside(by('body'), by('.card')), by('button'))), 2);
  });

  test('open shadow roots are entered, closed ones are not', async () => {
    await on(`<x-card id=c></x-card><x-safe id=s><b slot=x>Out</b></x-safe><script>
      c.attachShadow({ mode: 'open' }).innerHTML = '<p class=in>Deep</p><button>Press</button><label for=q>Word</label><input id=q placeholder=Type data-testid=q><x-inner></x-inner>';
      c.shadowRoot.querySelector('x-inner').attachShadow({ mode: 'open' }).innerHTML = '<p class=in>Deeper</p>';
      s.attachShadow({ mode: 'closed' }).innerHTML = '<button>Secret</button><p class=in>Closed</p><slot name=x></slot>';</script>`);
    assert.equal(await count(by('.in')), 0);
    assert.equal(await text(by('x-card >> .in')), 'Deep');
    assert.equal(await text(by('#c>>x-inner >> .in')), 'Deeper');
    assert.equal(await text(by(['#c', '>> x-inner', '>> .in'])), 'Deeper');
    assert.equal(await count(by('x-safe >> .in')), 0);
    assert.equal(await text(by({ role: 'button', names: ['Press'] })), 'Press');
    assert.equal(await count(by({ role: 'button' })), 1);
    assert.equal(await text(by({ text: ['Deeper'] })), 'Deeper');
    assert.equal(await count(by({ text: ['Closed'] })), 0);
    for (const one of [{ label: ['Word'] }, { placeholder: ['Type'] }, { testid: 'q' }, ['#c', { role: 'textbox' }]]) assert.equal(await attr(by(one), 'id'), 'q');
    assert.equal(await text(by('#c')), 'Deep PressWord Deeper');
    assert.equal(await text(by('#s')), 'Out');
    // The sign stands in quotes.
    await on('<p title="a >> b" id=p>x</p>');
    assert.equal(await attr(by('[title="a >> b"]'), 'id'), 'p');
  });

  test('of hidden copies only the one that shows is found', async () => {
    await on(`<style>.off{display:none}</style>${['off', '', 'off'].map((one, at) => `<form class="${one}"><label>Word <input name=q data-at=${at}></label><button>Search</button></form>`).join('')}
      <button style="visibility:hidden">Search</button><div inert><button>Search</button></div><div style="height:0;overflow:hidden"><button>Search</button></div>`);
    for (const way of ['form input', { label: ['Word'] }, { role: 'textbox' }, { text: ['Word'] }]) {
      assert.deepEqual([way, await count(by(way))], [way, 3]);
      assert.deepEqual([way, await count(seen(way))], [way, 1]);
    }
    assert.equal(await attr(seen({ label: ['Word'] }), 'data-at'), '1');
    assert.equal(await count(seen({ role: 'button', names: ['Search'] })), 2);
    assert.equal(await count(by({ role: 'button', names: ['Search'] })), 6);
  });

  test('SKILL cases 26, 27: several, a later alternative, and alternatives that disagree', async () => {
    await on('<a id=one class=x href=/1>One</a><a id=two class=y href=/2>Two</a>');
    const both = await locate(by('a'));
    assert.deepEqual([found(both), both.ref], [[2, 0, true], undefined]);
    assert.deepEqual(found(await locate(by('#gone', '.also-gone', '#two'))), [1, 2, true]);
    assert.deepEqual(found(await locate(by('#one', '.x', { role: 'link', names: ['One'] }, { text: ['One'] }))), [1, 0, true]);
    assert.deepEqual(found(await locate(by('#one', '#gone', '#two'))), [1, 0, false]);
    assert.deepEqual(found(await locate(by('#one', 'a'))), [1, 0, false]);
    assert.deepEqual(found(await locate(by('a', '#one, #two'))), [2, 0, true]);
    assert.equal(await text(by('#one', '#two')), null);
    // The numbers are those of the package: others may have been left out before.
    assert.deepEqual(found(await locate({ any: [{ n: 3, links: [{ css: '#one' }] }], visible: true })), [1, 3, true]);
    // What is around disagrees.
    const around = await locate(inside(by('body', '#two'), by('#one')));
    assert.deepEqual([found(around), found(around.in)], [[1, 0, false], [1, 0, false]]);
  });

  test('a selector that cannot be parsed is a fault, also where nothing is searched', async () => {
    await on('<p id=p>x</p>');
    for (const wrong of ['p[', 'p >> ', '>>', ':nonsense', 'p:has(', '', 'p >> b[']) assert.deepEqual(await locate(by(wrong)), { count: 0, n: null, agrees: true, fault: 'selector' }, wrong);
    assert.equal((await locate(by('#p', 'p['))).fault, 'selector');
    assert.equal((await locate(by(['#gone', 'p[']))).fault, 'selector');
    assert.equal((await locate(inside(by('p['), by('#p')))).fault, 'selector');
    assert.equal((await locate(by([{ xpath: '//p' }]))).fault, 'locator');
    assert.deepEqual(await ask({ do: 'value', locator: by('p['), what: 'exists' }), { count: 0, n: null, agrees: true, fault: 'selector', raw: null });
    assert.equal((await locate({})).outcome, 'badInput');
  });

  test('no more than 2,000 elements are looked at', async () => {
    await on(`<ul>${'<li><a href=x>Row</a>'.repeat(5_000)}</ul><p id=last>Last words</p>`);
    const look = async () => {
      const begun = performance.now();
      const rows = await locate(seen('li'));
      assert.deepEqual([found(rows), rows.most], [[2_000, 0, true], 2_000]);
      assert.deepEqual(found(await locate(seen('li', 'ul > li', ['ul', 'li']))), [2_000, 0, true]);
      assert.equal((await locate(by({ role: 'link', names: ['Nothing'] }))).most, 2_000);
      assert.equal((await locate(by({ text: ['Row'] }))).most, 2_000);
      assert.equal(await text(by({ text: ['Last words'] })), 'Last words');
      return performance.now() - begun;
    };
    await quick(1_500, look, 'five looks');
  });

  test('what holds on a page', async () => {
    await own.page.goto(own.actions.site.put('actions/state.html', `<!doctype html><html lang=" zh-Hans-CN "><meta charset=utf-8><title> 商店 · 首页 </title>
      <p id=p>欢迎  回来</p><p id=h hidden>Gone</p><button id=b disabled>Pay</button><fieldset disabled><input id=f></fieldset><button class=k disabled>1</button><button class=k>2</button>`));
    await own.actions.attach(own.page);
    const told = await ask({
      do: 'conditions',
      conditions: [
        { locator: by('#p'), is: 'present' }, { locator: by('#none'), is: 'absent' }, { locator: by('#h') }, { locator: by('#b') }, { locator: by('#f') }, { locator: by('.k') },
        { locator: by('#p'), text: ['Bye', '欢迎 回'] }, { locator: by('#p'), text: ['Bye'] }, { locator: by('p[') }, {},
      ],
    });
    const state = ({ count: many, visible, enabled, text: says }) => [many, visible, enabled, says].map(Number).join('');
    assert.deepEqual(told.found.map(state), ['1110', '0000', '1010', '1100', '1100', '2110', '1111', '1110', '0000', '0000']);
    assert.equal(told.found[8].fault, 'selector');
    assert.deepEqual([told.url, told.lang, told.title], [own.actions.site.url('actions/state.html'), 'zh-Hans-CN', '商店 · 首页']);
    await see(() => {
      history.pushState(null, '', '?page=2#x');
      document.documentElement.lang = 'x'.repeat(100);
    });
    const empty = await ask({ do: 'conditions', conditions: [] });
    assert.deepEqual([empty.url, empty.lang.length, empty.found], [own.actions.site.url('actions/state.html?page=2#x'), 35, []]);
  });

  test('a page that patches and hides what the document has is read all the same', async () => {
    await on(`<form id=f><input name=getAttribute value=1><input name=querySelectorAll><input name=parentNode><input name=shadowRoot><input name=children><input name=localName><input name=tagName><input name=contains>
      <input name=checkVisibility><button>Send</button><span class=x>Inner</span></form><img name=querySelectorAll><img name=createTreeWalker><img name=baseURI><img name=URL><img name=title><img name=documentElement><img name=createDocumentFragment>
      <a id=a href=rel>Link</a><script>
      for (const Interface of [Document, Element, DocumentFragment]) for (const name of ['querySelectorAll', 'querySelector', 'matches', 'getAttribute']) Interface.prototype[name] = () => { throw new Error('patched'); };
      Object.defineProperty(Element.prototype, 'shadowRoot', { get() { throw new Error('patched'); } });
      JSON.parse = JSON.stringify = Array.prototype.includes = Array.prototype.flatMap = globalThis.fetch = () => { throw new Error('patched'); };
      location.toString = () => 'https://evil.example/';</script>`);
    assert.equal(await count(by('form')), 1);
    assert.equal(await text(by(['form', { role: 'button' }])), 'Send');
    assert.equal(await text(seen({ text: ['Inner'] })), 'Inner');
    assert.equal((await ask({ do: 'value', locator: by('#a'), what: 'attr', attr: 'href', address: true })).raw, own.actions.site.url('actions/rel'));
    const { url, title } = await ask({ do: 'conditions', conditions: [] });
    assert.deepEqual([url, title], [own.actions.site.url('actions/made.html'), 'Made']);
    assert.equal(await see(() => document.body.childElementCount), 10);
  });

  test('a document is quiet when nothing has changed for a while', async () => {
    await on('<p id=p>0</p><script>const one = setInterval(() => { p.textContent += 1; }, 40); globalThis.stop = () => clearInterval(one);</script>');
    assert.deepEqual(await ask({ do: 'quiet', for: 300, timeout: 700 }), { quiet: false });
    const waiting = ask({ do: 'quiet', for: 300, timeout: 10_000 });
    await see(() => globalThis.stop());
    assert.deepEqual(await waiting, { quiet: true });
    await on('<x-a id=x></x-a><script>const root = x.attachShadow({ mode: "open" }); root.innerHTML = "<b></b>"; setInterval(() => { root.firstChild.className += 1; }, 40);</script>');
    assert.deepEqual(await ask({ do: 'quiet', timeout: 600 }), { quiet: false });
    await on('<p>still');
    assert.deepEqual(await ask({ do: 'quiet' }), { quiet: true });
  });

  test('the end of a list comes into view and more of it comes', async () => {
    await on(`<div id=box style="height:200px;overflow:auto">${'<p class=r style="height:50px">Row</p>'.repeat(20)}</div><script>
      new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) for (let n = 0; n < 20; n += 1) box.insertAdjacentHTML('beforeend', '<p class=r style="height:50px">More</p>'); }, { root: box }).observe(box.lastElementChild);</script>`);
    assert.deepEqual(found(await ask({ do: 'end', locator: by('.r') })), [20, 0, true]);
    assert.equal(await see(() => box.scrollTop > 0), true);
    await own.page.waitForFunction(() => box.childElementCount === 40);
    assert.equal((await ask({ do: 'end', locator: by('.r') })).count, 40);
    assert.deepEqual(found(await ask({ do: 'end', locator: by('.none') })), [0, null, true]);
  });
});

describe('steps of SKILLs: in a hidden tab', () => {
  const own = acting();
  before(async () => {
    own.front = await own.actions.open('<title>Front</title><p>In front');
    await own.front.bringToFront();
  });

  test('quiet and the end of a list go by the worker’s clock', async () => {
    await own.on(`<div id=box style="height:100px;overflow:auto">${'<p class=r>Row</p>'.repeat(20)}</div><script>box.onscroll = () => (box.dataset.scrolled = '1');</script>`);
    await own.front.bringToFront();
    await own.page.waitForFunction(() => document.hidden, { polling: 50 });
    const before = await own.actions.ticks(own.page);
    assert.deepEqual(await own.actions.ask(own.page, { do: 'quiet' }), { quiet: true });
    assert.ok((await own.actions.ticks(own.page)) > before);
    assert.equal((await own.actions.ask(own.page, { do: 'end', locator: by('.r') })).count, 20);
    assert.equal(await own.see(() => box.dataset.scrolled), '1');
    assert.equal((await own.actions.ask(own.page, { do: 'locate', locator: seen('.r') })).count, 20);
  });
});
