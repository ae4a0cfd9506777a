/** What repeats itself: a row of cells is one line, and of many like siblings only the first and the last are shown. */

import { isControl } from './role.js';
import { more } from './note-line.js';

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const MAX_ROW = 1_000;

/**
 * A row's cells as one line, and what in them needs a line of its own; null if it is no row of cells.
 * @param {import('./tree.js').Node} node
 */
export function rowText(node) {
  if (node.role !== 'row') return null;
  const children = [];
  const texts = [];
  for (const cell of node.children) {
    if (cell.role === 'text') texts.push(cell.text);
    else if (!CELLS.has(cell.role)) {
      // A cell that wraps one control has given way to it.
      texts.push('');
      children.push(cell);
    } else {
      const words = [];
      const rest = [];
      split(cell, words, rest);
      texts.push(cell.name && !words.length ? cell.name : words.join(' '));
      if (cell.isTarget || cell.states?.some((state) => state !== 'active') || cell.canScroll) children.push({ ...cell, children: rest, value: words.length && !cell.name ? words.join(' ').slice(0, 100) : '' });
      else children.push(...rest);
    }
  }
  while (texts.length && !texts.at(-1)) texts.pop();
  const text = texts.join(' | ');
  return { text: text.length > MAX_ROW ? `${text.slice(0, MAX_ROW).toWellFormed()}…` : text, children };
}

/** Words of a cell, and the nodes in it that are more than words. */
function split(cell, words, rest) {
  for (const child of cell.children) {
    if (child.role === 'text') words.push(child.text);
    else if (!isControl(child.role) && !child.isTarget && child.isGroup) split(child, words, rest);
    else rest.push(child);
  }
}

/** So many like siblings are shown in part; single controls, which a menu has many of, from `MANY` on. */
const LIKE = 12;
const MANY = 40;
const FIRST = 5;
const NOUNS = { row: 'rows', listitem: 'items', article: 'articles', option: 'options', link: 'links', button: 'buttons' };
const isPlain = (state) => state.startsWith('level=') || state === 'required';

/**
 * Which lines go because they are like those before and after them.
 * @param {import('./outline.js').Line[]} lines
 * @returns {{ lines: import('./outline.js').Line[], count: number }} and how many siblings were left out
 */
export function collapse(lines) {
  /** Neighbours of one role below one parent: the last such run of each parent, and all that are closed. */
  const runs = new Map();
  const families = [];
  lines.forEach(({ kind, node, parent }, at) => {
    if (kind === 'url' || kind === 'placeholder' || kind === 'options') return;
    const run = runs.get(parent);
    if (run?.role === node.role) run.members.push(at);
    else {
      const next = { role: node.role, members: [at] };
      families.push(next.members);
      runs.set(parent, next);
    }
  });
  /** Index of a line that is left out, with all below it -> the noun and number told in its place, once. */
  const gone = new Map();
  let count = 0;
  for (const members of families) {
    const { node: first } = lines[members[0]];
    if (first.role === 'text' || first.role === 'note' || members.length < LIKE || (isSmall(lines, members) && members.length < MANY)) continue;
    const middle = members.slice(FIRST, -1).filter((at) => !isSpecial(lines, at, first));
    if (middle.length < 3) continue;
    count += middle.length;
    const noun = NOUNS[first.role] ?? 'more like these';
    middle.forEach((at, index) => gone.set(at, index === 0 ? `${middle.length} more ${noun === 'more like these' ? 'like these' : `${noun} like these`}; use query or root` : ''));
  }
  if (gone.size === 0) return { lines, count };
  return { lines: without(lines, gone), count };
}

/** Whether the siblings are single lines of options, links and the like. */
function isSmall(lines, members) {
  const last = members.at(-1);
  const first = members[0];
  return lines[first].node.role !== 'row' && last - first < members.length * 2;
}

/** What differs by state, or has the focus, is always shown. */
function isSpecial(lines, at, first) {
  const { node, depth } = lines[at];
  const mine = (node.states ?? []).filter((state) => !isPlain(state)).join();
  if (mine !== (first.states ?? []).filter((state) => !isPlain(state)).join()) return true;
  for (let below = at; below < lines.length && (below === at || lines[below].depth > depth); below += 1) {
    const inner = lines[below].node;
    if (inner.isActive || inner.states?.includes('invalid') || inner.isModal) return true;
  }
  return false;
}

/** Lines without some and what is below them; `told` in place of the first of them. */
function without(lines, gone) {
  const list = [];
  const places = new Map();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const parent = line.parent === -1 ? -1 : places.get(line.parent);
    if (gone.has(at) || parent === undefined) {
      const words = gone.get(at);
      if (words) list.push(more(words, line.depth, parent ?? -1));
      continue;
    }
    places.set(at, list.length);
    list.push({ ...line, parent });
  }
  return list;
}
