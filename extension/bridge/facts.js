/** How each tool came to the page: when, by which script, how often, exposed to whom. Only a relay that asks is told. */

import * as CAPS from '../shared/caps.js';
import * as NAMES from '../shared/names.js';
import {
  defineProperty, deleteProperty, getOwnPropertyDescriptor, getProperty, getPrototypeOf, isArray, member, NativeError, now, postText,
  setPrototypeOf, slice, stringify, wellFormed,
} from './captured.js';
import { append, define, find, SafeMap } from './safe.js';

/** How many frames of the stack are looked at: ours, which come first, and one of the page's. */
const FRAMES = 10;

/** How often it is looked for who registers a name: a page that registers it without pause is slowed down no further. */
const LOOKS = 20;

/** What is kept of a list of origins: so many, and so many characters of each. */
const ORIGINS = 20;
const ORIGIN = 256;

const { captureStackTrace } = NativeError;

/**
 * What is known of the registrations of a name, the first and later ones.
 *
 * @typedef {{ name: string, at: number, again: number, script?: string, line?: number, exposedTo?: string[] }} Facts `at`: when
 *   the first one was, in milliseconds since the navigation began
 * @type {Map<string, Facts>}
 */
const known = new SafeMap();

/** Whether registrations are made anew on the page's behalf, which are none of its own. */
let isMoving = false;

/** Do something while `Error` has this property, whatever the page made of it. Not done if the page has forbidden that. */
function withProperty(key, value, run) {
  const before = getOwnPropertyDescriptor(NativeError, key);
  if (!defineProperty(NativeError, key, { __proto__: null, value, writable: true, configurable: true })) return undefined;
  try {
    return run();
  } finally {
    if (before === undefined) deleteProperty(NativeError, key);
    else define(NativeError, key, before);
  }
}

/**
 * The frames of the stack below a function as objects, which the browser makes. No code of the page runs.
 * @returns {object[] | undefined}
 */
const stack = (below) =>
  withProperty('stackTraceLimit', FRAMES, () =>
    withProperty('prepareStackTrace', (_, sites) => sites, () => {
      const holder = { __proto__: null };
      captureStackTrace(holder, below);
      return getProperty(holder, 'stack');
    }),
  );

/** Reads a frame: its script as the browser knows it, not as the script calls itself. Captured in the first turn. */
let fileOf;
let lineOf;

/** The file of this script. */
let own;

try {
  const [first] = stack();
  fileOf = member(getPrototypeOf(first), 'getFileName');
  lineOf = member(getPrototypeOf(first), 'getLineNumber');
  own = fileOf(first);
} catch {
  // This browser's stacks are of another kind: then nobody knows the scripts.
}

/** The frame of the script that calls. */
function caller() {
  if (fileOf === undefined) return undefined;
  return find(stack(note) ?? [], (site) => {
    const file = fileOf(site);
    return typeof file === 'string' && file !== '' && file !== own;
  });
}

/** The texts of a list of the page's, as it wrote them. */
function textsOf(list) {
  if (!isArray(list)) return undefined;
  const texts = [];
  for (let at = 0; at < ORIGINS; at += 1) {
    const text = getOwnPropertyDescriptor(list, at)?.value;
    if (typeof text === 'string') append(texts, wellFormed(slice(text, 0, ORIGIN)));
  }
  // So that no `toJSON` of the page is asked for its text.
  return setPrototypeOf(texts, null) && texts;
}

/**
 * Take note of a registration by the page; called while the page's call is under way.
 *
 * @param {string} name
 * @param {unknown} exposedTo as the page wrote it
 */
export function note(name, exposedTo) {
  const before = known.get(name);
  if (isMoving || (before === undefined && known.size >= CAPS.TOOLS)) return;
  const facts = { __proto__: null, name, at: before?.at ?? now(), again: before === undefined ? 0 : before.again + 1 };
  known.set(name, facts);
  try {
    facts.exposedTo = textsOf(exposedTo);
    if (facts.again > LOOKS) {
      facts.script = before.script;
      facts.line = before.line;
      return;
    }
    const site = caller();
    if (site === undefined) return;
    facts.script = wellFormed(slice(fileOf(site), 0, CAPS.ADDRESS));
    facts.line = lineOf(site);
  } catch {
    // The page's own objects, or what it left of the browser's, refuse: it is not known.
  }
}

/** Register again what the page has registered. */
export function moving(act) {
  isMoving = true;
  try {
    act();
  } finally {
    isMoving = false;
  }
}

/**
 * Hear a relay.
 * @returns {boolean} whether its message was about this
 */
export function hearOfFacts(port, { type, requestId }) {
  if (type !== NAMES.LIST_FACTS) return false;
  let facts = '';
  known.forEach((one) => (facts += facts === '' ? stringify(one) : `,${stringify(one)}`));
  postText(port, `{"type":"${NAMES.FACTS}","requestId":${stringify(`${requestId}`)},"facts":[${facts}]}`);
  return true;
}
