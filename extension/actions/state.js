/** States and values of elements, as they stand in a line. */

import {
  attribute, attributeOf, closest, controlOf, deepActive, firstChildOf, getter, hasAttribute, inputTypeOf, isChecked, isEditable, isMixed, isSelected, matches, nextOf,
  parentNodeOf, namespaceOf, SVG, tagOf, textContentOf, valueOf,
} from './dom.js';
import { isField, roleOf } from './role.js';
import { isSecret } from './secrets.js';
import { line } from './text.js';

const isTrue = (element, name) => attribute(element, name) === 'true';
const CHECKED = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
const SELECTED = new Set(['option', 'tab', 'row', 'gridcell', 'treeitem', 'columnheader', 'rowheader', 'cell']);
const isOpen = getter(HTMLDetailsElement, 'open');
const isReadOnlyInput = getter(HTMLInputElement, 'readOnly');
const isReadOnlyArea = getter(HTMLTextAreaElement, 'readOnly');
const files = getter(HTMLInputElement, 'files');

/** Whether a control is switched off: itself, by its fieldset or group, or by `aria-disabled` on it or above it. */
export function isDisabled(element) {
  // The browser knows of fieldsets and their first legend.
  if (namespaceOf(element) !== SVG && matches(element, ':disabled')) return true;
  return closest(element, (one) => isTrue(one, 'aria-disabled')) !== null;
}

/** Whether a field only shows its value. */
export function isReadOnly(element) {
  if (isTrue(element, 'aria-readonly')) return true;
  if (element instanceof HTMLInputElement) return isReadOnlyInput(element);
  return element instanceof HTMLTextAreaElement && isReadOnlyArea(element);
}

function checked(element, role) {
  if (!CHECKED.has(role)) return '';
  if (element instanceof HTMLLabelElement) return controlOf(element) === null ? '' : checked(controlOf(element), role);
  if (element instanceof HTMLInputElement) return isMixed(element) ? 'checked=mixed' : isChecked(element) ? 'checked' : '';
  const value = attribute(element, 'aria-checked');
  return value === 'mixed' ? 'checked=mixed' : value === 'true' ? 'checked' : '';
}

function expanded(element) {
  const details = tagOf(element) === 'summary' ? parentNodeOf(element) : null;
  if (details instanceof HTMLDetailsElement) return isOpen(details) ? 'expanded' : 'expanded=false';
  const value = attributeOf(element, 'aria-expanded');
  return value === 'true' ? 'expanded' : value === 'false' ? 'expanded=false' : '';
}

function selected(element, role) {
  if (!SELECTED.has(role)) return '';
  return element instanceof HTMLOptionElement ? isSelected(element) : isTrue(element, 'aria-selected');
}

/**
 * States of an element in the order in which they are written.
 * @param {Element} element
 * @param {string} [role] if known
 * @param {{ active?: Element | null, isOff?: boolean }} [known] the focused element; whether something above says disabled
 * @returns {string[]}
 */
export function statesOf(element, role = roleOf(element), { active = deepActive(), isOff } = {}) {
  const list = [];
  if (role === 'heading') list.push(`level=${attribute(element, 'aria-level') || /^h([1-6])$/.exec(tagOf(element))?.[1] || 2}`);
  const isChecking = checked(element, role);
  if (isChecking) list.push(isChecking);
  if (isOff ?? isDisabled(element)) list.push('disabled');
  const isExpanded = expanded(element);
  if (isExpanded) list.push(isExpanded);
  if (element === active) list.push('active');
  if (isField(role) || CHECKED.has(role)) {
    const invalid = attribute(element, 'aria-invalid');
    // A field that was never filled in is not yet wrong.
    if ((invalid && invalid !== 'false') || (element instanceof HTMLElement && tagOf(element) !== 'div' && matches(element, ':user-invalid'))) list.push('invalid');
    if (isReadOnly(element)) list.push('readonly');
    if (matches(element, ':required') || isTrue(element, 'aria-required')) list.push('required');
  }
  const pressed = attribute(element, 'aria-pressed');
  if (pressed === 'true' || pressed === 'mixed') list.push(pressed === 'true' ? 'pressed' : 'pressed=mixed');
  if (selected(element, role)) list.push('selected');
  const current = attribute(element, 'aria-current');
  if (current && current !== 'false') list.push('current');
  const sort = attribute(element, 'aria-sort');
  if (sort === 'ascending' || sort === 'descending') list.push(`sort=${sort}`);
  if (isTrue(element, 'aria-busy')) list.push('busy');
  if (hasAttribute(element, 'aria-haspopup') && !isExpanded && attribute(element, 'aria-haspopup') !== 'false') list.push('haspopup');
  return list;
}

const TEXTLESS = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden']);
const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);
const numberOf = { progress: getter(HTMLProgressElement, 'value'), meter: getter(HTMLMeterElement, 'value') };
const mostOf = { progress: getter(HTMLProgressElement, 'max'), meter: getter(HTMLMeterElement, 'max') };

/**
 * What an element holds, one line; secret fields only say so.
 * @param {Element} element
 * @param {string} [role] if known
 * @returns {string}
 */
export function valueText(element, role = roleOf(element)) {
  if (isSecret(element)) return '[secret]';
  if (element instanceof HTMLInputElement) {
    const type = inputTypeOf(element);
    if (TEXTLESS.has(type)) return '';
    if (type === 'file') return line([...files(element)].map(({ name }) => name).join(', '));
    return line(valueOf(element), 500);
  }
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return line(valueOf(element), 500);
  const tag = tagOf(element);
  if (tag === 'progress' || tag === 'meter') {
    if (tag === 'progress' && !hasAttribute(element, 'value')) return '';
    return `${numberOf[tag](element)} of ${mostOf[tag](element)}`;
  }
  if (RANGES.has(role)) return line(attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow'));
  if (isField(role) && (isEditable(element) || role === 'combobox')) return role === 'combobox' && hasField(element) ? '' : line(textContentOf(element).slice(0, 2000), 500);
  return '';
}

/** Whether there is a field in an element: it then tells the value. */
function hasField(element) {
  for (let node = firstChildOf(element); node; node = nextOf(node)) if (node instanceof HTMLInputElement) return true;
  return false;
}

