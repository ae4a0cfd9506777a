/** From a reference or a CSS selector to the one element that is acted on. */

import {
  childrenOf, closest, controlOf, hasAttribute, inputTypeOf, isConnected, isEditable, isEditingHost, isElement, isFocusable, labelsOf, matches, query,
  rootsOf, tagOf,
} from './dom.js';
import { nameOf } from './name.js';
import { elementOf, refOf } from './refs.js';
import { isControl, isField, roleOf } from './role.js';
import { isShown } from './shown.js';
import { ActionError } from './why.js';

const REF = /^(f\d{1,9})?e\d{1,9}$/;
const MAX_SELECTOR = 1000;

/** What the model or a caller is told of an element. */
export function known(element) {
  const role = roleOf(element);
  const name = nameOf(element, role);
  return { ref: refOf(element, role, name), role, name };
}

const inWords = (element) => {
  const { ref, role, name } = known(element);
  return `${role || tagOf(element)} ${JSON.stringify(name)} [ref=${ref}]`;
};

/**
 * The one element of a reference or selector, through shadow roots; of several the one that is shown.
 * @param {string} target
 * @returns {Element}
 */
export function resolve(target) {
  if (typeof target !== 'string' || target === '' || target.length > MAX_SELECTOR) throw new ActionError('badInput', 'malformed');
  if (REF.test(target)) {
    const { element, successor } = elementOf(target);
    if (element) return element;
    throw new ActionError('stale', successor ? 'replaced' : 'gone', { text: successor });
  }
  let found;
  try {
    found = rootsOf().flatMap((root) => query(root, target));
  } catch {
    throw new ActionError('badInput', 'malformed', { text: target });
  }
  if (found.length > 1) {
    const shown = found.slice(0, 1000).filter(isShown);
    if (shown.length > 1) throw new ActionError('notFound', 'several', { text: String(found.length), options: shown.slice(0, 20).map(inWords) });
    if (shown.length === 1) found = shown;
  }
  if (found.length === 0) throw new ActionError('notFound', 'gone', { text: target });
  return found[0];
}

/** The button, link or box that a text or icon in it stands for. */
export function pressable(element) {
  if (isControl(roleOf(element)) || isFocusable(element) || hasAttribute(element, 'onclick') || tagOf(element) === 'label') return element;
  return closest(element, (one) => isControl(roleOf(one)) || tagOf(one) === 'label' || hasAttribute(one, 'onclick')) ?? element;
}

const TEXT_INPUTS = 'input:not([type=hidden]), textarea, select';
const isOwnField = (element) => ['input', 'textarea', 'select'].includes(tagOf(element)) || isEditable(element);

/** All elements below one in the flat tree that fit, the first `most`. */
export function below(element, fits, most = 2) {
  const list = [];
  const stack = [element];
  for (let seen = 0; stack.length && list.length < most && seen < 20_000; seen += 1) {
    const one = stack.pop();
    if (one !== element && fits(one)) list.push(one);
    for (const node of childrenOf(one).reverse()) if (isElement(node)) stack.push(node);
  }
  return list;
}

/** The field of a label, of a wrapper or of a custom element that has just one in it. */
export function field(element) {
  if (isOwnField(element)) return element;
  const labelled = tagOf(element) === 'label' ? controlOf(element) : null;
  if (labelled) return labelled;
  const inner = below(element, (one) => isOwnField(one) && (isEditable(one) ? isEditingHost(one) : matches(one, TEXT_INPUTS)));
  if (inner.length === 1) return inner[0];
  const label = closest(element, (one) => tagOf(one) === 'label');
  const control = label && controlOf(label);
  return control && isConnected(control) ? control : inner.length > 1 && isField(roleOf(element)) ? inner[0] : element;
}

/** The box or radio button of a label or wrapper. */
export function box(element) {
  const isBox = (one) => (tagOf(one) === 'input' && ['checkbox', 'radio'].includes(inputTypeOf(one))) || /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(roleOf(one));
  if (isBox(element)) return element;
  const control = tagOf(element) === 'label' ? controlOf(element) : null;
  if (control) return control;
  const inner = below(element, isBox);
  return inner.length === 1 ? inner[0] : (closest(element, isBox) ?? element);
}

/** What can be an option of a list that a page made. */
export const OPTIONS = '[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem], [role=gridcell]';

export const isChoice = (one) => (one instanceof HTMLInputElement && ['radio', 'checkbox'].includes(inputTypeOf(one))) || matches(one, `[role=radio], [role=checkbox], ${OPTIONS}`);
/** Whether an element is an open list: buttons or boxes to choose from. */
export const isGroup = (element) => /^(radiogroup|group|listbox)$/.test(roleOf(element)) && tagOf(element) !== 'select' && below(element, isChoice, 1).length > 0;

/** What is opened to choose: a select, a field, a button; for an option the list that it is in. */
export function chooser(element) {
  const option = tagOf(element) === 'option' ? closest(element, (one) => tagOf(one) === 'select') : null;
  if (option) return option;
  const inner = field(element);
  return ['select', 'input'].includes(tagOf(inner)) ? inner : isGroup(element) ? element : pressable(element);
}

/** What of an element a hand can press: itself, or a label where the box itself is not to be seen. */
export const faces = (element) => [element, ...labelsOf(element)];
