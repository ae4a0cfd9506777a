/** The lines of a snapshot: `- role "name" [state] [ref=e17]: value`, two spaces a level. */

import { rowText } from './rows.js';
import { plain, quoted } from './text.js';
import { isControl, isField } from './role.js';

/** So many options of a closed list are named; `query` finds the others. */
const OPTIONS = 60;
/** A longer list of options that is the same as one before is not written again. */
const SHORT = 60;

/** Deeper lines are not moved further to the right. */
const MAX_INDENT = 30;

/**
 * @typedef {object} Line
 * @property {string} text without indentation
 * @property {number} depth
 * @property {number} parent index of the line above it in the tree; -1 for none
 * @property {import('./tree.js').Node} node
 * @property {'node' | 'text' | 'url' | 'placeholder' | 'options' | 'more'} kind
 */

/** @param {import('./tree.js').Node} node */
function head(node) {
  const { role, label, name, states = [], ref, isTarget } = node;
  const written = label ?? name;
  let text = `- ${role || 'generic'}`;
  if (written) text += ` ${quoted(written)}`;
  else if (isControl(role) && !isField(role)) text += ' ""';
  for (const state of states) text += ` [${state}]`;
  if (ref) text += ` [ref=${ref}]`;
  if (isTarget) text += ' [cursor=pointer]';
  return text;
}

/** Names that could be taken for more than one, or for a mark, stand in quotes. */
const UNCLEAR = /["|[\]]|^$|^as e|^…/;

/** The options of a closed list in one line. */
export function optionsText(options) {
  const names = options.slice(0, OPTIONS).map(({ name, isOff }) => (UNCLEAR.test(name) ? quoted(name) : plain(name)) + (isOff ? ' [disabled]' : ''));
  if (options.length > OPTIONS) names.push(`… ${options.length - OPTIONS} more; use query`);
  return `- /options: ${names.join(' | ')}`;
}

/**
 * All lines of a tree, nothing left out.
 * @param {import('./tree.js').Node} root
 * @returns {Line[]}
 */
export function linesOf(root) {
  /** @type {Line[]} */
  const lines = [];
  /** Lists of options that were written, and the reference beside which they stand. */
  const lists = new Map();
  const stack = root.children.map((node) => [node, 0, -1]).reverse();
  while (stack.length) {
    const [node, depth, parent] = stack.pop();
    if (node.role === 'text') {
      lines.push({ text: `- text: ${plain(node.text)}`, depth, parent, node, kind: 'text' });
      continue;
    }
    if (node.role === 'note') {
      lines.push({ text: `- ${node.text}`, depth, parent, node, kind: 'more' });
      continue;
    }
    const at = lines.length;
    const row = rowText(node);
    const children = row === null ? node.children : row.children;
    let value = node.value || (row?.text ?? '');
    // Words alone stand beside what they belong to.
    let below = children;
    if (!value && children.length === 1 && children[0].role === 'text') {
      value = children[0].text;
      below = [];
    }
    const more = below.length || node.url || node.placeholder || node.options;
    lines.push({ text: head(node) + (value ? `: ${plain(value)}` : more ? ':' : ''), depth, parent, node, kind: 'node' });
    if (node.url) lines.push({ text: `- /url: ${plain(node.url)}`, depth: depth + 1, parent: at, node, kind: 'url' });
    if (node.placeholder) lines.push({ text: `- /placeholder: ${plain(node.placeholder)}`, depth: depth + 1, parent: at, node, kind: 'placeholder' });
    if (node.options) {
      const text = optionsText(node.options);
      const known = lists.get(text);
      lines.push({ text: known && text.length > SHORT ? `- /options: as ${known}` : text, depth: depth + 1, parent: at, node, kind: 'options' });
      if (node.ref && !known) lists.set(text, node.ref);
    }
    for (let index = below.length - 1; index >= 0; index -= 1) stack.push([below[index], depth + 1, at]);
  }
  return lines;
}

/** A line with its indentation. */
export const written = ({ text, depth }) => ' '.repeat(2 * Math.min(depth, MAX_INDENT)) + text;

/** Characters a line takes. */
export const lengthOf = ({ text, depth }) => text.length + 2 * Math.min(depth, MAX_INDENT) + 1;

