/** The workbench, as a test uses it. */

import { testId } from './panel.mjs';
import { until } from './wait.mjs';

export class Workbench {
  /** @param {import('puppeteer-core').Page} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * Open a workbench that is bound to the tab of a page.
   *
   * @param {import('./browser.mjs').Chromium} chromium
   * @param {string} hash what stands behind `#` in its address
   */
  static async open(chromium, hash) {
    const page = await chromium.open(`${chromium.extensionUrl('workbench.html')}#${hash}`);
    await chromium.speak(page);
    const bench = new Workbench(page);
    await bench.ready();
    return bench;
  }

  /** Wait for its first snapshot. */
  ready() {
    return this.page.waitForSelector(':root[data-ready="true"]');
  }

  /** @param {string} id */
  see(id, more = '') {
    return this.page.waitForSelector(testId(id) + more, { visible: true });
  }

  /** @param {string} id */
  click(id, more = '') {
    return this.page.locator(testId(id) + more).click();
  }

  /** @param {string} id */
  async text(id, more = '') {
    return (await this.see(id, more)).evaluate((node) => node.innerText.trim());
  }

  /** Wait until a text is as it should be. */
  says(id, pattern) {
    return until(async () => pattern.test(await this.text(id)), { what: `${id} to say ${pattern}` });
  }

  /** Open a tool of the list, and wait until its definition is there: what is above the parts may move them until then. */
  async openTool(name) {
    await this.click('bench-row', `[data-name="${name}"]`);
    await until(async () => (await this.text('bench-tool-name')) === name, { what: `the tool ${name}` });
    await this.page.waitForSelector('.bench-part > *');
  }

  /** The selector of a part of a field, by the keys that lead to it. */
  at(keys, id = 'field-input') {
    return [...[keys].flat().map((key) => `${testId('field')}[data-key="${key}"]`), testId(id)].join(' ');
  }

  /** Type into a field in place of what is there. */
  async type(keys, text) {
    const field = await this.page.waitForSelector(this.at(keys), { visible: true });
    await field.evaluate((node, text) => {
      node.focus();
      node.value = text;
      node.dispatchEvent(new InputEvent('input', { bubbles: true }));
      node.dispatchEvent(new Event('change', { bubbles: true }));
    }, text);
  }

  /** Press a button of a field, brought away from the buttons that stay at the bottom. */
  async press(keys, id) {
    const at = this.at(keys, id);
    await (await this.page.waitForSelector(at)).evaluate((node) => node.scrollIntoView({ block: 'center' }));
    await this.page.locator(at).click();
  }

  /** The arguments as JSON text. */
  async raw() {
    await this.click('form-json');
    const text = await (await this.see('form-raw')).evaluate((node) => node.value);
    await this.click('form-fields');
    return text;
  }

  /** Take JSON text as the arguments, and show the form again unless it is to `stay`. */
  async setRaw(text, { stay = false } = {}) {
    await this.click('form-json');
    await (await this.see('form-raw')).evaluate((node, text) => {
      node.value = text;
      node.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }, text);
    if (!stay) await this.click('form-fields');
  }

  /** Run the open tool, and wait for a result that is not the one before. */
  async run() {
    await this.page.$$eval(testId('run-result'), (results) => results.forEach((result) => (result.dataset.old = 'true')));
    await this.click('run-start');
    const result = await this.see('run-result', ':not([data-old])');
    return result.evaluate((node) => ({ state: node.dataset.state, text: node.innerText }));
  }
}
