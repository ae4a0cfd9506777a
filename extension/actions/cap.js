/** Brings the lines of a snapshot under a number of characters: what says least goes first, and each cut is told. */

import { more } from './note-line.js';
import { lengthOf } from './outline.js';
import { isField } from './role.js';
import { isInView } from './tree.js';

const LONG = 120;
const CUT = 80;
const KEPT = new Set(['heading', 'alert', 'alertdialog', 'dialog', 'checkbox', 'radio', 'switch', 'slider', 'iframe']);

/** Classes of lines, first to go first; the last is never left out but by the hard cut. */
const ORDER = ['addresses', 'texts', 'controlsBeside', 'controls', 'textsInView'];
const NEVER = 'never';

function classOf(line) {
  const { node, kind } = line;
  if (kind === 'more') return NEVER;
  if (kind === 'url') return 'addresses';
  if (kind === 'options' && !node.isActive && !isInView(node)) return 'texts';
  if (node.isInDialog || node.isActive || node.isModal || KEPT.has(node.role) || isField(node.role) || node.states?.includes('invalid')) return NEVER;
  if (isInView(line.node)) return node.ref ? NEVER : 'textsInView';
  if (!node.ref) return 'texts';
  return node.isInArea ? 'controlsBeside' : 'controls';
}

/**
 * @param {import('./outline.js').Line[]} lines
 * @param {number} most characters
 * @returns {{ lines: import('./outline.js').Line[], dropped: Record<string, number> }}
 */
export function cap(lines, most) {
  const total = lines.reduce((sum, line) => sum + lengthOf(line), 0);
  if (total <= most) return { lines, dropped: {} };
  const classes = lines.map(classOf);
  let goal = most - 150;
  let result;
  for (let tries = 0; tries < 4; tries += 1) {
    result = attempt(lines, classes, total, goal);
    if (result.length <= most) return result;
    goal -= result.length - most + 50;
  }
  return hardCut(result, most);
}

function attempt(lines, classes, total, goal) {
  const kept = lines.map((line) => line);
  const below = new Array(lines.length).fill(0);
  for (const { parent } of lines) if (parent >= 0) below[parent] += 1;
  const had = [...below];
  const dropped = {};
  let length = total;
  const shorten = () => {
    for (let at = lines.length - 1; at >= 0 && length > goal; at -= 1) {
      const line = lines[at];
      if (line.text.length <= LONG || line.node.isInDialog || line.kind === 'more' || isInView(line.node)) continue;
      if (line.kind !== 'text' && !line.node.children.some(({ role }) => role === 'text')) continue;
      kept[at] = { ...line, text: `${line.text.slice(0, CUT).toWellFormed()}… ${line.text.length - CUT} more characters` };
      length -= lengthOf(line) - lengthOf(kept[at]);
      dropped.longTexts = (dropped.longTexts ?? 0) + 1;
    }
  };
  shorten();
  for (const kind of ORDER) {
    for (let at = lines.length - 1; at >= 0 && length > goal; at -= 1) {
      // A line stays as long as something below it does.
      if (classes[at] !== kind || below[at] > 0 || kept[at] === null) continue;
      length -= lengthOf(kept[at]);
      kept[at] = null;
      dropped[kind] = (dropped[kind] ?? 0) + 1;
      if (lines[at].parent >= 0) below[lines[at].parent] -= 1;
    }
  }
  const marked = mark(lines, kept, had, below);
  return { lines: marked, dropped, length: marked.reduce((sum, line) => sum + lengthOf(line), 0) };
}

/** A line for each run of three or more that went, and one at the end that says how to get them. */
function mark(lines, kept, had, below) {
  const list = [];
  const places = new Map();
  let run = 0;
  let all = 0;
  const close = (depth, parent) => {
    if (run >= 3) list.push(more(`${run} more lines`, depth, parent));
    run = 0;
  };
  let depth = 0;
  let parent = -1;
  kept.forEach((line, at) => {
    if (line === null) {
      if (run === 0) {
        depth = lines[at].depth;
        parent = places.get(lines[at].parent) ?? -1;
      }
      run += 1;
      all += lines[at].kind === 'url' ? 0 : 1;
      if (lines[at].kind === 'url') run -= 1;
      return;
    }
    close(depth, parent);
    places.set(at, list.length);
    // Nothing is left of what the colon announced.
    const isBare = line.kind === 'node' && had[at] > 0 && below[at] === 0 && line.text.endsWith(':');
    list.push({ ...line, text: isBare ? line.text.slice(0, -1) : line.text, parent: line.parent === -1 ? -1 : places.get(line.parent) ?? -1 });
  });
  close(depth, parent);
  if (all) list.push(more(`${all} lines in all left out; use query or root`, 0, -1));
  return list;
}

/** The last means: everything from a line on. */
export function hardCut({ lines, dropped }, most) {
  let length = 60;
  let at = 0;
  while (at < lines.length && length + lengthOf(lines[at]) <= most) {
    length += lengthOf(lines[at]);
    at += 1;
  }
  if (at === lines.length) return { lines, dropped };
  const left = lines.length - at;
  return { lines: [...lines.slice(0, at), more(`${left} more lines; use root or query`, 0, -1)], dropped: { ...dropped, lines: left } };
}
