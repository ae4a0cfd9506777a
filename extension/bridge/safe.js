/**
 * Replacements for what JavaScript looks up on prototypes, which a page can change: collections and
 * promises are private copies of
 * the built-in classes, nothing iterates by protocol, and every descriptor is an object without a prototype.
 */

import {
  anySignal, apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, iterator, listen,
  NativePromise, ownKeys, promiseThen, setPrototypeOf, unlisten,
} from './captured.js';

/** `forEach` of an array or a collection, until `visit` gives false. Gives whether it never did. */
export function each(list, visit) {
  for (let at = 0; hasOwn(list, at); at += 1) if (visit(list[at], at) === false) return false;
  return true;
}

/** The first of a list that `fits`, if one does. */
export function find(list, fits) {
  let found;
  each(list, (one) => {
    if (fits(one)) found ??= one;
  });
  return found;
}

/**
 * A subclass that keeps its own copies of all methods and inherits nothing from the page's prototypes.
 *
 * @template {new (...args: any[]) => object} T
 * @param {T} Base
 * @returns {T}
 */
function sealed(Base) {
  class Sealed extends Base {
    static get [Symbol.species]() {
      return Sealed;
    }
  }
  each(ownKeys(Base.prototype), (key) => {
    if (key !== 'constructor') defineProperty(Sealed.prototype, key, getOwnPropertyDescriptor(Base.prototype, key));
  });
  setPrototypeOf(Sealed.prototype, null);
  return Sealed;
}

export const SafeMap = sealed(Map);
export const SafeWeakMap = sealed(WeakMap);
const SafePromise = sealed(Promise);

/** A promise for a value that may be a thenable. */
export const settled = (value) => new SafePromise((resolve) => resolve(value));

/** A promise for the result of calling the page's function; rejects if it throws. */
export const runSafely = (callback, args) => new SafePromise((resolve) => resolve(apply(callback, undefined, args)));

/**
 * `then` of a promise, without asking the page's `Promise.prototype.constructor` what to make.
 *
 * @template {Promise<unknown>} T
 * @param {T} promise
 * @returns {T}
 */
export function follow(promise, done, failed) {
  define(promise, 'constructor', { value: undefined, configurable: true });
  promiseThen(promise, done, failed);
  deleteProperty(promise, 'constructor');
  return promise;
}

/** A promise for a value that the browser made, usually a promise itself. */
export const outcomeOf = (value) =>
  new SafePromise((resolve, reject) => {
    if (isObject(value) && getPrototypeOf(value) === NativePromise.prototype) follow(value, resolve, reject);
    else resolve(value);
  });

export const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** `define` without the traps of descriptors that inherit. */
export const define = (target, key, descriptor) => defineProperty(target, key, setPrototypeOf(descriptor, null) && descriptor);

/** `push` that no setter on `Array.prototype` hears. */
export const append = (list, value) => define(list, list.length, { value, writable: true, enumerable: true, configurable: true });

/** An iterable of these values that does not use `Array.prototype`. */
export function iterable(...values) {
  return {
    __proto__: null,
    [iterator]() {
      let at = 0;
      return { __proto__: null, next: () => ({ __proto__: null, done: at >= values.length, value: values[at++] }) };
    },
  };
}

export const oneOf = (...signals) => anySignal(apply(iterable, undefined, signals));

/**
 * Listen to a signal's abort in a way that the page's listeners cannot prevent.
 *
 * @param {AbortSignal} signal
 * @param {() => void} act
 * @returns {() => void} stops listening
 */
export function whenAborted(signal, act) {
  const derived = oneOf(signal);
  listen(derived, 'abort', act);
  return () => unlisten(derived, 'abort', act);
}
