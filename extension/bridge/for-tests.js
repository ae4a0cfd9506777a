/**
 * What the test bridge (../test-bridge/) cannot know from `document.modelContext`. A page that asks gets nothing that it
 * could not find out otherwise: a script that connects as a relay does is told both.
 */

import { ASK } from '../shared/in-page.js';
import { clock, freeze, listen, stopImmediatePropagation } from './captured.js';
import { expected, MAX_EXPECTED } from './expected.js';
import { define } from './safe.js';
import { shownNames } from './skills.js';

/** Number of calls so far. */
let calls = 0;

const answers = freeze({
  __proto__: null,
  skillTools: () => shownNames(),

  /**
   * Announces a call that the page makes itself.
   *
   * @param {string} toolName
   * @param {object} args out of JSON
   * @param {(words: string) => void} failed is told why its tool failed
   * @returns {() => void} undoes it
   */
  expect(toolName, args, failed) {
    if (expected.size >= MAX_EXPECTED) return () => {};
    calls += 1;
    const requestId = `test.${calls}`;
    expected.set(requestId, { __proto__: null, port: undefined, requestId, toolName, args, failed });
    return () => expected.delete(requestId);
  },
});

export function answerTests() {
  listen(clock, ASK, (event) => {
    stopImmediatePropagation(event);
    define(event, 'answers', { value: answers });
  });
}
