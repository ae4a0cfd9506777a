/** The workbench: forms, runs, history, checks and contract of the tools of one tab. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { downloaded } from '../lib/download.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage, forBothModes } from '../lib/stage.mjs';
import { quick, until } from '../lib/wait.mjs';
import { Workbench } from '../lib/workbench.mjs';

const EVERY = {
  type: 'object',
  required: ['need', 'seeded'],
  properties: {
    need: { type: 'string', minLength: 2 },
    text: { type: 'string' },
    switch: { type: 'boolean' },
    list: { type: 'array', items: { type: 'string' } },
    group: { type: 'object', properties: { inner: { type: 'string' } } },
    count: { type: 'number' },
    maybe: { type: ['string', 'null'], default: null },
    seeded: { type: 'string', default: 'from the page' },
    pick: { enum: [1, '1', null, { a: 1 }, 1] },
    when: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    way: { type: 'string', enum: ['post', 'pickup'] },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: { type: 'boolean' } },
    parts: {
      type: 'array',
      items: {
        oneOf: [
          { title: 'Round', type: 'object', properties: { kind: { const: 'round' }, size: { type: 'integer' }, radius: { type: 'number' } }, required: ['kind'] },
          { title: 'Square', type: 'object', properties: { kind: { const: 'square' }, size: { type: 'integer' }, side: { type: 'number' } }, required: ['kind'] },
        ],
      },
    },
    secret: { type: 'string', format: 'password' },
  },
  if: { properties: { way: { const: 'post' } }, required: ['way'] },
  then: { properties: { street: { type: 'string' } } },
};

const TREE = {
  type: 'object',
  $defs: { node: { type: 'object', properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
  properties: { root: { $ref: '#/$defs/node' } },
};

const UNION = {
  anyOf: [
    { type: 'object', title: 'By id', properties: { by: { const: 'id' }, id: { type: 'integer' } }, required: ['by', 'id'] },
    { type: 'object', title: 'By name', properties: { by: { const: 'name' }, name: { type: 'string' } }, required: ['by', 'name'] },
  ],
};

const NUMBERS = Array.from({ length: 40 }, (_, number) => number);

/** A field of each kind that is not in `EVERY`. */
const KINDS = {
  type: 'object',
  required: ['undeclared'],
  properties: {
    lines: { type: 'string', maxLength: 500 },
    whole: { type: 'integer' },
    select: { enum: NUMBERS.slice(0, 8) },
    search: { enum: NUMBERS },
    titled: { oneOf: [{ const: 'x', title: 'The x' }, { const: 'y', title: 'The y' }] },
    fixed: { const: { v: 1 } },
    either: { type: ['string', 'array'], items: { type: 'string' } },
    anything: {},
    group: { type: 'object', properties: { inner: { type: 'string' } }, additionalProperties: true },
    rows: { type: 'array', items: { type: 'string' } },
    checks: { type: 'array', uniqueItems: true, items: { enum: ['a', 'b', 'c'] } },
    cards: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    time: { type: 'string', format: 'time' },
    file: { type: 'string', contentEncoding: 'base64' },
    usual: { type: 'string', default: 'as always' },
    secret: { type: 'string', format: 'password' },
  },
};

/** Register tools in a page. What reached `execute` is in `window.got`. */
const register = ({ EVERY, TREE, UNION, far }) => {
  window.got = [];
  window.controllers = {};
  window.offer = (name, execute, inputSchema = { type: 'object', properties: { text: { type: 'string' } } }, more = {}) => {
    window.controllers[name] = new AbortController();
    return document.modelContext.registerTool(
      { name, description: `Does ${name}.`, inputSchema, execute: (input, ...rest) => (window.got.push(input), execute(input, ...rest)), ...more },
      { signal: window.controllers[name].signal },
    );
  };
  const offer = window.offer;
  offer('every', () => 'done', EVERY);
  offer('tree', () => 'done', TREE);
  offer('union', () => 'done', UNION);
  offer('say', ({ text }) => text);
  offer('rows', () => ({ total: 3, items: [{ id: 1, name: 'Tea' }, { id: 2, name: 'Pot' }, { id: 3, name: 'Cup' }] }), undefined, { annotations: { readOnlyHint: true } });
  let calls = 0;
  offer('clock', () => ({ items: [{ id: 1, at: ++calls }], zone: 'UTC' }));
  offer('fail', () => Promise.reject(new Error('out of tea')));
  offer('hang', () => new Promise(() => {}));
  offer('buy', () => 'bought');
  offer('far', () => 'done', { type: 'object', properties: { there: { $ref: far } } });
  offer('many', () => 'done', { type: 'object', properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`field${at}`, { type: 'string' }])) });
  offer('huge', () => 'done', { type: 'object', properties: { one: { type: 'string', description: '好'.repeat(200_000) } } });
  offer('hidden', () => 'done', { type: 'object', properties: { word: { type: 'string', enum: ['so\u00adft', 'plain'] } } });
  offer('broken', () => 'done', { type: 'object', properties: { code: { type: 'string', minLength: 5, maxLength: 2 } }, required: ['code'] });
};
const TOOLS = 14;

forBothModes('the workbench', (native) => {
  /** @type {Stage} */
  let stage;
  /** @type {import('puppeteer-core').Page} */
  let page;
  /** @type {Workbench} */
  let bench;
  before(async () => {
    stage = await Stage.set({ native });
    page = await stage.begin(stage.site.url('empty.html'));
    await page.evaluate(register, { EVERY, TREE, UNION, far: `${stage.site.url('empty.html')}?schema` });
    await stage.panel.knows(TOOLS);
    await stage.panel.view('tools');
    const address = await stage.panel.page.$eval(testId('open-workbench'), (link) => link.href);
    bench = await Workbench.open(stage.chromium, new URL(address).hash.slice(1));
    await bench.see('bench-row', '[data-name="every"]');
  });
  after(() => stage?.strike());

  const got = () => page.evaluate(() => window.got);
  const last = async () => (await got()).at(-1);
  /** A fresh form of a tool. */
  const form = async (name) => {
    if ((await bench.page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('view'))) !== null) await bench.click('bench-tools');
    await bench.openTool(name);
    await bench.click('part-run');
    await bench.see('form');
    await bench.click('form-clear');
  };
  /** Search the history. */
  const search = (text) =>
    bench.page.$eval(
      testId('history-filter'),
      (input, text) => {
        input.value = text;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      },
      text,
    );
  const json = async () => JSON.parse(await bench.raw());
  /** The selector of a field, by the keys that lead to it. */
  const chain = (keys) => keys.map((key) => `${testId('field')}[data-key="${key}"]`).join(' ');
  /** What a copy button has copied when it says so; pressed twice, it does so once. */
  const copied = async (id) => {
    await bench.page.evaluate(() => {
      window.copied = [];
      navigator.clipboard.writeText = async (text) => void window.copied.push(text);
    });
    await bench.see(id).then((button) => button.evaluate((node) => (node.click(), node.click())));
    await bench.page.waitForSelector(`${testId(id)} + [role="status"]:not(:empty)`);
    const texts = await bench.page.evaluate(() => (delete navigator.clipboard.writeText, window.copied));
    assert.equal(texts.length, 1);
    return texts[0];
  };
  /** Look at a second workbench, which is closed whatever comes of it. */
  const beside = async (hash, look) => {
    const other = await Workbench.open(stage.chromium, hash);
    try {
      await look(other);
    } finally {
      await other.page.close();
      await bench.page.bringToFront();
    }
  };

  test('it names its tab and lists the tools of its page as they come and go', async () => {
    const shown = await bench.page.$eval(testId('bench-page'), (select) => select.selectedOptions[0].textContent);
    assert.match(shown, new RegExp(new URL(stage.site.url('')).host));
    assert.equal((await bench.page.$$(testId('bench-row'))).length, TOOLS);
    await page.evaluate(() => window.offer('late', () => 'here'));
    await bench.see('bench-row', '[data-name="late"]');
    await page.evaluate(() => window.controllers.late.abort());
    await until(async () => (await bench.page.$$(testId('bench-row'))).length === TOOLS, { what: 'the tool to go' });
  });

  test('the list is copied as its tools are registered, each as it is copied alone', async () => {
    const said = { description: 'Does the whole.\nIn two lines.\u200b', annotations: { readOnlyHint: true } };
    const schema = { type: 'object', properties: { text: { type: 'string', description: 'Any.' } } };
    await page.evaluate((schema, said) => window.offer('whole', () => 'here', schema, said), schema, said);
    await bench.see('bench-row', '[data-name="whole"]');
    const list = JSON.parse(await copied('bench-copy-list'));
    assert.equal(list.length, TOOLS + 1);
    const whole = list.find(({ name }) => name === 'whole');
    const { origin } = new URL(stage.site.url(''));
    assert.deepEqual(whole, { name: 'whole', ...said, inputSchema: schema, origin, source: native ? 'native' : 'polyfill' });
    assert.deepEqual(list.find(({ name }) => name === 'every').inputSchema, EVERY);
    assert.equal(await bench.page.$(testId('bench-copy-part')), null);
    await bench.openTool('whole');
    assert.deepEqual(JSON.parse(await copied('bench-copy-tool')), whole);
    await page.evaluate(() => window.controllers.whole.abort());
    await until(async () => (await bench.page.$$(testId('bench-row'))).length === TOOLS, { what: 'the tool to go' });
  });

  test('inspector case 34: untouched fields are absent, emptied ones are empty', async () => {
    await form('every');
    await bench.type('need', 'yes');
    assert.deepEqual(await json(), { need: 'yes', seeded: 'from the page' });
    await bench.press('text', 'field-empty');
    await bench.press('list', 'field-empty');
    assert.deepEqual(await json(), { need: 'yes', text: '', list: [], seeded: 'from the page' });
    await bench.run();
    assert.deepEqual(await last(), { need: 'yes', text: '', list: [], seeded: 'from the page' });
  });

  test('inspector case 35: unset, null and empty are three things', async () => {
    await form('every');
    await bench.type('need', 'yes');
    assert.ok(!('maybe' in (await json())));
    await bench.press('maybe', 'field-null');
    assert.equal((await json()).maybe, null);
    await bench.press('maybe', 'field-unset');
    await bench.press('maybe', 'field-empty');
    assert.equal((await json()).maybe, '');
  });

  test('inspector case 36: a half number blocks, and numbers keep their digits', async () => {
    await form('every');
    await bench.type('need', 'yes');
    await bench.type('count', '1.');
    const before = (await got()).length;
    await bench.click('run-start');
    await bench.see('run-blocked');
    assert.equal((await got()).length, before);
    await bench.type('count', '1e3');
    await bench.run();
    assert.equal((await last()).count, 1000);
    await bench.type('count', '9007199254740993');
    await until(async () => /round/i.test(await bench.page.$eval(bench.at('count', 'field-faults'), (node) => node.innerText)), { what: 'the warning' });
    assert.match(await bench.raw(), /9007199254740993/);
  });

  test('inspector case 37: choices of any JSON type are sent as they are', async () => {
    await form('every');
    await bench.type('need', 'yes');
    for (const [at, value] of [1, '1', null, { a: 1 }, 1].entries()) {
      const radios = await bench.page.$$(bench.at('pick', 'field-radio'));
      await radios[at].click();
      assert.deepEqual((await json()).pick, value);
    }
  });

  test('a choice with an invisible character is sent as the page wrote it', async () => {
    await form('hidden');
    const [first] = await bench.page.$$(bench.at('word', 'field-radio'));
    await first.click();
    assert.equal((await bench.run()).state, 'ok');
    assert.deepEqual(await last(), { word: 'so\u00adft' });
  });

  test('inspector case 38: a union in a list keeps common keys and what other rows hold', async () => {
    await form('every');
    await bench.press('parts', 'field-add-row');
    await bench.press('parts', 'field-add-row');
    const pick = async (row, branch) => {
      const select = await bench.page.waitForSelector(bench.at(['parts', row], 'field-pick'));
      await select.select(String(branch));
    };
    await pick('1', 0);
    await pick('2', 0);
    await bench.type(['parts', '1', 'size'], '3');
    await bench.type(['parts', '2', 'size'], '7');
    await pick('2', 1);
    assert.deepEqual((await json()).parts, [{ kind: 'round', size: 3 }, { kind: 'square', size: 7 }]);
    await bench.type(['parts', '1', 'radius'], '1.');
    await bench.page.$$eval(`${bench.at('parts', 'row-down')}`, ([first]) => first.click());
    await bench.page.waitForSelector(bench.at(['parts', '2', 'radius']));
    assert.equal(await bench.page.$eval(bench.at(['parts', '2', 'radius']), (input) => input.value), '1.', 'the draft moved with its row');
  });

  test('inspector case 39: a union at the root has fields and a picker', async () => {
    await form('union');
    const pick = await bench.see('field-pick');
    await pick.select('1');
    await bench.type('name', 'Anxi');
    assert.deepEqual(await json(), { by: 'name', name: 'Anxi' });
  });

  test('inspector case 40: a field of a condition comes by choice, and keeps its draft', async () => {
    await form('every');
    await bench.type('need', 'yes');
    const choose = async (at) => (await bench.page.$$(bench.at('way', 'field-radio')))[at].click();
    assert.equal(await bench.page.$(bench.at('street')), null);
    await choose(0);
    await bench.type('street', 'Long Lane');
    assert.equal((await json()).street, 'Long Lane');
    await choose(1);
    await until(async () => (await bench.page.$(bench.at('street'))) === null, { what: 'the field to go' });
    assert.ok(!('street' in (await json())));
    await choose(0);
    await bench.page.waitForSelector(bench.at('street'));
    assert.equal(await bench.page.$eval(bench.at('street'), (input) => input.value), 'Long Lane');
  });

  test('inspector case 41: a tree of three levels is opened level by level; a gap in a tuple is told, and a rest follows it', async () => {
    await form('tree');
    await bench.type(['root', 'name'], 'a');
    const list = ['root', 'children'];
    for (const name of ['b', 'c']) {
      await bench.press(list, 'field-add-row');
      const row = [...list, '1'];
      // From the third level on, groups are folded.
      await bench.page.locator(`${chain(row)} > details > summary`).click();
      assert.equal(await bench.page.$(bench.at([...row, 'name'])), null, 'a level is there once it is opened');
      await bench.press(row, 'field-open');
      await bench.type([...row, 'name'], name);
      list.push('1', 'children');
    }
    assert.equal(await bench.page.$(chain([...list, '1'])), null);
    await bench.run();
    assert.deepEqual(await last(), { root: { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] } });
    await form('every');
    await bench.type('need', 'yes');
    await bench.type(['pair', '2'], '2');
    await bench.press('pair', 'field-add-row');
    await bench.page.$$(bench.at(['pair', '3'], 'field-radio')).then((radios) => radios[1].click());
    const before = (await got()).length;
    await bench.click('run-start');
    await bench.see('run-blocked');
    assert.match(await bench.page.$eval(bench.at(['pair', '1'], 'field-faults'), (node) => node.innerText), /others follow/);
    assert.equal((await got()).length, before, 'no null takes its place');
    await bench.type(['pair', '1'], 'one');
    await bench.run();
    assert.deepEqual((await last()).pair, ['one', 2, true]);
  });

  test('inspector case 42: maps take odd and empty keys exactly, and a double one is told', async () => {
    await form('every');
    await bench.type('need', 'yes');
    const enter = (node, text) => {
      node.value = text;
      node.dispatchEvent(new InputEvent('input', { bubbles: true }));
      node.dispatchEvent(new Event('change', { bubbles: true }));
    };
    const add = async (key, value) => {
      await bench.page.waitForSelector(bench.at('map', 'field-new-key')).then((input) => input.evaluate(enter, key));
      await bench.press('map', 'field-add-key');
      const added = `${bench.at(['map', key])}:placeholder-shown`;
      await bench.page.waitForSelector(added).then((input) => input.evaluate(enter, value));
    };
    await bench.page.$$eval(bench.at('map', 'field-open'), ([open]) => open?.click());
    for (const [at, key] of ['__proto__', 'a.b', ''].entries()) await add(key, String(at));
    const map = () => page.evaluate(() => JSON.stringify(window.got.at(-1).map));
    await bench.run();
    assert.equal(await map(), '{"__proto__":0,"a.b":1,"":2}');
    const before = (await got()).length;
    await add('a.b', '3');
    const twice = () => bench.page.$$(chain(['map', 'a.b']));
    await bench.click('run-start');
    await bench.see('run-blocked');
    assert.match(await (await twice())[1].$eval(testId('field-faults'), (node) => node.innerText), /another field[^]*a\.b/i);
    assert.equal((await got()).length, before, 'neither of them is dropped unseen');
    await (await twice())[1].$eval(testId('field-key'), enter, 'a/b');
    await bench.run();
    assert.equal(await map(), '{"__proto__":0,"a.b":1,"":2,"a/b":3}');
  });

  test('inspector case 43: a moment with an offset stays the same instant, and no date shifts, wherever the browser is', async () => {
    // In UTC it is still the day before, and here as well.
    const sent = { need: 'yes', when: '2026-11-22T00:15:00+05:30', day: '2026-11-22', seeded: 'set' };
    const picker = (key) => bench.page.waitForSelector(bench.at(key, 'field-picker'));
    const shown = async (key) => (await picker(key)).evaluate((node) => node.value.slice(0, 16));
    const pick = async (key, value) =>
      (await picker(key)).evaluate((node, value) => {
        node.value = value;
        node.dispatchEvent(new Event('change', { bubbles: true }));
      }, value);
    await bench.page.emulateTimezone('America/Los_Angeles');
    try {
      await form('every');
      await bench.setRaw(JSON.stringify(sent));
      assert.deepEqual([await shown('when'), await shown('day')], ['2026-11-22T00:15', '2026-11-22']);
      await bench.type('text', 'more');
      await bench.run();
      assert.deepEqual(await last(), { ...sent, text: 'more' }, 'what is not touched stays as it was written');
      await pick('when', '2026-11-22T23:45:00');
      await pick('day', '2026-11-23');
      await bench.run();
      const { when, day } = await last();
      assert.deepEqual({ when, day }, { when: '2026-11-22T23:45:00+05:30', day: '2026-11-23' });
    } finally {
      await bench.page.emulateTimezone();
    }
  });

  test('inspector case 44: raw, form, raw is unchanged, and invalid JSON stays', async () => {
    await form('every');
    const text = '{"other": 1e3,\n  "need": "yes", "text": "a"}';
    await bench.setRaw(text);
    assert.equal(await bench.raw(), text);
    await bench.setRaw('{"need": ');
    assert.equal(await bench.raw(), '{"need": ');
    await bench.click('form-clear');
  });

  test('inspector case 45: a schema at another address is not fetched', async () => {
    const asked = [];
    const note = (request) => request.url().includes('?schema') && asked.push(request.url());
    page.on('request', note);
    bench.page.on('request', note);
    await form('far');
    await bench.type('there', '{"x": 1}');
    assert.deepEqual(await json(), { there: { x: 1 } });
    assert.deepEqual(asked, []);
  });

  test('inspector case 46: what is missing is said at its field, blocks, and goes only by another button', async () => {
    await form('every');
    const before = (await got()).length;
    await bench.click('run-start');
    await bench.see('run-blocked');
    assert.equal(await bench.page.$eval(`${testId('field')}[data-key="need"]`, (field) => field.dataset.faulty), 'true');
    assert.equal((await got()).length, before);
    await bench.click('run-anyway');
    await until(async () => (await got()).length === before + 1, { what: 'the page to be called' });
    assert.deepEqual(await last(), { seeded: 'from the page' });
    await bench.type('need', 'x');
    await until(async () => /2/.test(await bench.page.$eval(bench.at('need', 'field-faults'), (node) => node.innerText)), { what: 'the mistake, once the pause is over' });
  });

  test('inspector case 47: a default that was cleared stays cleared', async () => {
    await form('every');
    await bench.press('seeded', 'field-unset');
    await page.evaluate(() => window.offer('another', () => 'here'));
    await bench.see('bench-row', '[data-name="another"]');
    assert.ok(!('seeded' in (await json())));
    await page.evaluate(() => window.controllers.another.abort());
  });

  test('inspector case 48: 300 fields can be typed in; a schema of 256 KiB is raw', async () => {
    await form('many');
    await bench.type('field299', 'last');
    assert.deepEqual(await json(), { field299: 'last' });
    await bench.openTool('huge');
    await bench.see('form-raw-reason');
    await bench.openTool('say');
    await bench.see('form');
  });

  // The form is the same in both modes.
  if (native) {
    test('a field of each kind takes what it is for', async () => {
      await page.evaluate((schema) => window.offer('kinds', () => 'done', schema), KINDS);
      await bench.see('bench-row', '[data-name="kinds"]');
      await form('kinds');
      const all = (keys, id) => bench.page.waitForSelector(bench.at(keys, id)).then(() => bench.page.$$(bench.at(keys, id)));
      // Away from the buttons that stay at the bottom.
      const press = async (node) => {
        await node.evaluate((node) => node.scrollIntoView({ block: 'center' }));
        await node.click();
      };
      const choose = async (key, at) => (await all(key, 'field-input'))[0].select(String(at));
      await bench.type('lines', 'one\n\ttwo');
      assert.equal(await bench.page.$eval(bench.at('lines'), (field) => field.localName), 'textarea');
      await bench.type('whole', '7');
      await choose('select', 3);
      const search = await bench.see('field-search');
      await search.type('39');
      assert.equal(await bench.page.$$eval(`${bench.at('search')} option:not([value=""])`, (options) => options.map((option) => option.innerText).join()), '39');
      await choose('search', 39);
      const titles = await bench.page.$$eval(chain(['titled']), ([field]) => field.innerText);
      assert.match(titles, /The x[^]*The y/);
      await press((await all('titled', 'field-radio'))[1]);
      await press((await all('fixed', 'field-input'))[0]);
      await (await all('either', 'field-pick'))[0].select('1');
      await bench.press('either', 'field-add-row');
      await bench.type(['either', '1'], 'in a list');
      await bench.type('anything', '[1e2]');
      await bench.type(['group', 'inner'], 'deep');
      await (await all('group', 'field-new-key'))[0].type('other');
      await bench.press('group', 'field-add-key');
      await bench.type(['group', 'other'], '{"n": null}');
      await bench.page.$eval(`${chain(['rows'])} .field-paste`, (paste) => (paste.open = true));
      await (await all('rows', 'field-paste'))[0].type('a\nb\nc');
      await bench.press('rows', 'field-paste-add');
      const row = async (at, id) => (await all('rows', 'field-row'))[at].$eval(testId(id), (button) => button.click());
      await until(async () => (await all('rows', 'field-row')).length === 3, { what: 'the rows' });
      await row(2, 'row-up');
      await row(0, 'row-copy');
      await until(async () => (await all('rows', 'field-row')).length === 4, { what: 'the copy' });
      await row(3, 'row-remove');
      for (const at of [2, 0]) await press((await all('checks', 'field-check'))[at]);
      await bench.press('cards', 'field-add-row');
      await bench.type(['cards', '1', 'name'], 'first');
      const [picker] = await all('time', 'field-picker');
      await picker.evaluate((node) => {
        node.value = '10:00:00';
        node.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await bench.page.$eval(bench.at('file', 'field-file'), (input) => {
        const files = new DataTransfer();
        files.items.add(new File(['hello'], 'hello.txt'));
        input.files = files.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await until(async () => (await bench.page.$eval(bench.at('file'), (field) => field.value)) !== '', { what: 'the file' });
      await bench.press('usual', 'field-default');
      await bench.type('secret', 's3cret');
      const type = () => bench.page.$eval(bench.at('secret'), (field) => field.type);
      assert.equal(await type(), 'password');
      await bench.press('secret', 'field-reveal');
      assert.equal(await type(), 'text');
      await bench.type('undeclared', '{"any": true}');
      const typed = {
        lines: 'one\n\ttwo',
        whole: 7,
        select: 3,
        search: 39,
        titled: 'y',
        fixed: { v: 1 },
        either: ['in a list'],
        anything: [100],
        group: { inner: 'deep', other: { n: null } },
        rows: ['a', 'a', 'c'],
        checks: ['c', 'a'],
        cards: [{ name: 'first' }],
        time: '10:00:00Z',
        file: 'aGVsbG8=',
        usual: 'as always',
        secret: 's3cret',
        undeclared: { any: true },
      };
      assert.deepEqual(await json(), typed);
      assert.equal((await bench.run()).state, 'ok');
      assert.deepEqual(await last(), typed);
      await page.evaluate(() => window.controllers.kinds.abort());
      await until(async () => (await bench.page.$$(testId('bench-row'))).length === TOOLS, { what: 'the tool to go' });
    });
  }

  test('inspector case 74: an expression of a schema that goes back and back holds nothing up', async () => {
    await page.evaluate(() => window.offer('back', () => 'done', { type: 'object', properties: { code: { type: 'string', pattern: '(a+)+$' } } }));
    await bench.see('bench-row', '[data-name="back"]');
    await form('back');
    const checked = async () => {
      const began = Date.now();
      await bench.type('code', `${'a'.repeat(50)}!`);
      await until(async () => (await bench.page.$eval(bench.at('code', 'field-faults'), (node) => node.innerText)) !== '', { what: 'what is wrong to be told' });
      const took = Date.now() - began;
      await form('back');
      return took;
    };
    await quick(1_000, checked, 'the check');
    await page.evaluate(() => window.controllers.back.abort());
    await until(async () => (await bench.page.$$(testId('bench-row'))).length === TOOLS, { what: 'the tool to go' });
  });

  test('inspector case 50: results are text, a tree or a table; errors are the page’s own', async () => {
    await form('say');
    await bench.type('text', 'tea');
    assert.equal((await bench.run()).state, 'ok');
    assert.equal(await bench.text('run-text'), 'tea');
    await bench.type('text', 'pay\u202eolleh');
    await bench.run();
    assert.equal(await bench.text('run-text'), 'pay⟨U+202E⟩olleh');
    assert.equal(await copied('run-copy'), 'pay\u202eolleh');
    await bench.type('text', '{"a\u202e": "\\u2066"}');
    await bench.run();
    assert.match(await bench.text('run-tree'), /a⟨U\+202E⟩[^]*⟨U\+2066⟩/);
    await form('rows');
    await bench.run();
    assert.match(await bench.text('run-table'), /id\s+name\s+1\s+Tea/);
    await bench.click('result-tree-look');
    assert.match(await bench.text('run-tree'), /total: ?\n?3|total/);
    await form('fail');
    const failed = await bench.run();
    assert.equal(failed.state, 'failed');
    assert.match(failed.text, /out of tea/);
    await bench.see('result-notes', ' [data-rule="result-error-on-valid-input"]');
  });

  test('inspector case 50: nothing is no failure, a form waits for its user, and a page that is left says so', async () => {
    const address = stage.site.url('forms.html?by-hand');
    const elsewhere = await stage.chromium.open(address);
    const tab = await stage.chromium.inWorker((url) => chrome.tabs.query({ url }).then(([{ id }]) => id), address);
    await beside(`tab=${tab}`, async (other) => {
      const result = () => other.see('run-result').then((shown) => shown.evaluate((node) => node.dataset.state));
      const begin = async () => {
        await other.openTool('bookTable');
        await other.type('name', 'Table 4');
        await other.click('run-start');
        await other.see('run-running');
        await until(() => elsewhere.$eval('#book [name=name]', (field) => field.value === 'Table 4'), { what: 'the form to be filled in' });
      };
      await begin();
      assert.equal(await other.page.$(testId('run-result')), null, 'only its user sends it');
      await elsewhere.bringToFront();
      await elsewhere.click('#book button:not([type])');
      await other.page.bringToFront();
      assert.equal(await result(), 'ok');
      await begin();
      await other.click('run-stop');
      assert.equal(await result(), 'cancelled');

      await elsewhere.goto(stage.site.url('navigating.html'));
      await elsewhere.evaluate(() => {
        const offer = (name, execute) => document.modelContext.registerTool({ name, description: `Does ${name}.`, inputSchema: { type: 'object' }, execute });
        offer('text', () => 'tea');
        offer('object', () => ({ tea: 1 }));
        offer('nothing', () => {});
        offer('throw', () => Promise.reject(new Error('out of tea')));
        offer('hang', () => new Promise(() => {}));
      });
      /** What a call comes to, as it is shown: state, first line without the time, and what else is said. */
      const end = async (name) => {
        await other.openTool(name);
        if (name === 'hang') {
          await other.click('run-start');
          await other.click('run-stop');
        } else await other.run();
        const shown = await other.see('run-result');
        return shown.evaluate((node) => {
          const [line, ...said] = node.innerText.split('\n').filter(Boolean);
          return [node.dataset.state, line.split(' · ')[0], node.querySelector('[data-testid="run-tree"]') ? 'a tree' : said.join(' ')];
        });
      };
      assert.deepEqual(await end('text'), ['ok', 'done', 'tea']);
      assert.deepEqual(await end('object'), ['ok', 'done', 'a tree']);
      // A browser makes a text of it; what is wrong with it is said below.
      assert.deepEqual(await end('nothing'), ['ok', 'done', 'undefined']);
      await other.see('result-notes', ' [data-rule="result-undefined"]');
      const [state, line, said] = await end('throw');
      assert.deepEqual([state, line], ['failed', 'failed']);
      assert.match(said, /out of tea/, 'the page’s own words');
      assert.deepEqual(await end('hang'), ['cancelled', 'stopped', 'You stopped it. If it had already begun, its effect is unknown: look at the page.']);
      const [leftState, leftLine, left] = await end('leave');
      assert.deepEqual([leftState, leftLine], ['failed', 'failed']);
      assert.match(left, /^The page went away during the call\. Whether it took effect is unknown/);
      await until(() => elsewhere.url().endsWith('echo.html'), { what: 'the other page' });
    });
    await elsewhere.close();
  });

  test('inspector case 53: a hostile result is text, cut, and the workbench goes on', async () => {
    const evil = '<img src="harm" onerror="window.harmed = true"><script>window.harmed = true</script>\u202e';
    const asked = [];
    const note = (request) => asked.push(request.url());
    bench.page.on('request', note);
    await page.evaluate((evil) => {
      const rows = [1, 2].map((id) => ({ id, [evil]: evil }));
      const results = { long: evil.padEnd(4 * 2 ** 20, 'x'), longer: 'x'.repeat(4 * 2 ** 20 + 1), rows: { rows } };
      window.offer('hostile', ({ text }) => results[text]);
    }, evil);
    await bench.see('bench-row', '[data-name="hostile"]');
    await form('hostile');
    const isText = async (id) => {
      const text = await bench.text(id);
      assert.match(text, /<img src="harm" onerror="window.harmed = true"><script>[^]*⟨U\+202E⟩/, id);
      assert.ok(!text.includes('\u202e'), id);
      assert.equal(await bench.page.$(`${testId(id)} :is(img, script)`), null, id);
      return text;
    };
    await bench.type('text', 'long');
    const long = await bench.run();
    assert.equal(long.state, 'ok');
    assert.match(long.text.split('\n')[0], /4\.2MB/, 'the size of the whole');
    const shown = await isText('run-text');
    assert.ok(shown.length < 2 ** 16 + 10, `${shown.length}`);
    await bench.type('text', 'longer');
    const longer = await bench.run();
    assert.equal(longer.state, 'failed');
    await bench.type('text', 'rows');
    await bench.run();
    await isText('run-table');
    await bench.click('result-tree-look');
    for (;;) {
      const folded = await bench.page.$(`${testId('tree-toggle')}[aria-expanded="false"]`);
      if (!folded) break;
      await folded.click();
    }
    await isText('run-tree');
    await bench.click('bench-history');
    await search('hostile');
    await bench.says('history-count', /^3\b/);
    const entries = await bench.page.$$(testId('run-entry-toggle'));
    await entries[2].click();
    await isText('run-entry-result');
    await page.evaluate(() => window.controllers.hostile.abort());
    await form('say');
    await bench.type('text', 'tea');
    await bench.run();
    assert.equal(await bench.text('run-text'), 'tea');
    assert.equal(await bench.page.evaluate(() => window.harmed), undefined);
    assert.deepEqual(asked, []);
    bench.page.off('request', note);
  });

  test('a run under way is stopped, also after another view was looked at', async () => {
    await form('hang');
    await bench.click('run-start');
    await bench.see('run-running');
    await bench.openTool('say');
    await bench.openTool('hang');
    await bench.click('run-stop');
    await bench.see('run-result', '[data-state="cancelled"]');
  });

  test('what is serious asks once', async () => {
    await form('buy');
    await bench.click('run-start');
    await bench.see('bench-question');
    const before = (await got()).length;
    await bench.page.bringToFront();
    await until(async () => (await bench.page.$eval(testId('ask-run'), (button) => button.getAttribute('aria-disabled'))) === null, { what: 'the button to take clicks' });
    await bench.click('ask-run');
    await bench.see('run-result', '[data-state="ok"]');
    assert.equal((await got()).length, before + 1);
  });

  test('inspector case 51: a tool that goes takes nothing away, and can be run when it is back', async () => {
    await form('say');
    await bench.type('text', 'kept');
    await page.evaluate(() => window.controllers.say.abort());
    await bench.see('bench-gone');
    assert.equal(await bench.page.$eval(testId('run-start'), (button) => button.disabled), true);
    await page.evaluate(() => window.offer('say', ({ text }) => text));
    await until(async () => (await bench.page.$(testId('bench-gone'))) === null, { what: 'the tool to come back' });
    await bench.run();
    assert.deepEqual(await last(), { text: 'kept' });
  });

  test('inspector case 52: a run is repeated byte by byte; one of a changed tool is not', async () => {
    await form('say');
    await bench.setRaw('{"text":   "one"}', { stay: true });
    await bench.run();
    await bench.click('bench-history');
    await bench.click('run-entry-toggle');
    assert.equal(await bench.text('run-entry-arguments'), '{"text":   "one"}');
    const count = (await got()).length;
    await bench.click('run-again');
    await until(async () => (await got()).length === count + 1, { what: 'the second run' });
    assert.deepEqual(await last(), { text: 'one' });
    await page.evaluate(async () => {
      window.controllers.say.abort();
      await window.offer('say', ({ text }) => text, { type: 'object', properties: { text: { type: 'string', maxLength: 9 } } });
    });
    await bench.click('form-fields');
    await bench.click('bench-history');
    await bench.click('run-entry-toggle');
    await bench.see('entry-changed');
    assert.equal(await bench.page.$eval(testId('run-again'), (button) => button.disabled), true);
    await bench.says('changed-lines', /\+.*"maxLength": 9/);
    const before = (await got()).length;
    await bench.click('entry-again-changed');
    await until(async () => (await got()).length === before + 1, { what: 'the run as the tool is defined now' });
    assert.deepEqual(await last(), { text: 'one' });
    await bench.click('bench-tools');
    await bench.see('run-changed');
    assert.equal(await bench.page.$eval(testId('run-start'), (button) => button.disabled), true, 'not before the change was seen');
    await bench.click('run-seen');
    await until(async () => !(await bench.page.$eval(testId('run-start'), (button) => button.disabled)), { what: 'the button' });
  });

  test('what one definition refused is not sent to another unseen', async () => {
    await page.evaluate(() => window.offer('narrow', ({ code }) => code, { type: 'object', properties: { code: { type: 'string', maxLength: 3 } } }));
    await bench.see('bench-row', '[data-name="narrow"]');
    await form('narrow');
    // At once: what the form finds wrong a moment later would keep it.
    await bench.page.$eval(
      bench.at('code'),
      (input, start) => {
        input.value = 'too long';
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
        document.querySelector(start).click();
      },
      testId('run-start'),
    );
    await bench.see('run-result', '[data-state="failed"]');
    assert.equal(await bench.page.$eval(testId('result-anyway'), (button) => button.disabled), false);
    await page.evaluate(async () => {
      window.controllers.narrow.abort();
      await window.offer('narrow', ({ code }) => code, { type: 'object', properties: { code: { type: 'string', maxLength: 2 } } });
    });
    await bench.see('run-changed');
    assert.equal(await bench.page.$eval(testId('result-anyway'), (button) => button.disabled), true);
    await bench.click('run-seen');
    // What is wrong appears above it meanwhile, and moves it.
    await bench.see('result-anyway', ':not([disabled])').then((button) => button.evaluate((node) => node.click()));
    await until(async () => (await last())?.code === 'too long', { what: 'the page to be called' });
    await page.evaluate(() => window.controllers.narrow.abort());
    await until(async () => (await bench.page.$$(testId('bench-row'))).length === TOOLS, { what: 'the tool to go' });
  });

  test('a run is repeated in its own frame where several frames have its tool, and not when that is gone', async () => {
    /** A new frame with a tool of the same name. */
    const frame = () => page.evaluate(async () => {
      document.querySelector('iframe')?.remove();
      const frame = document.createElement('iframe');
      frame.src = `onward.html?${location.href}`;
      await new Promise((loaded) => {
        frame.onload = () => frame.contentWindow.location.href === location.href && loaded();
        document.body.append(frame);
      });
      await frame.contentDocument.modelContext.registerTool({ name: 'rows', description: 'Does rows.', inputSchema: { type: 'object', properties: {} }, execute: () => 'from the frame' });
    });
    const isListed = async (count) => (await bench.page.$$(`${testId('bench-row')}[data-name="rows"]`)).length === count;
    const newest = async () => {
      await bench.click('bench-history');
      await bench.click('run-entry-toggle');
      await bench.see('run-again');
    };
    await form('rows');
    await bench.run();
    await frame();
    await until(() => isListed(2), { what: 'the tool of the frame' });
    await newest();
    assert.equal(await bench.page.$(testId('entry-frame')), null);
    const before = (await got()).length;
    await bench.click('run-again');
    await until(async () => (await got()).length === before + 1, { what: 'the page’s own tool to be called' });
    await bench.see('run-result');
    await bench.click('bench-tools');
    await (await bench.page.$$(`${testId('bench-row')}[data-name="rows"]`)).at(-1).click();
    await until(async () => /from the frame/.test((await bench.run()).text), { what: 'the frame’s tool to be open' });
    await newest();
    await bench.see('entry-frame');
    assert.equal(await bench.page.$(testId('entry-gone')), null);
    await frame();
    await bench.see('entry-gone');
    assert.equal(await bench.page.$eval(testId('run-again'), (button) => button.disabled), true);
    await page.evaluate(() => document.querySelector('iframe').remove());
    await bench.page.waitForSelector(testId('entry-gone'), { hidden: true });
  });

  test('inspector case 55: the difference of two results ignores named places', async () => {
    await form('clock');
    await bench.run();
    await bench.run();
    await bench.click('bench-history');
    await search('clock');
    await bench.says('history-count', /^2\b/);
    for (const at of [0, 1]) {
      const toggles = await bench.page.$$(testId('run-entry-toggle'));
      await toggles[at].click();
    }
    await until(async () => (await bench.page.$$(testId('entry-compare'))).length === 2, { what: 'both runs' });
    for (const button of await bench.page.$$(testId('entry-compare'))) await button.click();
    assert.match(await bench.text('difference-row'), /\/items\/0\/at/);
    await bench.page.locator(testId('difference-ignored')).fill('/items/*/at');
    await bench.see('difference-none');
  });

  test('several runs are run again in their order, and stop at the first that fails', async () => {
    await bench.click('bench-history');
    await bench.click('history-clear');
    await bench.says('history-count', /^No run is remembered/);
    for (const name of ['rows', 'fail', 'union']) {
      await form(name);
      if (name === 'union') await (await bench.see('field-pick')).select('0');
      if (name === 'union') await bench.type('id', '1');
      await bench.run();
    }
    await bench.click('bench-history');
    await bench.says('history-count', /^3\b/);
    for (const choice of await bench.page.$$(testId('run-choice'))) await choice.click();
    await bench.click('sequence-run');
    await bench.says('sequence-status', /^1 .* 3 .*fail/);
    await bench.says('history-count', /^5\b/);
    await search('no such words');
    await bench.says('history-count', /^No run matches/);
    await search('');
    await bench.says('history-count', /^5\b/);
  });

  test('a run becomes a case of a suite', async () => {
    await form('rows');
    await bench.run();
    await bench.click('bench-history');
    await search('rows');
    await bench.says('history-count', /^[1-4]\b/);
    await bench.click('run-entry-toggle');
    await bench.click('entry-case');
    await bench.page.locator(testId('case-words')).fill('Show me all rows.');
    const [made] = JSON.parse(await bench.text('case-made'));
    assert.equal(made.messages[0].content, 'Show me all rows.');
    assert.equal(made.expectedCall[0].functionName, 'rows');
  });

  test('the history is filtered by outcome, words and site, and what is shown is saved as JSON Lines without secrets', async () => {
    await page.evaluate(() => window.offer('jot', ({ text }) => text, { type: 'object', properties: { text: { type: 'string' }, n: { type: 'number' } } }));
    await bench.click('bench-tools');
    await bench.see('bench-row', '[data-name="jot"]');
    await bench.click('bench-history');
    await bench.click('history-clear');
    await form('jot');
    await bench.setRaw('{"text": "Bearer abcdef0123456789", "n": 9007199254740993}');
    await bench.run();
    await form('fail');
    await bench.run();
    await form('hang');
    await bench.click('run-start');
    await bench.click('run-stop');
    await bench.see('run-result', '[data-state="cancelled"]');
    const address = stage.site.url('empty.html?elsewhere', stage.site.otherOrigin);
    const elsewhere = await stage.chromium.open(address);
    await elsewhere.evaluate(() => document.modelContext.registerTool({ name: 'far_away', description: 'Does it far away.', inputSchema: { type: 'object' }, execute: () => 'far' }));
    const tab = await stage.chromium.inWorker((url) => chrome.tabs.query({ url }).then(([{ id }]) => id), address);
    await beside(`tab=${tab}`, async (other) => {
      await other.openTool('far_away');
      await other.run();
    });
    await elsewhere.close();
    await bench.click('bench-history');
    await search('');
    const names = () => bench.page.$$eval(`${testId('run-entry')} .tool-name`, (all) => all.map((one) => one.innerText));
    const choose = (at) => bench.page.$$(testId('history-class')).then((classes) => classes[at].click());
    await bench.says('history-count', /^3\b/);
    for (const [at, tools] of [['jot'], ['fail'], ['hang'], []].entries()) {
      await choose(at + 1);
      await until(async () => (await names()).join() === tools.join(), { what: `${tools} alone` });
    }
    assert.equal(await bench.page.$eval(testId('history-export'), (button) => button.disabled), true, 'there is nothing to save');
    await choose(0);
    await bench.click('history-own');
    await until(async () => (await names()).join() === 'far_away,hang,fail,jot', { what: 'those of every site' });
    await bench.click('history-own');
    await search('tea');
    await until(async () => (await names()).join() === 'fail', { what: 'what speaks of tea' });
    await search('');
    await bench.says('history-count', /^3\b/);
    const { name, text } = await downloaded(stage.chromium.browser, () => bench.click('history-export'));
    assert.equal(name, 'runs.jsonl');
    assert.ok(text.endsWith('}\n'));
    const lines = text.trimEnd().split('\n');
    assert.match(lines[2], /"n":9007199254740993\b/, 'all digits');
    const { origin } = new URL(stage.site.url(''));
    const runs = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      runs.map(({ tool, outcome, result, caller, arguments: { n, ...input }, ...run }) => ({ tool, outcome, result, caller, input, origin: run.origin, isDated: /^\d{4}-.*Z$/.test(run.at), isMeasured: run.ms >= 0 && run.bytes >= 0 })),
      [
        { tool: 'hang', input: {}, outcome: 'cancelled', result: null },
        { tool: 'fail', input: {}, outcome: 'failed', result: 'out of tea' },
        { tool: 'jot', input: { text: 'Bearer ••••••' }, outcome: 'ok', result: 'Bearer ••••••' },
      ].map((run) => ({ ...run, caller: 'you', origin, isDated: true, isMeasured: true })),
    );
  });

  test('a run is copied as JSON, as code that makes it again, and as a case', async () => {
    await form('jot');
    await bench.setRaw('{"text": "it\u2019s </script>\u202e tea", "__proto__": {"n": 1e3}}');
    await bench.run();
    const sent = () => page.evaluate(() => JSON.stringify(window.got.at(-1)));
    const made = await sent();
    await bench.click('bench-history');
    await bench.click('run-entry-toggle');
    const run = JSON.parse(await copied('entry-copy-json'));
    assert.deepEqual([run.tool, run.outcome, JSON.stringify(run.arguments)], ['jot', 'ok', made]);
    for (const id of ['entry-copy-code', 'entry-copy-playwright']) {
      const code = await copied(id);
      assert.ok(!/[<\u202e]/.test(code), code);
      const count = (await got()).length;
      if (id === 'entry-copy-code') await page.evaluate(`(async () => { ${code} })()`);
      else await new Function('page', `return (async () => { ${code} return result; })()`)(page);
      assert.equal((await got()).length, count + 1, id);
      assert.equal(await sent(), made, id);
    }
    await bench.click('entry-case');
    await bench.page.locator(testId('case-words')).fill('Say it.');
    const [evalCase] = JSON.parse(await copied('case-copy'));
    assert.equal(evalCase.messages[0].content, 'Say it.');
    assert.equal(evalCase.expectedCall[0].functionName, 'jot');
    await page.evaluate(() => window.controllers.jot.abort());
    await bench.click('bench-tools');
    await until(async () => (await bench.page.$$(testId('bench-row'))).length === TOOLS, { what: 'the tool to go' });
  });

  test('a picture in a result is shown', async () => {
    await page.evaluate(() => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [40, 20];
      const data = canvas.toDataURL('image/png').split(',')[1];
      return window.offer('draw', () => ({ content: [{ type: 'text', text: 'Here it is.' }, { type: 'image', data, mimeType: 'image/png' }] }));
    });
    await bench.click('bench-tools');
    await bench.see('bench-row', '[data-name="draw"]');
    await form('draw');
    const drawn = await bench.run();
    assert.match(drawn.text, /Here it is\./);
    const picture = await bench.see('run-picture');
    await until(() => picture.evaluate((img) => img.complete), { what: 'the picture to be decoded' });
    assert.deepEqual(await picture.evaluate((img) => [img.naturalWidth, img.naturalHeight, img.alt !== '']), [40, 20, true]);
    await page.evaluate(() => window.controllers.draw.abort());
    await until(async () => (await bench.page.$$(testId('bench-row'))).length === TOOLS, { what: 'the tool to go' });
  });

  test('what is wrong is found, and the contract says what a change breaks', async () => {
    await bench.click('bench-lint');
    await bench.see('lint-note', '[data-rule="schema-impossible"]');
    await bench.click('bench-contract');
    await until(async () => !(await bench.page.$eval(testId('contract-save'), (button) => button.disabled)), { what: 'the snapshot' });
    await bench.page.$eval(testId('contract-before'), (input) => {
      const before = { format: 'webmcp-contract', version: 1, taken: '', tools: [{ origin: 'https://gone.example', name: 'gone', description: 'Was here.' }] };
      const files = new DataTransfer();
      files.items.add(new File([JSON.stringify(before)], 'before.json', { type: 'application/json' }));
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await bench.see('contract-change', '[data-weight="breaking"]');
  });

  test('inspector case 64: a hint that is gone is a change of safety, and what was always allowed asks again', async () => {
    await page.evaluate(() => window.offer('mark', () => 'marked', undefined, { annotations: { untrustedContentHint: true } }));
    await bench.click('bench-tools');
    await bench.see('bench-row', '[data-name="mark"]');
    await page.bringToFront();
    await stage.panel.set('mode', 'confirm');
    await stage.panel.view('chat');
    await stage.panel.say('call mark {}');
    await stage.panel.decide('always');
    await stage.panel.rest();
    await bench.page.bringToFront();
    await bench.click('bench-contract');
    await until(async () => !(await bench.page.$eval(testId('contract-save'), (button) => button.disabled)), { what: 'the snapshot' });
    const { text } = await downloaded(stage.chromium.browser, () => bench.click('contract-save'));
    await page.evaluate(async () => {
      window.controllers.mark.abort();
      await window.offer('mark', () => 'marked');
    });
    await bench.page.$eval(
      testId('contract-before'),
      (input, text) => {
        const files = new DataTransfer();
        files.items.add(new File([text], 'before.json', { type: 'application/json' }));
        input.files = files.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));
      },
      text,
    );
    assert.match(await bench.text('contract-change', '[data-weight="safety"]'), /mark/);
    await page.bringToFront();
    await stage.panel.newChat();
    await stage.panel.say('call mark {}');
    await stage.panel.see('approval');
    await stage.panel.see('approval-change');
    await stage.panel.decide('decline');
    await stage.panel.rest();
    await page.evaluate(() => window.controllers.mark.abort());
    await bench.page.bringToFront();
  });

  test('what a run changes in the page is shown line by line', async () => {
    await page.evaluate(() => {
      document.body.innerHTML = '<h1>Basket</h1><ul><li>Tea</li></ul>';
      return window.offer('put', ({ text }) => document.querySelector('ul').insertAdjacentHTML('beforeend', `<li>${text}</li>`));
    });
    await bench.click('bench-tools');
    await bench.see('bench-row', '[data-name="put"]');
    await form('put');
    await bench.click('run-watch');
    await bench.type('text', 'Pot');
    await bench.run();
    const lines = await bench.text('changed-lines');
    assert.match(lines, /\+.*Pot/);
    assert.ok(!/^[+−].*Tea/m.test(lines), lines);
    assert.deepEqual(await violations(bench.page), []);
    await page.evaluate(() => window.controllers.put.abort());
  });

  test('inspector case 60: a rule that is off on a site stays off for the next worker, and comes back', async () => {
    const rule = '[data-rule="schema-impossible"]';
    await bench.click('bench-lint');
    await (await bench.see('lint-note', rule)).$(testId('lint-off')).then((button) => button.click());
    await bench.page.waitForSelector(testId('lint-note') + rule, { hidden: true });
    await stage.chromium.killWorker();
    await beside(new URL(bench.page.url()).hash.slice(1), async (again) => {
      await again.says('lint-off-rules', /schema-impossible/);
      await again.see('lint-note');
      assert.equal(await again.page.$(testId('lint-note') + rule), null);
      await again.click('lint-on');
      await again.see('lint-note', rule);
      assert.equal(await again.page.$(testId('lint-off-rules')), null);
    });
  });

  test('inspector case 60: a rule that is off at first is switched on for the site by the keyboard, for the next worker too, and off again', async () => {
    const rule = '[data-rule="tool-title-missing"]';
    await bench.click('bench-lint');
    await bench.see('lint-note');
    assert.equal(await bench.page.$(testId('lint-note') + rule), null);
    await bench.page.focus(testId('lint-more-toggle'));
    await bench.page.keyboard.press('Enter');
    await (await bench.see('lint-more-rule', rule)).focus();
    await bench.page.keyboard.press('Space');
    await bench.see('lint-note', `${rule}[data-weight="info"]`);
    await stage.chromium.killWorker();
    await beside(new URL(bench.page.url()).hash.slice(1), async (again) => {
      await again.see('lint-note', rule);
      await again.click('lint-more-toggle');
      assert.equal(await (await again.see('lint-more-rule', rule)).evaluate((box) => box.checked), true);
      await again.click('lint-more-rule', rule);
      await again.page.waitForSelector(testId('lint-note') + rule, { hidden: true });
      await again.see('lint-note');
    });
  });

  test('tools that the next worker hears of late are looked at', async () => {
    const saved = async ({ page }) => {
      const { text } = await downloaded(stage.chromium.browser, () => page.locator(testId('contract-save')).click());
      return JSON.parse(text).tools.length;
    };
    const found = {
      lint: (other) => other.see('lint-note'),
      contract: async (other) => assert.equal(await saved(other), TOOLS),
    };
    for (const [view, isFound] of Object.entries(found)) {
      // The page says nothing until the next workbench stands there without tools.
      const session = await page.createCDPSession();
      await session.send('Debugger.enable');
      const paused = new Promise((done) => session.once('Debugger.paused', done));
      await session.send('Debugger.pause');
      const go = page.evaluate(() => {});
      await paused;
      await stage.chromium.killWorker();
      const place = new URLSearchParams(new URL(bench.page.url()).hash.slice(1));
      place.set('view', view);
      await beside(place, async (other) => {
        await other.see('bench-empty');
        await session.send('Debugger.resume');
        await isFound(other);
      });
      await go;
      await session.detach();
    }
  });

  test('what is wrong with a schema stands above it, also where the worker has just begun', async () => {
    await bench.click('bench-tools');
    await bench.openTool('far');
    await bench.click('part-schema');
    assert.match(await bench.text('schema-problem'), /^the reference to http.* says nothing/);
    await stage.chromium.killWorker();
    await beside(new URL(bench.page.url()).hash.slice(1), async (other) => {
      assert.match(await other.text('schema-problem'), /^the reference to http.* says nothing/);
    });
    assert.match(await bench.text('schema-problem'), /^the reference to http.* says nothing/, 'it stays');
  });

  test('each state has an address, and "back" goes to the one before', async () => {
    await bench.click('bench-tools');
    await bench.openTool('rows');
    await bench.click('part-schema');
    await bench.see('schema-tree');
    const address = bench.page.url();
    assert.match(address, /tool=rows/);
    await bench.click('bench-lint');
    await bench.see('lint-view');
    await bench.page.goBack();
    await bench.see('schema-tree');
    assert.equal(bench.page.url(), address);
    await beside(new URL(address).hash.slice(1).replace(/tab=\d+/, 'tab=999999'), async (other) => {
      assert.equal(await other.text('bench-tool-name'), 'rows', 'a bookmark finds the site in another tab');
    });
  });

  test('the chosen model is offered the tool as it is shown', async () => {
    await bench.openTool('every');
    await bench.click('part-facts');
    assert.match(await bench.text('facts'), new RegExp(native ? 'native' : 'polyfill'));
    if (native) assert.equal(await bench.page.$(testId('native-way')), null);
    else assert.match(await bench.text('native-way'), /chrome:\/\/flags\//);
    const offered = JSON.parse(await bench.text('offered'));
    assert.equal(offered.name, 'every');
    assert.match(await bench.text('offered-lost'), /need|count|pick/);
  });

  test('a worker that dies takes nothing away', async () => {
    await form('say');
    await bench.type('text', 'kept');
    await stage.chromium.killWorker();
    const isKept = async () => {
      // Until the next worker knows the page's tools, there is nothing to press.
      await bench.page.$eval(testId('run-start'), (button) => button.click());
      return (await last()).text === 'kept';
    };
    await until(isKept, { what: 'the run' });
    assert.equal(await bench.page.$eval(bench.at('text'), (input) => input.value), 'kept');
  });

  for (const width of [320, 400, 1280]) {
    test(`inspector case 49: nothing is cut off at ${width} px, and axe finds nothing`, async () => {
      await bench.page.setViewport({ width, height: 900 });
      const views = { 'bench-tools': 'bench-tool-name', 'bench-lint': 'lint-note', 'bench-history': 'run-entry', 'bench-contract': 'contract-save', 'bench-evals': 'evals-form' };
      for (const [view, shows] of Object.entries(views)) {
        await bench.click(view);
        await bench.see(shows);
        const wide = await bench.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.equal(wide, false, `${view} at ${width} px`);
        assert.deepEqual(await violations(bench.page), [], `${view} at ${width} px`);
      }
      await bench.page.setViewport({ width: 1280, height: 900 });
    });
  }
});
