/**
 * Steps of a SKILL on pages of one's own, through the whole extension: the demo shop's SKILL in a copy of the extension, with
 * other steps. `shop_search` only reads, `shop_add_to_basket` acts: the build found that out of the usual steps, so steps that
 * act are for the latter. Three outcomes `changed` in a row, each in a document of its own, would pause the SKILL.
 */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ExtensionCopy } from './extension-copy.mjs';
import { Stage } from './stage.mjs';
import { answerOf } from './skill-kit/answer.mjs';

const READS = 'shop_search';
const ACTS = 'shop_add_to_basket';

export class StepStage {
  /** @type {ExtensionCopy} */
  #extension;
  #definition;

  static async set() {
    const steps = new StepStage();
    steps.#extension = await ExtensionCopy.make();
    try {
      steps.#definition = JSON.parse(await readFile(steps.#file, 'utf8'));
      steps.stage = await Stage.set({ extension: steps.#extension.folder });
      await steps.stage.use('call-tool');
    } catch (error) {
      await steps.strike();
      throw error;
    }
    return steps;
  }

  async strike() {
    await this.stage?.strike();
    await this.#extension.remove();
  }

  get #file() {
    return path.join(this.#extension.folder, 'skills', 'demo-shop.json');
  }

  /** Where a page of the SKILL's sites is. */
  at(file) {
    return this.stage.site.url(`steps/${file}`, `http://shop.localhost:${this.stage.site.port}`);
  }

  /** Show a page, or another one besides. */
  put(file, html, headers) {
    this.stage.site.put(`steps/${file}`, `<!doctype html><html lang="en"><meta charset="utf-8"><title>Steps</title>${html}</html>`, headers);
    return this.at(file);
  }

  /** Begin a test on a page. */
  async on(html) {
    this.page = await this.stage.begin(this.put('page.html', html), { tools: 5 });
    return this.page;
  }

  /** The steps of the next call, and what they find. @param {object[]} steps @param {Record<string, string | object>} locators */
  async does(steps, locators = {}, more = {}) {
    const found = Object.entries(locators).map(([name, one]) => [name, typeof one === 'string' ? { any: [{ css: one }] } : one]);
    const tools = this.#definition.tools.map((tool) => ([READS, ACTS].includes(tool.name) ? { ...tool, steps } : tool));
    await writeFile(this.#file, JSON.stringify({ ...this.#definition, ...more, tools, locators: { ...this.#definition.locators, ...Object.fromEntries(found) } }));
  }

  /** Begin a call of the tool that acts, as far as it runs. */
  async act() {
    await this.stage.panel.say(`call ${ACTS} {}`);
    await this.stage.panel.see('approval');
    await this.stage.panel.decide('run');
  }

  /** Begin a call of the tool that reads. @param {string} query the input of this name */
  read(query = 'x') {
    return this.stage.panel.say(`call ${READS} ${JSON.stringify({ query })}`);
  }

  /** What came of the call that was begun. @returns {Promise<import('./skill-kit/answer.mjs').Answer>} */
  async answer() {
    await this.stage.panel.rest();
    const requests = await this.stage.model.requests();
    return answerOf(requests.at(-1).body.messages.findLast(({ role }) => role === 'tool').content);
  }

  /** Act with these steps on a page: what came of it. */
  async acts(html, steps, locators) {
    await this.does([...steps, { do: 'return', value: { done: true } }], locators);
    await this.on(html);
    await this.act();
    return this.answer();
  }

  /** Read with these steps on a page: what came of it. */
  async reads(html, steps, locators, more) {
    await this.does(steps, locators, more);
    await this.on(html);
    await this.read();
    return this.answer();
  }
}
