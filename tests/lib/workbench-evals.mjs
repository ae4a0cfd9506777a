/** Evals in the workbench, as a test uses them. */

import { testId } from './panel.mjs';
import { until } from './wait.mjs';

/** A case in which the scripted model is told what to call. */
export const ofCalls = (name, expectedCall, content = calls(expectedCall)) => ({
  name,
  messages: [{ role: 'user', type: 'message', content }],
  expectedCall,
});

/** What makes the scripted model call these tools, one after the other. */
export const calls = (nodes) =>
  nodes.map(({ functionName, arguments: input = {} }) => `call ${functionName} ${JSON.stringify(input)}`).join('\nthen\n');

/** A suite of our own format. */
export const suiteOf = (cases, more = {}) => ({ format: 'sidecar-suite', version: 1, name: 'Trial', ...more, cases });

export class BenchEvals {
  /** @param {import('./workbench.mjs').Workbench} bench */
  constructor(bench) {
    this.bench = bench;
    this.page = bench.page;
  }

  /** Show the view with the form of the next eval. */
  async show() {
    await this.bench.click('bench-evals');
    await this.page.waitForSelector('main[data-view="evals"]');
    await until(
      async () => {
        if (await this.page.$(testId('evals-form'))) return true;
        await this.page.$(testId('evals-back')).then((back) => back?.click());
        return false;
      },
      { what: 'the form of an eval' },
    );
  }

  /** Paste a suite into the form. */
  async paste(suite) {
    await this.show();
    const text = typeof suite === 'string' ? suite : JSON.stringify(suite);
    if (!(await this.page.$eval(testId('evals-paste-toggle'), (toggle) => toggle.parentElement.open))) await this.bench.click('evals-paste-toggle');
    await this.#type('evals-paste', text);
    await this.bench.click('evals-read');
  }

  /** Choose exactly these models of the custom service. */
  async choose(models) {
    const shown = () => this.page.$$eval(testId('evals-model'), (boxes) => boxes.map((box) => ({ model: box.dataset.model, checked: box.checked })));
    for (const model of models) {
      if ((await shown()).some((one) => one.model === `custom:${model}`)) continue;
      await this.page.select(testId('evals-service'), 'custom');
      await this.#type('evals-another', model);
      await this.bench.click('evals-add');
      await this.bench.see('evals-model', `[data-model="custom:${model}"]`);
    }
    for (const { model, checked } of await shown()) {
      if (checked !== models.includes(model.slice('custom:'.length))) await this.bench.click('evals-model', `[data-model="${model}"]`);
    }
  }

  /** Type a figure. */
  figure(id, text) {
    return this.#type(`evals-${id}`, String(text));
  }

  /** Choose a page as the one with the tools. */
  live(address, options) {
    return this.#inPage('evals-live', address, options);
  }

  /** Choose a page in which the expected calls are made without a model. */
  smoke(address, options) {
    return this.#inPage('evals-smoke', address, options);
  }

  /** Choose the page of simulations, which have no other stage. */
  async simulate(address, options) {
    await this.bench.see('evals-simulation');
    await this.#address(address, options);
  }

  async #inPage(stage, address, options) {
    await this.bench.click(stage);
    await this.#address(address, options);
  }

  async #address(address, { letThrough = false } = {}) {
    await this.#type('evals-address', address);
    await this.bench.click(letThrough ? 'evals-let-through' : 'evals-held');
  }

  /** Answer the question, and wait until the eval is open. */
  async start() {
    await this.bench.click('evals-continue');
    await this.bench.see('evals-question', '[data-ready="true"]');
    await this.bench.click('evals-start');
    await this.bench.see('evals-opened');
  }

  /** Wait until the open eval is as wanted. */
  is(state, timeout = 30_000) {
    return this.page.waitForSelector(`${testId('evals-state')}[data-state="${state}"]`, { visible: true, timeout });
  }

  /** Wait until so many runs are made. */
  made(count) {
    return this.page.waitForFunction(
      (selector, count) => Number(document.querySelector(selector)?.getAttribute('aria-valuenow')) >= count,
      { timeout: 20_000 },
      testId('evals-progress'),
      count,
    );
  }

  /** The looks of all cells, by case and model. */
  async matrix() {
    return this.page.$$eval(
      testId('evals-case'),
      (rows, cell) =>
        Object.fromEntries(
          rows.map((row) => [
            row.dataset.name,
            Object.fromEntries([...row.closest('tr').querySelectorAll(cell)].map((one) => [one.dataset.model, `${one.dataset.look} ${one.innerText.match(/\d+\/\d+/)?.[0]}`])),
          ]),
        ),
      testId('evals-cell'),
    );
  }

  async #type(id, text) {
    const field = await this.bench.see(id);
    await field.evaluate((node, text) => {
      node.focus();
      node.value = text;
      node.dispatchEvent(new InputEvent('input', { bubbles: true }));
      node.dispatchEvent(new Event('change', { bubbles: true }));
    }, text);
  }
}
