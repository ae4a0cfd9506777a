/** Waiting for a text or an element to come or to go. */

import { pause } from './clock.js';
import { childrenOf, dataOf, ELEMENT, isHiddenTab, parentOf, rootElement, tagOf, TEXT, typeOf } from './dom.js';
import { hiddenBecause, isShown } from './shown.js';
import { resolve } from './target.js';
import { fold, folded } from './text.js';
import { ActionError } from './why.js';

const LONGEST = 30_000;
const EVERY = 100;
const MAX_NODES = 100_000;
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'head']);

/** Whether a text can be read on the page: over the borders of inline elements, without case and width. */
function hasText(wanted) {
  let text = '';
  const parents = [];
  let nodes = 0;
  const stack = [rootElement()];
  while (stack.length && nodes < MAX_NODES) {
    nodes += 1;
    const node = stack.pop();
    if (typeOf(node) === TEXT) {
      text += dataOf(node);
      parents.push({ end: text.length, node });
    } else if (typeOf(node) === ELEMENT && !UNSEEN.has(tagOf(node))) stack.push(...childrenOf(node).reverse());
  }
  // Most looks find nothing: whether it is shown is asked only of what fits.
  if (!folded(fold(text)).includes(wanted)) return false;
  const visible = parents.filter(({ node }) => {
    const parent = parentOf(node);
    return parent && !['display', 'visibility', 'gone'].includes(hiddenBecause(parent));
  });
  return folded(fold(visible.map(({ node }) => dataOf(node)).join(''))).includes(wanted);
}

function isThere({ text, target }) {
  if (text !== undefined) return hasText(text);
  try {
    return isShown(resolve(target));
  } catch (error) {
    if (error instanceof ActionError && error.why?.code === 'several') return true;
    if (error instanceof ActionError && error.outcome !== 'badInput') return false;
    throw error;
  }
}

/** @param {{ text?: string, target?: string, gone?: boolean, timeout?: number }} message */
export async function wait({ text, target, gone = false, timeout = 10_000 }) {
  const wanted = typeof text === 'string' ? { text: folded(fold(text)).trim() } : { target };
  if (wanted.text === '') throw new ActionError('badInput', 'malformed');
  const until = performance.now() + Math.min(Math.max(Number(timeout) || 0, 0), LONGEST);
  for (;;) {
    if (isThere(wanted) !== Boolean(gone)) return { outcome: 'ok' };
    if (performance.now() >= until) return { outcome: 'timeout', ...(isHiddenTab() && { why: { code: 'background' } }) };
    await pause(EVERY);
  }
}
