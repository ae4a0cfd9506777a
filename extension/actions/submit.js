/** Submitting a form as its own button would. */

import { formOf, getter, inputTypeOf, method, query, tagOf } from './dom.js';
import { isShown } from './shown.js';
import { isDisabled } from './state.js';

const requestSubmit = method(HTMLFormElement, 'requestSubmit');
const elementsOf = getter(HTMLFormElement, 'elements');
const item = getter(HTMLFormElement, 'length');
const typeOfButton = getter(HTMLButtonElement, 'type');
const typeOfInput = getter(HTMLInputElement, 'type');

/** The controls of a form, also those that stand elsewhere. @returns {Element[]} */
export const controlsOf = (form) => Array.from({ length: item(form) }, (_, at) => elementsOf(form)[at]).filter(Boolean);

export const isSubmitButton = (element) =>
  (element instanceof HTMLButtonElement && typeOfButton(element) === 'submit') ||
  (element instanceof HTMLInputElement && ['submit', 'image'].includes(typeOfInput(element)));

/** The button that Enter in a field presses. @returns {Element | undefined} */
export const defaultButton = (form) =>
  controlsOf(form).find(isSubmitButton) ?? query(form, 'input[type=image]')[0];

const TEXT_TYPES = /^(text|search|tel|url|email|number|password|date|month|week|time|datetime-local)$/;

/** Inputs that Enter presses, or that it does nothing in. */
const PRESSED_TYPES = /^(button|reset|color|file)$/;

/** Whether Enter is for the form of an element, not for itself. */
export const isEnterForForm = (element) => element instanceof HTMLInputElement && !PRESSED_TYPES.test(inputTypeOf(element));

/**
 * Whether Enter in a field sends its form (HTML, *implicit submission*): by the first button, or without one
 * because there is a single field.
 */
export function isSubmittedByEnter(form) {
  const button = defaultButton(form);
  if (button) return !isDisabled(button);
  return controlsOf(form).filter((one) => one instanceof HTMLInputElement && TEXT_TYPES.test(inputTypeOf(one))).length <= 1;
}

/** A form by itself, a field or a button of it, or the only form in an element. */
export function formFrom(element) {
  if (tagOf(element) === 'form') return element;
  const own = formOf(element);
  if (own) return own;
  const inner = query(element, 'form');
  return inner.length === 1 ? inner[0] : null;
}

/** The button with which a person would submit the form: shown and enabled. */
export function usableButton(form) {
  const button = defaultButton(form);
  return button && isShown(button) && !isDisabled(button) ? button : undefined;
}

/** Submit with validation and the page's handlers. */
export const submitForm = (form) => requestSubmit(form);
