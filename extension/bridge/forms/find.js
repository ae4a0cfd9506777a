/**
 * The forms that Chromium makes tools of: those in the document, or in a shadow tree of it, that have the attributes
 * `toolname` and `tooldescription`. A form may also have `tooltitle` and `toolautosubmit`, its controls `toolparamdescription`.
 *
 * @typedef {object} FormTool
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {string} schema JSON text
 * @property {(args: unknown, signal: AbortSignal, origin: Origin | undefined, end: (outcome: Outcome) => void) => Failure | undefined} fill
 *   puts the arguments into the form, and sends it or has its user send it; ends once, unless it gives a failure at once
 */

import { apply, getOwnPropertyDescriptor, listen, NativeProxy, stringify } from '../captured.js';
import { takeOver } from '../connection.js';
import { define, each, iterable, SafeMap, SafeWeakMap } from '../safe.js';
import { later } from '../tasks.js';
import {
  addedNodes, attributeName, captureDom, changedNode, CONTROLS, deref, disconnect, firstElementChild, fits, forms, getAttribute,
  getRootNode, has, isConnected, localName, NativeMutationObserver, NativeWeakRef, nodeType, observe, querySelector,
  querySelectorAll, removedNodes, sizeOf, takeRecords,
} from './dom.js';
import { beginRuns, filler, NAVIGATED, onReset, onSubmit, running, UPDATED } from './run.js';
import { schemaOf } from './schema.js';

/** Gives what takes the tool away again. @type {(tool: FormTool) => () => void} */
let register;

let isStopped = false;

/** The document that is observed: none until somebody asks for tools. @type {Document | undefined} */
let watched;

/** Forms that are tools, also if another tool has the name. @type {Map<HTMLFormElement, { text: string, remove: () => void }>} */
let tools;

/** Forms in shadow trees that are not in the document now. @type {Map<WeakRef<HTMLFormElement>, true>} */
let strays;

/** Documents and shadow trees with forms. @type {WeakMap<Node, true>} */
let known;

const plan = (form) => later(() => look(form));

const isTool = (form) => isConnected(form) && has(form, 'toolname') && has(form, 'tooldescription');

function look(form) {
  const name = getAttribute(form, 'toolname');
  const description = getAttribute(form, 'tooldescription');
  if (!isConnected(form) && nodeType(getRootNode(form)) === 11) strays.set(new NativeWeakRef(form), true);
  if (isStopped || !isTool(form)) return;
  const definition = {
    __proto__: null,
    name,
    title: getAttribute(form, 'tooltitle') ?? '',
    description,
    schema: schemaOf(form),
    isSent: has(form, 'toolautosubmit'),
  };
  const text = stringify(definition);
  if (tools.get(form)?.text === text) return;
  drop(form);
  tools.set(form, { text, remove: register({ ...definition, fill: filler(form, name) }) });
}

function drop(form) {
  const tool = tools.get(form);
  if (tool === undefined) return;
  tools.delete(form);
  const call = running.get(form);
  // What is being sent is answered all the same.
  if (call?.submitting === 0) call.end(UPDATED);
  tool.remove();
  plan(form);
}

// A form can come with anything that is inserted, and nothing tells of it but an observer of the whole document. It looks
// at each node and, if that has children, has the browser search them: to insert 10,000 nodes one by one takes a few
// milliseconds longer. Attributes are observed where there is a form, and only those that make a tool or change a schema.

const INSERTIONS = { __proto__: null, childList: true, subtree: true };
const ATTRIBUTES =
  'toolname tooldescription tooltitle toolautosubmit toolparamdescription aria-description ' +
  'disabled form id max min multiple name pattern readonly required step type value';
/** @type {MutationObserverInit} */
let changes;

/** Looks at what is inserted and changed, once somebody asks for tools. @type {MutationObserver} */
let observer;

// So can a token for native WebMCP, and only that is looked for until somebody asks for tools: to look at the nodes of a
// page is to have an object made for each.
/** @type {MutationObserver} */
let early;

function read(records) {
  let isStale = false;
  each(records, (record) => {
    const added = addedNodes(record);
    for (let at = 0; at < sizeOf(added); at += 1) visit(added[at]);
    const attribute = attributeName(record);
    if (attribute !== null) consider(changedNode(record));
    if (tools.size === 0 || isStale) return;
    // As in Chromium, what labels and options say is read again only when a control changes.
    const isOther = (node) => nodeType(node) !== 1 || (!fits(node, CONTROLS) && querySelector(node, CONTROLS) === null);
    const changed = changedNode(record);
    const isSame = attribute === null ? !tools.has(changed) && each(removedNodes(record), isOther) && each(added, isOther) : !fits(changed, CONTROLS);
    isStale = !isSame;
  });
  tools.forEach((_, form) => {
    if (!isTool(form)) drop(form);
    else if (isStale) plan(form);
  });
  gather(plan);
}

/** Adopt the strays that are in the document now. */
function gather(take) {
  strays.forEach((_, stray) => {
    const form = deref(stray);
    if (form !== undefined && !isConnected(form)) return;
    strays.delete(stray);
    if (form !== undefined) take(form);
  });
}

/** Look for forms in what was inserted. */
function visit(node) {
  if (nodeType(node) !== 1) return;
  consider(node);
  if (firstElementChild(node) !== null) each(querySelectorAll(node, 'form'), consider);
}

function consider(element) {
  if (localName(element) !== 'form') return;
  const root = getRootNode(element);
  if (!known.has(root)) observe(observer, root, changes);
  known.set(root, true);
  hear(root);
  // Only a form of HTML is valid or not.
  if (fits(element, '[toolname]:is(:valid,:invalid)')) plan(element);
}

/** @param {Window | Node} root a shadow tree keeps these events to itself, and `document.open()` takes them off the window */
function hear(root) {
  listen(root, 'submit', onSubmit, true);
  listen(root, 'reset', onReset, true);
}

/** Have `after` run after a method of the browser's, for what no event tells of. */
function tap({ prototype }, key, after) {
  const own = getOwnPropertyDescriptor(prototype, key);
  const value = new NativeProxy(own.value, {
    __proto__: null,
    apply(method, self, args) {
      const result = apply(method, self, args);
      after(self, result);
      return result;
    },
  });
  define(prototype, key, { ...own, value });
}

/** Handle the changes up to now. */
export function flushForms() {
  if (isStopped) return;
  // A window can outlive the empty document of a new frame.
  if (watched !== document) {
    watched = document;
    disconnect(early);
    tools.clear();
    observe(observer, document, INSERTIONS);
    hear(window);
    each(forms(document), (form) => {
      consider(form);
      look(form);
    });
    gather(look);
  }
  read(takeRecords(observer));
}

/** @param {(tool: FormTool) => () => void} registerForm gives what takes the tool away again */
export function beginForms(registerForm) {
  captureDom();
  register = registerForm;
  tools = new SafeMap();
  strays = new SafeMap();
  known = new SafeWeakMap();
  changes = { __proto__: null, ...INSERTIONS, attributeFilter: apply(iterable, null, ATTRIBUTES.split(' ')) };
  observer = new NativeMutationObserver((records) => {
    takeOver();
    read(records);
  });
  early = new NativeMutationObserver(takeOver);
  beginRuns(() => read(takeRecords(observer)));
  observe(early, document, INSERTIONS);
  hear(window);
  tap(Element, 'attachShadow', (_, root) => isStopped || observe(observer, root, INSERTIONS));
  tap(HTMLFormElement, 'submit', (form) => running.get(form)?.end(NAVIGATED));
}

/** Native WebMCP makes tools of the forms itself. */
export function stopForms() {
  isStopped = true;
  disconnect(early);
  disconnect(observer);
  tools.forEach((_, form) => drop(form));
}
