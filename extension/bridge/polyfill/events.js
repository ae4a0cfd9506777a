/** The classes of the two events, and the interface objects of the window. */

import { construct, create, getOwnPropertyDescriptor, NativeEvent, NativeTypeError, setPrototypeOf } from '../captured.js';
import { define, isObject, SafeWeakMap } from '../safe.js';
import { asString, optionsOf } from '../webidl.js';

/** Make one of each. @type {(toolName: string) => Event} */
export let activatedEvent, cancelEvent;

export function defineEvents() {
  activatedEvent = eventClass('ToolActivatedEvent', 'toolactivated');
  cancelEvent = eventClass('ToolCancelEvent', 'toolcancel');
}

/**
 * Define one of the two event classes.
 *
 * @returns {(toolName: string) => Event} makes one
 */
function eventClass(name, type) {
  /** @type {WeakMap<Event, string>} */
  const toolNames = new SafeWeakMap();
  const make = (eventType, init, target, toolName) => {
    const event = construct(NativeEvent, [eventType, init], target);
    toolNames.set(event, toolName());
    return event;
  };
  const constructor = function (eventType, init = undefined) {
    const fail = (message) => {
      throw new NativeTypeError(`Failed to construct '${name}': ${message}`);
    };
    if (!new.target) fail("Please use the 'new' operator, this DOM object constructor cannot be called as a function.");
    if (arguments.length === 0) fail('1 argument required, but only 0 present.');
    const member = optionsOf(init, `${name}Init`, fail);
    return make(eventType, init, new.target, () => member('toolName', asString) ?? '');
  };
  const prototype = create(NativeEvent.prototype);
  const { get } = getOwnPropertyDescriptor(
    {
      get toolName() {
        const toolName = isObject(this) ? toolNames.get(this) : undefined;
        if (toolName === undefined) throw new NativeTypeError('Illegal invocation');
        return toolName;
      },
    },
    'toolName',
  );
  define(prototype, 'toolName', { get, set: undefined, enumerable: true, configurable: true });
  install(constructor, name, prototype, NativeEvent);
  return (toolName) => make(type, undefined, constructor, () => toolName);
}

/** Make a function and a prototype an interface object of the window. */
export function install(constructor, name, prototype, base) {
  define(constructor, 'name', { value: name, configurable: true });
  define(constructor, 'prototype', { value: prototype, writable: false });
  setPrototypeOf(constructor, base);
  define(prototype, 'constructor', { value: constructor, writable: true, configurable: true });
  define(prototype, Symbol.toStringTag, { value: name, configurable: true });
  define(window, name, { value: constructor, writable: true, configurable: true });
}
