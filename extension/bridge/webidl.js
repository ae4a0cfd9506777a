/** Arguments read as WebIDL reads them, with the browser's own words for what is wrong. */

import { apply, isAborted, isClosed, iterator, NativeDOMException, NativeTypeError, wellFormed } from './captured.js';
import { append, isObject } from './safe.js';

/** @typedef {(message: string) => never} Fail */

/** @returns {Fail} */
export const failing = (method) => (message) => {
  throw new NativeTypeError(`Failed to execute '${method}' on 'ModelContext': ${message}`);
};

/**
 * A reader of the members of a WebIDL dictionary.
 *
 * @param {object} object
 * @param {string} type name of the dictionary
 * @param {Fail} fail
 */
export function membersOf(object, type, fail) {
  return (key, convert, required = false) => {
    const failHere = (message) => fail(`Failed to read the '${key}' property from '${type}': ${message}`);
    const value = object[key];
    if (value !== undefined) return convert(value, failHere);
    return required ? failHere('Required member is undefined.') : undefined;
  };
}

export const asBoolean = (value) => !!value;
export const asString = (value, fail) => (typeof value === 'symbol' ? fail('Cannot convert a Symbol value to a string') : `${value}`);
export const asText = (value, fail) => wellFormed(asString(value, fail));
export const asFunction = (value, fail) => (typeof value === 'function' ? value : fail('The given value is not a function.'));
export const asObject = (value, fail) => (isObject(value) ? value : fail("Failed to convert value to 'object'."));

/** @param {(value: object) => unknown} brand a captured getter, which throws for any other kind of object */
const asKind = (kind, brand) => (value, fail) => {
  try {
    // A getter of the window would take `null` for the window itself.
    if (isObject(value)) {
      brand(value);
      return value;
    }
  } catch {
    // It is of another kind.
  }
  return fail(`Failed to convert value to '${kind}'.`);
};
export const asSignal = asKind('AbortSignal', isAborted);
export const asWindow = asKind('Window', isClosed);

/** A converter to a list, which iterates as the page says. */
export const asListOf = (convert) => (value, fail) => {
  if (!isObject(value)) fail('The provided value cannot be converted to a sequence.');
  const method = value[iterator];
  if (typeof method !== 'function') fail('The object must have a callable @@iterator property.');
  const list = [];
  for (const one of { __proto__: null, [iterator]: () => apply(method, value, []) }) append(list, convert(one, fail));
  return list;
};
export const asTexts = asListOf(asText);

/** A reader of an optional dictionary of options. */
export function optionsOf(options, type, fail) {
  if (options !== undefined && options !== null && !isObject(options)) fail(`The provided value is not of type '${type}'.`);
  return membersOf(options ?? { __proto__: null }, type, fail);
}

export const invalidState = (message) => new NativeDOMException(message, 'InvalidStateError');
