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

describe('tests of a package', () => {
  let extension;
  /** @type {SkillCalls} */
  let calls;
  let template;
  before(async () => {
    template = JSON.parse(await made('skill.json', 'my-site'));
    extension = await extensionWith({ more: [STRICT, LOOSE, template] });
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

  test('a locator that takes in too much brings a wrong value, a strict one does not', async () => {
    const strict = await run('strict', wanting('strict', listed));
    assert.equal(strict.problem, undefined);
    assert.equal(sums([strict]).wrong, 0, JSON.stringify(strict.mutations));
    const loose = await run('loose', wanting('loose', listed));
    assert.equal(loose.problem, undefined);
    assert.deepEqual(loose.mutations.filter(({ verdict }) => verdict === 'wrong').map(({ kind }) => kind), ['copy']);
  });
});
