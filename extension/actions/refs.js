/**
 * References to elements: `e17`, in frames `f2e17`. One stays while its element, role and name do; its number is never
 * given again in the tab, for which the worker keeps the counter across documents.
 */

import { isConnected, parentOf, query, rootsOf, tagOf } from './dom.js';
import { nameOf } from './name.js';
import { roleOf } from './role.js';
import { isShown } from './shown.js';

/** As many as the largest page has; the oldest are forgotten first, and are then stale. */
const MOST = 50_000;

/** @typedef {{ ref: string, element: WeakRef<Element>, role: string, name: string, tag: string, path: string, place: number }} Entry */

let prefix = '';
let counter = 1;
/** @type {WeakMap<Element, Entry>} */
let byElement = new WeakMap();
/** @type {Map<string, Entry>} */
const byRef = new Map();

/** The number of the next reference. */
export const next = () => counter;

/** The worker's word on how this frame's references begin, and from which number. */
export function startAt(frame, number) {
  // Refs that begin otherwise are those of another document now.
  if (frame !== prefix) {
    byElement = new WeakMap();
    byRef.clear();
  }
  prefix = frame;
  counter = Math.max(counter, number);
}

/** The elements above, by name only: their numbers change when a list grows. */
function pathOf(element) {
  const tags = [];
  for (let one = element; one && tags.length < 12; one = parentOf(one)) tags.push(tagOf(one));
  return tags.join('<');
}

function give(element, role, name, place) {
  const entry = { ref: `${prefix}e${counter}`, element: new WeakRef(element), role, name, tag: tagOf(element), path: '', place };
  counter += 1;
  remember(entry, element);
  if (byRef.size > MOST) byRef.delete(byRef.keys().next().value);
  return entry;
}

function remember(entry, element) {
  entry.element = new WeakRef(element);
  // The path is needed once the element is gone, and cannot be asked for then.
  entry.path = pathOf(element);
  byElement.set(element, entry);
  byRef.set(entry.ref, entry);
}

const fits = (entry, role, name) => entry !== undefined && entry.role === role && entry.name === name;

/**
 * The reference of an element.
 * @param {Element} element
 * @returns {string}
 */
export function refOf(element, role = roleOf(element), name = nameOf(element, role)) {
  const known = byElement.get(element);
  return fits(known, role, name) ? known.ref : give(element, role, name, 0).ref;
}

/**
 * References for all elements of a snapshot at once: one that was replaced by an equal one (same role, name, path and
 * surroundings, and no other candidate) keeps its reference.
 * @param {{ element: Element, role: string, name: string, place: number, ref: string }[]} nodes `place` is a digest of
 *   what stands around the element, and `ref` is set
 * @param {() => Promise<void>} breathe called often; lets others work when it is time
 */
export async function assign(nodes, breathe) {
  const fresh = [];
  let count = 0;
  for (const node of nodes) {
    if ((count += 1) % 64 === 0) await breathe();
    const known = byElement.get(node.element);
    if (fits(known, node.role, node.name)) {
      known.place = node.place;
      node.ref = known.ref;
    } else fresh.push(node);
  }
  const orphans = fresh.length ? orphansByKey() : new Map();
  if (orphans.size) {
    const wanted = new Map();
    const keys = fresh.map((node) => keyOf(node.role, node.name, node.place));
    for (const key of keys) wanted.set(key, (wanted.get(key) ?? 0) + 1);
    fresh.forEach((node, at) => {
      const candidates = orphans.get(keys[at]);
      if (candidates?.length !== 1 || wanted.get(keys[at]) !== 1 || candidates[0].path !== pathOf(node.element)) return;
      remember(candidates[0], node.element);
      node.ref = candidates[0].ref;
    });
  }
  for (const node of fresh) {
    if ((count += 1) % 64 === 0) await breathe();
    if (!node.ref) node.ref = give(node.element, node.role, node.name, node.place).ref;
  }
}

const keyOf = (role, name, place) => `${role}\n${name}\n${place}`;

/** The references whose elements are no longer in the document. */
function orphansByKey() {
  const orphans = new Map();
  for (const entry of byRef.values()) {
    const element = entry.element.deref();
    if (element && isConnected(element)) continue;
    const key = keyOf(entry.role, entry.name, entry.place);
    if (orphans.has(key)) orphans.get(key).push(entry);
    else orphans.set(key, [entry]);
  }
  return orphans;
}

/**
 * The element of a reference. One that was replaced by an equal one in the same place, the only one of its role and name,
 * is found again; else it is stale, with its successor if there is just one of that role and name.
 * @param {string} ref
 * @returns {{ element: Element } | { stale: true, successor?: string }}
 */
export function elementOf(ref) {
  const entry = byRef.get(ref);
  if (entry === undefined) return { stale: true };
  const element = entry.element.deref();
  if (element && isConnected(element)) {
    const role = roleOf(element);
    if (fits(entry, role, nameOf(element, role)) && byElement.get(element) === entry) return { element };
  }
  const equals = [];
  for (const root of rootsOf()) {
    for (const one of query(root, CSS.escape(entry.tag))) {
      const role = roleOf(one);
      if (role === entry.role && nameOf(one, role) === entry.name && isShown(one)) equals.push(one);
    }
  }
  if (equals.length !== 1) return { stale: true };
  const [successor] = equals;
  if (!(element && isConnected(element)) && !byElement.has(successor) && pathOf(successor) === entry.path) {
    remember(entry, successor);
    return { element: successor };
  }
  return { stale: true, successor: refOf(successor, entry.role, entry.name) };
}
