/**
 * The DOM functions that forms need. Captured when the polyfill begins, which is in the first turn, too:
 * pages with native WebMCP
 * do not pay for it.
 */

import { hasOwn, member, natively, ownKeys } from '../captured.js';
import { each } from '../safe.js';

export let NativeMutationObserver;
export let NativeRegExp;
export let NativeWeakRef;
export let tellPage;

export let trim;
export let deref;
export let createElement, forms;
export let childNodes, contains, getRootNode, isConnected, nodeType, textContent;
export let firstElementChild, getAttribute, localName, fits, querySelector, querySelectorAll;
export let focus;
export let elements, requestSubmit;
export let checked;
export let options;
export let selected;
export let currentTarget, defaultPrevented, eventTarget;
export let sizeOf;
export let disconnect, observe, takeRecords;
export let addedNodes, attributeName, removedNodes, changedNode;

/** Properties that several kinds of controls have: `undefined` of any other element. */
export let formOf, typeOf, labelsOf, valueOf, complaintOf;

export function captureDom() {
  NativeMutationObserver = MutationObserver;
  NativeRegExp = RegExp;
  NativeWeakRef = WeakRef;
  tellPage = reportError;

  ({ trim } = natively(String));
  ({ deref } = natively(WeakRef));
  ({ createElement, forms } = natively(Document));
  ({ childNodes, contains, getRootNode, isConnected, nodeType, textContent } = natively(Node));
  ({ firstElementChild, getAttribute, localName, matches: fits, querySelector, querySelectorAll } = natively(Element));
  ({ focus } = natively(HTMLElement));
  ({ elements, requestSubmit } = natively(HTMLFormElement));
  ({ checked } = natively(HTMLInputElement));
  ({ options } = natively(HTMLSelectElement));
  ({ selected } = natively(HTMLOptionElement));
  ({ currentTarget, defaultPrevented, target: eventTarget } = natively(Event));
  ({ length: sizeOf } = natively(NodeList));
  ({ disconnect, observe, takeRecords } = natively(MutationObserver));
  ({ addedNodes, attributeName, removedNodes, target: changedNode } = natively(MutationRecord));

  const prototypes = { __proto__: null };
  each('Button,FieldSet,Input,Option,Output,Select,TextArea'.split(','), (kind) => {
    prototypes[kind.toLowerCase()] = window[`HTML${kind}Element`].prototype;
  });
  const common = (key) => commonTo(prototypes, key);
  formOf = common('form');
  typeOf = common('type');
  labelsOf = common('labels');
  valueOf = common('value');
  complaintOf = common('validationMessage');
}

/** A property that several kinds of elements have, each its own. */
function commonTo(prototypes, key) {
  const members = { __proto__: null };
  each(ownKeys(prototypes), (kind) => {
    if (hasOwn(prototypes[kind], key)) members[kind] = member(prototypes[kind], key);
  });
  return (element, to) => {
    const own = members[localName(element)];
    return to === undefined ? own?.(element) : own(element, to);
  };
}

/** A selector of the elements that are controls of a form. */
export const CONTROLS = 'button,fieldset,input,output,select,textarea';

export const has = (element, attribute) => getAttribute(element, attribute) !== null;
export const nameOf = (control) => getAttribute(control, 'name') ?? '';
