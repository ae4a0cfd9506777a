/** A browser with native WebMCP and without the extension: the reference for what pages must see. */

import assert from 'node:assert/strict';

import { launch } from './browser.mjs';
import { KIT } from './conformance.mjs';

/** The browser, started on first use. */
export class Plain {
  /** @type {Promise<import('./browser.mjs').Chromium> | undefined} */
  #chromium;

  /**
   * Check that an observation gives the same with the extension and without.
   *
   * @param {{ page?: string, rejects?: boolean, look: () => unknown }} observation
   * @param {import('./conformance.mjs').Place} place
   */
  async agrees({ page: file = 'empty.html', rejects = false, look }, { open, problems, site }) {
    const url = site.url(file);
    // In a script element, because Chromium does not report rejections in evaluated code to the page's handlers.
    const observe = async (page) => {
      await page.addScriptTag({ content: `window.observation = ({ ${look} }).look;` });
      return page.evaluate(() => observation());
    };
    const expected = await this.#inPage(url, observe);
    assert.deepEqual(await observe(await open(url)), expected);
    if (rejects) problems.splice(0);
  }

  /** Close it. */
  async close() {
    await (await this.#chromium)?.close();
  }

  async #inPage(url, observe) {
    this.#chromium ??= launch({ native: true, extension: null });
    const page = await (await this.#chromium).open();
    try {
      await page.evaluateOnNewDocument(KIT);
      await page.goto(url);
      return await observe(page);
    } finally {
      await page.close();
    }
  }
}
