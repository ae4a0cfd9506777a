/** Steps of SKILLs through the whole extension: what they do, and what they leave alone. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { bundled } from '../lib/bundled.mjs';
import { offered } from '../lib/model.mjs';
import { SkillsView } from '../lib/packages.mjs';
import { testId } from '../lib/panel.mjs';
import { serve } from '../lib/site.mjs';
import { PAGES } from '../lib/paths.mjs';
import { StepStage } from '../lib/step-stage.mjs';
import { until } from '../lib/wait.mjs';

/** A button that counts its clicks, and all that a page hears of a pointer. */
const COUNTED = '<script>let clicks = 0; for (const kind of ["pointerdown", "mousedown", "click"]) addEventListener(kind, () => (clicks += 1), true);</script>';
/** The call of the worker that died is known to be over: an alarm wakes the next worker after half a minute, if nothing else does. */
const interrupted = (panel) => panel.page.waitForSelector('[data-testid="item-tool"][data-name="shop_add_to_basket"][data-state="interrupted"]', { timeout: 45_000 });
/** Whether the worker keeps that a call has begun: one that dies before that cannot be known to have done nothing. */
const hasBegun = async () => Object.entries(await chrome.storage.session.get()).some(([key, mark]) => key.startsWith('skillCall.') && mark.startsWith('began '));
const clicks = (page) => page.evaluate(() => clicks);

/** A server that answers with these routes, `*` for all others, and keeps what each request brought. */
async function answering(routes) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url, cookie: request.headers.cookie });
    const [status, headers, body] = routes[new URL(request.url, 'http://x').pathname] ?? routes['*'] ?? [404, {}, ''];
    response.writeHead(status, { 'Cache-Control': 'no-store', ...headers }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { asked, port: server.address().port, close };
}

describe('steps of SKILLs', () => {
  /** @type {StepStage} */
  let own;
  before(async () => (own = await StepStage.set()));
  after(() => own?.strike());

  const click = (then, more) => ({ do: 'click', at: 'button', then, timeout: 1, ...more });

  test('SKILL case 25: a list without rows is empty where the page says so, and a change where it does not', async () => {
    const steps = [{ do: 'extract', each: 'rows', fields: { text: { what: 'text' } }, as: 'rows' }, { do: 'return', value: { rows: '{{rows}}' } }];
    const pages = { list: { match: ['http://shop.localhost/steps/*'], probes: [{ at: 'page', is: 'present' }], empty: [{ at: 'nothing', is: 'visible' }] } };
    for (const [html, outcome] of [
      ['<ul></ul><p id=nothing>Nothing fits', 'empty'],
      ['<ul></ul><p id=nothing hidden>Nothing fits', 'changed'],
      ['<ul><li>One</ul>', 'ok'],
      ['<main>Another page</main>', 'changed'],
    ]) {
      const answer = await own.reads(html, steps, { rows: 'li', nothing: '#nothing', page: 'body' }, { pages });
      assert.equal(answer.outcome, outcome, html);
      assert.deepEqual(answer.value, outcome === 'ok' ? { rows: [{ text: 'One' }] } : undefined);
    }
  });

  test('SKILL case 27: alternatives that find different elements: no value', async () => {
    await own.does([{ do: 'read', at: 'price', what: 'text', as: 'price' }, { do: 'return', value: { price: '{{price}}' } }], { price: { any: [{ css: '.price' }, { css: '[itemprop=price]' }] } });
    for (const [html, outcome, value] of [
      ['<p class=price itemprop=price>12', 'ok', { price: '12' }],
      ['<p class=price>99<p itemprop=price>12', 'changed', undefined],
    ]) {
      await own.on(html);
      await own.read();
      const answer = await own.answer();
      assert.deepEqual([answer.outcome, answer.value], [outcome, value]);
    }
  });

  test('SKILL case 29: two buttons where one is meant: none is clicked', async () => {
    const { outcome } = await own.acts(`${COUNTED}<button class=b>One</button><button class=b>Two</button>`, [click('none')], { button: '.b' });
    assert.equal(outcome, 'changed');
    assert.equal(await clicks(own.page), 0);
  });

  for (const [what, html, expected] of [
    ['covered', '<button class=b>Buy</button><div style="position:fixed;inset:0;background:#fff">Cookies</div>', 'covered'],
    ['disabled', '<button class=b disabled>Buy</button>', 'disabled'],
    ['hidden', '<button class=b style="visibility:hidden">Buy</button>', 'changed'],
  ]) {
    test(`SKILL case 30: a button that is ${what} is not clicked`, async () => {
      const { outcome } = await own.acts(COUNTED + html, [click('none')], { button: '.b' });
      assert.equal(outcome, expected);
      assert.equal(await clicks(own.page), 0);
    });
  }

  test('SKILL case 31: a field that React controls and a rich editor hold what was filled in', async () => {
    own.stage.site.put('steps/react.js', await bundled('fields-react'));
    own.stage.site.put('steps/editor.js', await bundled('editor-prosemirror'));
    const field = await own.acts('<div id=app></div><script src=/steps/react.js></script>', [{ do: 'fill', at: 'field', value: 'Ada & Bob' }], { field: '[data-id=text]' });
    assert.equal(field.outcome, 'ok', field.text);
    assert.equal(await own.page.evaluate(() => model().text), 'Ada & Bob');
    const editor = await own.acts('<div id=app></div><script src=/steps/editor.js></script>', [{ do: 'fill', at: 'field', value: 'new words' }], { field: '#app [contenteditable=true], #app[contenteditable=true]' });
    assert.equal(editor.outcome, 'ok', editor.text);
    assert.equal(await own.page.evaluate(() => model()), 'new words');
  });

  test('SKILL case 31: a page that takes only what a person does, or keeps nothing that is filled in, is blocked', async () => {
    const { outcome } = await own.acts('<button class=b>Buy</button><script>document.querySelector("button").onclick = (event) => event.isTrusted && (document.title = "bought")</script>', [click('none')], { button: '.b' });
    assert.equal(outcome, 'blocked');
    const field = await own.acts('<input oninput="this.value = \'\'">', [{ do: 'fill', at: 'field', value: 'Ada', timeout: 1 }], { field: 'input' });
    assert.equal(field.outcome, 'blocked', field.text);
  });

  test('SKILL case 32: a click that leads to another document: the steps go on there', async () => {
    await own.does([click('navigation'), { do: 'read', at: 'word', what: 'text', as: 'word' }, { do: 'return', value: { word: '{{word}}' } }], { button: 'a', word: '#word' });
    await own.on(`<a href="${own.put('next.html', '<p id=word>there</p>')}">Next</a>`);
    await own.act();
    const { outcome, value, text } = await own.answer();
    assert.equal(outcome, 'ok', text);
    assert.deepEqual(value, { word: 'there' });
  });

  test('SKILL case 32: a click that leads to another site ends the tool', async () => {
    const other = await serve(PAGES);
    try {
      await own.does([click('navigation'), { do: 'read', at: 'word', what: 'text', as: 'word' }, { do: 'return', value: { word: '{{word}}' } }], { button: 'a', word: 'body' });
      await own.on(`<a href="${other.url('empty.html')}">Away</a>`);
      await own.act();
      assert.equal((await own.answer()).outcome, 'left');
    } finally {
      await other.close();
    }
  });

  test('SKILL case 33: a worker that dies after a click of a tool is followed by one that does not repeat it', async () => {
    await own.does([click('none'), { do: 'wait', for: { at: 'never', is: 'present' }, timeout: 30 }, { do: 'return', value: { done: true } }], { button: '.b', never: '#never' });
    await own.on(`${COUNTED}<button class=b onclick="this.textContent = 'bought'">Buy</button>`);
    await own.act();
    await until(async () => (await own.page.evaluate(() => document.querySelector('.b').textContent)) === 'bought', { what: 'the click' });
    const before = await clicks(own.page);
    await own.stage.chromium.killWorker();
    await interrupted(own.stage.panel);
    assert.equal((await own.stage.panel.rest()).why, 'done');
    assert.equal(await clicks(own.page), before);
  });

  test('SKILL case 33: a tool whose worker dies before its first click begins anew, and clicks once', async () => {
    await own.does([{ do: 'wait', for: { at: 'late', is: 'present' }, timeout: 30 }, click('none'), { do: 'return', value: { done: true } }], { button: '.b', late: '#late' });
    const page = await own.on(`${COUNTED}<button class=b onclick="this.textContent = 'bought'">Buy</button>`);
    await own.act();
    await until(() => own.stage.chromium.inWorker(hasBegun), { what: 'the note that the tool has begun and done nothing' });
    await own.stage.chromium.killWorker();
    await own.stage.chromium.workerTarget();
    await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<p id=late>here'));
    const { outcome, value, text } = await own.answer();
    assert.equal(outcome, 'ok', text);
    assert.deepEqual(value, { done: true });
    assert.equal(await clicks(page), 3, 'the three events of one click');
  });

  test('SKILL case 33: a tool that only reads begins anew when the worker dies', async () => {
    await own.does([{ do: 'wait', for: { at: 'late', is: 'present' }, timeout: 30 }, { do: 'read', at: 'late', what: 'text', as: 'word' }, { do: 'return', value: { word: '{{word}}' } }], { late: '#late' });
    const page = await own.on('<main>Soon</main>');
    await own.read();
    await own.stage.panel.call('shop_search', 'running');
    await own.stage.chromium.killWorker();
    await own.stage.chromium.workerTarget();
    await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<p id=late>here'));
    const { outcome, value, text } = await own.answer();
    assert.equal(outcome, 'ok', text);
    assert.deepEqual(value, { word: 'here' });
  });

  test('the card of a tool says which step runs, of how many, until the call is over', async () => {
    await own.does([{ do: 'wait', for: 'stable' }, { do: 'wait', for: { at: 'late', is: 'present' }, timeout: 30 }, { do: 'return', value: { done: true } }], { late: '#late' });
    const page = await own.on('<main>Soon</main>');
    await own.read();
    const { panel } = own.stage;
    const step = await panel.page.waitForFunction((at) => {
      const shown = document.querySelector(at);
      return shown?.textContent.includes('2') && shown;
    }, {}, testId('tool-step'));
    assert.equal(await step.evaluate((node) => node.textContent), 'step 2 of 3');
    await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<p id=late>here'));
    assert.equal((await own.answer()).outcome, 'ok');
    assert.equal(await panel.page.$(testId('tool-step')), null);
  });

  test('SKILL case 34: pages stops at its number of pages and of rows, and where a page comes again, and says that there is more', async () => {
    const list = (number, next) => own.put(`list-${number}.html`, `<ul>${[1, 2, 3].map((n) => `<li>${number}.${n}`).join('')}</ul><a rel=next href="${next}">Next</a>`);
    for (const number of [1, 2, 3]) list(number, `list-${number + 1}.html`);
    list(4, 'list-4.html?again');
    const rows = (count) => Array.from({ length: count }, (_, n) => ({ text: `${Math.floor(n / 3) + 1}.${(n % 3) + 1}` }));
    for (const [limits, count] of [[{ rounds: 2 }, 6], [{ items: 4 }, 4], [{ rounds: 9 }, 12]]) {
      const steps = [{ do: 'extract', each: 'rows', fields: { text: { what: 'text' } }, as: 'rows' }];
      await own.does([{ do: 'pages', next: 'next', steps, collect: 'rows', as: 'all', ...limits }, { do: 'return', value: { rows: '{{all}}' } }], { rows: 'li', next: 'a[rel=next]' });
      await own.stage.begin(own.at('list-1.html'), { tools: 5 });
      await own.read();
      const { outcome, value, text } = await own.answer();
      assert.equal(outcome, 'ok', text);
      assert.deepEqual(value.rows, rows(count), JSON.stringify(limits));
      assert.match(text, /there is more than this/);
    }
  });

  test('SKILL case 36: an input stays one part of a path, one parameter, and one value in a selector', async () => {
    const hostile = ['a/../b', '../..', '//evil.example/', '?x=1&y=2#z', '"] , body , [x="', "'] *, :is(p", '\\"]', '</p>{{query}}', '%2e%2e%2F'];
    const steps = [
      { do: 'read', at: 'named', what: 'text', as: 'text' },
      { do: 'fetch', endpoint: 'echo', path: { word: '{{query}}' }, query: { q: '{{query}}' }, read: 'json', as: 'told' },
      { do: 'return', value: { text: '{{text}}' } },
    ];
    const named = { any: [{ css: 'p[data-name={{query}}]' }] };
    const echo = await answering({ '/page': [200, { 'Content-Type': 'text/html; charset=utf-8' }, '<!doctype html><html lang=en><main></main>'], '*': [200, { 'Content-Type': 'application/json' }, '{}'] });
    try {
      await own.does(steps, { named }, { endpoints: { echo: { path: '/echo/{word}/end' } } });
      const page = await own.stage.begin(`http://shop.localhost:${echo.port}/page`, { tools: 5 });
      await page.evaluate((values) => {
        for (const [n, value] of [...values, 'other'].entries()) {
          const one = document.createElement('p');
          one.dataset.name = value;
          one.textContent = `no. ${n}`;
          document.querySelector('main').append(one);
        }
      }, hostile);
      for (const [n, value] of hostile.entries()) {
        echo.asked.length = 0;
        await own.read(value);
        assert.deepEqual((await own.answer()).value, { text: `no. ${n}` }, value);
        const [{ path }] = echo.asked;
        const url = new URL(path, 'http://shop.localhost');
        assert.deepEqual(url.pathname.split('/').map(decodeURIComponent), ['', 'echo', value, 'end'], path);
        assert.deepEqual([...url.searchParams], [['q', value]], path);
        assert.equal(echo.asked.length, 1, value);
      }
      // What would be another segment, or none, is asked for nowhere.
      echo.asked.length = 0;
      for (const value of ['.', '..', '']) {
        await page.evaluate((name) => (document.querySelector('p').dataset.name = name), value);
        await own.read(value);
        assert.equal((await own.answer()).outcome, 'badInput', value);
      }
      assert.deepEqual(echo.asked, []);
    } finally {
      echo.close();
    }
  });

  test('SKILL case 37: fields for passwords, cards and files are not filled in', async () => {
    for (const field of ['<input type=password>', '<input autocomplete=cc-number>', '<input autocomplete=cc-csc>', '<input type=file>']) {
      const { outcome } = await own.acts(`<form>${field}</form>`, [{ do: 'fill', at: 'field', value: '4111111111111111', timeout: 1 }], { field: 'input' });
      assert.equal(outcome, 'refused', field);
      assert.equal(await own.page.evaluate(() => document.querySelector('input').value), '', field);
    }
  });

  test('SKILL case 38: each answer to a request has its outcome, and cookies go to the own origin only', async () => {
    const json = { 'Content-Type': 'application/json' };
    const other = await answering({ '/': [200, { 'Set-Cookie': 'other=theirs' }, ''], '/data': [200, json, '{"a":2}'], '/moved': [302, { Location: '/data' }, ''] });
    const shop = await answering({
      '/here': [200, { 'Content-Type': 'text/html', 'Set-Cookie': 'session=mine' }, '<!doctype html><html lang=en><main>Shop</main>'],
      '/data': [200, json, '{"a":1}'],
      '/moved': [302, { Location: '/data' }, ''],
      '/page': [200, { 'Content-Type': 'text/html' }, '<p>Sign in'],
      '/401': [401, json, '{}'],
      '/429': [429, json, '{}'],
      '/big': [200, json, JSON.stringify('x'.repeat(5 * 1024 * 1024))],
    });
    try {
      const away = `http://api.localhost:${other.port}`;
      const first = await own.stage.tab(`${away}/`);
      await first.reload();
      assert.equal(other.asked.at(-1).cookie, 'other=theirs', 'the browser has a cookie of the other site');
      const page = await own.stage.begin(`http://shop.localhost:${shop.port}/here`, { tools: 5 });
      for (const [path, outcome, value, origin] of [
        ['/data', 'ok', { a: 1 }],
        ['/moved', 'changed'],
        ['/401', 'signIn'],
        ['/page', 'changed'],
        ['/429', 'challenge'],
        ['/big', 'tooLarge'],
        ['/data', 'ok', { a: 2 }, away],
        ['/moved', 'blocked', undefined, away],
      ]) {
        const asked = origin ? other.asked : shop.asked;
        const endpoints = { one: { path, ...(origin && { origin }) } };
        await own.does([{ do: 'fetch', endpoint: 'one', read: 'json', as: 'told' }, { do: 'return', value: '{{told}}' }], {}, { endpoints });
        await page.reload();
        await own.stage.panel.knows(5);
        asked.length = 0;
        await own.read();
        const answer = await own.answer();
        assert.deepEqual([answer.outcome, answer.value], [outcome, value], `${path}: ${answer.text}`);
        assert.deepEqual(asked, [{ path, cookie: origin ? undefined : 'session=mine' }]);
      }
    } finally {
      other.close();
      shop.close();
    }
  });

  test('SKILL case 39: numbers and times as pages print them have their types, and nothing is made of nothing', async () => {
    const field = (name, type) => [name, { at: name, what: 'text', type, optional: true }];
    const fields = Object.fromEntries([field('views', 'integer'), field('comments', 'integer'), field('date', 'date')]);
    const steps = [{ do: 'extract', each: 'rows', fields, as: 'rows' }, { do: 'return', value: { rows: '{{rows}}' } }];
    const locators = { rows: 'li', views: '.views', comments: '.comments', date: 'time' };
    const row = (views, comments, date) => `<li><b class=views>${views}</b> <i class=comments>${comments}</i> <time>${date}</time></li>`;
    for (const html of ['<p class=views></p>', '<p class=views>many</p>']) {
      const wanted = await own.reads(html, [{ do: 'read', at: 'views', what: 'text', type: 'integer', as: 'views' }, { do: 'return', value: { views: '{{views}}' } }], locators);
      assert.equal(wanted.outcome, 'changed', html);
    }
    const begun = Date.now();
    const { outcome, value, text } = await own.reads(`<ul>${row('1.2万', '3,456', '刚刚')}${row('', '—', '')}<li></ul>`, steps, locators);
    assert.equal(outcome, 'ok', text);
    const [{ date, ...numbers }, ...others] = value.rows;
    assert.deepEqual(numbers, { views: 12_000, comments: 3_456 });
    assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.ok(Date.parse(date) >= begun - 1_000 && Date.parse(date) <= Date.now(), date);
    assert.deepEqual(others, [{}, {}]);
  });

  test('SKILL case 58: a call that only reads ends when the SKILL is switched off, and the turn makes no other one', async () => {
    const { site, panel } = own.stage;
    site.put('steps/begun.json', '{}');
    const steps = [{ do: 'fetch', endpoint: 'begun', read: 'json', as: 'begun' }, { do: 'wait', for: { at: 'never', is: 'present' }, timeout: 30 }, { do: 'return', value: {} }];
    await own.does(steps, { never: '#never' }, { endpoints: { begun: { path: '/steps/begun.json' } } });
    await own.on('<main>Here</main>');
    const begun = () => site.asked.filter((path) => path === '/steps/begun.json').length;
    const before = begun();
    await panel.say('call shop_search {"query":"x"}\nthen call shop_search {"query":"y"}');
    await until(() => begun() > before, { what: 'the call to have begun' });
    const view = new SkillsView(panel);
    const switchIt = async () => {
      await view.open();
      await view.unfold('demo-shop');
      await view.press('demo-shop', testId('skill-on'));
      await panel.view('chat');
    };
    await switchIt();
    assert.equal((await panel.rest({ timeout: 10_000 })).why, 'done');
    const calls = (await panel.calls()).map(({ name, state }) => `${name} ${state}`);
    assert.deepEqual(calls, ['shop_search failed', 'shop_search failed']);
    assert.equal(begun(), before + 1, 'the second call did nothing');
    assert.deepEqual(offered((await own.stage.model.requests()).at(-1)).filter(({ name }) => name.startsWith('shop_')), []);
    await switchIt();
    await panel.knows(5);
  });

  test('the panel raised no errors', () => assert.deepEqual(own.stage.panel.problems, []));
});
