/** A snapshot of the document: the outline of what a person could perceive, with references to what can be used. */

import { connection } from './channel.js';
import { cap, hardCut } from './cap.js';
import { slices, turn } from './clock.js';
import { contains, isHiddenTab, query, rootElement, scroller, titleOfDocument } from './dom.js';
import { linesOf, written } from './outline.js';
import { matching } from './query.js';
import { assign, elementOf } from './refs.js';
import { collapse } from './rows.js';
import { isAbove, topOf } from './shown.js';
import { changesSince, keep } from './since.js';
import { line } from './text.js';
import { each, finish } from './tree.js';
import { walk } from './walk.js';

const MAX_CHARS = 16_000;
/** Room for the rest of a message. */
const MOST_CHARS = 200_000;
/** Changes a second from which it no longer matters what they are. */
const STORM = 5_000;

let number = 0;

/** The element that a root says: a reference or a selector. */
function startOf(root) {
  if (/^(f\d+)?e\d+$/.test(root)) {
    const { element, successor } = elementOf(root);
    return element ? { start: element } : { outcome: 'stale', why: { code: successor ? 'replaced' : 'gone' }, successor };
  }
  try {
    const found = query(document, root);
    if (found.length === 1) return { start: found[0] };
    return { outcome: 'notFound', why: { code: found.length ? 'several' : 'gone' } };
  } catch {
    return { outcome: 'badInput', why: { code: 'malformed' } };
  }
}

/** Whether the document changes while it is read. */
function watch() {
  let count = 0;
  const observer = new MutationObserver((records) => {
    count += records.length;
    if (count > STORM) observer.disconnect();
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['hidden', 'open', 'aria-hidden', 'aria-expanded', 'class', 'disabled'] });
  return {
    changes() {
      count += observer.takeRecords().length;
      return count;
    },
    end: () => observer.disconnect(),
  };
}

/** Read; once more if the page changed in between. */
async function read(start) {
  const watching = watch();
  try {
    const first = await walk(start, connection());
    // A storm would only be met again.
    if (watching.changes() === 0) return { ...first, isChanging: false };
    if (watching.changes() > STORM || first.isCut) return { ...first, isChanging: true };
    const before = watching.changes();
    const second = await walk(start, connection());
    return { ...second, isChanging: watching.changes() > before };
  } finally {
    watching.end();
  }
}

/** What is behind an open dialog is one line. */
function behindDialog(root, { modals, floating }) {
  const top = topOf(modals.map(({ element }) => element));
  const dialog = modals.find(({ element }) => element === top);
  if (!dialog) return null;
  const above = floating.filter((node) => node.isKept && !contains(top, node.element) && !contains(node.element, top) && isAbove(node.element, top));
  root.children = [{ role: 'note', name: '', text: '… page behind the dialog', children: [] }, dialog, ...above];
  return dialog;
}

const TEXT_LENGTH = 200;
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const ITEMS = new Set(['row', 'listitem', 'article', 'option', 'treeitem']);

function mix(hash, text) {
  let mixed = hash;
  const end = Math.min(text.length, TEXT_LENGTH);
  for (let at = 0; at < end; at += 1) mixed = Math.imul(mixed ^ text.charCodeAt(at), 16_777_619);
  return Math.imul(mixed ^ text.length, 16_777_619);
}

/** Give references; `place` is a digest of the row, item or group around a node, by which an equal one is known again. */
async function refer(root) {
  const slice = slices();
  const breathe = async () => {
    if (slice.isOver()) await slice.rest();
  };
  const nodes = [];
  const all = [];
  each(root, (node, parent) => {
    node.above = parent;
    all.push(node);
  });
  await breathe();
  for (let at = all.length - 1; at >= 0; at -= 1) {
    if (at % 256 === 0) await breathe();
    const node = all[at];
    node.digest = mix(mix(node.digest ?? 7, node.role), node.text ?? node.name);
    node.above.digest = Math.imul(node.above.digest ?? 7, 31) + node.digest | 0;
  }
  for (const node of all) {
    const isItem = ITEMS.has(node.role) || node.isGroup;
    node.place = isItem ? node.digest : node.above.place ?? 0;
    // Cells are words of their row, unless there is something to do with them.
    if (node.element && node.isKept && !node.isGroup && (node.isTarget || node.states?.length || !CELLS.has(node.role))) nodes.push(node);
  }
  await assign(nodes, breathe);
  return nodes;
}

function head(root, nodes, dialog, { isChanging, invisible }) {
  const page = scroller() ?? rootElement();
  const focus = nodes.find((node) => node.isActive);
  return {
    title: line(titleOfDocument(), 300),
    address: line(location.protocol.startsWith('http') ? location.origin + location.pathname : location.protocol, 500),
    scroll: { y: Math.round(scrollY), height: Math.round(page ? page.scrollHeight : 0), view: innerHeight },
    ...(focus && { focus: focus.ref }),
    ...(dialog && { dialog: dialog.name }),
    background: isHiddenTab(),
    changing: isChanging,
    invisible,
  };
}

/**
 * @param {{ root?: string, query?: string, since?: string, as?: string, maxChars?: number }} message `as`: the id of the top
 *   document's snapshot to which that of a frame belongs; `maxChars` 0: everything, and nothing that repeats itself is left out
 */
export async function snapshot({ root: place, query: question, since, as, maxChars = MAX_CHARS }) {
  const { start = rootElement(), ...failure } = place ? startOf(String(place)) : {};
  if (failure.outcome) return failure;
  const most = maxChars === 0 ? MOST_CHARS : Math.min(Math.max(Number(maxChars) || MAX_CHARS, 200), MOST_CHARS);
  const id = as === undefined ? `s${(number += 1)}` : String(as);
  if (start === null) return { id, head: head({}, [], null, { isChanging: false, invisible: 0 }), text: '', frames: [], isWhole: true };

  const walked = await read(start);
  await turn();
  const root = finish(walked.root);
  await turn();
  const dialog = place ? null : behindDialog(root, walked);
  const nodes = await refer(root);
  await turn();
  const whole = linesOf(root);
  if (walked.isCut) whole.push({ text: '- … the page is larger than can be read at once; use root', depth: 0, parent: -1, node: { role: 'note', name: '', children: [] }, kind: 'more' });
  await turn();

  const where = place ? String(place) : '';
  const changes = since === undefined ? null : changesSince(String(since), whole, where);
  await turn();
  keep(id, whole, where);
  const result = { id, head: head(root, nodes, dialog, walked) };
  if (changes?.isSame) return { ...result, text: '', frames: placesOf([], whole), isWhole: false, unchanged: true };

  let chosen;
  let isWhole = changes === null;
  let dropped = {};
  if (changes) ({ lines: chosen, dropped } = hardCut({ lines: changes.lines, dropped }, most));
  else if (question) {
    isWhole = false;
    const { lines, count } = matching(whole, String(question));
    ({ lines: chosen, dropped } = hardCut({ lines, dropped }, most));
    result.matches = count;
  } else {
    const { lines, count } = maxChars === 0 ? { lines: whole, count: 0 } : collapse(whole);
    await turn();
    ({ lines: chosen, dropped } = cap(lines, most));
    if (count) dropped = { rows: count, ...dropped };
  }
  await turn();
  return {
    ...result,
    text: chosen.map(written).join('\n'),
    frames: isWhole ? placesOf(chosen) : placesOf(chosen, whole),
    isWhole: isWhole && !walked.isCut,
    ...(Object.keys(dropped).length && { dropped }),
  };
}

/**
 * Where the text of each frame belongs.
 * @param {import('./outline.js').Line[]} chosen
 * @param {import('./outline.js').Line[]} [whole] what the lines were chosen of: what is looked for may be in frames whose own
 *   lines are not among them
 */
function placesOf(chosen, whole = []) {
  const list = [];
  const placed = new Set();
  const isFrameLine = ({ node, kind }) => kind === 'node' && node.token;
  chosen.forEach((one, at) => {
    if (!isFrameLine(one)) return;
    placed.add(one.node);
    list.push({ token: one.node.token, line: at, indent: 2 * Math.min(one.depth + 1, 31) });
  });
  for (const one of whole) if (isFrameLine(one) && !placed.has(one.node)) list.push({ token: one.node.token, text: one.text, indent: 2 });
  return list;
}

