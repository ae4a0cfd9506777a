/** Earlier conversations: search, rename, pin, delete, export, import, and a database that fails. */
// lane: alone (its tests build on one another: a slow one fails those after it)

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Kept, thread } from '../lib/database.mjs';
import { downloaded } from '../lib/download.mjs';
import { Panel, testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** The list of conversations in a panel. */
class List {
  constructor(panel) {
    this.panel = panel;
  }

  async open() {
    if (!(await this.panel.shows('thread-list'))) await this.panel.click('threads');
    await this.panel.see('thread-list');
  }

  async close() {
    if (await this.panel.shows('thread-list')) await this.panel.click('threads-close');
  }

  /** The contents of the rows. */
  async rows() {
    return this.panel.page.$$eval(testId('thread-row'), (nodes) =>
      nodes.map((node) => ({
        id: node.dataset.thread,
        // "Pinned:", for screen readers, is not part of the title.
        title: node.querySelector('.row-title').innerText.replace('Pinned:', '').trim(),
        pinned: node.querySelector('[data-testid="thread-pinned"]') !== null,
        excerpt: node.querySelector('[data-testid="thread-excerpt"]')?.innerText.trim(),
        matched: node.querySelector('mark')?.innerText,
      })),
    );
  }

  async shows(titles) {
    return until(
      async () => {
        const rows = await this.rows();
        return JSON.stringify(rows.map(({ title }) => title)) === JSON.stringify(titles) && rows;
      },
      { what: `the list to be ${titles.join(', ')}` },
    );
  }

  /** Unfold the actions of the thread with this title. */
  async more(title) {
    // A long list renders only the rows near the viewport.
    const { id } = await until(async () => (await this.rows()).find((row) => row.title === title), { what: `the row of ${title}` });
    // The locator waits until the row stands still.
    const toggle = this.panel.page.locator(`li:has([data-thread="${id}"]) ${testId('thread-more')}`);
    if (await toggle.map((node) => node.getAttribute('aria-expanded') === 'false').wait()) await toggle.click();
  }

  async search(text) {
    const input = await this.panel.see('thread-search');
    await input.click({ count: 3 });
    await this.panel.page.keyboard.press('Backspace');
    if (text) await input.type(text);
  }

  /** Import a file and return the outcome shown. */
  async import(text) {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-import-'));
    try {
      const file = path.join(folder, 'chats.json');
      await writeFile(file, text);
      await (await this.panel.see('thread-files')).evaluate((fold) => (fold.open = true));
      const input = await this.panel.page.$(testId('import-file'));
      await input.uploadFile(file);
      await input.evaluate((node) => node.dispatchEvent(new Event('change')));
      await this.panel.page.waitForSelector(`${testId('import')}:not(:disabled)`);
      return this.panel.text('import-outcome');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Export all threads as `json` or `markdown`. */
  async export(form) {
    await (await this.panel.see('thread-files')).evaluate((fold) => (fold.open = true));
    return downloaded(this.panel.page.browser(), () => this.panel.click(`export-${form}`));
  }
}

describe('history', () => {
  /** @type {Stage} */
  let stage;
  let list;
  let kept;
  before(async () => {
    stage = await Stage.set();
    list = new List(stage.panel);
    kept = new Kept(stage.chromium);
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    for (const text of ['alpha', 'beta', 'gamma']) {
      await stage.panel.newChat();
      await stage.panel.ask(`call echoText {"text":"${text}"}`);
    }
  });
  after(() => stage?.strike());

  /** Restart the worker, and reload the panel. */
  const begunAnew = async () => {
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
  };
  const titled = (text) => `call echoText {"text":"${text}"}`;
  const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map(titled);

  test('a search shows an excerpt with the match, and the next search replaces it', async () => {
    await list.open();
    await list.shows([gamma, beta, alpha]);
    await list.search('BETA echotext');
    const [found] = await list.shows([beta]);
    assert.equal(found.excerpt, undefined, 'the title says it');
    await list.search('ALPHA `echotext`:');
    const [said] = await list.shows([alpha]);
    assert.equal(said.matched, '`echoText`:');
    assert.match(said.excerpt, /alpha/);
    assert.match(await stage.panel.text('thread-status'), /1 chat found/);
    await list.search('nowhere');
    await list.shows([]);
    await until(async () => /No chat contains “nowhere”/.test(await stage.panel.text('thread-status')), { what: 'the search to end' });
    await list.search('gamma');
    await list.shows([gamma]);
    await list.more(gamma);
    await stage.panel.click('thread-delete');
    await list.shows([]);
    await stage.panel.click('thread-undo');
    await list.shows([gamma]);
    await list.search('');
    await list.shows([gamma, beta, alpha]);
    await list.close();
  });

  test('a name given during a turn is kept when the turn ends', async () => {
    const page = await stage.begin(stage.site.url('hanging.html'), { tools: 2 });
    await stage.panel.say('call takeTime');
    await stage.panel.call('takeTime', 'running');
    await list.open();
    await list.shows(['call takeTime', gamma, beta, alpha]);
    await list.more('call takeTime');
    await stage.panel.click('thread-rename');
    const input = await stage.panel.see('thread-title');
    assert.equal(await input.evaluate((node) => node.value), 'call takeTime');
    await input.evaluate((node) => node.select());
    await input.type('My long call');
    await stage.panel.page.keyboard.press('Enter');
    await list.shows(['My long call', gamma, beta, alpha]);
    await until(() => page.evaluate(() => Boolean(window.finish)), { what: 'the tool to run' });
    await page.evaluate(() => window.finish());
    await list.close();
    await stage.panel.rest();
    await begunAnew();
    await list.open();
    await list.shows(['My long call', gamma, beta, alpha]);
  });

  test('a pinned thread stays at the top, also with the next worker', async () => {
    await list.more(alpha);
    await stage.panel.click('thread-pin');
    const [first] = await list.shows([alpha, 'My long call', gamma, beta]);
    assert.equal(first.pinned, true);
    await begunAnew();
    await list.open();
    await list.shows([alpha, 'My long call', gamma, beta]);
    await list.more(alpha);
    await stage.panel.click('thread-unpin');
    await list.shows(['My long call', gamma, beta, alpha]);
  });

  test('Undo restores a deleted thread', async () => {
    const before = await kept.text();
    await list.more(beta);
    await stage.panel.click('thread-delete');
    await list.shows(['My long call', gamma, alpha]);
    assert.match(await stage.panel.text('thread-deleted'), /“call echoText \{"text":"beta"\}” was deleted/);
    await stage.panel.click('thread-undo');
    await list.shows(['My long call', gamma, beta, alpha]);
    assert.equal(await kept.text(), before);
  });

  test('Undo restores two deleted threads together', async () => {
    const before = await kept.text();
    for (const [title, left] of [[beta, ['My long call', gamma, alpha]], [gamma, ['My long call', alpha]]]) {
      await list.more(title);
      await stage.panel.click('thread-delete');
      await list.shows(left);
    }
    assert.match(await stage.panel.text('thread-deleted'), /2 chats were deleted/);
    await stage.panel.click('thread-undo');
    await list.shows(['My long call', gamma, beta, alpha]);
    assert.equal(await kept.text(), before);
    await stage.panel.gone('thread-deleted');
  });

  test('a deleted thread is erased from disk after the time for Undo, also when it was open', async () => {
    await list.close();
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"delta"}');
    await list.open();
    await list.more(titled('delta'));
    await stage.panel.click('thread-delete');
    await list.shows(['My long call', gamma, beta, alpha]);
    await until(async () => (await stage.panel.transcript()).length === 0, { what: 'the chat to be empty' });
    const texts = async () => JSON.stringify([await kept.all('threads'), await kept.all('log'), await kept.all('drafts')]);
    await until(async () => !(await texts()).includes('delta'), { what: 'it to be gone', timeout: 15_000 });
    await stage.panel.gone('thread-undo');
  });

  test('a temporary chat is not saved, and its end is announced', async () => {
    await list.close();
    await stage.panel.newChat();
    await stage.panel.click('new-temporary');
    assert.match(await stage.panel.text('temporary'), /nothing in it is saved/);
    const before = await kept.text();
    await stage.panel.ask('call echoText {"text":"epsilon"}');
    await stage.panel.ask('call echoText {"text":"zeta"}');
    assert.equal(await kept.text(), before);
    assert.match((await stage.panel.transcript()).at(-2).answer, /zeta/);
    const { messages } = (await stage.model.requests()).at(-1).body;
    assert.match(JSON.stringify(messages), /epsilon/, 'the model knows what was said before');
    await list.open();
    await list.shows(['My long call', gamma, beta, alpha]);
    await list.close();
    await stage.chromium.killWorker();
    await until(async () => /temporary chat is over/.test(await stage.panel.text('alert')), { what: 'the word that it is over' });
    assert.deepEqual(await stage.panel.transcript(), []);
    await stage.panel.click('alert-close');
    assert.equal(await kept.text(), before);
  });

  test('a message to a temporary chat that ended before it was sent stays in the composer', async () => {
    await stage.panel.newChat();
    await stage.panel.click('new-temporary');
    await stage.panel.see('temporary');
    const before = await kept.text();
    await stage.panel.page.evaluate(() => {
      window.connect = chrome.runtime.connect;
      chrome.runtime.connect = () => {
        throw new Error('not yet');
      };
    });
    await stage.chromium.killWorker();
    const text = 'call echoText {"text":"only here"}';
    await stage.panel.type(text);
    await stage.panel.page.keyboard.press('Enter');
    await stage.panel.page.evaluate(() => {
      chrome.runtime.connect = window.connect;
    });
    await until(async () => /temporary chat is over/.test(await stage.panel.text('alert')), { what: 'the word that it is over' });
    assert.equal(await stage.panel.typed(), text);
    assert.deepEqual(await stage.panel.transcript(), []);
    assert.equal(await kept.text(), before);
    await stage.panel.click('alert-close');
    await (await stage.panel.see('composer-input')).click({ count: 3 });
    await stage.panel.page.keyboard.press('Backspace');
  });

  test('all threads are exported as JSON and imported unchanged', async () => {
    await list.open();
    const { name, text } = await list.export('json');
    assert.match(name, /^webmcp-sidecar-\d{4}-\d\d-\d\d\.json$/);
    const file = JSON.parse(text);
    assert.deepEqual([file.format, file.version, file.threads.length], ['webmcp-sidecar-threads', 1, 4]);
    const before = await kept.text();
    assert.equal(await list.import(text), '0 chats imported. 4 were here already.');
    assert.equal(await kept.text(), before);
    for (const title of [gamma, beta, alpha]) {
      await list.more(title);
      await stage.panel.click('thread-delete');
      await until(async () => (await list.rows()).every((row) => row.title !== title), { what: 'the row to go' });
    }
    // Deleted threads keep their IDs until they are erased.
    await until(async () => (await kept.all('threads')).length === 1, { what: 'them to be gone', timeout: 15_000 });
    assert.equal(await list.import(text), '3 chats imported. 1 was here already.');
    assert.equal(await kept.text(), before);
    await list.shows(['My long call', gamma, beta, alpha]);
  });

  test('an imported thread whose ID is taken gets a new ID, and nothing is overwritten', async () => {
    const { text } = await list.export('json');
    const before = await kept.all('log');
    const file = JSON.parse(text);
    const [mine] = file.threads.filter(({ title }) => title === alpha);
    mine.log[0].text = 'another beginning';
    mine.title = 'Another one';
    mine.updated = 1;
    assert.equal(await list.import(JSON.stringify({ ...file, threads: [mine] })), '1 chat imported.');
    const rows = await list.shows(['My long call', gamma, beta, alpha, 'Another one']);
    assert.equal(new Set(rows.map(({ id }) => id)).size, 5);
    const after = new Map((await kept.all('log')).map(([key, value]) => [JSON.stringify(key), value]));
    for (const [key, value] of before) assert.deepEqual(after.get(JSON.stringify(key)), value);
  });

  test('a foreign, damaged, hostile or newer file changes nothing and is refused with the reason', async () => {
    const before = await kept.text();
    const { text } = await list.export('json');
    const file = JSON.parse(text);
    const doubled = structuredClone(file);
    doubled.threads[0].log.splice(0, 1);
    for (const [content, said] of [
      ['{"hello":"world"}', /holds no exported chats/],
      ['<!doctype html>', /holds no exported chats/],
      [JSON.stringify({ ...file, version: 99 }), /newer version/],
      [text.slice(0, -40), /damaged/],
      [JSON.stringify(doubled), /damaged.*its first entry/],
      [`{"format":"webmcp-sidecar-threads","version":1,"threads":[\n${'['.repeat(200_000)}`, /damaged/],
    ]) {
      assert.match(await list.import(content), said);
    }
    assert.equal(await kept.text(), before);
  });

  test('one thread is exported as Markdown, in a file named after its title', async () => {
    await list.more(gamma);
    const { name, text } = await downloaded(stage.chromium.browser, () => stage.panel.click('thread-export-markdown'));
    assert.match(name, /^call-echoText-text-gamma-\d{4}-\d\d-\d\d\.md$/);
    assert.match(text, /^# call echoText/);
    assert.match(text, /## Tool\n\n`echoText` · /);
    assert.match(text, /## Agent\n\n/);
  });

  test('a thread that is deleted and imported again can make new calls', async () => {
    await list.close();
    const page = await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"before"}');
    await list.open();
    const { text } = await list.export('json');
    await list.close();
    await stage.panel.ask('call echoText {"text":"first"}');
    await list.open();
    await list.more(titled('before'));
    await stage.panel.click('thread-delete');
    const threads = async () => (await kept.all('threads')).length;
    const before = await threads();
    await until(async () => (await threads()) < before, { what: 'it to be gone', timeout: 15_000 });
    assert.match(await list.import(text), /^1 chat imported\./);
    const at = (await list.rows()).findIndex(({ title }) => title === titled('before'));
    await (await stage.panel.page.$$(testId('thread-row')))[at].click();
    await until(async () => (await stage.panel.transcript()).length > 0, { what: 'the chat' });
    await stage.panel.ask('call echoText {"text":"second"}');
    const runs = await page.evaluate(() => window.runs.map(({ args }) => args.text));
    assert.deepEqual(runs, ['before', 'first', 'second']);
    await stage.panel.unfold();
    assert.match((await stage.panel.calls()).at(-1).result ?? '', /second/);
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});

describe('a long history', () => {
  /** @type {Stage} */
  let stage;
  let list;
  const TURNS = 5000;
  before(async () => {
    stage = await Stage.set();
    list = new List(stage.panel);
    const kept = new Kept(stage.chromium);
    await list.open();
    await stage.panel.see('thread-status');
    const answered = (turn) => `Answer ${turn}: ${'some words that fill a paragraph. '.repeat(12)}`;
    const threads = Array.from({ length: 499 }, (_, number) =>
      thread(`t${number}`, {
        title: `Chat number ${number}`,
        turns: 6,
        answered: (turn) => (number === 3 && turn === 4 ? `${answered(turn)} A needle, here.` : answered(turn)),
        updated: 1_700_000_000_000 + number * 60_000,
      }),
    );
    const long = thread('long', { title: 'The long one', turns: TURNS, said: (turn) => `Question ${turn}`, updated: 1_760_000_000_000 });
    await kept.write([...threads, long]);
    await list.close();
    await list.open();
  });
  after(() => stage?.strike());

  /** The visible rows: position (`aria-posinset`) and title of each. */
  const seen = () =>
    stage.panel.page.$eval(testId('thread-list'), (frame) => {
      const { top, bottom } = frame.getBoundingClientRect();
      const rows = [...frame.querySelectorAll('li[aria-posinset]')].filter((row) => {
        const box = row.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      return rows.map((row) => [Number(row.ariaPosInSet), row.querySelector('.row-title').innerText.trim()]);
    });
  const scroll = (part) => stage.panel.page.$eval(testId('thread-list'), (frame, at) => (frame.scrollTop = at * frame.scrollHeight), part);
  const focused = () => stage.panel.page.evaluate(() => document.activeElement.dataset.thread ?? document.activeElement.dataset.testid);
  const press = (key) => stage.panel.page.keyboard.press(key);
  const isFocused = (id) => until(async () => (await focused()) === id, { what: `the row of ${id} to have the focus` });

  test('of 500 threads only those near the viewport are in the document, wherever the user scrolls', async () => {
    await until(async () => (await list.rows())[0]?.title === 'The long one', { what: 'the first rows' });
    for (const part of [0, 0.25, 0.5, 0.75, 1, 0.6, 0.1]) {
      await scroll(part);
      await until(
        async () => {
          const rows = await seen();
          const places = rows.map(([place]) => place);
          return rows.length > 5 && places.at(-1) - places[0] === rows.length - 1;
        },
        { what: `rows one after the other at ${part} of the list` },
      );
      const rows = await seen();
      for (const [place, title] of rows) assert.equal(title, place === 1 ? 'The long one' : `Chat number ${500 - place}`);
      if (part === 1) assert.equal(rows.at(-1)[0], 500);
      const count = await stage.panel.page.$$eval('[aria-setsize="500"]', (all) => all.length);
      assert.ok(count < 60, `${count} rows are in the document`);
    }
  });

  test('arrow keys reach each of 500 threads, and Home and End the first and the last', async () => {
    await scroll(0);
    await until(async () => (await seen())[0]?.[0] === 1, { what: 'the first row' });
    await stage.panel.page.focus(testId('thread-row'));
    const reached = [];
    for (let place = 1; place <= 500; place += 1) {
      reached.push(await focused());
      await press('ArrowDown');
    }
    assert.deepEqual(reached, ['long', ...Array.from({ length: 499 }, (_, at) => `t${498 - at}`)]);
    await isFocused('t0');
    await press('Home');
    await isFocused('long');
    await press('End');
    await isFocused('t0');
    await press('ArrowUp');
    await isFocused('t1');
    await press('Tab');
    await isFocused('thread-more');
    await press('Tab');
    await isFocused('t0');
  });

  test('a focused row and an unfolded row are kept when they scroll out of view', async () => {
    await press('Home');
    await isFocused('long');
    await list.more('Chat number 498');
    await stage.panel.click('thread-rename');
    const input = await stage.panel.see('thread-title');
    await input.type(', renamed');
    await scroll(0.5);
    await until(async () => (await seen())[0]?.[0] > 100, { what: 'the middle of the list' });
    assert.equal(await focused(), 'thread-title');
    assert.equal(await input.evaluate((node) => node.value), 'Chat number 498, renamed');
    await press('Enter');
    await scroll(0);
    await until(async () => (await seen())[1]?.[1] === 'Chat number 498, renamed', { what: 'the new name' });
    await stage.panel.click('thread-more', '[aria-expanded="true"]');
    await stage.panel.page.focus(testId('thread-row'));
    await scroll(0.5);
    await until(async () => (await seen())[0]?.[0] > 100, { what: 'the middle of the list' });
    assert.equal(await focused(), 'long');
    await press('ArrowDown');
    await isFocused('t498');
    assert.equal((await seen())[1][0], 2, 'the row with the focus is in sight again');
  });

  test('a thread far down can be pinned, deleted and restored', async () => {
    await press('End');
    await isFocused('t0');
    await list.more('Chat number 0');
    await stage.panel.click('thread-pin');
    await scroll(0);
    await until(async () => (await seen())[0]?.[1].endsWith('Chat number 0'), { what: 'the pinned row at the top' });
    assert.equal((await list.rows())[0].pinned, true);
    await stage.panel.click('thread-unpin');
    await until(async () => (await seen())[0]?.[1] === 'The long one', { what: 'the row to go back' });
    await scroll(1);
    await until(async () => (await seen()).at(-1)?.[0] === 500, { what: 'the last row' });
    await list.more('Chat number 7');
    await stage.panel.click('thread-delete');
    await until(async () => (await list.rows()).every(({ id }) => id !== 't7'), { what: 'the row to go' });
    await stage.panel.click('thread-undo');
    await until(async () => (await list.rows()).some(({ id }) => id === 't7'), { what: 'the row to come back' });
  });

  test('a word in one of 500 threads is found', async () => {
    await stage.panel.page.$eval(testId('thread-list'), (node) => (node.scrollTop = 0));
    await list.search('needle');
    const [found] = await list.shows(['Chat number 3']);
    assert.equal(found.matched, 'needle');
    await list.search('');
  });

  const transcript = () => stage.panel.transcript();
  const shows = (text) => until(async () => (await transcript()).some((item) => item.text === text), { what: `the item ${JSON.stringify(text)}` });
  const turn = (item) => Number(/^Question (\d+)$/.exec(item.text)?.[1]);

  test('a thread of 10,000 items opens at its end, and loading earlier items keeps focus and selection', async () => {
    await until(async () => (await list.rows())[0]?.title === 'The long one', { what: 'the list' });
    await stage.panel.click('thread-row');
    await shows(`Question ${TURNS - 1}`);
    assert.equal((await transcript()).length, 100);
    const frame = await stage.panel.see('transcript');
    const selected = await frame.evaluate((node) => {
      window.focused = node.querySelector('.item button');
      // Scrolling to the beginning would load more items.
      window.focused.focus({ preventScroll: true });
      getSelection().selectAllChildren(node.querySelector('.item'));
      return String(getSelection());
    });
    assert.notEqual(selected, '');
    await (await stage.panel.see('load-older')).evaluate((button) => button.click());
    await until(async () => (await transcript()).length === 200, { what: 'the page before' });
    const kept = await stage.panel.page.evaluate(() => [document.activeElement === window.focused, String(getSelection())]);
    assert.deepEqual(kept, [true, selected], 'the focus and the selection stay where they are');
    await stage.panel.page.evaluate(() => getSelection().removeAllRanges());
  });

  test('scrolling back and to the end again keeps the document small and the items read in place', async () => {
    const frame = await stage.panel.see('transcript');
    const edge = async (name) => {
      const items = await transcript();
      return turn(name === 'first' ? items.find(turn) : items.findLast(turn));
    };
    /** Scroll to an edge and wait for more items. Returns how far the item at the top moved, and the count of items. */
    const reach = (edge) =>
      frame.evaluate(async (node, isTop) => {
        const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const items = () => [...node.querySelectorAll('.item')];
        const { top } = node.getBoundingClientRect();
        // Not quite at the edge, so that the item at the top stays the same.
        node.scrollTop = isTop ? 40 : node.scrollHeight - node.clientHeight - 40;
        const read = items().find((item) => item.getBoundingClientRect().bottom > top + 60);
        const place = read.getBoundingClientRect().top;
        const outer = () => items().at(isTop ? 0 : -1);
        for (const before = outer(); outer() === before; ) await next();
        await next();
        await next();
        return { moved: read.getBoundingClientRect().top - place, count: items().length };
      }, edge === 'top');
    for (let first = await edge('first'); first > TURNS - 400; first = await edge('first')) {
      const { moved, count } = await reach('top');
      assert.ok(Math.abs(moved) < 3, `what is read moved by ${moved} pixels`);
      assert.ok(count <= 400, `${count} items are in the document`);
    }
    assert.ok((await edge('last')) < TURNS - 100, 'the end is not in the document');
    for (let last = await edge('last'); last < TURNS - 1; last = await edge('last')) {
      const { moved, count } = await reach('bottom');
      assert.ok(Math.abs(moved) < 3, `what is read moved by ${moved} pixels`);
      assert.ok(count <= 400, `${count} items are in the document`);
    }
  });

  test('new text is one click away while the user reads far back', async () => {
    const frame = await stage.panel.see('transcript');
    const first = async () => turn((await transcript()).find(turn));
    while ((await first()) > TURNS - 350) {
      const before = await first();
      await frame.evaluate((node) => (node.scrollTop = 0));
      await until(async () => (await first()) < before, { what: 'earlier items' });
    }
    await stage.panel.view('settings');
    await stage.use('call-tool');
    await stage.panel.type('Something new');
    await stage.panel.click('send');
    await stage.panel.click('new-text');
    await shows('Something new');
    await stage.panel.rest();
    const isAtEnd = () => frame.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight < 24);
    await until(isAtEnd, { what: 'the end to be in sight' });
    await stage.panel.ask('Something else');
    await until(isAtEnd, { what: 'the end to stay in sight' });
  });

  test('the panel raised no errors over a long history', () => assert.deepEqual(stage.panel.problems, []));
});

describe('an unusable database', () => {
  /** @type {Stage} */
  let stage;
  let kept;
  before(async () => {
    stage = await Stage.set();
    kept = new Kept(stage.chromium);
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.panel.ask('call echoText {"text":"alpha"}');
  });
  after(() => stage?.strike());

  const fill = () =>
    stage.chromium.inWorker(() => {
      globalThis.add = IDBObjectStore.prototype.add;
      IDBObjectStore.prototype.add = () => {
        throw new DOMException('The current transaction exceeded its quota limitations.', 'QuotaExceededError');
      };
    });
  const makeRoom = () =>
    stage.chromium.inWorker(() => {
      IDBObjectStore.prototype.add = globalThis.add;
    });

  test('a message for which the disk has no room is returned to the composer, and the user is told', async () => {
    await stage.panel.newChat();
    const before = await kept.text();
    await fill();
    const text = 'call echoText {"text":"beta"}';
    await stage.panel.type(text);
    await stage.panel.click('send');
    await until(async () => /no room left/.test(await stage.panel.text('alert')), { what: 'the word of it' });
    assert.equal(await stage.panel.typed(), text);
    assert.equal(await kept.text(), before);
    await makeRoom();
    await stage.panel.click('send');
    await stage.panel.rest();
  });

  test('a chat whose turn end could not be saved can be continued and reloaded', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.model.fault({ delivery: { hold_after_event: 20 } });
    await stage.panel.say('Write 100 tokens');
    await stage.model.wait(1, 'held');
    await fill();
    await stage.model.release(1);
    assert.equal((await stage.panel.rest()).why, 'interrupted');
    await makeRoom();
    await stage.panel.ask('Write 2 tokens');
    const shown = (await stage.panel.transcript()).map(({ kind }) => kind);
    await stage.chromium.killWorker();
    await stage.panel.page.reload();
    await stage.panel.ready();
    await until(async () => (await stage.panel.transcript()).length > 0, { what: 'the chat' });
    assert.deepEqual((await stage.panel.transcript()).map(({ kind }) => kind), shown);
  });

  test('a new answer that cannot be saved leaves the earlier answer one click away', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });
    await stage.panel.ask('hello');
    await stage.chromium.inWorker(() => {
      globalThis.add = IDBObjectStore.prototype.add;
      let left = 1;
      IDBObjectStore.prototype.add = function (...given) {
        if (left-- > 0) return globalThis.add.apply(this, given);
        throw new DOMException('The current transaction exceeded its quota limitations.', 'QuotaExceededError');
      };
    });
    await stage.panel.page.hover(testId('item-rest'));
    await stage.panel.click('answer-again');
    await until(async () => /no room left/.test(await stage.panel.text('alert')), { what: 'the word of it' });
    assert.equal((await stage.panel.rest()).why, 'interrupted');
    await makeRoom();
    await stage.panel.click('version-earlier');
    await until(async () => (await stage.panel.transcript()).at(-1).why === 'done', { what: 'the answer' });
  });

  test('a database of a newer version is left unchanged, and the panel says why', async () => {
    const before = await kept.text();
    await stage.chromium.inWorker(async () => {
      const open = await new Promise((resolve, reject) => {
        const request = indexedDB.open('webmcp-sidecar', 99);
        request.onupgradeneeded = () => request.result.createObjectStore('of a later version');
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      open.close();
    });
    await stage.panel.click('threads');
    await until(async () => /newer version of the extension/.test(await stage.panel.text('alert')), { what: 'the word of it' });
    assert.equal(await kept.text(), before);
    const stores = await stage.chromium.inWorker(async () => {
      const databases = await indexedDB.databases();
      return databases.map(({ name, version }) => `${name} ${version}`);
    });
    assert.deepEqual(stores, ['webmcp-sidecar 99']);
  });
});

describe('a database of an earlier version', () => {
  test('keeps its threads, and reports when another page blocks the upgrade', async (t) => {
    const profile = await mkdtemp(path.join(os.tmpdir(), 'sidecar-kept-'));
    t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const stage = await Stage.set({ profile });
    try {
      // The database as version 1 made it; the page that creates it keeps its connection open.
      await stage.panel.page.close();
      const holder = await stage.chromium.open(stage.chromium.extensionUrl('page.js'));
      await stage.chromium.inWorker(() => new Promise((resolve) => (indexedDB.deleteDatabase('webmcp-sidecar').onsuccess = resolve)));
      const { summary, log } = thread('old', { title: 'From before' });
      await holder.evaluate(
        (line, entries) =>
          new Promise((resolve, reject) => {
            const request = indexedDB.open('webmcp-sidecar', 1);
            request.onupgradeneeded = () => {
              const [threads, logs] = ['threads', 'log', 'drafts'].map((name) => request.result.createObjectStore(name));
              threads.put(JSON.stringify(line), line.id);
              entries.forEach((entry, at) => logs.put(JSON.stringify(entry), [line.id, at]));
            };
            request.onsuccess = () => {
              window.held = request.result;
              resolve();
            };
            request.onerror = () => reject(request.error);
          }),
        summary,
        log,
      );
      const page = await stage.chromium.open(stage.site.url('empty.html'));
      stage.panel = await Panel.beside(stage.chromium, page);
      const list = new List(stage.panel);
      await until(async () => /Another part of the extension/.test(await stage.panel.text('alert')), { what: 'the word of it' });
      await holder.close();
      await list.open();
      await list.shows(['From before']);
      await stage.panel.click('thread-row');
      await until(async () => (await stage.panel.transcript()).length === 3, { what: 'the conversation' });
      assert.deepEqual(await new Kept(stage.chromium).all('calls'), []);
    } finally {
      await stage.strike();
    }
  });
});
