/** Requests of SKILLs, made in a page's own origin. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';
import { by } from '../lib/locators.mjs';
import { until } from '../lib/wait.mjs';

const LONG = JSON.stringify({ rows: Array.from({ length: 20_000 }, (_, n) => ({ id: String(n), name: '名字 😀 "quoted"' })) });

const LIST = `<!doctype html><meta charset=utf-8><base href=/films/><title>List</title><script>throw fetch('/loaded?script')</script><img src=/loaded?image onerror="fetch('/loaded?handler')"><link rel=stylesheet href=/loaded?style><iframe src=/loaded?frame></iframe>
  <ul>${[1, 2, 3].map((n) => `<li><a href=${n}>Film ${n}</a> <b>${n}</b></li>`).join('')}<li hidden><a href=9>Copy</a></li></ul><noscript><p>none</p></noscript><label>Word <input value=secret type=password></label>`;

/** What the server answers, by path. */
const ROUTES = {
  '/page': (request, response) => response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'session=mine; SameSite=Strict; HttpOnly' }).end('<!doctype html><title>Page</title><p>Page'),
  '/strict': (request, response) => response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'" }).end('<!doctype html><p>Strict'),
  '/echo': async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=1000' }).end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  },
  '/long': (request, response) => response.end(LONG),
  '/list': (request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(LIST),
  '/gbk': (request, response) => response.writeHead(200, { 'Content-Type': 'text/html; charset=gbk' }).end(Buffer.from([...Buffer.from('<li>'), 0xd6, 0xd0, 0xce, 0xc4, ...Buffer.from('</li>')])),
  '/gbk-meta': (request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(Buffer.from([...Buffer.from('<meta charset="gbk"><li>'), 0xd6, 0xd0, 0xce, 0xc4, ...Buffer.from('</li>')])),
  '/sign-in': (request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<form><input type=password></form>'),
  '/redirect': (request, response) => response.writeHead(302, { Location: '/echo' }).end(),
  '/away': (request, response) => response.writeHead(307, { Location: `http://127.0.0.1:${request.socket.localPort}/echo` }).end(),
  '/401': (request, response) => response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":"sign in"}'),
  '/429': (request, response) => response.writeHead(429, { 'Content-Type': 'text/html' }).end('<p>Too many'),
  '/204': (request, response) => response.writeHead(204).end(),
  '/big': (request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(`"${'x'.repeat(3 * 1024 * 1024)}"`),
  '/endless': (request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.writeHead(200);
    response.on('drain', more);
    more();
  },
  '/held': () => {},
  '/half': (request, response) => response.writeHead(200).write('{"a":'),
  '/cut': (request, response) => request.socket.destroy(),
};

describe('steps of SKILLs: requests', () => {
  const own = acting();
  /** @type {import('node:http').Server} */
  let server;
  let origin;
  /** Paths that were asked for, and those whose asker went away. */
  let asked = [];
  let left = [];
  const ask = (request) => own.actions.ask(own.page, request);
  const request = (path, more = {}) => ask({ do: 'request', method: 'GET', path, headers: {}, read: 'json', ...more });
  const echo = async (path, more) => JSON.parse((await request(path, more)).part);

  before(async () => {
    server = createServer((query, response) => {
      asked.push(query.url);
      response.on('close', () => {
        if (!response.writableFinished) left.push(query.url);
      });
      const { pathname } = new URL(query.url, 'http://x');
      const route = Object.hasOwn(ROUTES, pathname) ? ROUTES[pathname] : (_, nothing) => nothing.writeHead(404).end('nothing');
      void route(query, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://localhost:${server.address().port}`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });
  const open = async (path) => {
    await own.page.goto(origin + path);
    await own.actions.attach(own.page);
    asked = [];
    left = [];
  };
  beforeEach(() => open('/page'));

  test('SKILL case 38: an answer in JSON, with the page’s cookies, from no cache', async () => {
    const told = await echo('/echo?q=%E8%8C%B6&n=1', { headers: { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' } });
    assert.deepEqual([told.method, told.url, told.body], ['GET', '/echo?q=%E8%8C%B6&n=1', '']);
    assert.deepEqual([told.headers.cookie, told.headers.accept, told.headers['x-requested-with']], ['session=mine', 'application/json', 'XMLHttpRequest']);
    assert.equal(told.headers['sec-fetch-site'], 'same-origin');
    assert.equal(told.headers.referer, `${origin}/page`);
    await request('/echo?q=%E8%8C%B6&n=1');
    assert.equal(asked.filter((path) => path.startsWith('/echo')).length, 2);
  });

  test('a form and a body of JSON', async () => {
    const form = await echo('/echo', { method: 'POST', form: { q: 'a b&c', tag: ['x', 2], none: null, on: true } });
    assert.deepEqual([form.method, form.body], ['POST', 'q=a+b%26c&tag=x&tag=2&on=true']);
    assert.match(form.headers['content-type'], /^application\/x-www-form-urlencoded/);
    const body = await echo('/echo', { method: 'PUT', json: { q: ['茶', null] } });
    assert.deepEqual([body.method, body.body, body.headers['content-type']], ['PUT', '{"q":["茶",null]}', 'application/json']);
    for (const wrong of [{ method: 'TRACE' }, { method: 'get' }, { form: { a: 1 } }, { read: 'text' }, { headers: { 'a b': 'c' } }]) assert.equal((await request('/echo', wrong)).outcome, 'badInput', JSON.stringify(wrong));
  });

  test('a long answer comes in parts, none of which breaks a character or a message', async () => {
    let { status, size, part, more } = await request('/long');
    assert.deepEqual([status, size], [200, LONG.length]);
    let text = part;
    let parts = 1;
    while (more !== undefined) {
      assert.equal(more, text.length);
      ({ part, more } = await ask({ do: 'part', from: more }));
      assert.ok(part.isWellFormed() && part.length <= 200_000);
      text += part;
      parts += 1;
    }
    assert.equal(text === LONG, true);
    assert.ok(parts > 4, `${parts} parts`);
    assert.equal((await ask({ do: 'part', from: -1 })).outcome, 'badInput');
    assert.equal((await ask({ do: 'part', from: LONG.length + 1 })).outcome, 'badInput');
    await request('/echo');
    assert.equal((await ask({ do: 'part', from: 0 })).outcome, 'stale');
  });

  test('rows of an HTML answer, which loads and runs nothing', async () => {
    const rows = { each: { ...by('li'), visible: true }, fields: { title: { locator: by({ role: 'link' }), what: 'text' }, url: { locator: by('a'), what: 'attr', attr: 'href', address: true }, n: { locator: by('.none', 'b'), what: 'text' } } };
    const told = await request('/list', { read: 'html', rows });
    assert.deepEqual(told, {
      status: 200, count: 3, n: 0, agrees: true, total: 3, worn: ['n'], ambiguous: [],
      rows: [1, 2, 3].map((n) => ({ title: `Film ${n}`, url: `${origin}/films/${n}`, n: String(n) })),
    });
    const find = async (each, field) => (await request('/list', { read: 'html', rows: { each, fields: { it: field } } })).rows.map(({ it }) => it);
    assert.deepEqual(await find(by({ role: 'link', names: ['Film 2'] }), { what: 'attr', attr: 'href' }), ['2']);
    assert.deepEqual(await find(by({ text: ['Film 3'] }), { what: 'markdown' }), [`[Film 3](${origin}/films/3)`]);
    assert.deepEqual(await find(by({ label: ['Word'] }), { what: 'value' }), [null]);
    assert.deepEqual(await find(by('li'), { what: 'text' }), ['Film 1 1', 'Film 2 2', 'Film 3 3', 'Copy']);
    assert.deepEqual(new Set(asked), new Set(['/list']));
    assert.equal((await request('/list', { read: 'html', rows: { each: by('li['), fields: {} } })).fault, 'selector');
    assert.deepEqual(await request('/list', { read: 'html' }), { status: 200 });
    for (const path of ['/gbk', '/gbk-meta']) {
      const { rows: [{ text }] } = await request(path, { read: 'html', rows: { each: by('li'), fields: { text: { what: 'text' } } } });
      assert.equal(text, '中文');
    }
  });

  test('SKILL case 38: a redirect is not followed', async () => {
    for (const path of ['/redirect', '/away']) {
      for (const read of ['json', 'html']) assert.deepEqual(await request(path, { read }), { fault: 'redirect' });
      assert.deepEqual(await request(path, { method: 'POST', json: 1 }), { fault: 'redirect' });
    }
    assert.deepEqual(asked.filter((path) => path === '/echo'), []);
  });

  test('SKILL case 38: statuses, and what is no JSON', async () => {
    assert.deepEqual(await request('/401'), { status: 401, size: 19, part: '{"error":"sign in"}' });
    assert.deepEqual(await request('/429'), { status: 429, fault: 'notJson' });
    assert.deepEqual(await request('/sign-in'), { status: 200, fault: 'notJson' });
    assert.deepEqual(await request('/204'), { status: 204, size: 0, part: '' });
    assert.deepEqual(await request('/404'), { status: 404, fault: 'notJson' });
    assert.deepEqual(await request('/404', { read: 'html' }), { status: 404 });
  });

  test('SKILL case 38: a body that is too large is given up', async () => {
    for (const path of ['/big', '/endless']) for (const read of ['json', 'html']) assert.deepEqual(await request(path, { read }), { status: 200, fault: 'tooLarge' });
    await until(() => left.includes('/endless'), { what: 'the answer to be given up' });
  });

  test('a server that fails or says nothing', async () => {
    assert.deepEqual(await request('/cut'), { fault: 'network' });
    assert.deepEqual(await request('/held', { timeout: 300 }), { fault: 'timeout' });
    assert.deepEqual(await request('/half', { timeout: 300 }), { status: 200, fault: 'timeout' });
    await until(() => left.includes('/held') && left.includes('/half'), { what: 'both to be given up' });
  });

  test('a request ends with the worker that asked', async () => {
    const tabId = await own.actions.tabOf(own.page);
    await own.actions.chromium.inWorker((id) => {
      globalThis.waiting = pageActions.ask(id, 0, { do: 'request', method: 'GET', path: '/held', headers: {}, read: 'json' });
    }, tabId);
    await until(() => asked.includes('/held'), { what: 'the request' });
    await own.actions.chromium.inWorker((id) => pageActions.detach(id), tabId);
    await until(() => left.includes('/held'), { what: 'the request to end' });
  });

  test('no path leads elsewhere', async () => {
    const evil = `127.0.0.1:${server.address().port}`;
    for (const path of [
      `//${evil}/echo`, `/\\${evil}/echo`, `/\t/${evil}/echo`, `\\\\${evil}/echo`, `http://${evil}/echo`, `@${evil}/echo`, '', 'echo', '/../echo', '/a/../echo', '/a/%2e%2E/echo', '/./echo', '/.%2e/echo', '/a/..', '/echo#x', '/e cho', '/echo\n',
      '/\u0000', null, 7, ['/echo'], `/\u3000/${evil}`,
    ]) assert.deepEqual(await request(path), { fault: 'path' }, JSON.stringify(path));
    assert.deepEqual(asked, []);
    assert.equal((await echo('/echo?next=//x/../y')).url, '/echo?next=//x/../y');
  });

  test('a page whose policy allows no requests and no strings as HTML', async () => {
    await open('/strict');
    assert.equal((await echo('/echo')).method, 'GET');
    assert.equal((await request('/list', { read: 'html', rows: { each: by('li'), fields: {} } })).count, 4);
  });
});
