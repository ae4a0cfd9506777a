/** Code that a SKILL runs when a page becomes its own, and when it ceases to be. */
// lane: alone (checks a limit of one second)

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SkillsView, allowUserScripts, filesOf, shopSkill, tool, zip } from '../lib/packages.mjs';
import { Stage } from '../lib/stage.mjs';
import { quick, until } from '../lib/wait.mjs';

/** How long code may take to begin, by the page's own clock. */
const LIMIT = 1_000;

const FOR = ['http://localhost/*'];

/** Notes in the page and for its site when it ran, where, and in which document. */
const notes = (what) => `
const { dataset } = document.documentElement;
const note = ['${what}', performance.now(), location.pathname];
dataset.notes = JSON.stringify([...JSON.parse(dataset.notes ?? '[]'), note]);
localStorage.notes = (localStorage.notes ?? '') + '${what} in ' + document.title + '; ';`;

/** A SKILL with code for all pages but one, and a tool that there is on one page alone. */
function lifecycle() {
  const code = tool('count_headings', { class: 'acting', code: { file: 'webmcp/count.js', world: 'isolated' } });
  const more = tool('read_heading', {
    pages: ['second'],
    steps: [{ do: 'read', at: 'heading', what: 'text', as: 'heading' }, { do: 'return', value: { heading: '{{heading}}' } }],
  });
  const skill = {
    ...shopSkill({ id: 'lifecycle', match: FOR }),
    exclude: ['http://localhost/closed*'],
    permissions: { sites: FOR, acts: ['count_headings'], code: 'isolated' },
    pages: { second: { match: ['http://localhost/second*'], probes: [{ at: 'heading', is: 'present' }] } },
    locators: { heading: { any: [{ css: 'h1' }] } },
    tools: [code, more],
    onActivate: { file: 'webmcp/begin.js' },
    onDeactivate: { file: 'webmcp/end.js' },
  };
  const files = { count: 'return document.querySelectorAll("h1").length;', begin: notes('begin'), end: notes('end') };
  const named = Object.entries(files).map(([name, text]) => [`lifecycle/webmcp/${name}.js`, text]);
  return zip({ ...filesOf(skill), ...Object.fromEntries(named) });
}

describe('code that runs as pages come and go', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.use('call-tool');
    await allowUserScripts(stage, true);
    const view = new SkillsView(stage.panel);
    await view.choose('lifecycle.zip', lifecycle());
    await view.install({ own: true });
    await stage.panel.view('chat');
  });
  after(() => stage?.strike());

  const put = (file, title) => stage.site.put(file, `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>`);
  /** A new document at the first address, at which the SKILL has one tool. */
  const begin = async () => {
    const page = await stage.begin(put('first.html', 'One'), { tools: 1 });
    await ran(page, ['begin']);
    return page;
  };
  /** What ran in the page's document so far. */
  const all = (page) => page.evaluate(() => JSON.parse(document.documentElement.dataset.notes ?? '[]'));
  /** Wait until that much has run in the page's document, and is what is wanted. */
  const ran = async (page, wanted) => {
    const found = await until(async () => (await all(page)).length >= wanted.length && all(page), { what: `${wanted} in the page` });
    assert.deepEqual(found.map(([what]) => what), wanted);
    return found;
  };
  /** Move the page to another address in its document. When that was, by its own clock. */
  const moves = (page, to) =>
    page.evaluate((address) => {
      history.pushState({}, '', address);
      return performance.now();
    }, to);

  test('onActivate runs within a second after the page is there, in each new document, and a document that is left runs nothing more', async () => {
    const began = async (page) => {
      const [[, at]] = await ran(page, ['begin']);
      return at - (await page.evaluate(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd));
    };
    const page = await begin();
    const second = put('second.html', 'Two');
    const first = page.url();
    const open = async (address) => {
      await page.goto(address);
      return began(page);
    };
    await quick(LIMIT, () => open(first), 'onActivate in a document that was loaded again');
    await page.evaluate(() => localStorage.clear());
    await quick(LIMIT, () => open(second), 'onActivate in another document');
    await stage.panel.knows(2);
    const left = await page.evaluate(() => localStorage.notes);
    assert.match(left, /^(begin in Two; )+$/);
  });

  test('it runs once a document: not at another address that fits, and again when the address fits again', async () => {
    const page = await begin();
    await moves(page, '/second.html');
    await stage.panel.knows(2);
    await moves(page, '/closed.html');
    await ran(page, ['begin', 'end']);
    await stage.panel.knows(0);
    await moves(page, '/first.html');
    const [, , [, , where]] = await ran(page, ['begin', 'end', 'begin']);
    assert.equal(where, '/first.html');
    await stage.panel.knows(1);
  });

  test('a worker that comes after one that died does not run it again in a document where it ran', async () => {
    const page = await begin();
    await stage.chromium.killWorker();
    await moves(page, '/second.html');
    await stage.panel.knows(2);
    await moves(page, '/closed.html');
    await ran(page, ['begin', 'end']);
  });

  test('onDeactivate runs within a second after the page has led elsewhere in its document, and onActivate after it is back', async () => {
    const page = await begin();
    const notes = ['begin'];
    const took = async (to, what) => {
      const moved = await moves(page, to);
      notes.push(what);
      const [, at] = (await ran(page, notes)).at(-1);
      return at - moved;
    };
    const back = [];
    const away = async () => {
      const gone = await took('/closed.html', 'end');
      back.push(await took('/first.html', 'begin'));
      return gone;
    };
    await quick(LIMIT, away, 'onDeactivate');
    assert.ok(Math.min(...back) < LIMIT, `onActivate took ${back.join(', ')} ms`);
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
