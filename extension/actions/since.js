/** What changed between two snapshots of a document. */

import { more } from './note-line.js';

const MOST = 4;
/** Beyond this part of the lines a whole snapshot is shorter to read. */
const PART = 0.6;
const MAX_LINES = 60_000;

/** @type {Map<string, { texts: string[], where: string }>} */
const kept = new Map();

/** Keep the lines of a snapshot for later questions. */
export function keep(id, lines, where) {
  if (lines.length > MAX_LINES) return;
  kept.set(id, { texts: lines.map(({ text }) => text), where });
  if (kept.size > MOST) kept.delete(kept.keys().next().value);
}

/**
 * @param {string} id
 * @param {import('./outline.js').Line[]} lines
 * @param {string} where what was read: the page, or a part of it
 * @returns {{ lines: import('./outline.js').Line[], isSame: boolean } | null} null if it is not known or too much changed
 */
export function changesSince(id, lines, where) {
  const before = kept.get(id);
  if (before === undefined || before.where !== where) return null;
  const { texts } = before;
  const places = new Map();
  texts.forEach((text, at) => (places.has(text) ? places.get(text).push(at) : places.set(text, [at])));
  // Each line takes the first place of its text that is still free.
  const matched = lines.map(({ text, kind }) => (kind === 'more' ? -2 : places.get(text)?.shift() ?? -1));
  const stays = inOrder(matched);
  const changed = new Set();
  lines.forEach((_, at) => {
    if (matched[at] !== -2 && !stays.has(at)) changed.add(at);
  });
  const removed = [...places.values()].flat().sort((one, other) => one - other);
  if (changed.size === 0 && removed.length === 0) return { lines: [], isSame: true };
  if (changed.size + removed.length > PART * Math.max(texts.length, lines.length)) return null;
  const shown = new Set();
  for (const at of changed) for (let above = at; above >= 0 && !shown.has(above); above = lines[above].parent) shown.add(above);
  const list = lines.filter((_, at) => shown.has(at));
  const refs = [];
  const words = [];
  const now = new Set();
  for (const { node } of lines) if (node.ref) now.add(node.ref);
  for (const at of removed) {
    const ref = /\[ref=(\w+)\]/.exec(texts[at])?.[1];
    if (ref === undefined) words.push(texts[at].slice(2, 80));
    else if (!now.has(ref)) refs.push(ref);
  }
  if (refs.length) list.push({ ...more('', 0, -1), text: `- removed: ${refs.slice(0, 50).join(', ')}${refs.length > 50 ? ` and ${refs.length - 50} more` : ''}` });
  for (const text of words.slice(0, 10)) list.push({ ...more('', 0, -1), text: `- removed ${text}` });
  return { lines: list, isSame: false };
}

/** Indices of the longest run of places that grow: what is not among them has moved. */
function inOrder(places) {
  const tails = [];
  const before = new Array(places.length).fill(-1);
  places.forEach((place, at) => {
    if (place < 0) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[tails[middle]] < place) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? tails[low - 1] : -1;
    tails[low] = at;
  });
  const stays = new Set();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]) stays.add(at);
  return stays;
}
