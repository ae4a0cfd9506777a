/**
 * The browser's own functions, captured before any script of the page runs. A page may change every prototype at any time,
 * so whatever the bridge uses after its first turn comes from here.
 */

export const { apply, construct, defineProperty, deleteProperty, get: getProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, set: setProperty, setPrototypeOf } = Reflect;
export const { create, freeze, hasOwn } = Object;
export const { isArray } = Array;
export const { parse, stringify } = JSON;
export const { iterator } = Symbol;

/** `uncurry(f)(self, ...args)` is `f.call(self, ...args)`, whatever becomes of `call`. */
export const uncurry = Function.prototype.bind.bind(Function.prototype.call);

export const NativeAbortController = AbortController;
export const NativeDOMException = DOMException;
export const NativeError = Error;
export const NativeEvent = Event;
export const NativeEventTarget = EventTarget;
export const NativeMessageChannel = MessageChannel;
export const NativePromise = Promise;
export const NativeProxy = Proxy;
export const NativeTypeError = TypeError;

/** A method as a function of the object, or a property as a function that reads it and, given a value, writes it. */
export function member(prototype, key) {
  const { get, set, value } = getOwnPropertyDescriptor(prototype, key);
  return set === undefined ? uncurry(get ?? value) : (self, ...to) => apply(to.length > 0 ? set : get, self, to);
}

/** The methods and properties of a class, as such functions. Asked for in the first turn only. */
export const natively = ({ prototype }) => new NativeProxy({}, { get: (_, key) => member(prototype, key) });

export const { abort, signal: signalOf } = natively(AbortController);
export const { aborted: isAborted, reason: reasonOf } = natively(AbortSignal);
export const { any: anySignal } = AbortSignal;
export const { preventDefault, stopImmediatePropagation } = natively(Event);
export const { addEventListener: listen, dispatchEvent: dispatch, removeEventListener: unlisten } = natively(EventTarget);
export const { port1: channelPort1, port2: channelPort2 } = natively(MessageChannel);
export const { data: messageData, ports: messagePorts, source: messageSource } = natively(MessageEvent);
export const { close: closePort, postMessage: postText, start: startPort } = natively(MessagePort);
export const { then: promiseThen } = natively(Promise);
export const { exec: matches } = natively(RegExp);
export const { slice, toWellFormed: wellFormed } = natively(String);
export const isClosed = member(window, 'closed');
export const performanceOf = member(window, 'performance');
export const delay = setTimeout;
export const soon = queueMicrotask;
export const clock = performance;
export const now = clock.now.bind(clock);
export const logError = console.error;
