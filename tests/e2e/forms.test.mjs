/**
 * Declarative WebMCP: forms as tools of the bridge, compared with Chromium's native WebMCP; what the relay is sent; and
 * an agent's call of a form through the whole extension.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { launch } from '../lib/browser.mjs';
import { OriginTrial } from '../lib/origin-trial.mjs';
import { EXTENSION, PAGES, TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

const BRIDGE = await readFile(path.join(EXTENSION, 'bridge.js'), 'utf8');
const KIT = await readFile(path.join(TESTS, 'fixtures', 'webmcp', 'kit.js'), 'utf8');

/** @type {import('../lib/site.mjs').Site} */
let site;
/** @type {Map<'native' | 'polyfill', import('../lib/browser.mjs').Chromium>} */
const browsers = new Map();
/** Signs tokens that switch native WebMCP on for a page of the browser without it. */
const trial = new OriginTrial();

before(async () => {
  site = await serve(PAGES);
  const args = [`--origin-trial-public-key=${trial.publicKey}`];
  for (const mode of ['native', 'polyfill']) browsers.set(mode, await launch({ native: mode === 'native', extension: null, args }));
});
after(async () => {
  for (const chromium of browsers.values()) await chromium.close();
  await site?.close();
});

/** Helpers for the page, as `window.forms`. Runs in the page. */
function formsKit() {
  const { outcome, quiet } = kit;

  /** The tools as plain objects. */
  const list = async () => (await document.modelContext.getTools()).map(({ window: _, origin, ...tool }) => tool);

  /** Set the body's HTML, and wait until its forms are tools. */
  const show = async (html) => {
    document.body.innerHTML = html;
    await quiet([]);
  };

  const form = () => document.querySelector('form');

  /** Record events in order, also those with `isTrusted` false, which are all that a script can dispatch. */
  const follow = (note) => {
    const shape = ({ type, bubbles, cancelable, composed, target }) =>
      `${type} ${target.name ?? target.localName}=${target.value ?? ''} ${[bubbles, cancelable, composed].map(Number).join('')}`;
    for (const type of ['input', 'change', 'invalid']) window.addEventListener(type, (event) => note(shape(event)), true);
    window.addEventListener('focusin', ({ target }) => note(`focus ${target.localName}`));
    window.addEventListener('reset', () => note('reset'));
    window.addEventListener('submit', ({ agentInvoked, submitter }) => note(`submit ${agentInvoked} ${submitter?.id}`), true);
    for (const type of ['toolactivated', 'toolcancel']) document.modelContext.addEventListener(type, ({ toolName }) => note(`${type} ${toolName}`));
  };

  /** Ask for the list until it has the tool `x`, or until it does not. */
  const listed = async (wanted) => {
    while ((await list()).some(({ name }) => name === 'x') !== wanted);
  };

  const activated = () => new Promise((resolve) => document.modelContext.addEventListener('toolactivated', resolve, { once: true }));

  /** Run the tool `x`. A call that still waits at the end is logged as `waits` and cancelled. */
  const run = async (html, args, { listen, act }) => {
    document.body.innerHTML = `${html}<iframe name="sink"></iframe>`;
    await listed(true);
    const log = [];
    const note = (word) => log.push(word);
    window.following = note;
    listen(form(), note);
    const controller = new AbortController();
    let isOver = false;
    const active = activated();
    const running = outcome(() => document.modelContext.executeTool(kit.handle('x'), args, { signal: controller.signal })).then((result) => {
      isOver = true;
      note(result);
    });
    await active;
    if (act) {
      await quiet(log);
      await act(form(), { note, controller });
    }
    await Promise.race([running, quiet(log)]);
    if (!isOver) {
      note('waits');
      controller.abort('no longer');
      await running;
    }
    if (controller.signal.aborted) await quiet(log);
    window.following = () => {};
    const data = form() && [...new FormData(form())].filter(([, value]) => typeof value === 'string' && value !== '').map((entry) => entry.join('='));
    document.body.innerHTML = '';
    await listed(false);
    return { log, data };
  };

  window.following = () => {};
  follow((word) => window.following(word));
  window.forms = { list, show, run };
}

/**
 * Run `work` in a new page, which must raise no uncaught error.
 *
 * @param {'native' | 'polyfill'} mode
 * @param {(page: import('puppeteer-core').Page) => Promise<unknown>} work
 * @param {{ file?: string, bare?: boolean }} [options] `bare`: without the kit for forms
 */
async function inPage(mode, work, { file = 'empty.html', bare = false } = {}) {
  const page = await browsers.get(mode).open();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error?.message ?? error)));
  try {
    if (mode === 'polyfill') await page.evaluateOnNewDocument(BRIDGE);
    await page.evaluateOnNewDocument(KIT);
    await page.goto(site.url(file));
    if (!bare) await page.evaluate(formsKit);
    const result = await work(page);
    assert.deepEqual(errors, [], 'uncaught errors in the page');
    return result;
  } finally {
    await page.close();
  }
}

/** Evaluate a function in a new page. */
const look = (mode, fn, options, ...args) => inPage(mode, (page) => page.evaluate(fn, ...args), options);

/** Check that a function returns the same with native WebMCP and with the bridge. Returns its value. */
async function same(fn, options) {
  const expected = await look('native', fn, options);
  assert.deepEqual(await look('polyfill', fn, options), expected);
  return expected;
}

describe('forms as in Chromium', () => {
  test('give the same tools and schemas', async () => {
    const tools = await same(
      async () => {
        await kit.quiet([]);
        return forms.list();
      },
      { file: 'forms-all.html' },
    );
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['Upper', 'choices', 'descriptions', 'empty', 'emptyDescription', 'inTable', 'nameless', 'namelessWithButton', 'namelessWithNamedButton', 'numbers', 'texts', 'times', 'twice'],
    );
    const count = ({ inputSchema }) => Object.keys(inputSchema.properties).length;
    assert.deepEqual(tools.map(count), [0, 12, 20, 0, 0, 1, 1, 0, 1, 23, 23, 16, 0]);
  });

  test('give the same tools and events after every kind of change', async () => {
    const steps = await same(async () => {
      const log = [];
      document.modelContext.addEventListener('toolchange', () => log.push(1));
      document.body.innerHTML = `
        <form id="f" toolname="t" tooldescription="First">
          <label id="l" for="i">Label</label><input id="i" name="a">
          <select id="s" name="s"><option value="1">One</option><option value="2">Two</option></select>
          <fieldset id="fs"><input name="inside"></fieldset><div id="d"></div><button id="b">Send</button>
        </form>`;
      const [f, l, i, s, fs, d, b] = ['f', 'l', 'i', 's', 'fs', 'd', 'b'].map((id) => document.getElementById(id));
      const set = (element, name, value) => () => element.setAttribute(name, value);
      const unset = (element, name) => () => element.removeAttribute(name);
      const outer = document.createElement('input');
      outer.name = 'outer';
      const steps = {
        'it is there': () => {},
        'label text': () => (l.textContent = 'Other'),
        'description of a control': set(i, 'toolparamdescription', 'Said'),
        'no description of a control': unset(i, 'toolparamdescription'),
        'name': set(i, 'name', 'b'),
        'type': set(i, 'type', 'number'),
        'min': set(i, 'min', '3'),
        'max': set(i, 'max', '9'),
        'step': set(i, 'step', '2'),
        'value': set(i, 'value', '5'),
        'no min': unset(i, 'min'),
        'type text': set(i, 'type', 'text'),
        'required': set(i, 'required', ''),
        'disabled': set(i, 'disabled', ''),
        'enabled': unset(i, 'disabled'),
        'readonly': set(i, 'readonly', ''),
        'writable': unset(i, 'readonly'),
        'pattern': set(i, 'pattern', 'a+'),
        'aria-description': set(i, 'aria-description', 'ARIA'),
        'an option more': () => s.add(new Option('T', 't')),
        'option text': () => (s.options[0].textContent = 'changed'),
        'option value': () => (s.options[0].value = 'v'),
        'an option less': () => s.options[0].remove(),
        'multiple': set(s, 'multiple', ''),
        'a text': () => f.append('text'),
        'an element': () => d.append(document.createElement('p')),
        'a control inside': () => (d.innerHTML = '<p><input name="deep"></p>'),
        'no control inside': () => (d.innerHTML = ''),
        'a control outside': () => {
          outer.setAttribute('form', 'f');
          document.body.append(outer);
        },
        'a control of no form': unset(outer, 'form'),
        'a control of the form again': set(outer, 'form', 'f'),
        'no control outside': () => outer.remove(),
        'fieldset disabled': set(fs, 'disabled', ''),
        'fieldset enabled': unset(fs, 'disabled'),
        'button type': set(b, 'type', 'button'),
        'title': set(f, 'tooltitle', 'Title'),
        'the same title': set(f, 'tooltitle', 'Title'),
        'autosubmit': set(f, 'toolautosubmit', ''),
        'no autosubmit': unset(f, 'toolautosubmit'),
        'description, twice': () => {
          f.setAttribute('tooldescription', 'Second');
          f.setAttribute('tooldescription', 'Third');
        },
        'empty description': set(f, 'tooldescription', ''),
        'no description': unset(f, 'tooldescription'),
        'description': set(f, 'tooldescription', 'Fourth'),
        'empty name': set(f, 'toolname', ''),
        'bad name': set(f, 'toolname', 'a b'),
        'new name': set(f, 'toolname', 'u'),
        'another name and back': () => {
          f.setAttribute('toolname', 'v');
          f.setAttribute('toolname', 'u');
        },
        'no name': unset(f, 'toolname'),
        'name again': set(f, 'toolname', 'u'),
        'taken out': () => f.remove(),
        'changed outside': set(i, 'name', 'c'),
        'put in again': () => document.body.append(f),
        'taken out with what is around it': () => {
          const around = document.createElement('div');
          document.body.append(around);
          around.append(f);
          around.remove();
        },
        'put in with what is around it': () => document.body.append(f.parentNode),
        'put in and taken out': () => {
          const brief = f.cloneNode(true);
          brief.setAttribute('toolname', 'brief');
          document.body.append(brief);
          brief.remove();
        },
        'a second form': () => document.body.insertAdjacentHTML('beforeend', '<p><form toolname="w" tooldescription="d"><input name="q"></form></p>'),
        'a form in a form': () => {
          const inner = document.createElement('form');
          inner.setAttribute('toolname', 'inner');
          inner.setAttribute('tooldescription', 'd');
          inner.innerHTML = '<input name="n">';
          d.append(inner);
        },
        'a rewritten document': () => {
          document.open();
          document.write('<body><form toolname="late" tooldescription="d"><input name="q"></form>');
          document.close();
        },
      };
      const seen = [];
      for (const [name, step] of Object.entries(steps)) {
        step();
        await kit.quiet(log);
        seen.push([name, log.splice(0).length, await forms.list()]);
      }
      return seen;
    });
    const events = Object.fromEntries(steps);
    assert.equal(events['it is there'], 1);
    assert.equal(events['label text'], 0);
    assert.equal(events['name'], 2);
    assert.equal(events['taken out'], 1);
    assert.deepEqual(steps.at(-1)[2].map(({ name }) => name), ['late']);
  });

  test('are added and removed at the same moments', async () => {
    const { moments } = await same(async () => {
      const { list } = forms;
      const names = async () => (await list()).map(({ name }) => name);
      const moments = [];
      document.body.innerHTML = '<form toolname="t" tooldescription="d"></form>';
      moments.push(await names());
      await kit.quiet([]);
      const before = names();
      document.querySelector('form').removeAttribute('toolname');
      moments.push(await names(), await before);
      document.querySelector('form').setAttribute('toolname', 't');
      await kit.quiet([]);
      document.body.innerHTML = '';
      moments.push(await names(), await kit.outcome(() => document.modelContext.executeTool(kit.handle('t'))));
      return { moments };
    });
    assert.deepEqual(moments.slice(0, 4), [[], [], ['t'], []]);
  });

  test('give the same tools in shadow trees', async () => {
    const { steps } = await same(async () => {
      const log = [];
      document.modelContext.addEventListener('toolchange', () => log.push(1));
      const roots = [];
      const host = (mode, name) => {
        const element = document.createElement('div');
        roots.push(element.attachShadow({ mode }));
        roots.at(-1).innerHTML = `<p><form toolname="${name}" tooldescription="d"><input name="a"></form></p>`;
        return element;
      };
      let nested;
      const steps = {
        open: () => document.body.append(host('open', 'open')),
        closed: () => document.body.append(host('closed', 'closed')),
        nested: () => {
          nested = host('open', 'outer');
          nested.shadowRoot.append(host('closed', 'nested'));
          document.body.append(nested);
        },
        attribute: () => roots[0].querySelector('form').setAttribute('tooltitle', 'Title'),
        control: () => roots[0].querySelector('form').append(document.createElement('input')),
        made: () => {
          roots[1].innerHTML = '<form></form>';
          roots[1].firstChild.setAttribute('toolname', 'made');
          roots[1].firstChild.setAttribute('tooldescription', 'd');
        },
        gone: () => nested.remove(),
        again: () => document.body.append(nested),
        readied: () => (nested = host('closed', 'late')),
        late: () => document.body.append(nested),
      };
      const seen = [];
      for (const step of Object.values(steps)) {
        step();
        await kit.quiet(log);
        seen.push([log.splice(0).length, await forms.list()]);
      }
      return { steps: seen };
    });
    assert.deepEqual(steps.map(([, tools]) => tools.length), [1, 2, 4, 4, 4, 4, 2, 4, 4, 5]);
  });

  test('give the same tools beside those of scripts', async () => {
    const { outcomes } = await same(async () => {
      const { outcome, tool } = kit;
      const { modelContext } = document;
      const described = async () => (await forms.list()).map(({ name, description }) => `${name}: ${description}`);
      const outcomes = [];
      await modelContext.registerTool(tool('script'));
      await forms.show('<form toolname="script" tooldescription="Form."></form><form toolname="form" tooldescription="Form."></form>');
      outcomes.push(await described(), await outcome(() => modelContext.registerTool(tool('form'))));
      document.body.insertAdjacentHTML('beforeend', '<form toolname="first" tooldescription="Form."></form>');
      outcomes.push(await outcome(() => modelContext.registerTool(tool('first'))));
      await kit.quiet([]);
      outcomes.push(await described());
      return { outcomes };
    });
    assert.deepEqual(outcomes, [
      ['form: Form.', 'script: A tool.'],
      'InvalidStateError: Duplicate tool name',
      { resolved: 'undefined' },
      ['first: A tool.', 'form: Form.', 'script: A tool.'],
    ]);
  });
});

test('add the same members to SubmitEvent', async () => {
  await same(() => {
    const { attempt, property } = kit;
    const { prototype } = SubmitEvent;
    return {
      keys: Reflect.ownKeys(prototype).map(String),
      members: [property(prototype, 'agentInvoked'), property(prototype, 'respondWith')],
      plain: new SubmitEvent('submit').agentInvoked,
      wrong: [
        attempt(() => prototype.agentInvoked),
        attempt(() => prototype.respondWith(1)),
        attempt(() => prototype.respondWith.call({}, 1)),
        attempt(() => new SubmitEvent('submit').respondWith()),
        attempt(() => new SubmitEvent('submit').respondWith(1)),
      ],
    };
  });
});

/** Form controls of every kind that can be filled in. */
const FIELDS = `
  <input name="text"><input name="number" type="number" step="any"><input name="range" type="range">
  <select name="one"><option value="1">1</option><option value="2">2</option></select>
  <select name="many" multiple><option value="1">1</option><option value="2">2</option><option value="3">3</option></select>
  <input name="box" type="checkbox"><input name="boxes" type="checkbox" value="a" checked><input name="boxes" type="checkbox" value="b">
  <input name="radio" type="radio" value="1" checked><input name="radio" type="radio" value="2">
  <textarea name="area"></textarea><input name="date" type="date"><input name="time" type="time">
  <input name="moment" type="datetime-local"><input name="month" type="month"><input name="week" type="week">
  <input name="color" type="color"><input name="email" type="email"><input name="emails" type="email" multiple>
  <input name="url" type="url"><input name="hidden" type="hidden" toolparamdescription="x"><input name="disabled" disabled>
  <input name="file" type="file"><input name="twice"><input name="twice"><fieldset name="fieldset"></fieldset>`;

/** Arguments for a form with these controls and `toolautosubmit`, by name. */
const ARGUMENTS = {
  'every control': {
    text: 'text', number: 1.5, range: 7, one: '2', many: ['3', '1'], box: true, boxes: ['b'], radio: '2', area: 'a\nb',
    date: '2024-01-02', time: '10:20', moment: '2024-01-02T10:20', month: '2024-02', week: '2024-W05', color: '#ff0000',
    email: 'a@b.c', emails: 'a@b.c,d@e.f', url: 'http://x.example/', hidden: 'h',
  },
  'arguments in another order': { area: 'first', text: 'second' },
  'the current values': { one: '1', radio: '1', boxes: ['a'], range: 50, color: '#000000', many: [] },
  'values of other types': { text: 5, number: '1.50', range: '200', one: 2, many: [1, 2], box: 'TRUE', boxes: [], radio: 2, area: true, email: ' a@b.c ' },
  'values that the browser sanitizes': { text: 'a\nb\rc', area: 'a\r\nb\rc', box: 2, color: '#FFF', range: 'x', url: ' http://x.example ' },
  'zero for a checkbox and a number': { box: 0, number: 0 },
  'no arguments': {},
  'an unknown parameter': { unknown: 1 },
  'an unknown parameter after a valid one': { text: 'x', unknown: true },
  'a disabled control': { disabled: 'x' },
  'a value that a select lacks': { one: '9' },
  'a value twice for a multiple select': { many: ['1', '1'] },
  'a string for a multiple select': { many: '1' },
  'a value that a multiple select lacks': { many: ['9'] },
  'null for a multiple select': { many: [null] },
  'an array for a single select': { one: ['1'] },
  'an object for a select': { one: { a: 1 } },
  'a fraction for a select': { one: 1.5 },
  'a word for a number': { number: 'abc' },
  'an empty string for a number': { number: '' },
  'null for a number': { number: null },
  'true for a number': { number: true },
  'a number with a leading space': { number: ' 5' },
  'null for a text': { text: null },
  'an object for a text': { text: { a: 1 } },
  'an array for a text': { text: ['x'] },
  'a line break for a text': { text: '\n' },
  'a word for a checkbox': { box: 'yes' },
  'a fraction for a checkbox': { box: 1.5 },
  'null for a checkbox': { box: null },
  'a value twice for a group of checkboxes': { boxes: ['a', 'a'] },
  'a string for a group of checkboxes': { boxes: 'a' },
  'a value that a radio group lacks': { radio: '5' },
  'an array for a radio group': { radio: ['1'] },
  'a word for a date': { date: 'tomorrow' },
  'a date that does not exist': { date: '2024-13-01' },
  'a date without leading zeros': { date: '2024-1-1' },
  'a number for a date': { date: 20240101 },
  'a time that does not exist': { time: '25:00' },
  'a datetime with a zone': { moment: '2024-01-02T10:20Z' },
  'a datetime with a space': { moment: '2024-01-02 10:20' },
  'a word for a month': { month: 'x' },
  'a number for a week': { week: 5 },
  'a word for a color': { color: 'zzz' },
  'an invalid email address': { email: 'nobody' },
  'a time with seconds': { time: '10:20:30' },
  'a path for a file input': { file: '/etc/hosts' },
  'a name shared by two texts': { twice: 'x' },
  'a fieldset': { fieldset: 'x' },
  'an array as arguments': [1],
};

const SEND = '<button id="send">Send</button>';
const SENT = `<form target="sink" action="empty.html" toolname="x" tooldescription="d" toolautosubmit><input name="a">${SEND}</form>`;
const WAITING = `<form target="sink" action="empty.html" toolname="x" tooldescription="d"><input name="a">${SEND}<button id="other" name="q" value="z">Other</button></form>`;

const respondWith = (response) => `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(${response}); })`;
const clickSend = `(form) => form.querySelector('#send').click()`;

/** Runs of a form by name: its HTML, its listeners, and what happens while the call waits, as source for the page. */
const RUNS = {
  'is submitted by the user': { html: WAITING, listen: respondWith('"done"'), act: clickSend },
  'is submitted by the user with another button': { html: WAITING, listen: respondWith('"done"'), act: `(form) => form.querySelector('#other').click()` },
  'is submitted by requestSubmit()': { html: WAITING, listen: respondWith('"done"'), act: `(form) => form.requestSubmit()` },
  'is submitted by submit()': { html: WAITING, act: `(form) => form.submit()` },
  'is submitted again by its submit listener': {
    html: WAITING,
    listen: `(form, note) => form.addEventListener('submit', (event) => { event.preventDefault(); form.submit(); })`,
    act: clickSend,
  },
  'navigates': { html: WAITING, act: clickSend },
  'navigates with novalidate': { html: WAITING.replace('name="a"', 'name="b" required').replace('<form', '<form novalidate'), act: clickSend },
  'closes a dialog': { html: `<dialog open><form method="dialog" toolname="x" tooldescription="d" toolautosubmit><input name="a">${SEND}</form></dialog>` },
  'has its submission prevented and not answered': { html: WAITING, listen: `(form) => form.addEventListener('submit', (event) => event.preventDefault())`, act: clickSend },
  'is reset': { html: WAITING, act: `(form) => form.reset()` },
  'has its reset prevented': { html: WAITING, listen: `(form) => (form.onreset = (event) => event.preventDefault())`, act: `(form) => form.reset()` },
  'is reset by its submit listener': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.reset(); })`,
    act: clickSend,
  },
  'is cancelled': { html: WAITING, act: `(form, { controller }) => controller.abort('why')` },
  'is removed': { html: WAITING, act: `(form) => form.remove()` },
  'stops being a tool': { html: WAITING, act: `(form) => form.removeAttribute('tooldescription')` },
  'is removed by its submit listener': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.remove(); })`,
    act: clickSend,
  },
  'gets another control': { html: WAITING, act: `(form) => form.insertAdjacentHTML('beforeend', '<input name="new">')` },
  'gets another element': { html: WAITING, act: `(form) => form.insertAdjacentHTML('beforeend', '<p>new')` },
  'gets another title': { html: WAITING, act: `(form) => form.setAttribute('tooltitle', 'new')` },
  'is checked by a script': { html: WAITING.replace('name="a"', 'name="a" required'), act: `(form) => { form.elements[0].value = ''; form.reportValidity(); }` },
  'has its click prevented': {
    html: WAITING,
    listen: `(form) => (form.querySelector('#send').onclick = (event) => event.preventDefault())`,
    act: clickSend,
  },
  'is submitted with its event stopped in the capture phase': { html: WAITING, act: `async (form) => { const stop = (event) => event.stopImmediatePropagation(); window.addEventListener('submit', stop, true); form.querySelector('#send').click(); window.removeEventListener('submit', stop, true); }` },
  'is hidden': { html: WAITING.replace('<form', '<form style="display: none"'), listen: respondWith('"done"'), act: clickSend },
  'has its button outside': {
    html: '<form id="x" toolname="x" tooldescription="d"><input name="a"></form><button id="send" form="x">Send</button>',
    listen: respondWith('"done"'),
    act: `() => document.querySelector('#send').click()`,
  },
  'has no button': { html: '<form toolname="x" tooldescription="d"><input name="a"></form>' },
  'has a disabled button': { html: '<form toolname="x" tooldescription="d"><input name="a"><button disabled>Send</button></form>' },
  'has no button and toolautosubmit': { html: '<form toolname="x" tooldescription="d" toolautosubmit><input name="a"></form>', listen: respondWith('"done"') },
  'lacks required values': { html: SENT.replace('>Send<', '>Send</button><input name="b" required><select name="c" required><option value=""></option></select><fieldset><input required><') },
  'is removed while its answer is pending': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.reply = resolve))'),
    act: `async (form) => { form.querySelector('#send').click(); await kit.quiet([]); form.remove(); await kit.quiet([]); reply('late'); }`,
  },
  'is removed right after the click': {
    html: WAITING,
    listen: respondWith('"done"'),
    act: `(form) => { form.querySelector('#send').click(); form.remove(); }`,
  },
  'stops being a tool right after the click': {
    html: WAITING,
    listen: respondWith('"done"'),
    act: `(form) => { form.querySelector('#send').click(); form.removeAttribute('tooldescription'); }`,
  },
  'is removed in a microtask of the click': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); queueMicrotask(() => form.remove()); })`,
    act: clickSend,
  },
  'is removed in the task after the click': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(new Promise(() => {})); setTimeout(() => form.remove()); })`,
    act: clickSend,
  },
  'is removed by its submit listener, with toolautosubmit': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.remove(); })`,
  },
  'stops being a tool in its submit listener, with toolautosubmit': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.removeAttribute('tooldescription'); })`,
  },
  'is removed in a microtask of its submission, with toolautosubmit': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); queueMicrotask(() => form.remove()); })`,
  },
  'is removed in the task after its submission, with toolautosubmit': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(new Promise(() => {})); setTimeout(() => form.remove()); })`,
  },
  'is reset while its answer is pending': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.reply = resolve))'),
    act: `async (form) => { form.querySelector('#send').click(); await kit.quiet([]); form.reset(); await kit.quiet([]); reply('late'); }`,
  },
  'is cancelled while its answer is pending': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.reply = resolve))'),
    act: `async (form, { controller }) => { form.querySelector('#send').click(); await kit.quiet([]); controller.abort('why'); reply('late'); }`,
  },
  'is submitted again while its answer is pending': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.replies ??= []).push(resolve))'),
    act: `async (form) => { const send = form.querySelector('#send'); send.click(); await kit.quiet([]); send.click(); await kit.quiet([]); replies[1]('second'); replies[0]('first'); }`,
  },
  'is submitted again without an answer while one is pending': {
    html: WAITING,
    listen: `(form) => { let count = 0; form.addEventListener('submit', (event) => { event.preventDefault(); if (count++ === 0) event.respondWith(new Promise(() => {})); }); }`,
    act: `async (form) => { const send = form.querySelector('#send'); send.click(); await kit.quiet([]); send.click(); }`,
  },
  'answers too early, twice and too late': {
    html: SENT,
    listen: `(form, note) => form.addEventListener('submit', (event) => {
      note(kit.attempt(() => event.respondWith('early')));
      event.preventDefault();
      note(kit.attempt(() => event.respondWith('first')));
      note(kit.attempt(() => event.respondWith('last')));
      window.kept ??= event;
    })`,
    act: `async (form, { note }) => {
      note(kept.agentInvoked);
      note(kit.attempt(() => kept.respondWith('late')));
      form.querySelector('#send').click();
    }`,
  },
  'answers after an await': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', async (event) => { event.preventDefault(); await null; event.respondWith('done'); })`,
  },
  'is not submitted by a dispatched submit event': {
    html: WAITING,
    listen: `(form, note) => form.addEventListener('submit', ({ agentInvoked }) => note(agentInvoked))`,
    act: `(form) => form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))`,
  },
  'changes while it is filled in': {
    html: SENT,
    listen: `(form) => { form.elements[0].oninput = () => form.setAttribute('tooltitle', 'new'); form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); }); }`,
  },
};

for (const [word, response] of Object.entries({
  'undefined': 'undefined',
  'null': 'null',
  'a number': '5',
  'a string': '"text"',
  'an empty string': '""',
  'true': 'true',
  'an object': '({ a: [1], content: [] })',
  'an array': '[1, "x"]',
  'a function': '() => 1',
  'a date': 'new Date(0)',
  'an error': 'new Error("e")',
  'a promise': 'Promise.resolve({ a: 1 })',
  'a thenable': '({ then(resolve) { resolve("then"); } })',
  'a BigInt': '10n',
  'a circular object': '(() => { const circle = {}; circle.self = circle; return circle; })()',
  'an object whose toJSON throws': '({ toJSON() { throw new Error("e"); } })',
  'an object whose toJSON returns undefined': '({ toJSON() {} })',
})) {
  RUNS[`answers with ${word}`] = { html: SENT, listen: respondWith(response) };
}

describe('a call gives the same events and result as in Chromium when the form', () => {
  /** The observations of each run, by mode and name. @type {Map<string, Record<string, object>>} */
  const seen = new Map();

  before(async () => {
    for (const mode of ['native', 'polyfill']) {
      const results = await inPage(mode, async (page) => {
        const content = Object.entries(RUNS).map(([name, { listen = '() => {}', act }]) => `${JSON.stringify(name)}: { listen: ${listen}, act: ${act} }`);
        // In a script element, because Chromium does not report errors in evaluated code to the page.
        await page.addScriptTag({ content: `window.sources = { ${content.join(',\n')} };` });
        const runs = { ...RUNS };
        for (const [name, args] of Object.entries(ARGUMENTS)) {
          runs[`is called with ${name}`] = { html: `<form toolname="x" tooldescription="d" toolautosubmit>${FIELDS}</form>`, args };
        }
        return page.evaluate(async (all) => {
          const results = {};
          for (const [name, { html, args = { a: 'v' } }] of Object.entries(all)) {
            const answering = (form) =>
              form.addEventListener('submit', (event) => {
                event.preventDefault();
                event.respondWith('sent');
              });
            const { listen, act } = window.sources[name] ?? { listen: answering };
            results[name] = await forms.run(html, args, { listen, act });
          }
          return results;
        }, runs);
      });
      seen.set(mode, results);
    }
  });

  for (const name of [...Object.keys(RUNS), ...Object.keys(ARGUMENTS).map((one) => `is called with ${one}`)]) {
    test(name, () => {
      const expected = seen.get('native')[name];
      assert.ok(expected.log.length > 0, 'something happened');
      assert.deepEqual(seen.get('polyfill')[name], expected);
    });
  }
});

describe('faults of Chromium that the bridge does not have', () => {
  test('numbers keep their digits', async () => {
    const seen = await look('polyfill', async () => {
      await forms.show('<form toolname="t" tooldescription="d"><input name="text"><input name="number" type="number" step="any"><button>Send</button></form>');
      void document.modelContext.executeTool(kit.handle('t'), { text: 12345678901, number: 0.1234567891 });
      await kit.quiet([]);
      return [...new FormData(document.querySelector('form')).values()];
    });
    assert.deepEqual(seen, ['12345678901', '0.1234567891']);
  });

  test('a second call of a form in use is refused, and the first one goes on', async () => {
    const seen = await look('polyfill', async () => {
      await forms.show('<form toolname="t" tooldescription="d"><input name="a"><button>Send</button></form>');
      const form = document.querySelector('form');
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        event.respondWith('sent');
      });
      const call = (a) => kit.outcome(() => document.modelContext.executeTool(kit.handle('t'), { a }));
      const first = call('first');
      const second = await call('second');
      const { value } = form.elements.a;
      form.querySelector('button').click();
      return [second, value, await first, (await Promise.race([call('third'), kit.quiet([])])) ?? 'waits'];
    });
    assert.deepEqual(seen, ['UnknownError: The form is in use by another call.', 'first', { resolved: 'sent' }, 'waits']);
  });

  test('a form that is removed while it is filled in ends its call', async () => {
    const seen = await look('polyfill', async () => {
      await forms.show('<form toolname="t" tooldescription="d" toolautosubmit><input name="a" oninput="form.remove()"></form>');
      return kit.outcome(() => document.modelContext.executeTool(kit.handle('t'), { a: 'v' }));
    });
    assert.equal(seen, 'UnknownError: Tool execution cancelled, since tool definition was updated');
  });

  test('removing a form removes no tool but its own', async () => {
    const seen = await look('polyfill', async () => {
      await document.modelContext.registerTool(kit.tool('script'));
      await forms.show('<form toolname="script" tooldescription="Form."></form><form toolname="form" tooldescription="First."></form><form toolname="form" tooldescription="Second."></form>');
      const [ofScript, , second] = document.querySelectorAll('form');
      ofScript.setAttribute('tooltitle', 'Title');
      second.setAttribute('tooltitle', 'Title');
      await kit.quiet([]);
      const changed = await forms.list();
      ofScript.remove();
      second.remove();
      await kit.quiet([]);
      return [changed, await forms.list()].map((tools) => tools.map(({ name, description }) => `${name}: ${description}`));
    });
    const expected = ['form: First.', 'script: A tool.'];
    assert.deepEqual(seen, [expected, expected]);
  });

  test('a lone surrogate in an answer is kept, and a Symbol is a failure', async () => {
    const seen = await look('polyfill', async () => {
      const responses = ['a\uD800', Symbol('s')];
      await forms.show('<form toolname="t" tooldescription="d" toolautosubmit></form>');
      document.querySelector('form').addEventListener('submit', (event) => {
        event.preventDefault();
        event.respondWith(responses.shift());
      });
      const text = await document.modelContext.executeTool(kit.handle('t'));
      return [text.charCodeAt(1).toString(16), await kit.outcome(() => document.modelContext.executeTool(kit.handle('t')))];
    });
    assert.deepEqual(seen, ['d800', 'UnknownError: respondWith promise resolved with an object that could not be serialized to JSON']);
  });
});

describe('where the bridge differs from Chromium', () => {
  test('a user who submits an invalid form can correct it', async () => {
    const seen = await look('polyfill', async () => {
      await forms.show('<form toolname="t" tooldescription="d"><input name="a" required><button>Send</button></form>');
      const form = document.querySelector('form');
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        event.respondWith(form.elements.a.value);
      });
      const call = document.modelContext.executeTool(kit.handle('t'), { a: '' });
      await kit.quiet([]);
      form.querySelector('button').click();
      await kit.quiet([]);
      form.elements.a.value = 'corrected';
      form.querySelector('button').click();
      return call;
    });
    assert.equal(seen, 'corrected');
  });

  test('a form that is moved stays the same tool, and its call goes on', async () => {
    const seen = await look('polyfill', async () => {
      let changes = 0;
      await forms.show('<div></div><form toolname="t" tooldescription="d"><button>Send</button></form>');
      const form = document.querySelector('form');
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        event.respondWith('sent');
      });
      document.modelContext.addEventListener('toolchange', () => (changes += 1));
      const call = document.modelContext.executeTool(kit.handle('t'));
      await kit.quiet([]);
      document.querySelector('div').append(form);
      await kit.quiet([]);
      form.querySelector('button').click();
      return [await call, changes];
    });
    assert.deepEqual(seen, ['sent', 0]);
  });

  test('a bridge injected late finds existing forms', async () => {
    const page = await browsers.get('polyfill').open(site.url('forms.html'));
    try {
      await page.evaluate(KIT);
      const seen = await page.evaluate(async (bridge) => {
        (0, eval)(bridge);
        await kit.quiet([]);
        const names = (await document.modelContext.getTools()).map(({ name }) => name);
        return [names, await document.modelContext.executeTool(kit.handle('findTable'), { day: '2030-01-02', guests: 5 })];
      }, BRIDGE);
      assert.deepEqual(seen, [['bookTable', 'findTable'], '{"day":"2030-01-02","free":["20:30"]}']);
    } finally {
      await page.close();
    }
  });

  test('the first getTools call finds existing forms, also in shadow trees', async () => {
    const seen = await look(
      'polyfill',
      async () => {
        const host = document.createElement('div');
        host.attachShadow({ mode: 'closed' }).innerHTML = '<form toolname="inside" tooldescription="d"></form>';
        document.body.innerHTML = '<form toolname="outside" tooldescription="d"></form>';
        const { port1, port2 } = new MessageChannel();
        const task = () => new Promise((resolve) => {
          port1.onmessage = resolve;
          port2.postMessage('');
        });
        await task();
        document.body.append(host);
        await task();
        return (await document.modelContext.getTools()).map(({ name }) => name);
      },
      { bare: true },
    );
    assert.deepEqual(seen, ['inside', 'outside']);
  });

  test('a form in a document rewritten with document.open works', async () => {
    const seen = await look('polyfill', async () => {
      document.open();
      document.write('<form toolname="t" tooldescription="d" toolautosubmit></form>');
      document.close();
      document.querySelector('form').addEventListener('submit', (event) => {
        event.preventDefault();
        event.respondWith('sent');
      });
      await kit.quiet([]);
      return document.modelContext.executeTool(kit.handle('t'));
    });
    assert.equal(seen, 'sent');
  });

  test('native WebMCP that arrives late takes over the forms', async () => {
    const seen = await look(
      'polyfill',
      async (token) => {
        const polyfill = document.modelContext;
        await polyfill.registerTool(kit.tool('script'));
        await forms.show('<form toolname="t" tooldescription="d"><button>Send</button></form>');
        const call = kit.outcome(() => polyfill.executeTool(kit.handle('t')));
        await kit.quiet([]);
        const meta = document.createElement('meta');
        meta.httpEquiv = 'origin-trial';
        meta.content = token;
        document.head.append(meta);
        const ended = await call;
        document.body.insertAdjacentHTML('beforeend', '<form toolname="late" tooldescription="d"></form>');
        await kit.quiet([]);
        const names = (await document.modelContext.getTools()).map(({ name }) => name);
        return [document.modelContext === polyfill, names, ended];
      },
      {},
      trial.token(site.origin),
    );
    // Chromium makes no tool of a form that existed before the token.
    assert.deepEqual(seen, [false, ['late', 'script'], 'UnknownError: Tool execution cancelled, since tool definition was updated']);
  });
});

describe('a call over the port', () => {
  test('is answered with the form’s response or error', async () => {
    const seen = await look('polyfill', async () => {
      const link = await kit.connect();
      const { tools } = link.heard[1] ?? (await link.any('__wmcp_tools_changed'));
      document.body.innerHTML = `
        <iframe name="sink"></iframe>
        <form toolname="t" tooldescription="Does t." tooltitle="T" toolautosubmit target="sink" action="empty.html">
          <input name="how" required><input name="number" type="number">
        </form>
        <form toolname="noButton" tooldescription="d"></form>`;
      const list = await link.any('__wmcp_tools_changed', ({ total }) => total === 2);
      document.querySelector('form').addEventListener('submit', (event) => {
        const how = event.target.elements.how.value;
        if (how === 'navigate') return;
        event.preventDefault();
        if (how === 'answer') event.respondWith({ answer: '航班' });
        if (how === 'fail') event.respondWith(Promise.reject(new Error('No seats.')));
        if (how === 'circle') event.respondWith(window);
      });
      const silence = (event) => event.preventDefault();
      window.addEventListener('error', silence);
      const call = async (toolName, args) => {
        const { type, requestId, ...answer } = await link.call(toolName, args);
        return answer;
      };
      const answers = {};
      for (const how of ['answer', 'fail', 'silent', 'navigate', '']) answers[how] = await call('t', { how });
      answers.unknown = await call('t', { unknown: 1 });
      answers.number = await call('t', { number: 'x' });
      answers.noButton = await call('noButton', {});
      answers.circle = (await call('t', { how: 'circle' })).code;
      window.removeEventListener('error', silence);
      return { before: tools, tool: list.tools.find(({ name }) => name === 't'), answers };
    });
    const failed = (error, code = 'threw') => ({ ok: false, code, error });
    assert.deepEqual(seen, {
      before: [],
      tool: {
        name: 't',
        description: 'Does t.',
        title: 'T',
        inputSchema: '{"type":"object","properties":{"how":{"type":"string"},"number":{"type":"number","multipleOf":1}},"required":["how"]}',
      },
      answers: {
        answer: { ok: true, result: '{"answer":"航班"}' },
        fail: failed('No seats.'),
        silent: failed(
          "The site has a programming error: it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result",
        ),
        navigate: { ok: true },
        '': failed('Form validation failed: how: Please fill out this field.. '),
        unknown: failed('Input contains a parameter "unknown" but there is no such parameter for the tool', 'badArguments'),
        number: failed('Invalid value "x" for parameter number', 'badArguments'),
        noButton: failed('No submit button was found, but for a form without `toolautosubmit`, there must be a submit button'),
        circle: 'threw',
      },
    });
  });

  test('reports to its relay only when the form waits for the user', async () => {
    const seen = await look('polyfill', async () => {
      const link = await kit.connect();
      const stranger = await kit.connect();
      await forms.show('<form toolname="t" tooldescription="d"><input name="a"><button>Send</button></form>');
      const form = document.querySelector('form');
      let prevent = true;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        if (event.agentInvoked && prevent) event.respondWith(new Promise((resolve) => (window.reply = resolve)));
      });
      const ends = {
        sent: () => form.querySelector('button').click(),
        reset: () => form.reset(),
        cancelled: (requestId) => link.say({ type: '__wmcp_cancel_call', requestId }),
        changed: () => form.setAttribute('tooltitle', 'New'),
      };
      const told = [];
      for (const [requestId, end] of Object.entries(ends)) {
        const call = link.call('t', { a: 'v' }, requestId);
        const about = (phase) => (message) => message.requestId === requestId && message.phase === phase;
        told.push(await link.any('__wmcp_user_interaction', about('started')));
        end(requestId);
        told.push(await link.any('__wmcp_user_interaction', about('ended')));
        if (requestId === 'sent') reply('done');
        const { ok, code } = await call;
        told.push(ok ? 'ok' : code);
        await kit.quiet([]);
      }
      const byPage = document.modelContext.executeTool(kit.handle('t'), {});
      await kit.quiet([]);
      ends.sent();
      await kit.quiet([]);
      reply('page');
      await byPage;
      form.setAttribute('toolautosubmit', '');
      await kit.quiet([]);
      const auto = link.call('t', {}, 'auto');
      await kit.quiet([]);
      reply('auto');
      await auto;
      const interactions = (one) => one.heard.filter(({ type }) => type === '__wmcp_user_interaction').length;
      return { told, count: interactions(link), strangers: interactions(stranger) };
    });
    const both = (requestId, end) =>
      ['started', 'ended'].map((phase) => ({ type: '__wmcp_user_interaction', requestId, toolName: 't', phase, kind: 'form' })).concat(end);
    assert.deepEqual(seen, {
      told: [...both('sent', 'ok'), ...both('reset', 'threw'), ...both('cancelled', 'cancelled'), ...both('changed', 'threw')],
      count: 8,
      strangers: 0,
    });
  });

  test('reports the kind "callback" for requestUserInteraction', async () => {
    const seen = await look('polyfill', async () => {
      navigator.modelContext.registerTool(kit.tool('asks', (_, client) => client.requestUserInteraction(() => 'yes')));
      const link = await kit.connect();
      await link.call('asks');
      return link.heard.filter(({ type }) => type === '__wmcp_user_interaction').map(({ phase, kind }) => [phase, kind]);
    });
    assert.deepEqual(seen, [['started', 'callback'], ['ended', 'callback']]);
  });
});

describe('a hostile page', () => {
  /** Keep what this page needs, and replace all other built-ins: each use is recorded and throws. Runs in the page. */
  function sabotage() {
    const { apply, defineProperty, getOwnPropertyDescriptor: descriptorOf, ownKeys } = Reflect;
    const setHtml = descriptorOf(Element.prototype, 'innerHTML').set;
    const { preventDefault } = Event.prototype;
    const { respondWith } = SubmitEvent.prototype;
    const { getElementById } = Document.prototype;
    const { setAttribute } = Element.prototype;
    const { click } = HTMLElement.prototype;
    const { body } = document;
    window.addEventListener('submit', (event) => {
      apply(preventDefault, event, []);
      apply(respondWith, event, ['sent']);
    });
    const find = (id) => apply(getElementById, document, [id]);
    window.own = {
      __proto__: null,
      show: (html) => apply(setHtml, body, [html]),
      set: (id, name, value) => apply(setAttribute, find(id), [name, value]),
      click: (id) => apply(click, find(id), []),
    };

    const touched = (window.touched = []);
    const touch = (word) => defineProperty(touched, touched.length, { __proto__: null, value: word, enumerable: true });
    const spoil = (owner, label) => {
      const keys = ownKeys(owner);
      for (let at = 0; at < keys.length; at += 1) {
        const key = keys[at];
        const descriptor = descriptorOf(owner, key);
        if (!descriptor.configurable || key === 'constructor' || key === Symbol.species) continue;
        const fail = () => {
          touch(`${label}.${typeof key === 'symbol' ? 'a symbol' : key}`);
          throw 'sabotage';
        };
        if (typeof descriptor.value === 'function') defineProperty(owner, key, { ...descriptor, value: fail });
        else if (descriptor.get) defineProperty(owner, key, { ...descriptor, get: fail, set: fail });
      }
    };
    const words = [
      'AbortController', 'AbortSignal', 'Array', 'Document', 'Element', 'Event', 'EventTarget', 'Function', 'HTMLButtonElement', 'HTMLCollection',
      'HTMLElement', 'HTMLFieldSetElement', 'HTMLFormControlsCollection', 'HTMLFormElement', 'HTMLInputElement', 'HTMLLabelElement',
      'HTMLOptionElement', 'HTMLOptionsCollection', 'HTMLSelectElement', 'HTMLTextAreaElement', 'JSON', 'Map', 'Math', 'MessagePort',
      'MutationObserver', 'MutationRecord', 'Node', 'NodeList', 'Number', 'Promise', 'Proxy', 'Reflect', 'RegExp', 'Set', 'ShadowRoot', 'String',
      'SubmitEvent', 'Symbol', 'WeakMap', 'WeakRef',
    ];
    const shared = ['get', 'set', 'value', 'enumerable', 'bubbles', 'composed', 'capture', 'subtree', 'attributes', 'toJSON', 'words', 'fill', 'text'];
    const { prototype: root } = Object;
    const arrays = Reflect.getPrototypeOf([][Symbol.iterator]());
    const owners = words.map((word) => window[word]);
    for (let at = 0; at < owners.length; at += 1) {
      if (owners[at].prototype) spoil(owners[at].prototype, `${words[at]}.prototype`);
      spoil(owners[at], words[at]);
    }
    spoil(arrays, 'ArrayIterator');
    for (let at = 0; at < shared.length; at += 1) {
      const word = shared[at];
      defineProperty(root, word, { __proto__: null, get: () => void touch(`inherited ${word}`), set: () => touch(`inherited ${word} set`), configurable: true });
    }
  }

  const HTML = `
    <form id="auto" toolname="auto" tooldescription="d" toolautosubmit>
      <label>Text <input name="text" required></label><input name="number" type="number" min="0.5" step="0.5"><input name="time" type="time" step="1">
      <select name="select"><option value="1">One</option><option value="2">Two</option></select>
      <fieldset toolparamdescription="Boxes"><input name="boxes" type="checkbox" value="a"><input name="boxes" type="checkbox" value="b"></fieldset>
      <input name="box" type="checkbox">
    </form>
    <form id="waits" toolname="waits" tooldescription="d"><input name="a" pattern="a+"><button id="send">Send</button></form>`;

  /** Returns a function that evaluates in an isolated world of the page, like a content script. */
  async function isolatedWorld(page) {
    const session = await page.createCDPSession();
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'relay' });
    return async (expression) => {
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', { contextId, expression, awaitPromise: true, returnByValue: true });
      assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description);
      return result.value;
    };
  }

  test('neither breaks nor observes the forms', async () => {
    await inPage('polyfill', async (page) => {
      const relay = await isolatedWorld(page);
      await relay(KIT);
      const session = await page.createCDPSession();
      const inMain = async (expression) => {
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, returnByValue: true });
        assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description ?? exceptionDetails?.exception?.value);
        return result.value;
      };
      await inMain(`(${sabotage})()`);
      await inMain(`own.show(${JSON.stringify(HTML)})`);
      const listed = await relay(`(async () => {
        window.link = await kit.connect();
        const { tools } = await link.any('__wmcp_tools_changed', ({ total }) => total === 2);
        return tools.map(({ name, inputSchema }) => [name, JSON.parse(inputSchema).required]);
      })()`);
      assert.deepEqual(listed, [['auto', ['text']], ['waits', []]]);
      const answers = await relay(`(async () => {
        const args = { text: 'v', number: 1.5, time: '10:20:30', select: '2', boxes: ['b'], box: true };
        const { result } = await link.call('auto', args);
        const { error } = await link.call('auto', { text: '' });
        const { code } = await link.call('auto', { number: 'x' });
        window.waiting = link.call('waits', { a: 'aa' }, 'r');
        await link.any('__wmcp_user_interaction', ({ phase }) => phase === 'started');
        return { result, error, code };
      })()`);
      assert.deepEqual(answers, { result: 'sent', error: 'Form validation failed: text: Please fill out this field.. ', code: 'badArguments' });
      await inMain(`own.click('send')`);
      assert.equal(await relay('waiting.then(({ result }) => result)'), 'sent');
      await inMain(`own.set('waits', 'tooltitle', 'Title')`);
      await relay(`link.any('__wmcp_tools_changed', ({ tools }) => tools.some(({ title }) => title === 'Title')).then(() => {})`);
      assert.deepEqual(await inMain('touched'), []);
    }, { bare: true });
  });
});

forBothModes('a form called by the agent', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  test('answers at once with toolautosubmit', async () => {
    const page = await stage.begin(stage.site.url('forms.html'), { tools: 2 });
    await stage.panel.ask('call findTable {"day":"2030-01-02","guests":5}');
    await stage.panel.unfold();
    const [{ state, result }] = await stage.panel.calls();
    assert.equal(state, 'ok');
    assert.match(result, /20:30/);
    assert.equal(await page.$eval('#answer', (node) => node.value), '{"day":"2030-01-02","free":["20:30"]}');
  });

  test('waits for the user to submit it without toolautosubmit', async () => {
    const page = await stage.begin(stage.site.url('forms.html'), { tools: 2 });
    await stage.panel.say('call bookTable {"name":"A guest","place":"out"}');
    await until(() => page.$eval('#book', (form) => form.elements.place.value === 'out'), { what: 'the form to be filled in' });
    await stage.panel.call('bookTable', 'waiting');
    await page.click('#book button');
    await stage.panel.call('bookTable', 'ok');
    assert.equal(await page.$eval('#answer', (node) => node.value), '{"booked":"A guest","place":"out"}');
  });
});
