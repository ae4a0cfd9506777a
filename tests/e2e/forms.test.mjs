/**
 * Forms that are tools: what the bridge makes of them where the browser has no WebMCP, against what Chromium makes of them;
 * what relays are told; and an agent's call to one through the whole extension.
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
/** Switches native WebMCP on in a page of the browser without it. */
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

/** What the tests do in a page, besides the kit, as `window.forms`. Runs in the page. */
function formsKit() {
  const { outcome, quiet } = kit;

  /** The tools as plain values. */
  const list = async () => (await document.modelContext.getTools()).map(({ window: _, origin, ...tool }) => tool);

  /** Put something into the page's body, and wait until its forms are tools. */
  const show = async (html) => {
    document.body.innerHTML = html;
    await quiet([]);
  };

  const form = () => document.querySelector('form');

  /** Events in the order in which they come. Untrusted ones count: no script can make others. */
  const follow = (note) => {
    const shape = ({ type, bubbles, cancelable, composed, target }) =>
      `${type} ${target.name ?? target.localName}=${target.value ?? ''} ${[bubbles, cancelable, composed].map(Number).join('')}`;
    for (const type of ['input', 'change', 'invalid']) window.addEventListener(type, (event) => note(shape(event)), true);
    window.addEventListener('focusin', ({ target }) => note(`focus ${target.localName}`));
    window.addEventListener('reset', () => note('reset'));
    window.addEventListener('submit', ({ agentInvoked, submitter }) => note(`submit ${agentInvoked} ${submitter?.id}`), true);
    for (const type of ['toolactivated', 'toolcancel']) document.modelContext.addEventListener(type, ({ toolName }) => note(`${type} ${toolName}`));
  };

  /** Ask for the list until it is as wanted. */
  const listed = async (wanted) => {
    while ((await list()).some(({ name }) => name === 'x') !== wanted);
  };

  const activated = () => new Promise((resolve) => document.modelContext.addEventListener('toolactivated', resolve, { once: true }));

  /** Run the tool `x`. What is still waiting in the end is said to wait, and cancelled. */
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
 * Run something in a fresh page, which must raise no uncaught error.
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

/** Evaluate one function in a fresh page. */
const look = (mode, fn, options, ...args) => inPage(mode, (page) => page.evaluate(fn, ...args), options);

/** The function sees the same in a page of Chromium's WebMCP and in one of the bridge's. Gives what it sees. */
async function same(fn, options) {
  const expected = await look('native', fn, options);
  assert.deepEqual(await look('polyfill', fn, options), expected);
  return expected;
}

describe('the same tools', () => {
  test('with the same schemas', async () => {
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

  test('through all that can change', async () => {
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

  test('at the same moments', async () => {
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

  test('in shadow trees', async () => {
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

  test('beside tools of scripts', async () => {
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

test('the same members of SubmitEvent', async () => {
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

/** Controls of every kind that can be filled. */
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

/** Arguments for a form with these controls that is sent at once. */
const ARGUMENTS = {
  'every control': {
    text: 'text', number: 1.5, range: 7, one: '2', many: ['3', '1'], box: true, boxes: ['b'], radio: '2', area: 'a\nb',
    date: '2024-01-02', time: '10:20', moment: '2024-01-02T10:20', month: '2024-02', week: '2024-W05', color: '#ff0000',
    email: 'a@b.c', emails: 'a@b.c,d@e.f', url: 'http://x.example/', hidden: 'h',
  },
  'in their own order': { area: 'first', text: 'second' },
  'what is there already': { one: '1', radio: '1', boxes: ['a'], range: 50, color: '#000000', many: [] },
  'values of other types': { text: 5, number: '1.50', range: '200', one: 2, many: [1, 2], box: 'TRUE', boxes: [], radio: 2, area: true, email: ' a@b.c ' },
  'values that are tidied': { text: 'a\nb\rc', area: 'a\r\nb\rc', box: 2, color: '#FFF', range: 'x', url: ' http://x.example ' },
  'off and zero': { box: 0, number: 0 },
  'nothing': {},
  'unknown parameter': { unknown: 1 },
  'unknown parameter after a good one': { text: 'x', unknown: true },
  'disabled control': { disabled: 'x' },
  'not in a select': { one: '9' },
  'twice in a select': { many: ['1', '1'] },
  'no list for a select': { many: '1' },
  'not in a select of many': { many: ['9'] },
  'null in a select of many': { many: [null] },
  'a list for a select of one': { one: ['1'] },
  'an object for a select': { one: { a: 1 } },
  'a fraction for a select': { one: 1.5 },
  'no number': { number: 'abc' },
  'an empty number': { number: '' },
  'null as a number': { number: null },
  'true as a number': { number: true },
  'a number with a space': { number: ' 5' },
  'null as a text': { text: null },
  'an object as a text': { text: { a: 1 } },
  'a list as a text': { text: ['x'] },
  'a line break as a text': { text: '\n' },
  'neither on nor off': { box: 'yes' },
  'half on': { box: 1.5 },
  'null as on': { box: null },
  'a box twice': { boxes: ['a', 'a'] },
  'no list of boxes': { boxes: 'a' },
  'no such radio': { radio: '5' },
  'a list of radios': { radio: ['1'] },
  'no date': { date: 'tomorrow' },
  'no such date': { date: '2024-13-01' },
  'a date too short': { date: '2024-1-1' },
  'a number as a date': { date: 20240101 },
  'no such time': { time: '25:00' },
  'a moment with a zone': { moment: '2024-01-02T10:20Z' },
  'a moment with a space': { moment: '2024-01-02 10:20' },
  'no month': { month: 'x' },
  'no week': { week: 5 },
  'no color': { color: 'zzz' },
  'an invalid address': { email: 'nobody' },
  'an invalid time': { time: '10:20:30' },
  'a file': { file: '/etc/hosts' },
  'a parameter of two texts': { twice: 'x' },
  'a fieldset': { fieldset: 'x' },
  'a list as arguments': [1],
};

const SEND = '<button id="send">Send</button>';
const SENT = `<form target="sink" action="empty.html" toolname="x" tooldescription="d" toolautosubmit><input name="a">${SEND}</form>`;
const WAITING = `<form target="sink" action="empty.html" toolname="x" tooldescription="d"><input name="a">${SEND}<button id="other" name="q" value="z">Other</button></form>`;

const respondWith = (response) => `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(${response}); })`;
const clickSend = `(form) => form.querySelector('#send').click()`;

/** Runs of a form: the page, what it does on its own, and what happens while the call waits. As source, to be evaluated in a page. */
const RUNS = {
  'is sent by its user': { html: WAITING, listen: respondWith('"done"'), act: clickSend },
  'is sent by its user with another button': { html: WAITING, listen: respondWith('"done"'), act: `(form) => form.querySelector('#other').click()` },
  'is sent by a script': { html: WAITING, listen: respondWith('"done"'), act: `(form) => form.requestSubmit()` },
  'is sent past its validation': { html: WAITING, act: `(form) => form.submit()` },
  'is sent from another frame of mind': {
    html: WAITING,
    listen: `(form, note) => form.addEventListener('submit', (event) => { event.preventDefault(); form.submit(); })`,
    act: clickSend,
  },
  'navigates': { html: WAITING, act: clickSend },
  'navigates unvalidated': { html: WAITING.replace('name="a"', 'name="b" required').replace('<form', '<form novalidate'), act: clickSend },
  'closes a dialog': { html: `<dialog open><form method="dialog" toolname="x" tooldescription="d" toolautosubmit><input name="a">${SEND}</form></dialog>` },
  'is prevented and not answered': { html: WAITING, listen: `(form) => form.addEventListener('submit', (event) => event.preventDefault())`, act: clickSend },
  'is reset': { html: WAITING, act: `(form) => form.reset()` },
  'is not reset after all': { html: WAITING, listen: `(form) => (form.onreset = (event) => event.preventDefault())`, act: `(form) => form.reset()` },
  'is reset while it is sent': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.reset(); })`,
    act: clickSend,
  },
  'is cancelled': { html: WAITING, act: `(form, { controller }) => controller.abort('why')` },
  'is taken out': { html: WAITING, act: `(form) => form.remove()` },
  'is a tool no longer': { html: WAITING, act: `(form) => form.removeAttribute('tooldescription')` },
  'is taken out while it is sent': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.remove(); })`,
    act: clickSend,
  },
  'gets another control': { html: WAITING, act: `(form) => form.insertAdjacentHTML('beforeend', '<input name="new">')` },
  'gets something else': { html: WAITING, act: `(form) => form.insertAdjacentHTML('beforeend', '<p>new')` },
  'gets another title': { html: WAITING, act: `(form) => form.setAttribute('tooltitle', 'new')` },
  'is checked by a script': { html: WAITING.replace('name="a"', 'name="a" required'), act: `(form) => { form.elements[0].value = ''; form.reportValidity(); }` },
  'has its click prevented': {
    html: WAITING,
    listen: `(form) => (form.querySelector('#send').onclick = (event) => event.preventDefault())`,
    act: clickSend,
  },
  'is sent in the dark': { html: WAITING, act: `async (form) => { const stop = (event) => event.stopImmediatePropagation(); window.addEventListener('submit', stop, true); form.querySelector('#send').click(); window.removeEventListener('submit', stop, true); }` },
  'is hidden': { html: WAITING.replace('<form', '<form style="display: none"'), listen: respondWith('"done"'), act: clickSend },
  'has its button elsewhere': {
    html: '<form id="x" toolname="x" tooldescription="d"><input name="a"></form><button id="send" form="x">Send</button>',
    listen: respondWith('"done"'),
    act: `() => document.querySelector('#send').click()`,
  },
  'has no button': { html: '<form toolname="x" tooldescription="d"><input name="a"></form>' },
  'has a disabled button': { html: '<form toolname="x" tooldescription="d"><input name="a"><button disabled>Send</button></form>' },
  'has no button and needs none': { html: '<form toolname="x" tooldescription="d" toolautosubmit><input name="a"></form>', listen: respondWith('"done"') },
  'lacks what is required': { html: SENT.replace('>Send<', '>Send</button><input name="b" required><select name="c" required><option value=""></option></select><fieldset><input required><') },
  'is taken out while it waits for an answer': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.reply = resolve))'),
    act: `async (form) => { form.querySelector('#send').click(); await kit.quiet([]); form.remove(); await kit.quiet([]); reply('late'); }`,
  },
  'is taken out right after its click': {
    html: WAITING,
    listen: respondWith('"done"'),
    act: `(form) => { form.querySelector('#send').click(); form.remove(); }`,
  },
  'is a tool no longer right after its click': {
    html: WAITING,
    listen: respondWith('"done"'),
    act: `(form) => { form.querySelector('#send').click(); form.removeAttribute('tooldescription'); }`,
  },
  'is taken out in a microtask of its click': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); queueMicrotask(() => form.remove()); })`,
    act: clickSend,
  },
  'is taken out in the next task': {
    html: WAITING,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(new Promise(() => {})); setTimeout(() => form.remove()); })`,
    act: clickSend,
  },
  'is taken out as it is sent at once': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.remove(); })`,
  },
  'is a tool no longer as it is sent at once': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); form.removeAttribute('tooldescription'); })`,
  },
  'is taken out in a microtask as it is sent at once': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); queueMicrotask(() => form.remove()); })`,
  },
  'is taken out in the task after it was sent at once': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(new Promise(() => {})); setTimeout(() => form.remove()); })`,
  },
  'is reset while it waits for an answer': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.reply = resolve))'),
    act: `async (form) => { form.querySelector('#send').click(); await kit.quiet([]); form.reset(); await kit.quiet([]); reply('late'); }`,
  },
  'is cancelled while it waits for an answer': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.reply = resolve))'),
    act: `async (form, { controller }) => { form.querySelector('#send').click(); await kit.quiet([]); controller.abort('why'); reply('late'); }`,
  },
  'is sent again while it waits for an answer': {
    html: WAITING,
    listen: respondWith('new Promise((resolve) => (window.replies ??= []).push(resolve))'),
    act: `async (form) => { const send = form.querySelector('#send'); send.click(); await kit.quiet([]); send.click(); await kit.quiet([]); replies[1]('second'); replies[0]('first'); }`,
  },
  'is sent without an answer while it waits for one': {
    html: WAITING,
    listen: `(form) => { let count = 0; form.addEventListener('submit', (event) => { event.preventDefault(); if (count++ === 0) event.respondWith(new Promise(() => {})); }); }`,
    act: `async (form) => { const send = form.querySelector('#send'); send.click(); await kit.quiet([]); send.click(); }`,
  },
  'answers too early, often and too late': {
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
  'answers in another turn': {
    html: SENT,
    listen: `(form) => form.addEventListener('submit', async (event) => { event.preventDefault(); await null; event.respondWith('done'); })`,
  },
  'is not sent by an event of a script': {
    html: WAITING,
    listen: `(form, note) => form.addEventListener('submit', ({ agentInvoked }) => note(agentInvoked))`,
    act: `(form) => form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))`,
  },
  'changes as it is filled': {
    html: SENT,
    listen: `(form) => { form.elements[0].oninput = () => form.setAttribute('tooltitle', 'new'); form.addEventListener('submit', (event) => { event.preventDefault(); event.respondWith('done'); }); }`,
  },
};

for (const [word, response] of Object.entries({
  'undefined': 'undefined',
  'null': 'null',
  'a number': '5',
  'a text': '"text"',
  'an empty text': '""',
  'true': 'true',
  'an object': '({ a: [1], content: [] })',
  'a list': '[1, "x"]',
  'a function': '() => 1',
  'a date': 'new Date(0)',
  'an error': 'new Error("e")',
  'a promise': 'Promise.resolve({ a: 1 })',
  'a thenable': '({ then(resolve) { resolve("then"); } })',
  'a big number': '10n',
  'a circle': '(() => { const circle = {}; circle.self = circle; return circle; })()',
  'what throws as JSON': '({ toJSON() { throw new Error("e"); } })',
  'what is nothing as JSON': '({ toJSON() {} })',
})) {
  RUNS[`answers with ${word}`] = { html: SENT, listen: respondWith(response) };
}

describe('the same run', () => {
  /** What is seen of each run, by mode and name. @type {Map<string, Record<string, object>>} */
  const seen = new Map();

  before(async () => {
    for (const mode of ['native', 'polyfill']) {
      const results = await inPage(mode, async (page) => {
        const content = Object.entries(RUNS).map(([name, { listen = '() => {}', act }]) => `${JSON.stringify(name)}: { listen: ${listen}, act: ${act} }`);
        // A script of the page itself: Chromium keeps errors in evaluated code from the page.
        await page.addScriptTag({ content: `window.sources = { ${content.join(',\n')} };` });
        const runs = { ...RUNS };
        for (const [name, args] of Object.entries(ARGUMENTS)) {
          runs[`with ${name}`] = { html: `<form toolname="x" tooldescription="d" toolautosubmit>${FIELDS}</form>`, args };
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

  for (const name of [...Object.keys(RUNS), ...Object.keys(ARGUMENTS).map((one) => `with ${one}`)]) {
    test(name, () => {
      const expected = seen.get('native')[name];
      assert.ok(expected.log.length > 0, 'something happened');
      assert.deepEqual(seen.get('polyfill')[name], expected);
    });
  }
});

describe('where Chromium is broken the bridge is not', () => {
  test('numbers keep their digits', async () => {
    const seen = await look('polyfill', async () => {
      await forms.show('<form toolname="t" tooldescription="d"><input name="text"><input name="number" type="number" step="any"><button>Send</button></form>');
      void document.modelContext.executeTool(kit.handle('t'), { text: 12345678901, number: 0.1234567891 });
      await kit.quiet([]);
      return [...new FormData(document.querySelector('form')).values()];
    });
    assert.deepEqual(seen, ['12345678901', '0.1234567891']);
  });

  test('a second call of a form in use is refused, and the first goes on', async () => {
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

  test('a form that is taken out as it is filled ends its call', async () => {
    const seen = await look('polyfill', async () => {
      await forms.show('<form toolname="t" tooldescription="d" toolautosubmit><input name="a" oninput="form.remove()"></form>');
      return kit.outcome(() => document.modelContext.executeTool(kit.handle('t'), { a: 'v' }));
    });
    assert.equal(seen, 'UnknownError: Tool execution cancelled, since tool definition was updated');
  });

  test('a form takes away no tool but its own', async () => {
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

  test('half a surrogate pair is kept, and a Symbol is a failure', async () => {
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

describe('what the bridge does its own way', () => {
  test('a user who sends a form with mistakes may correct them', async () => {
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

  test('a form that is moved stays the tool it was, and its call goes on', async () => {
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

  test('a script that comes late finds the forms that are there', async () => {
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

  test('whoever is the first to ask for tools finds the forms that are there', async () => {
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

  test('a form of a rewritten document answers', async () => {
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

  test('forms are left to native WebMCP that comes late', async () => {
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
    // Chromium makes no tool of a form that was there before the token.
    assert.deepEqual(seen, [false, ['late', 'script'], 'UnknownError: Tool execution cancelled, since tool definition was updated']);
  });
});

describe('a call over the port', () => {
  test('is answered as the form answers', async () => {
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

  test('tells its relay while the user has to send the form', async () => {
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

  test('tells of an older tool that asks its user what kind of wait that is', async () => {
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
  /** Keep what the page needs itself, and spoil what it can: each use is written down and fails. Runs in the page. */
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

  /** Evaluates in a world of its own in the same document, as a content script is. */
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

  test('neither breaks nor watches the forms', async () => {
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

forBothModes('forms for an agent', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  test('a form that may be sent answers', async () => {
    const page = await stage.begin(stage.site.url('forms.html'), { tools: 2 });
    await stage.panel.ask('call findTable {"day":"2030-01-02","guests":5}');
    await stage.panel.unfold();
    const [{ state, result }] = await stage.panel.calls();
    assert.equal(state, 'ok');
    assert.match(result, /20:30/);
    assert.equal(await page.$eval('#answer', (node) => node.value), '{"day":"2030-01-02","free":["20:30"]}');
  });

  test('a form that its user has to send waits for that', async () => {
    const page = await stage.begin(stage.site.url('forms.html'), { tools: 2 });
    await stage.panel.say('call bookTable {"name":"A guest","place":"out"}');
    await until(() => page.$eval('#book', (form) => form.elements.place.value === 'out'), { what: 'the form to be filled in' });
    await stage.panel.call('bookTable', 'waiting');
    await page.click('#book button');
    await stage.panel.call('bookTable', 'ok');
    assert.equal(await page.$eval('#answer', (node) => node.value), '{"booked":"A guest","place":"out"}');
  });
});
