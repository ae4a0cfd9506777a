/** `cargo xtask skills test`: what passes, and what does not. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { SkillCalls } from '../lib/skill-kit/calls.mjs';
import { extensionWith } from '../lib/skill-kit/extension.mjs';
import { runTest, sums } from '../lib/skill-kit/run.mjs';
import { ROOT } from '../lib/paths.mjs';

const TEMPLATE = path.join(ROOT, 'xtask', 'src', 'skills', 'template');

/** A file of what `cargo xtask skills new` makes. */
const made = async (file, name) => (await readFile(path.join(TEMPLATE, file), 'utf8')).replaceAll('NAME', name).replaceAll('WORDS', name.replaceAll('-', '_'));

/** A page with a list, for a SKILL that may look at it too loosely. */
const LIST = `<!doctype html><html lang="en"><title>Tides</title><body><nav><a href="/about">About</a></nav>
  <main><h1>Tides</h1><ul class="tides"><li class="tide"><b>High</b> <i>4.1</i></li><li class="tide"><b>Low</b> <i>0.9</i></li></ul></main></body></html>`;

/** A SKILL that lists the tides, and how it finds them. */
const tides = (id, locators) => ({
  id, version: '1.0.0', title: { en: 'Tides' }, summary: { en: 'Tides.' }, match: [`https://${id}.example/*`], permissions: { sites: [] }, locators,
  tools: [{
    name: 'tides', title: { en: 'Tides' }, description: 'Lists tides.', class: 'read', inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    steps: [
      { do: 'extract', each: 'rows', fields: { name: { at: 'name', what: 'text' }, height: { at: 'height', what: 'text', type: 'number', optional: true } }, as: 'rows' },
      { do: 'return', value: { tides: '{{rows}}' } },
    ],
  }],
});
const FIELDS = { name: { any: [{ css: 'b' }] }, height: { any: [{ css: 'i' }] } };
const STRICT = tides('strict', { rows: { any: [{ css: '.tides > .tide' }], visible: true }, ...FIELDS });
const LOOSE = tides('loose', { rows: { any: [{ css: 'li' }] }, ...FIELDS });
/** The first way of this one has gone stale. */
const STALE = tides('stale', { rows: { any: [{ css: '.flood' }, { css: '.tides > .tide' }], visible: true }, ...FIELDS });

describe('tests of a package', () => {
  let extension;
  /** @type {SkillCalls} */
  let calls;
  let template;
  before(async () => {
    template = JSON.parse(await made('skill.json', 'my-site'));
    extension = await extensionWith({ more: [STRICT, LOOSE, STALE, template] });
    calls = await SkillCalls.start({ extension: extension.folder, lanes: 4 });
  });
  after(async () => {
    await calls?.close();
    await extension?.remove();
  });

  const run = (id, one, html = LIST) => runTest(calls, { definition: extension.definitions.get(id), fixtures: [], fixture: async () => html }, one);
  const listed = { tides: [{ name: 'High', height: 4.1 }, { name: 'Low', height: 0.9 }] };
  const wanting = (id, value) => ({ name: 'tides', about: 'Tides.', tool: 'tides', input: {}, url: `https://${id}.example/`, fixture: 'list', expect: { outcome: 'ok', value } });

  test('a new SKILL passes, on all pages as a site may change them', async () => {
    const { problem, mutations } = await run('my-site', JSON.parse(await made('read.json', 'my-site')), await made('start.html', 'my-site'));
    assert.equal(problem, undefined);
    assert.ok(mutations.length > 3);
    assert.deepEqual(mutations.filter(({ verdict }) => verdict === 'wrong'), []);
  });

  test('a test with another value, or another outcome, fails', async () => {
    assert.match((await run('strict', wanting('strict', { tides: [] }))).problem, /the value is not the one that is expected/);
    const other = { ...wanting('strict'), expect: { outcome: 'empty' } };
    assert.match((await run('strict', other)).problem, /the outcome is not empty/);
  });

  const withMore = (id, more) => {
    const one = wanting(id, listed);
    return { ...one, expect: { ...one.expect, ...more } };
  };

  test('a test says by which alternative a locator is found, and fails if it is another one, or if no step looked for it', async () => {
    const worn = { worn: ['rows'] };
    // At once: the extension keeps the last run of a SKILL only.
    const runs = await Promise.all(
      [{ rows: 2 }, { rows: 1 }, { name: 1 }, {}].map((alternative) => run('stale', withMore('stale', { ...worn, alternative }))),
    );
    const [right, other, unseen, none] = runs;
    assert.equal(right.problem, undefined);
    assert.equal(sums([right]).wrong, 0, JSON.stringify(right.mutations));
    assert.equal(other.problem, 'rows was found by alternative 2, not 1');
    assert.match(unseen.problem, /^no step found name, /);
    assert.equal(none.problem, undefined);
    assert.equal((await run('strict', withMore('strict', { alternative: { rows: 1 } }))).problem, undefined);
  });

  test('a text that is never to be given fails a test, in the value, in a message, and on a changed page', async () => {
    const ad = LIST.replace('</ul>', '<li class="tide"><b>Boats "for hire"</b></li></ul>');
    const rows = { tides: [...listed.tides, { name: 'Boats "for hire"' }] };
    const wanted = { ...wanting('strict', rows), expect: { outcome: 'ok', value: rows, never: ['Boats "for'] } };
    assert.match((await run('strict', wanted, ad)).problem, /^"Boats \\"for" is never to be given: /);
    assert.equal((await run('strict', withMore('strict', { never: ['Boats'] }), LIST)).problem, undefined);
    const gone = { ...wanting('strict'), expect: { outcome: 'changed', never: ['steps[0]'] } };
    assert.match((await run('strict', gone, '<!doctype html><p>Closed')).problem, /^"steps\[0\]" is never to be given: Error/);
    const long = { tides: listed.tides.map(({ name, height }) => ({ name: `${name} water of the day`, height })) };
    const again = { ...wanting('strict', long), expect: { outcome: 'ok', value: long, never: ['(again)'] } };
    const { problem, mutations } = await run('strict', again, LIST.replace(/High|Low/g, '$& water of the day'));
    assert.equal(problem, undefined);
    const wrong = mutations.filter(({ verdict }) => verdict === 'wrong').map(({ kind, why }) => `${kind}: ${why.slice(0, 9)}`);
    assert.deepEqual(wrong, ['row: "(again)"'], 'a row that was added');
  });

  test('what a test expects has a form: other keys, names and numbers fail it', async () => {
    for (const [more, problem] of [
      [{ nevr: [] }, /^expect has nevr/],
      [{ never: 'Boats' }, /^expect\.never has to be/],
      [{ never: [''] }, /^expect\.never has to be/],
      [{ never: ['x'.repeat(201)] }, /^expect\.never has to be/],
      [{ never: Array(21).fill('x') }, /^expect\.never has to be/],
      [{ alternative: 2 }, /^expect\.alternative has to be an object/],
      [{ alternative: { tide: 1 } }, /tide, which is no name in locators/],
      [{ alternative: { rows: 0 } }, /rows has to be a number from 1 to 1/],
      [{ alternative: { rows: 2 } }, /rows has to be a number from 1 to 1/],
      [{ outcome: undefined }, /^expect has no outcome/],
    ]) {
      assert.match((await run('strict', withMore('strict', more))).problem, problem);
    }
  });

  test('a locator that takes in too much brings a wrong value, a strict one does not', async () => {
    const strict = await run('strict', wanting('strict', listed));
    assert.equal(strict.problem, undefined);
    assert.equal(sums([strict]).wrong, 0, JSON.stringify(strict.mutations));
    const loose = await run('loose', wanting('loose', listed));
    assert.equal(loose.problem, undefined);
    assert.deepEqual(loose.mutations.filter(({ verdict }) => verdict === 'wrong').map(({ kind }) => kind), ['copy']);
  });
});
