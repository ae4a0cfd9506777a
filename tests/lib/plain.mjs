/** A browser that has WebMCP and no extension: what pages see there is what they have to see anywhere. */

import assert from 'node:assert/strict';

import { launch } from './browser.mjs';
import { KIT } from './conformance.mjs';

/** Started when it is first asked. */
export class Plain {
  /** @type {Promise<import('./browser.mjs').Chromium> | undefined} */
  #chromium;

  /**
   * Let a page with the extension and one without look at the same thing.
   *
   * @param {{ page?: string, rejects?: boolean, look: () => unknown }} observation
   * @param {import('./conformance.mjs').Place} place
   */
  async agrees({ page: file = 'empty.html', rejects = false, look }, { open, problems, site }) {
    const url = site.url(file);
    // A script of the page itself: Chromium keeps rejections in evaluated code from the page's own handlers.
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
