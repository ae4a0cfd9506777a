/** What the tests of page actions share: one browser a file, one tab, pages written in the test. */

import { after, before } from 'node:test';

import { Actions } from './actions.mjs';

/** Set up a browser for the tests of a file. */
export function acting() {
  const own = {
    /** @type {Actions} */
    actions: undefined,
    /** @type {import('puppeteer-core').Page} */
    page: undefined,

    /** Show a page, or HTML, with the script in its frames. */
    async on(what) {
      await own.actions.go(own.page, what);
      await own.actions.attach(own.page);
      return own.page;
    },

    /** Do something; the answer. */
    act: (act, target, more = {}, frameId = 0) => own.actions.act(own.page, act, target, more, frameId),

    /** Read something in the page. */
    see: (fn, ...args) => own.page.evaluate(fn, ...args),

    /** Events that the page logged in `log`. */
    log: () => own.page.evaluate(() => globalThis.log),
  };
  before(async () => {
    own.actions = await Actions.start();
    own.page = await own.actions.open('<p>empty');
  });
  after(() => own.actions?.stop());
  return own;
}

/** The codes of what became of an action. */
export const kinds = ({ became }) => became.map(({ kind }) => kind);
