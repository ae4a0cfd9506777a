/** Sets the controls of a form as if the user had done it. */

import { dispatch, isArray, NativeEvent } from '../captured.js';
import { each, isObject, SafeMap } from '../safe.js';
import { checked, createElement, selected, typeOf, valueOf } from './dom.js';

export const textOf = (value) => (isObject(value) || value === null ? undefined : `${value}`);

/** What a control of this type makes of a text. */
export function sanitized(type, text) {
  const input = createElement(document, 'input');
  typeOf(input, type);
  valueOf(input, text);
  return valueOf(input);
}

/** Write a property, and dispatch the events that the browser would. For boxes it does so even without a change. */
export function put(control, property, value, isBox) {
  const before = property(control);
  property(control, value);
  // A hidden control dispatches no events.
  tell(control, property(control) !== before && typeOf(control) !== 'hidden', isBox);
}

function tell(control, isNew, isBox) {
  if (isNew) dispatch(control, new NativeEvent('input', { __proto__: null, bubbles: true, composed: true }));
  if (isNew || isBox) dispatch(control, new NativeEvent('change', { __proto__: null, bubbles: true }));
}

/** What makes the choices whose values are in a list, if it has only values of the choices, each once. */
export function choosing(values, choices, isMany, select) {
  const free = new SafeMap();
  each(choices, (choice) => free.set(valueOf(choice), true));
  const texts = new SafeMap();
  if (!isArray(values) || !each(values, (value) => texts.set(textOf(value), true) && free.delete(textOf(value)))) return undefined;
  return () => {
    let isNew = false;
    each(choices, (choice) => {
      const isOn = texts.has(valueOf(choice));
      if (select === undefined) {
        if (isMany || isOn) put(choice, checked, isOn, true);
        return;
      }
      isNew ||= selected(choice) !== isOn;
      if (isMany || isOn) selected(choice, isOn);
      // Of equal values the first is chosen.
      if (!isMany) texts.delete(valueOf(choice));
    });
    if (select !== undefined) tell(select, isNew);
  };
}
