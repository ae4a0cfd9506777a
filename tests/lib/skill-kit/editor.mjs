/** Mutates fixtures: in an empty page, because Node.js reads no HTML. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { TESTS } from '../paths.mjs';
import { offline } from '../skill-packages.mjs';

const FOLDER = path.join(TESTS, 'lib', 'skill-kit', 'page');
/** No SKILL is for it. */
const SITE = 'https://fixtures.example/';

export class FixtureEditor {
  #page;

  /** @param {import('puppeteer-core').Page} page a tab of its own */
  static async in(page) {
    const editor = new FixtureEditor();
    editor.#page = page;
    await offline(page, async ({ pathname }) => {
      if (pathname === '/') return { body: '<!doctype html><title>Fixtures</title>' };
      return { type: 'text/javascript; charset=utf-8', body: await readFile(path.join(FOLDER, path.basename(pathname)), 'utf8') };
    });
    await page.goto(SITE);
    return editor;
  }

  #do(name, wanted) {
    return this.#page.evaluate(async (file, one, message) => (await import(file))[one](message), `${SITE}mutate.mjs`, name, wanted);
  }

  /** @returns {Promise<({ html: string, count: number } | null)[]>} */
  mutate = (wanted) => this.#do('mutate', wanted);
  /** @returns {Promise<boolean>} */
  holdsIn = (wanted) => this.#do('holdsIn', wanted);
  /** @returns {Promise<string>} */
  languageOf = (wanted) => this.#do('languageOf', wanted);
}
