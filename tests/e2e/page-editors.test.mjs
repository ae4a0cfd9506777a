/** Page actions: rich editors have the text once, in their model, or it is said that they have not. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';
import { bundled } from '../lib/bundled.mjs';

const EDITORS = ['plain', 'prosemirror', 'lexical', 'quill', 'codemirror', 'slate'];
const EDITOR = '[contenteditable=true]';

describe('page actions: editors', () => {
  const own = acting();
  const { on, act, see } = own;

  async function open(name) {
    own.actions.site.put(`actions/editor-${name}.js`, await bundled(`editor-${name}`));
    await on(`<style>#app { border: 1px solid; min-height: 100px }</style><div contenteditable=true id=other>mine</div><div id=app></div><script src="/actions/editor-${name}.js"></script>`);
    await own.page.waitForFunction(() => globalThis.model?.() === 'old words');
  }
  const write = (text, more) => act('fill', `#app ${EDITOR}, #app${EDITOR}`, { text, ...more });

  for (const name of EDITORS) {
    test(`case 62: ${name} has what was written once, in its model: one line, three, appended, none`, async () => {
      await open(name);
      for (const [text, more, model] of [
        ['one line', {}, 'one line'],
        [' and more', { append: true }, 'one line and more'],
        ['first\nsecond\nthird', {}, 'first\nsecond\nthird'],
        ['again', {}, 'again'],
      ]) {
        const { outcome, why } = await write(text, more);
        assert.deepEqual([text, outcome, why, await see(() => model())], [text, 'ok', undefined, model]);
      }
      const { outcome, why } = await write('');
      assert.deepEqual([outcome, why, await see(() => model().trim())], ['ok', undefined, '']);
      assert.equal(await see(() => other.textContent), 'mine');
    });
  }

  test('case 63: an editor that takes the text back is blocked, with what stands there', async () => {
    await on(`<div contenteditable=true id=e>old</div><script>e.oninput = () => setTimeout(() => (e.textContent = 'old'), 50)</script>`);
    const result = await act('fill', '#e', { text: 'new' });
    assert.deepEqual([result.outcome, result.why.code, result.why.text], ['blocked', 'reverted', 'old']);
  });
});
