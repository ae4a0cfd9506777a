/** Packages that have the name of a SKILL that is there, and those that are revoked: in the panel. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ExtensionCopy } from '../lib/extension-copy.mjs';
import { SkillsView, filesOf, shopSkill, zip } from '../lib/packages.mjs';
import { testId } from '../lib/panel.mjs';
import { SHOP } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { Stage } from '../lib/stage.mjs';

/** Tools of the SKILL that ships, on the shop's first page. */
const SHIPPED = 5;

const REASON = 'It sends what it reads elsewhere.';
const LINK = 'https://revoked.example/1';
/** A list that revokes a version of each. */
const REVOKED = [
  { id: 'shop-notes', versions: ['6.6.6'], reason: { en: REASON, zh: '它会把读到的内容发往别处。' }, link: LINK },
  { id: 'hacker-news', reason: { en: REASON } },
];

describe('SKILLs of one name', () => {
  /** @type {ExtensionCopy} */
  let extension;
  /** @type {Stage} */
  let stage;
  /** @type {import('../lib/site.mjs').Site} */
  let shop;
  /** @type {SkillsView} */
  let view;
  before(async () => {
    extension = await ExtensionCopy.make((copy) => writeFile(path.join(copy.folder, 'skills', 'revoked.json'), JSON.stringify(REVOKED)));
    [stage, shop] = await Promise.all([Stage.set({ extension: extension.folder }), serve(SHOP)]);
    view = new SkillsView(stage.panel);
    await stage.begin(shop.url('', `http://shop.localhost:${shop.port}`), { tools: SHIPPED });
  });
  after(async () => {
    await Promise.all([stage?.strike(), shop?.close()]);
    await extension?.remove();
  });

  const pack = (skill) => zip(filesOf(skill));
  const same = (more = '') => stage.panel.see('skill-same-name', more);
  const said = async () => (await same()).evaluate((node) => node.innerText);

  test('a package of another source says which SKILL is there and from where, before the last click', async () => {
    await view.choose('one.zip', pack(shopSkill()));
    assert.equal(await stage.panel.page.$(testId('skill-same-name')), null, 'the name is free');
    await view.install();
    await view.choose('two.zip', pack(shopSkill({ version: '1.1.0' })));
    await same('[data-level="imported"][data-other="false"]');
    assert.match(await said(), /Notes on the shop · 1\.0\.0 · imported · From one\.zip[\s\S]*1\.1\.0 · From two\.zip[\s\S]*takes the place/);

    await stage.panel.click('skill-own');
    await same('[data-other="true"]');
    assert.match(await said(), /comes in as your own/);
    await stage.panel.click('skill-own');
    await same('[data-other="false"]');

    const server = createServer((_, response) => response.end(pack(shopSkill({ version: '1.2.0' }))));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    try {
      const address = `http://127.0.0.1:${server.address().port}/shop.zip`;
      await view.open();
      await stage.panel.click('skill-add');
      await view.enter(address);
      await stage.panel.click('skill-fetch');
      await same('[data-level="imported"][data-other="true"]');
      const told = await said();
      assert.match(told, /The name shop-notes is taken/);
      assert.match(told, /another source/);
      assert.ok(told.includes('From one.zip') && told.includes(`From ${address}`), told);
      await view.open();
      await view.unfold('shop-notes');
      assert.match(await stage.panel.page.$eval(view.card('shop-notes'), (node) => node.innerText), /1\.0\.0/, 'looking installs nothing');
    } finally {
      server.close();
    }
  });

  test('what others made does not take the place of a SKILL that ships; what the user made does, until it is removed', async () => {
    await view.choose('shop.zip', pack(shopSkill({ id: 'demo-shop', version: '9.0.0' })));
    await same('[data-level="shipped"][data-other="true"]');
    assert.match(await said(), /part of the extension, and a SKILL of others cannot take its place/);
    const install = await stage.panel.see('skill-install');
    assert.equal(await install.evaluate((node) => node.getAttribute('aria-disabled')), 'true');
    await install.click();
    await stage.panel.see('skill-review', '[data-id="demo-shop"]');
    await stage.panel.click('skill-own');
    await stage.panel.page.waitForSelector(`${testId('skill-install')}:not([aria-disabled="true"])`);
    assert.match(await said(), /takes the place of the one that is part of the extension, until you remove it/);
    await stage.panel.click('skill-install');
    await stage.panel.see('skill-add');
    await stage.panel.page.waitForSelector(`${view.card('demo-shop')}[data-level="own"]`);
    await view.unfold('demo-shop');
    await view.press('demo-shop', testId('skill-remove'));
    await stage.panel.page.waitForSelector(`${view.card('demo-shop')}[data-level="shipped"]`);
  });

  test('SKILL case 43: a revoked package is refused with its reason, and a SKILL that is revoked is off and says why', async () => {
    await view.choose('bad.zip', pack(shopSkill({ version: '6.6.6' })));
    await stage.panel.see('skill-outcome', '[data-outcome="refused"]');
    const problem = await stage.panel.see('skill-problem', '[data-code="revoked"][data-error="true"]');
    const told = await problem.evaluate((node) => node.textContent);
    assert.ok(told.includes(REASON) && told.includes(LINK), told);
    await view.open();
    await view.state('hacker-news', 'revoked');
    assert.ok((await stage.panel.page.$eval(view.card('hacker-news'), (node) => node.textContent)).includes(REASON));
  });
});
