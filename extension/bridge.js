/**
 * WebMCP in the page's own world (MAIN, `document_start`, all frames).
 *
 * Where the browser has no WebMCP this is a polyfill of `document.modelContext` that behaves as Chromium 156 does.
 * Where it has, the only change is that a failing tool's own words are kept for whoever announced the call. In both
 * cases `navigator.modelContext`, which browsers have dropped and older pages still call, is provided. Without the
 * extension that ships it this file is simply a polyfill.
 *
 * The extension's relay (ISOLATED world) finds this script by one window message that carries a `MessagePort`; all
 * further messages go over that port, unseen by the page. Names, shapes and caps are those of docs/protocol.md.
 *
 * The page runs in the same world and may change every prototype at any time. So whatever is used after the first turn
 * is captured here first, collections and promises are private copies of the built-in classes, nothing iterates by
 * protocol, and every descriptor or message is an object without a prototype.
 */
(() => {
  'use strict';

  if (!isSecureContext) return;

  const VERSION = 1;

  const NAMES = {
    CONNECT: '__wmcp_connect',
    BRIDGE_READY: '__wmcp_bridge_ready',
    TOOLS_CHANGED: '__wmcp_tools_changed',
    LIST_TOOLS: '__wmcp_list_tools',
    TOOLS_LIST: '__wmcp_tools_list',
    CALL_TOOL: '__wmcp_call_tool',
    TOOL_RESULT: '__wmcp_tool_result',
    CANCEL_CALL: '__wmcp_cancel_call',
    EXPECT_CALL: '__wmcp_expect_call',
    EXPECTED_CALL: '__wmcp_expected_call',
    USER_INTERACTION: '__wmcp_user_interaction',
  };

  const CAPS = {
    TOOLS: 1000,
    LIST: 8388608,
    DESCRIPTION: 16384,
    TITLE: 1024,
    SCHEMA: 262144,
    ARGUMENTS: 4194304,
    RESULT: 4194304,
    ERROR: 4096,
  };

  /**
   * Relays that may be connected at once: an extension that is reloaded leaves its last one behind, and no event tells that
   * the other end of a port was closed.
   */
  const MAX_RELAYS = 8;

  /** Calls that may be announced and not yet begun. */
  const MAX_EXPECTED = 100;

  /**
   * Milliseconds between two lists to the relays, at least and at most: a page that registers 1,000 tools one by one sends a
   * few, not 1,000, and one that never rests sends ever fewer.
   */
  const PACE = 50;
  const MAX_PACE = 5000;

  /** Characters of a list that may go at this pace. A longer one has a longer wait after it, in proportion. */
  const PACED_LIST = 262144;

  /** The event by which bridges in frames of one origin find each other. */
  const MEET = 'webmcp.meet';

  // ------------------------------------------------------------------------------------------- captured built-ins

  const { apply, construct, defineProperty, deleteProperty, get: getProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, set: setProperty, setPrototypeOf } = Reflect;
  const { create, freeze, hasOwn } = Object;
  const { isArray } = Array;
  const { parse, stringify } = JSON;
  const { iterator } = Symbol;

  /** `uncurry(f)(self, ...args)` is `f.call(self, ...args)`, whatever becomes of `call`. */
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);

  const NativeAbortController = AbortController;
  const NativeDOMException = DOMException;
  const NativeEvent = Event;
  const NativeEventTarget = EventTarget;
  const NativeMessageChannel = MessageChannel;
  const NativePromise = Promise;
  const NativeProxy = Proxy;
  const NativeTypeError = TypeError;

  /** A method as a function of the object, or a property as a function that reads it and, given a value, writes it. */
  function member(prototype, key) {
    const { get, set, value } = getOwnPropertyDescriptor(prototype, key);
    return set === undefined ? uncurry(get ?? value) : (self, ...to) => apply(to.length > 0 ? set : get, self, to);
  }

  /** The methods and properties of a class, as such functions. Asked for in the first turn only. */
  const natively = ({ prototype }) => new NativeProxy({}, { get: (_, key) => member(prototype, key) });

  const { abort, signal: signalOf } = natively(AbortController);
  const { aborted: isAborted, reason: reasonOf } = natively(AbortSignal);
  const { any: anySignal } = AbortSignal;
  const { preventDefault, stopImmediatePropagation } = natively(Event);
  const { addEventListener: listen, dispatchEvent: dispatch, removeEventListener: unlisten } = natively(EventTarget);
  const { toString: functionText } = natively(Function);
  const { port1: channelPort1, port2: channelPort2 } = natively(MessageChannel);
  const { data: messageData, ports: messagePorts, source: messageSource } = natively(MessageEvent);
  const { close: closePort, postMessage: postText, start: startPort } = natively(MessagePort);
  const { then: promiseThen } = natively(Promise);
  const { exec: matches } = natively(RegExp);
  const { slice, toWellFormed: wellFormed } = natively(String);
  const isClosed = member(window, 'closed');
  const performanceOf = member(window, 'performance');
  const delay = setTimeout;
  const soon = queueMicrotask;
  const clock = performance;
  const now = clock.now.bind(clock);
  const logError = console.error;

  /** `forEach` of an array or a collection, until `visit` gives false. Gives whether it never did. */
  function each(list, visit) {
    for (let at = 0; hasOwn(list, at); at += 1) if (visit(list[at], at) === false) return false;
    return true;
  }

  /** The first of a list that `fits`, if one does. */
  function find(list, fits) {
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

  const SafeMap = sealed(Map);
  const SafeWeakMap = sealed(WeakMap);
  const SafePromise = sealed(Promise);

  /** What becomes of a value that may be a thenable. */
  const settled = (value) => new SafePromise((resolve) => resolve(value));

  /** What becomes of a call of the page's function, also when it throws. */
  const runSafely = (callback, args) => new SafePromise((resolve) => resolve(apply(callback, undefined, args)));

  /**
   * `then` of a promise, without asking the page's `Promise.prototype.constructor` what to make.
   *
   * @template {Promise<unknown>} T
   * @param {T} promise
   * @returns {T}
   */
  function follow(promise, done, failed) {
    define(promise, 'constructor', { value: undefined, configurable: true });
    promiseThen(promise, done, failed);
    deleteProperty(promise, 'constructor');
    return promise;
  }

  /** What becomes of a value that the browser made, usually a promise. */
  const outcomeOf = (value) =>
    new SafePromise((resolve, reject) => {
      if (isObject(value) && getPrototypeOf(value) === NativePromise.prototype) follow(value, resolve, reject);
      else resolve(value);
    });

  const isNativeCode = (value) => typeof value === 'function' && matches(/\{ \[native code\] \}$/, functionText(value)) !== null;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  /** Whether `document.modelContext` is the browser's own, told without having it made. */
  const hasNative = () => isNativeCode(getOwnPropertyDescriptor(Document.prototype, 'modelContext')?.get);

  /** `define` without the traps of descriptors that inherit. */
  const define = (target, key, descriptor) => defineProperty(target, key, setPrototypeOf(descriptor, null) && descriptor);

  /** `push` that no setter on `Array.prototype` hears. */
  const append = (list, value) => define(list, list.length, { value, writable: true, enumerable: true, configurable: true });

  /** An iterable of these values that does not use `Array.prototype`. */
  function iterable(...values) {
    return {
      __proto__: null,
      [iterator]() {
        let at = 0;
        return { __proto__: null, next: () => ({ __proto__: null, done: at >= values.length, value: values[at++] }) };
      },
    };
  }

  const oneOf = (...signals) => anySignal(apply(iterable, undefined, signals));

  /**
   * Hear a signal's abort in a way that the page's listeners cannot prevent.
   *
   * @param {AbortSignal} signal
   * @param {() => void} act
   * @returns {() => void} stops listening
   */
  function whenAborted(signal, act) {
    const derived = oneOf(signal);
    listen(derived, 'abort', act);
    return () => unlisten(derived, 'abort', act);
  }

  // ---------------------------------------------------------------------------------------------------------- tasks

  /** @typedef {{ run: () => void, next: Task | null }} Task */
  /** @type {Task | null} */
  let firstTask = null;
  /** @type {Task | null} */
  let lastTask = null;
  /** @type {MessagePort | null} */
  let bell = null;

  /** Ring for one task. Message tasks are neither throttled in background tabs nor, as timers are, clamped. */
  function ring() {
    if (bell === null) {
      const channel = new NativeMessageChannel();
      const ear = channelPort2(channel);
      bell = channelPort1(channel);
      listen(ear, 'message', () => {
        const { run } = firstTask;
        firstTask = firstTask.next;
        if (firstTask === null) lastTask = null;
        run();
      });
      startPort(ear);
    }
    postText(bell, null);
  }

  /** Run in a task of its own, after those that wait already. */
  function later(run) {
    const task = { __proto__: null, run, next: null };
    if (lastTask === null) firstTask = task;
    else lastTask.next = task;
    lastTask = task;
    ring();
  }

  /** Run in a task of its own, before those that wait already. */
  function nextTask(run) {
    firstTask = { __proto__: null, run, next: firstTask };
    lastTask ??= firstTask;
    ring();
  }

  /**
   * Send the newest list at once after a pause, else when its time has come. The wait doubles with each list that had to
   * wait for the one before.
   *
   * @param {() => number} send gives the list's length in characters
   * @returns {() => void} to be called when the list has changed
   */
  function paced(send) {
    let isPlanned = false;
    let wait = PACE;
    let next = 0;
    const run = () => {
      isPlanned = false;
      const size = send();
      const due = size > PACED_LIST ? (wait * size) / PACED_LIST : wait;
      next = now() + (due < MAX_PACE ? due : MAX_PACE);
    };
    return () => {
      if (isPlanned) return;
      isPlanned = true;
      const rest = next - now();
      if (rest > 0) {
        wait = wait * 2 < MAX_PACE ? wait * 2 : MAX_PACE;
        delay(run, rest);
      } else {
        wait = PACE;
        soon(run);
      }
    };
  }

  // --------------------------------------------------------------------------------------------------------- relays

  /** Calls that came over a port, by request id, as the functions that cancel them. @typedef {Map<string, () => void>} Calls */
  /** @type {Map<MessagePort, Calls>} */
  const relays = new SafeMap();

  const post = (port, message) => postText(port, stringify(setPrototypeOf(message, null) && message));

  /** Tell one relay or, without a port, all of them. */
  function tell(port, message) {
    if (port !== undefined) post(port, message);
    else relays.forEach((_, each) => post(each, message));
  }

  /** The JSON object that a text is, if it is one. */
  function objectIn(text) {
    try {
      const value = parse(text);
      return isObject(value) && !isArray(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  const cut = (text, cap) => wellFormed(text.length > cap ? slice(text, 0, cap) : text);

  /** What the page itself says went wrong. */
  function errorText(error) {
    let text = '';
    try {
      if (isObject(error)) {
        const { message, name } = error;
        if (typeof message === 'string' && message !== '') text = message;
        else if (message === '' && typeof name === 'string') text = name;
        else text = stringify(error);
      } else if (error !== undefined) {
        text = `${error}`;
      }
    } catch {
      // An error that cannot even be read says nothing.
    }
    return typeof text === 'string' && text !== '' ? cut(text, CAPS.ERROR) : 'The tool failed without saying why.';
  }

  /** A tool as JSON text for the relays. @param {Definition} definition */
  function wireOf({ name, title, description, schema, annotations }) {
    const wire = { __proto__: null, name, description: cut(description, CAPS.DESCRIPTION) };
    if (title !== '') wire.title = cut(title, CAPS.TITLE);
    if (schema !== undefined && schema.length <= CAPS.SCHEMA) wire.inputSchema = schema;
    if (annotations !== undefined) wire.annotations = annotations;
    return stringify(wire);
  }

  /**
   * A list of tools as the last members of a JSON object.
   *
   * @param {'native' | 'polyfill'} name
   * @param {number} total
   * @param {(at: number) => string} wireAt
   * @param {boolean} blocked
   */
  function listOf(name, total, wireAt, blocked) {
    let tools = '';
    for (let at = 0; at < total && at < CAPS.TOOLS; at += 1) {
      const wire = wireAt(at);
      if (tools.length + wire.length > CAPS.LIST) break;
      tools += at === 0 ? wire : `,${wire}`;
    }
    return `"backend":"${name}","tools":[${tools}],"total":${total}${blocked ? ',"blocked":true' : ''}}`;
  }

  const listAnswer = (requestId, list) => `{"type":"${NAMES.TOOLS_LIST}","requestId":${stringify(`${requestId}`)},${list}`;

  /**
   * Take on a call from a relay, if it is none that runs.
   *
   * @param {MessagePort} port
   * @param {Calls} calls
   * @param {{ requestId: string, toolName: string, args: string }} message
   * @param {(input: object, answer: Answers) => () => void} begin gives the function that cancels
   * @typedef {{ result: (text: string | null) => void, failure: (code: string, error: string) => void }} Answers only the
   *   first one counts
   */
  function takeCall(port, calls, { requestId, args }, begin) {
    if (typeof requestId !== 'string' || calls.has(requestId)) return;
    const answer = (message) => {
      if (calls.delete(requestId)) post(port, { type: NAMES.TOOL_RESULT, requestId, ...message });
    };
    const answers = {
      __proto__: null,
      result(text) {
        if (text === null) answer({ ok: true });
        else if (text.length > CAPS.RESULT) answers.failure('tooLarge', `The result is larger than ${CAPS.RESULT} characters.`);
        else answer({ ok: true, result: wellFormed(text) });
      },
      failure: (code, error) => answer({ ok: false, code, error }),
    };
    let cancel = () => {};
    calls.set(requestId, () => {
      answers.failure('cancelled', 'The call was cancelled.');
      cancel();
    });
    const input = typeof args === 'string' && args.length <= CAPS.ARGUMENTS ? objectIn(args) : undefined;
    if (input === undefined) {
      answers.failure('badArguments', `The arguments must be a JSON object of at most ${CAPS.ARGUMENTS} characters.`);
    } else {
      cancel = begin(input, answers);
    }
  }

  const NOT_FOUND = 'The page has no tool of this name.';

  /**
   * Where a run comes from, by the signal that the tool was given: what joins an interaction to a call.
   *
   * @type {WeakMap<AbortSignal, { port: MessagePort, requestId: string }>}
   */
  const origins = new SafeWeakMap();

  // --------------------------------------------------------------------------------------------- reading dictionaries

  /** @typedef {(message: string) => never} Fail */

  /** @returns {Fail} */
  const failing = (method) => (message) => {
    throw new NativeTypeError(`Failed to execute '${method}' on 'ModelContext': ${message}`);
  };

  /**
   * A reader of the members of a WebIDL dictionary.
   *
   * @param {object} object
   * @param {string} type name of the dictionary
   * @param {Fail} fail
   */
  function membersOf(object, type, fail) {
    return (key, convert, required = false) => {
      const failHere = (message) => fail(`Failed to read the '${key}' property from '${type}': ${message}`);
      const value = object[key];
      if (value !== undefined) return convert(value, failHere);
      return required ? failHere('Required member is undefined.') : undefined;
    };
  }

  const asBoolean = (value) => !!value;
  const asString = (value, fail) => (typeof value === 'symbol' ? fail('Cannot convert a Symbol value to a string') : `${value}`);
  const asText = (value, fail) => wellFormed(asString(value, fail));
  const asFunction = (value, fail) => (typeof value === 'function' ? value : fail('The given value is not a function.'));
  const asObject = (value, fail) => (isObject(value) ? value : fail("Failed to convert value to 'object'."));

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
  const asSignal = asKind('AbortSignal', isAborted);
  const asWindow = asKind('Window', isClosed);

  /** A converter to a list, which iterates as the page says. */
  const asListOf = (convert) => (value, fail) => {
    if (!isObject(value)) fail('The provided value cannot be converted to a sequence.');
    const method = value[iterator];
    if (typeof method !== 'function') fail('The object must have a callable @@iterator property.');
    const list = [];
    for (const one of { __proto__: null, [iterator]: () => apply(method, value, []) }) append(list, convert(one, fail));
    return list;
  };
  const asTexts = asListOf(asText);

  function asAnnotations(value, fail) {
    if (value !== null && !isObject(value)) fail("The provided value is not of type 'ToolAnnotations'.");
    const member = membersOf(value ?? { __proto__: null }, 'ToolAnnotations', fail);
    return {
      __proto__: null,
      consequentialHint: member('consequentialHint', asBoolean) ?? false,
      debugging: member('debugging', asBoolean) ?? false,
      readOnlyHint: member('readOnlyHint', asBoolean) ?? false,
      untrustedContentHint: member('untrustedContentHint', asBoolean) ?? false,
    };
  }

  /**
   * What a page wants to register. Members are read in the order in which WebIDL reads them.
   *
   * @typedef {object} Definition
   * @property {string} name
   * @property {string} title
   * @property {string} description
   * @property {object} [inputSchema]
   * @property {string} [schema] the JSON text of `inputSchema`, once it was taken
   * @property {object} [annotations]
   * @property {Function} execute
   */
  function readTool(tool, fail) {
    if (!isObject(tool)) fail("The provided value is not of type 'ModelContextTool'.");
    const member = membersOf(tool, 'ModelContextTool', fail);
    return {
      __proto__: null,
      annotations: member('annotations', asAnnotations),
      description: member('description', asString, true),
      execute: member('execute', asFunction, true),
      inputSchema: member('inputSchema', asObject),
      schema: undefined,
      name: member('name', asString, true),
      title: member('title', asText) ?? '',
    };
  }

  /** A reader of an optional dictionary of options. */
  function optionsOf(options, type, fail) {
    if (options !== undefined && options !== null && !isObject(options)) fail(`The provided value is not of type '${type}'.`);
    return membersOf(options ?? { __proto__: null }, type, fail);
  }

  /** @typedef {{ exposedTo?: string[], signal?: AbortSignal }} RegisterOptions */
  function readRegisterOptions(options, fail) {
    const member = optionsOf(options, 'ModelContextRegisterToolOptions', fail);
    return { __proto__: null, exposedTo: member('exposedTo', asTexts), signal: member('signal', asSignal) };
  }

  function jsonOf(value, what, fail) {
    return stringify(value) ?? fail(`invalid ${what}: toJSON() returns undefined`);
  }

  const isValidName = (name) => matches(/^[\w.-]{1,128}$/, name) !== null;

  const invalidState = (message) => new NativeDOMException(message, 'InvalidStateError');

  /** What is wrong with a definition is thrown, in Chromium's order; what is right with it gets its schema's text. */
  function check(definition, taken, fail) {
    if (taken) throw invalidState('Duplicate tool name');
    if (!isValidName(definition.name)) throw invalidState('Invalid tool name');
    if (definition.description === '') throw invalidState('Description is required');
    if (definition.inputSchema !== undefined) definition.schema ??= jsonOf(definition.inputSchema, 'input schema', fail);
  }

  // -------------------------------------------------------------------------------------------------------- results

  /** The text of what a tool returned, as Chromium renders it; a Symbol, on which Chromium crashes, is an error. */
  function render(value) {
    switch (typeof value) {
      case 'string':
        return value === '' ? 'Operation succeeded' : value;
      case 'symbol':
        throw new NativeTypeError('The tool returned a Symbol, which cannot be passed on.');
      case 'object':
      case 'function':
        return stringify(value) ?? 'undefined';
      default:
        return `${value}`;
    }
  }

  /**
   * What stands behind `document.modelContext` here.
   *
   * @typedef {object} Backend
   * @property {'native' | 'polyfill'} name
   * @property {() => boolean} isReplaced whether native WebMCP has come in its place
   * @property {(successor: Backend) => void} [yieldTo] gives it everything
   * @property {() => object} context the current document's object
   * @property {(name: string) => boolean} has
   * @property {(definition: Definition, options: RegisterOptions) => Promise<undefined>} register `definition` has been checked
   * @property {(port: MessagePort) => void} greet a relay that has just connected
   * @property {(port: MessagePort, calls: Calls, message: object) => void} hear a relay
   */

  // ---------------------------------------------------------------------------------------------- declarative forms

  /**
   * Make tools of the forms that Chromium makes tools of: those in the document, or in a shadow tree of it, that have the
   * attributes `toolname` and `tooldescription`. A form may also have `tooltitle` and `toolautosubmit`, its controls
   * `toolparamdescription`.
   *
   * @param {(tool: FormTool) => () => void} register gives what takes the tool away again
   * @returns {{ flush: () => void, stop: () => void }} `flush` takes note of what has changed until now
   *
   * @typedef {object} FormTool
   * @property {string} name
   * @property {string} title
   * @property {string} description
   * @property {string} schema JSON text
   * @property {(args: unknown, signal: AbortSignal, origin: Origin | undefined, end: (outcome: Outcome) => void) => Failure | undefined} fill
   *   puts the arguments into the form, and sends it or has its user send it; ends once, unless it gives a failure at once
   */
  function declarativeForms(register) {
    const { abs, max, round } = Math;
    const NativeMutationObserver = MutationObserver;
    const NativeRegExp = RegExp;
    const NativeWeakRef = WeakRef;
    const tellPage = reportError;
    const { trim } = natively(String);
    const { deref } = natively(WeakRef);
    const { createElement, forms } = natively(Document);
    const { childNodes, contains, getRootNode, isConnected, nodeType, textContent } = natively(Node);
    const { firstElementChild, getAttribute, localName, matches: fits, querySelector, querySelectorAll } = natively(Element);
    const { focus } = natively(HTMLElement);
    const { elements, requestSubmit } = natively(HTMLFormElement);
    const { checked } = natively(HTMLInputElement);
    const { options } = natively(HTMLSelectElement);
    const { selected } = natively(HTMLOptionElement);
    const { currentTarget, defaultPrevented, target: eventTarget } = natively(Event);
    const { length: sizeOf } = natively(NodeList);
    const { disconnect, observe, takeRecords } = natively(MutationObserver);
    const { addedNodes, attributeName, removedNodes, target: changedNode } = natively(MutationRecord);

    const CONTROLS = 'button,fieldset,input,output,select,textarea';

    /** Of the kinds of elements that `common` looks at. */
    const prototypes = { __proto__: null };
    each('Button,FieldSet,Input,Option,Output,Select,TextArea'.split(','), (kind) => {
      prototypes[kind.toLowerCase()] = window[`HTML${kind}Element`].prototype;
    });

    /** A property that several kinds of elements have, each its own: `undefined` of any other element. */
    function common(key) {
      const members = { __proto__: null };
      each(ownKeys(prototypes), (kind) => {
        if (hasOwn(prototypes[kind], key)) members[kind] = member(prototypes[kind], key);
      });
      return (element, to) => {
        const own = members[localName(element)];
        return to === undefined ? own?.(element) : own(element, to);
      };
    }
    const formOf = common('form');
    const typeOf = common('type');
    const labelsOf = common('labels');
    const valueOf = common('value');
    const complaintOf = common('validationMessage');

    const has = (element, attribute) => getAttribute(element, attribute) !== null;
    const nameOf = (control) => getAttribute(control, 'name') ?? '';

    /** A list that may become JSON text without running the page's `toJSON`. */
    function bareList() {
      const list = [];
      setPrototypeOf(list, null);
      return list;
    }

    // What a form takes.

    /** To the other types `readonly` means nothing. */
    const LOCKED =
      ':disabled:not(fieldset),textarea[readonly],input[readonly]:not([type=hidden],[type=range],[type=color],[type=checkbox],[type=radio])';

    /** The controls that can be filled, by name. @returns {Map<string, HTMLElement[]>} */
    function controlsOf(form) {
      const byName = new SafeMap();
      each(elements(form), (control) => {
        if (!fits(control, CONTROLS) || fits(control, LOCKED)) return;
        const name = nameOf(control);
        if (!byName.has(name)) byName.set(name, []);
        append(byName.get(name), control);
      });
      return byName;
    }

    /** The text of a label without that of the controls in it. */
    function wordsOf(node) {
      let words = nodeType(node) === 3 ? textContent(node) : '';
      const isOpen = nodeType(node) === 1 && !fits(node, `${CONTROLS},meter,progress`);
      if (isOpen) each(childNodes(node), (child) => (words += wordsOf(child)));
      return words;
    }

    function labelOf(control) {
      let text = '';
      each(labelsOf(control) ?? [], (label, at) => (text += (at > 0 ? '; ' : '') + trim(wordsOf(label))));
      return text;
    }

    function descriptionOf(controls) {
      const first = controls[0];
      if (controls.length === 1) {
        return getAttribute(first, 'toolparamdescription') || labelOf(first) || getAttribute(first, 'aria-description');
      }
      // Several are described by the innermost fieldset around them all.
      let text;
      each(querySelectorAll(formOf(first), 'fieldset'), (fieldset) => {
        if (each(controls, (control) => contains(fieldset, control))) text = getAttribute(fieldset, 'toolparamdescription');
      });
      return text;
    }

    /** A number, if the browser takes it for one. */
    function numberOf(element, attribute) {
      const text = sanitized('number', getAttribute(element, attribute) ?? '');
      return text === '' ? undefined : +text + 0;
    }

    function describeNumbers(schema, input, isRange) {
      const least = numberOf(input, 'min');
      const most = numberOf(input, 'max') ?? (isRange ? 100 : undefined);
      schema.type = 'number';
      schema.minimum = least ?? (isRange ? 0 : undefined);
      schema.maximum = isRange ? max(schema.minimum, most) : most;
      const given = numberOf(input, 'step');
      const step = given > 0 ? given : 1;
      const steps = (least ?? numberOf(input, 'value') ?? 0) / step;
      if ((isRange || !fits(input, '[step=any i]')) && abs(steps - round(steps)) < 1e-9) schema.multipleOf = step;
    }

    const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]';
    const FORMATS = {
      __proto__: null,
      color: '^#[0-9a-zA-Z]{6}$',
      date: 'date',
      'datetime-local': `^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}T${CLOCK}`,
      month: '^[0-9]{4}-(0[1-9]|1[0-2])$',
      time: `^${CLOCK}`,
      week: '^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$',
    };

    /** The end of a time's format: as much as its step asks for, to the nearest millisecond. */
    function secondsOf(input) {
      const step = numberOf(input, 'step');
      return step > 0 && step < 59.9995 ? `(:[0-5][0-9]${step < 0.9995 ? '(\\.[0-9]{1,3})?' : ''})?$` : '$';
    }

    function isPattern(text) {
      try {
        return text !== null && new NativeRegExp(text, 'v') !== null;
      } catch {
        return false;
      }
    }

    /**
     * What controls of one name take: the schema, with Chromium's members in Chromium's order, and what puts a value into
     * them, if they take that value.
     *
     * @returns {{ schema: object, take: (value: unknown) => (() => void) | undefined } | undefined}
     */
    function parameterOf(controls) {
      const first = controls[0];
      const kind = typeOf(first);
      const isMany = controls.length > 1;
      const isBox = kind === 'checkbox' || kind === 'radio';
      const isUnfit = isMany && !(isBox && each(controls, (control) => typeOf(control) === kind));
      const isHidden = kind === 'hidden' && !getAttribute(first, 'toolparamdescription');
      if (isUnfit || isHidden || matches(/^(?:button|fieldset|file|output|reset|submit)$/, kind) !== null) return undefined;

      const schema = { __proto__: null, type: 'string', format: FORMATS[kind] };
      let take;
      if (kind === 'radio' || (isBox && isMany)) {
        take = offer(schema, controls, (box) => labelOf(box) || undefined, kind === 'checkbox');
      } else if (localName(first) === 'select') {
        take = offer(schema, options(first), textContent, kind === 'select-multiple', first);
      } else if (isBox) {
        schema.type = 'boolean';
        take = (value) => {
          const found = matches(/^(?:(true|-?[1-9]\d*)|false|0)$/i, textOf(value));
          return found === null ? undefined : () => put(first, checked, found[1] !== undefined, true);
        };
      } else {
        if (kind === 'number' || kind === 'range') describeNumbers(schema, first, kind === 'range');
        else if (matches(/^(?:time|datetime)/, kind) !== null) schema.format += secondsOf(first);
        const pattern = getAttribute(first, 'pattern');
        const isMatched = schema.format === undefined && kind !== 'range' && kind !== 'textarea';
        if (isMatched && isPattern(pattern)) schema.pattern = pattern;
        take = (value) => {
          const text = textOf(value);
          const isTaken = text === '' ? schema.type === 'string' : kind === 'textarea' || sanitized(kind, text) !== '';
          return text !== undefined && isTaken ? () => put(first, valueOf, text) : undefined;
        };
      }
      const description = descriptionOf(controls) || undefined;
      const hint = "Dates MUST be provided in 'YYYY-MM-DD' format.";
      if (kind !== 'date') schema.description = description;
      else schema.description = description === undefined ? hint : `${description} (${hint})`;
      return { schema, take };
    }

    /** Let a parameter be one of several texts, or a list of some of them. */
    function offer(schema, choices, titleOf, isMany, select) {
      const one = isMany ? { __proto__: null, type: 'string' } : schema;
      if (isMany) {
        schema.type = 'array';
        schema.items = one;
        schema.uniqueItems = true;
      }
      one.anyOf = bareList();
      one.enum = bareList();
      each(choices, (choice) => {
        append(one.anyOf, { __proto__: null, type: 'string', const: valueOf(choice), title: titleOf(choice) });
        append(one.enum, valueOf(choice));
      });
      return (value) => choosing(isMany ? value : [value], choices, isMany, select);
    }

    /** The schema of all parameters as JSON text, without the members that are `undefined`. */
    function schemaOf(form) {
      const properties = { __proto__: null };
      const required = bareList();
      controlsOf(form).forEach((controls, name) => {
        const parameter = parameterOf(controls);
        if (parameter === undefined) return;
        properties[name] = parameter.schema;
        if (!each(controls, (control) => !has(control, 'required'))) append(required, name);
      });
      return stringify({ __proto__: null, type: 'object', properties, required });
    }

    // Filling it.

    const textOf = (value) => (isObject(value) || value === null ? undefined : `${value}`);

    /** What a control of this type makes of a text. */
    function sanitized(type, text) {
      const input = createElement(document, 'input');
      typeOf(input, type);
      valueOf(input, text);
      return valueOf(input);
    }

    /** Write a property, and tell of it as the browser does. It tells of boxes even if they were so. */
    function put(control, property, value, isBox) {
      const before = property(control);
      property(control, value);
      // Nobody hears of a hidden value.
      tell(control, property(control) !== before && typeOf(control) !== 'hidden', isBox);
    }

    function tell(control, isNew, isBox) {
      if (isNew) dispatch(control, new NativeEvent('input', { __proto__: null, bubbles: true, composed: true }));
      if (isNew || isBox) dispatch(control, new NativeEvent('change', { __proto__: null, bubbles: true }));
    }

    /** What makes the choices whose values are in a list, if it has only values of the choices, each once. */
    function choosing(values, choices, isMany, select) {
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

    // Running it.

    const failure = (words, code = 'threw', error = words) => ({ __proto__: null, ok: false, code, words, error });
    const refusal = (words) => failure(words, 'badArguments');
    const UPDATED = failure('Tool execution cancelled, since tool definition was updated');
    const NAVIGATED = { __proto__: null, ok: true, text: null };

    /**
     * The call of each form that waits to be sent, or for what the page responds with.
     *
     * @typedef {object} FormCall
     * @property {(outcome: Outcome) => void} end
     * @property {() => void} sent the form's user is waited for no longer
     * @property {number} submitting how many `submit` events are under way
     * @type {Map<HTMLFormElement, FormCall>}
     */
    const running = new SafeMap();

    /** What the page did with the `submit` events of calls. @type {WeakMap<Event, { isOpen: boolean, promise?: Promise<unknown> }>} */
    const responses = new SafeWeakMap();

    /** Whether this script itself sends a form just now. */
    let isSending = false;

    function defaultButton(form) {
      let button = null;
      each(elements(form), (control) => {
        if (typeOf(control) === 'submit' && !fits(control, ':disabled')) button ??= control;
      });
      return button;
    }

    const filler = (form, toolName) => (args, signal, origin, answer) => {
      if (running.has(form)) return failure('The form is in use by another call.');
      if (!isObject(args) || isArray(args)) return refusal('JSON input arguments must be an object');
      const isForUser = !has(form, 'toolautosubmit');
      const button = defaultButton(form);
      if (isForUser && button === null) {
        return failure('No submit button was found, but for a form without `toolautosubmit`, there must be a submit button');
      }
      const byName = controlsOf(form);
      const puts = [];
      const names = ownKeys(args);
      for (let at = 0; at < names.length; at += 1) {
        const name = names[at];
        const controls = byName.get(name);
        if (controls === undefined) return refusal(`Input contains a parameter "${name}" but there is no such parameter for the tool`);
        const value = getProperty(args, name);
        const putIn = parameterOf(controls)?.take(value);
        const text = textOf(value);
        if (putIn === undefined) return refusal(`Invalid value ${text === undefined ? '' : `"${text}" `}for parameter ${name}`);
        append(puts, putIn);
      }
      each(puts, (putIn) => putIn());
      if (!isConnected(form)) return UPDATED;

      let isWaiting = isForUser && origin !== undefined;
      const report = (phase) => {
        if (isWaiting) post(origin.port, { type: NAMES.USER_INTERACTION, requestId: origin.requestId, toolName, phase, kind: 'form' });
      };
      const call = {
        submitting: 0,
        sent() {
          report('ended');
          isWaiting = false;
        },
        end(outcome) {
          if (running.get(form) !== call) return;
          running.delete(form);
          deafen();
          call.sent();
          answer(outcome);
        },
      };
      const deafen = whenAborted(signal, () => call.end(UPDATED));
      running.set(form, call);
      report('started');
      if (isForUser) {
        focus(button);
      } else {
        isSending = true;
        requestSubmit(form, defaultButton(form));
        isSending = false;
        if (call.submitting === 0) call.end(failure(`Form validation failed: ${complaintsOf(form)}`));
      }
      return undefined;
    };

    /** What the browser told the user of a form that it did not send. */
    function complaintsOf(form) {
      let complaints = '';
      each(elements(form), (control) => {
        if (fits(control, ':invalid:not(fieldset)')) complaints += `${nameOf(control)}: ${complaintOf(control)}. `;
      });
      return complaints;
    }

    const callOf = (event) => (event.isTrusted ? running.get(eventTarget(event)) : undefined);

    function onSubmit(event) {
      const call = callOf(event);
      if (call === undefined || responses.has(event)) return;
      const response = { isOpen: true, promise: undefined };
      responses.set(event, response);
      call.submitting += 1;
      const root = currentTarget(event);
      let isOver = false;
      /** What has become of the form until now is no matter for the call, but what becomes of it from now on is. */
      const finish = () => {
        if (isOver) return;
        isOver = true;
        unlisten(root, 'submit', atEnd);
        read(takeRecords(observer));
        call.submitting -= 1;
      };
      const atEnd = (one) => one === event && finish();
      // If the bridge sends the form, microtasks count as well: they come in the midst of an event of the browser's own.
      if (isSending) delay(finish);
      else listen(root, 'submit', atEnd);
      // Only when the event is over is it clear what the page made of it.
      later(() => {
        response.isOpen = false;
        finish();
        call.sent();
        if (response.promise !== undefined) {
          response.promise.then((value) => call.end(answerOf(value)), (error) => {
            tellPage(error);
            call.end(failure('respondWith promise was rejected', 'threw', error));
          });
        } else if (defaultPrevented(event)) {
          const mistake = "it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result";
          call.end(failure(`The site has a programming error: ${mistake}`));
        } else {
          call.end(NAVIGATED);
        }
      });
    }

    function answerOf(value) {
      try {
        return { __proto__: null, ok: true, text: value === '' ? '' : render(value) };
      } catch (error) {
        return failure('respondWith promise resolved with an object that could not be serialized to JSON', 'threw', error);
      }
    }

    function onReset(event) {
      const call = callOf(event);
      // Before what is made of a `submit` event during which the page resets the form.
      if (call !== undefined) nextTask(() => defaultPrevented(event) || call.end(failure('Tool execution cancelled by a form reset')));
    }

    const members = {
      get agentInvoked() {
        // For what is no event this throws what it should.
        defaultPrevented(this);
        return responses.has(this);
      },
      respondWith(response) {
        const isPrevented = defaultPrevented(this);
        const own = responses.get(this);
        if (arguments.length === 0) throw new NativeTypeError('1 argument required, but only 0 present.');
        const demand = (condition, message) => {
          if (!condition) throw invalidState(message);
        };
        demand(own !== undefined, 'You can only call respondWith on an submit event that has agentInvoked == true.');
        demand(isPrevented, 'To call respondWith, you must first call preventDefault.');
        demand(own.isOpen, 'To call respondWith, the event must be currently being dispatched.');
        own.promise = settled(response);
        // It may fail before it is looked at.
        own.promise.then(undefined, () => {});
      },
    };
    for (const key of ownKeys(members)) define(SubmitEvent.prototype, key, getOwnPropertyDescriptor(members, key));

    // Finding it.

    /** Forms that are tools, also if another tool has the name. @type {Map<HTMLFormElement, { text: string, remove: () => void }>} */
    const tools = new SafeMap();

    /** Forms in shadow trees that are not in the document now. @type {Map<WeakRef<HTMLFormElement>, true>} */
    const strays = new SafeMap();

    /** Documents and shadow trees with forms. @type {WeakMap<Node, true>} */
    const known = new SafeWeakMap();

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
    const CHANGES = { __proto__: null, ...INSERTIONS, attributeFilter: apply(iterable, null, ATTRIBUTES.split(' ')) };
    const observer = new NativeMutationObserver((records) => {
      takeOver();
      read(records);
    });

    // So can a token for native WebMCP, and only that is looked for until somebody asks for tools: to look at the nodes of a
    // page is to have an object made for each.
    const early = new NativeMutationObserver(takeOver);

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

    /** Take up the strays that have come into the document. */
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
      if (!known.has(root)) observe(observer, root, CHANGES);
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

    let isStopped = false;
    /** The document that is observed: none until somebody asks for tools. @type {Document | undefined} */
    let watched;

    function flush() {
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

    observe(early, document, INSERTIONS);
    hear(window);
    tap(Element, 'attachShadow', (_, root) => isStopped || observe(observer, root, INSERTIONS));
    tap(HTMLFormElement, 'submit', (form) => running.get(form)?.end(NAVIGATED));

    return {
      flush,
      stop() {
        isStopped = true;
        disconnect(early);
        disconnect(observer);
        tools.forEach((_, form) => drop(form));
      },
    };
  }

  // --------------------------------------------------------------------------------------------------------- frames

  /**
   * The bridge in a window, as far as the bridges of other windows need it. A page that gets hold of it has nothing that it
   * cannot have from a window of its origin anyway, and no way to a relay.
   *
   * @typedef {object} Peer
   * @property {Window} view
   * @property {() => void} hear listens to the window again
   * @property {() => boolean} isOpen whether its document takes part in WebMCP, by its polyfill
   * @property {() => Definition[]} tools
   * @property {() => void} change fires `toolchange`
   * @property {(name: string, input: string, finish: (outcome: Outcome | undefined) => void) => (() => void) | undefined} run
   *   gives what cancels the run, or nothing if there is no such tool; finishes without an outcome if its window goes away
   * @property {(view: Window) => () => void} adopt takes note of a child in a shadow tree, which no list of frames has; gives
   *   what undoes it
   * @property {(visit: (view: Window) => void) => void} adopted visits these
   * @property {(context: object) => boolean} owns
   * @property {(name: string, context: object, args: unknown[]) => Promise<unknown>} invoke a method of a context that it owns
   */

  /**
   * The bridge in a window of this origin, if it is a polyfill. Its first listener on an object that pages hardly use hears
   * of it alone, and answers on the event itself.
   *
   * @param {Window} view throws if it is of another origin
   * @returns {Peer | undefined}
   */
  function reach(view) {
    const event = new NativeEvent(MEET);
    dispatch(performanceOf(view), event);
    return getOwnPropertyDescriptor(event, 'bridge')?.value;
  }

  // ------------------------------------------------------------------------------------------------------- polyfill

  /** @returns {Backend} */
  function polyfill() {
    const NativeURL = URL;
    const { sort } = natively(Array);
    const { defaultView: viewOf } = natively(Document);
    const framesIn = member(window, 'length');
    const { parent: around, top } = window;
    const { hostname: urlHostname, origin: urlOrigin, protocol: urlProtocol } = natively(URL);

    /**
     * One document's tools.
     *
     * @typedef {object} State
     * @property {Document} document
     * @property {EventTarget} context
     * @property {Map<string, Tool>} tools
     * @property {Map<string, { callback: object, listener: Function }>} handlers the `on…` attributes that are set
     */
    /** @typedef {Definition & RegisterOptions & { wire: string }} Tool `wire` is its description as JSON text for the relays */
    /** @type {WeakMap<object, State>} */
    const states = new SafeWeakMap();
    /** @type {WeakMap<Document, EventTarget>} */
    const contexts = new SafeWeakMap();

    const isFile = isOfFile(window);
    const ownOrigin = isFile ? 'file://' : self.origin;
    const refusal = whyRefused();
    const forms = declarativeForms(registerForm);

    /** Whether a document is a file, or an empty or `srcdoc` one of a file. */
    function isOfFile(view) {
      try {
        const { protocol } = view.location;
        return protocol === 'file:' || (protocol === 'about:' && view.parent !== view && isOfFile(view.parent));
      } catch {
        // It is of another origin.
        return false;
      }
    }

    /** Why this document may not use WebMCP, as far as a script can know: the permissions policy itself is hidden from it. */
    function whyRefused() {
      // Files share no origin, and no agent cluster of an origin; only files have them in frames, and may use WebMCP there.
      if (isFile) return undefined;
      if (window.originAgentCluster === false) {
        return ['document.modelContext cannot be used when document.domain is enabled.', 'SecurityError'];
      }
      const ancestors = location.ancestorOrigins;
      for (let at = 0; at < ancestors.length; at += 1) {
        if (ancestors[at] !== self.origin || self.origin === 'null') {
          return ['Access to the feature "tools" is disallowed by permissions policy.', 'NotAllowedError'];
        }
      }
      return undefined;
    }

    function contextOf(one) {
      if (!isJoined) join();
      let context = contexts.get(one);
      if (context === undefined) {
        context = construct(NativeEventTarget, [], ModelContext);
        contexts.set(one, context);
        states.set(context, { __proto__: null, document: one, context, tools: new SafeMap(), handlers: new SafeMap() });
      }
      return context;
    }

    /** The state of the document that this window shows now: a window can outlive the empty document of a new frame. */
    const current = () => states.get(contextOf(document));

    function stateOf(context, fail) {
      return (isObject(context) && states.get(context)) || fail('Illegal invocation');
    }

    function demandAccess(state) {
      if (viewOf(state.document) === null) throw invalidState('The document is not active.');
      if (refusal !== undefined) throw construct(NativeDOMException, refusal);
    }

    /** A tool whose signal is aborted is gone from that moment, before any listener of the signal runs. */
    const isLive = (tool) => tool !== undefined && !(tool.signal !== undefined && isAborted(tool.signal));

    function toolOf(state, name) {
      forms.flush();
      const tool = state.tools.get(name);
      return isLive(tool) ? tool : undefined;
    }

    /** Names of the live tools by UTF-16 code unit. */
    function namesOf(state) {
      forms.flush();
      const names = [];
      state.tools.forEach((tool, name) => {
        if (isLive(tool)) append(names, name);
      });
      return sort(names);
    }

    const fire = (state, event) => dispatch(state.context, event);

    /** Frames in shadow trees. @type {Map<Window, true>} */
    const children = new SafeMap();

    /** What is to be done when this window goes away: the ends of runs between it and other windows. @type {Map<() => void, true>} */
    const ties = new SafeMap();
    function onPageHide({ isTrusted }) {
      if (!isTrusted) return;
      ties.forEach((_, end) => end());
      ties.clear();
    }

    /** @returns {() => void} undoes it */
    function tie(end) {
      listen(window, 'pagehide', onPageHide, true);
      ties.set(end, true);
      return () => ties.delete(end);
    }

    /** @type {Peer} */
    const own = freeze({
      __proto__: null,
      view: window,
      hear: () => hearWindow(),
      isOpen: () => heir === undefined && refusal === undefined,
      tools() {
        const state = current();
        const tools = [];
        each(namesOf(state), (name) => {
          const { title, description, schema, annotations } = state.tools.get(name);
          append(tools, { __proto__: null, name, title, description, schema, annotations });
        });
        return tools;
      },
      change: () => viewOf(document) !== null && fire(current(), new NativeEvent('toolchange')),
      run(name, input, finish) {
        if (toolOf(current(), name) === undefined) return undefined;
        const untie = tie(() => finish(undefined));
        return run(current(), name, input, undefined, (outcome) => {
          untie();
          finish(outcome);
        });
      },
      adopt(view) {
        children.set(view, true);
        return () => children.delete(view);
      },
      adopted: (visit) => children.forEach((_, view) => visit(view)),
      owns: (context) => states.has(context),
      invoke: (name, context, args) => apply(methods[name], context, args),
    });

    /** The bridge in a window, if it can be reached; `null` if the window can, and has none. @returns {Peer | null | undefined} */
    function peerIn(view) {
      if (view === window) return own;
      try {
        return reach(view) ?? null;
      } catch {
        // It is of another origin: neither it nor any frame in it has tools here.
        return undefined;
      }
    }

    /** The bridges of this tab's documents of this origin, as the browser goes through them: level by level. @returns {Peer[]} */
    function peers() {
      let first = window;
      while (first !== first.parent && peerIn(first.parent) !== undefined) first = first.parent;
      const views = [first];
      const found = [];
      for (let at = 0; at < views.length; at += 1) {
        const peer = peerIn(views[at]);
        if (peer?.isOpen()) append(found, peer);
        if (peer === undefined) continue;
        for (let frame = 0; frame < framesIn(views[at]); frame += 1) append(views, views[at][frame]);
        peer?.adopted((view) => append(views, view));
      }
      if (own.isOpen() && find(found, (peer) => peer === own) === undefined) append(found, own);
      return found;
    }

    let isJoined = around === window;

    /** Have the frame around this one know of it, where no list of frames does: in a shadow tree. */
    function join() {
      if (viewOf(document) === null) return;
      const peer = refusal === undefined ? peerIn(around) : undefined;
      if (!peer) return;
      isJoined = true;
      for (let frame = 0; frame < framesIn(around); frame += 1) if (around[frame] === window) return;
      const undo = peer.adopt(window);
      tie(() => {
        undo();
        // It may come back, out of the back/forward cache.
        isJoined = false;
      });
    }

    /** The list as the last members of a JSON object. */
    function listing() {
      const state = current();
      const names = namesOf(state);
      return listOf('polyfill', names.length, (at) => state.tools.get(names[at]).wire, refusal !== undefined);
    }

    const changedText = () => `{"type":"${NAMES.TOOLS_CHANGED}",${listing()}`;
    const announce = paced(() => {
      if (heir !== undefined) return 0;
      const text = changedText();
      relays.forEach((_, port) => postText(port, text));
      return text.length;
    });

    function register(state, definition, { exposedTo, signal }, resolve, reject, fail) {
      demandAccess(state);
      check(definition, toolOf(state, definition.name) !== undefined, fail);
      if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
      if (exposedTo !== undefined) demandSecureOrigins(exposedTo, 'exposedTo');

      const tool = { __proto__: null, ...definition, exposedTo, signal, wire: wireOf(definition) };
      state.tools.set(tool.name, tool);
      if (signal !== undefined) {
        whenAborted(signal, () => {
          if (state.tools.get(tool.name) === tool) state.tools.delete(tool.name);
          reject(reasonOf(signal));
          tellChange(state);
        });
      }
      tellChange(state);
      later(() => resolve(undefined));
    }

    function tellChange(state) {
      if (viewOf(state.document) === null) return;
      if (relays.size > 0) announce();
      each(peers(), ({ change }) => later(change));
    }

    /** @param {FormTool} definition */
    function registerForm(definition) {
      const state = current();
      if (refusal !== undefined || !isValidName(definition.name) || toolOf(state, definition.name) !== undefined) return () => {};
      const tool = { __proto__: null, ...definition, wire: wireOf(definition) };
      state.tools.set(tool.name, tool);
      tellChange(state);
      return () => {
        state.tools.delete(tool.name);
        tellChange(state);
      };
    }

    /** The origin that a text names: `null` if it is no URL, `'null'` if it is opaque. */
    function originOf(text) {
      try {
        const url = new NativeURL(text);
        return urlProtocol(url) === 'file:' ? 'file://' : urlOrigin(url);
      } catch {
        return null;
      }
    }

    function demandSecureOrigins(texts, list) {
      each(texts, (text) => {
        const origin = originOf(text);
        if (origin === null || origin === 'null' || !isTrustworthy(origin)) {
          throw new NativeDOMException(`Only secure origins are allowed in the ${list} list.`, 'SecurityError');
        }
      });
    }

    function isTrustworthy(origin) {
      const url = new NativeURL(origin);
      return (
        matches(/^(?:https|wss|file|chrome|chrome-extension):$/, urlProtocol(url)) !== null ||
        matches(/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/, urlHostname(url)) !== null
      );
    }

    /** The page's own view of the tools: fresh objects, sorted, members in the order of a WebIDL dictionary. */
    function registered() {
      const found = [];
      each(peers(), ({ tools, view }) => each(tools(), (tool) => append(found, { __proto__: null, tool, view })));
      sort(found, ({ tool: { name: one } }, { tool: { name: other } }) => (one < other ? -1 : one > other ? 1 : 0));
      const list = [];
      each(found, ({ tool: { name, title, description, schema, annotations }, view }) => {
        const inputSchema = schema === undefined ? undefined : parse(schema);
        // Chromium registers a tool whose schema turned into a primitive, and lists it nowhere.
        if (schema !== undefined && !isObject(inputSchema)) return;
        append(list, {
          ...(annotations && { annotations: { ...annotations } }),
          description,
          ...(inputSchema && { inputSchema }),
          name,
          origin: ownOrigin,
          title,
          window: view,
        });
      });
      return list;
    }

    /**
     * What came of a run: a text, or none if it navigated. The page gets an `UnknownError` for each failure, with the words if
     * Chromium has any; a relay gets the code and the error's own words.
     *
     * @typedef {{ ok: false, code: 'threw' | 'notFound' | 'badArguments', words?: string, error?: unknown }} Failure
     * @typedef {{ ok: true, text: string | null } | Failure} Outcome
     */

    /**
     * Run a tool, in a task of its own.
     *
     * @param {State} state
     * @param {string} name looked up when the task runs
     * @param {string} input JSON text
     * @param {{ port: MessagePort, requestId: string } | undefined} origin of a call over a port
     * @param {(outcome: Outcome) => void} finish
     * @returns {() => void} cancels the run, which does not keep `finish` from being called
     */
    function run(state, name, input, origin, finish) {
      const controller = new NativeAbortController();
      const signal = signalOf(controller);
      if (origin !== undefined) origins.set(signal, origin);
      let over = false;
      const end = (outcome) => {
        over = true;
        later(() => finish(outcome));
      };
      const failed = (error) => {
        logError('WebMCP tool execution failed:', error);
        end({ __proto__: null, ok: false, code: 'threw', error });
      };

      later(() => {
        const tool = toolOf(state, name);
        if (tool === undefined) {
          end({ __proto__: null, ok: false, code: 'notFound' });
          return;
        }
        const args = parse(input);
        const valid = tool.fill !== undefined || isObject(args);
        if (tool.fill !== undefined) {
          const refused = tool.fill(args, signal, origin, end);
          if (refused !== undefined) end(refused);
        } else if (valid) {
          runSafely(tool.execute, [args, { signal }]).then((value) => {
            let text;
            try {
              text = render(value);
            } catch (error) {
              failed(error);
              return;
            }
            end({ __proto__: null, ok: true, text });
          }, failed);
        }
        // A task of its own, so that what the tool did in its first turn, microtasks included, comes before the event.
        nextTask(() => {
          fire(state, activatedEvent(name));
          if (!valid) end({ __proto__: null, ok: false, code: 'badArguments' });
        });
      });

      return () =>
        later(() => {
          if (over) return;
          abort(controller);
          nextTask(() => fire(state, cancelEvent(name)));
        });
    }

    function readRegisteredTool(tool, fail) {
      if (!isObject(tool)) fail("The provided value is not of type 'RegisteredTool'.");
      const member = membersOf(tool, 'RegisteredTool', fail);
      member('annotations', asAnnotations);
      member('description', asString, true);
      member('inputSchema', asObject);
      const name = member('name', asString, true);
      const origin = member('origin', asText, true);
      member('title', asString);
      return { __proto__: null, name, origin, view: member('window', asWindow, true) };
    }

    const FAILED = 'Tool was executed but the invocation failed. For example, the script function threw an error';
    const UNKNOWN = 'The operation failed for an unknown transient reason (e.g. out of memory).';
    const unknownError = (message) => new NativeDOMException(message, 'UnknownError');

    /** Run a tool in a window of this tab, if it is there. @returns {(() => void) | undefined} what cancels the run */
    function begin(view, name, input, finish) {
      if (view === window) return toolOf(current(), name) && run(current(), name, input, undefined, finish);
      const peer = view.top === top ? peerIn(view) : undefined;
      return peer?.isOpen() ? peer.run(name, input, finish) : undefined;
    }

    function execute(state, { name, origin, view }, input, signal, resolve, reject, fail) {
      demandAccess(state);
      const target = originOf(origin);
      if (target === null) throw new NativeDOMException('The provided origin is invalid.', 'NotSupportedError');
      if (target === 'null') {
        throw new NativeDOMException('Cannot execute tools that live in a document with an opaque origin.', 'NotSupportedError');
      }
      if (!isObject(input)) fail('invalid input object: value is not an object');
      const text = jsonOf(input, 'input object', fail);
      if (isClosed(view)) throw invalidState('Target frame is detached.');
      if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);

      const cancel = target === ownOrigin ? begin(view, name, text, finish) : undefined;
      let isGone = false;
      const leave = () => {
        isGone = true;
        cancel();
      };
      // A run in another window ends with this one, too.
      const untie = cancel && view !== window ? tie(leave) : undefined;
      const failed = () => later(() => reject(unknownError(UNKNOWN)));
      if (cancel === undefined) failed();
      const deafen = signal && whenAborted(signal, () => {
        untie?.();
        reject(reasonOf(signal));
        cancel?.();
      });

      function finish(outcome) {
        untie?.();
        deafen?.();
        if (isGone) return;
        if (outcome === undefined) failed();
        else if (outcome.ok) resolve(outcome.text);
        else if (outcome.code === 'notFound') reject(unknownError(`Tool not found: ${name}`));
        else if (outcome.words !== undefined) reject(unknownError(outcome.words));
        else if (outcome.code === 'badArguments') reject(unknownError('Failed to parse input arguments'));
        else reject(unknownError(FAILED));
      }
    }

    /** A call from a relay. */
    function call(port, calls, message) {
      const { requestId, toolName, args } = message;
      takeCall(port, calls, message, (_, { result, failure }) => {
        if (toolOf(current(), toolName) === undefined) {
          failure('notFound', NOT_FOUND);
          return () => {};
        }
        return run(current(), toolName, args, { __proto__: null, port, requestId }, (outcome) => {
          if (outcome.ok) result(outcome.text);
          else if (outcome.code === 'notFound') failure('notFound', NOT_FOUND);
          else failure(outcome.code, errorText(outcome.error));
        });
      });
    }

    // What the page sees.

    function ModelContext() {
      throw new NativeTypeError(new.target ? "Failed to construct 'ModelContext': Illegal constructor" : 'Illegal constructor');
    }

    /** Native WebMCP, once it has come: it then answers for what pages still hold of the polyfill. @type {Backend | undefined} */
    let heir;

    /** Do it the native way, if that is there by now; else the polyfill's. */
    function passOn(name, self, args, act) {
      takeOver();
      // A method may be called on the object of another frame, and then belongs there.
      const owner = isObject(self) && !states.has(self) ? find(peers(), ({ owns }) => owns(self)) : undefined;
      if (owner !== undefined) return owner.invoke(name, self, args);
      if (heir === undefined || self !== contextOf(document)) return new NativePromise(act);
      const context = heir.context();
      return apply(getProperty(context, name), context, args);
    }

    const methods = {
      executeTool(tool, inputObject = {}, options = undefined) {
        const given = arguments.length;
        return passOn('executeTool', this, arguments, (resolve, reject) => {
          const fail = failing('executeTool');
          const state = stateOf(this, fail);
          if (given === 0) fail('1 argument required, but only 0 present.');
          const target = readRegisteredTool(tool, fail);
          const signal = optionsOf(options, 'ExecuteToolOptions', fail)('signal', asSignal);
          execute(state, target, inputObject, signal, resolve, reject, fail);
        });
      },
      getTools(options = undefined) {
        return passOn('getTools', this, arguments, (resolve) => {
          const fail = failing('getTools');
          const state = stateOf(this, fail);
          const fromOrigins = optionsOf(options, 'ModelContextGetToolOptions', fail)('fromOrigins', asTexts);
          demandAccess(state);
          if (fromOrigins !== undefined) demandSecureOrigins(fromOrigins, 'fromOrigins');
          const tools = registered();
          later(() => resolve(tools));
        });
      },
      registerTool(tool, options = undefined) {
        const given = arguments.length;
        return passOn('registerTool', this, arguments, (resolve, reject) => {
          const fail = failing('registerTool');
          const state = stateOf(this, fail);
          if (given === 0) fail('1 argument required, but only 0 present.');
          register(state, readTool(tool, fail), readRegisterOptions(options, fail), resolve, reject, fail);
        });
      },
    };

    /** An event handler attribute: the first object set takes a place among the listeners, later ones keep it. */
    function handlerAttribute(type) {
      const illegal = () => {
        throw new NativeTypeError('Illegal invocation');
      };
      const name = `on${type}`;
      const { get, set } = getOwnPropertyDescriptor(
        {
          get [name]() {
            return stateOf(this, illegal).handlers.get(type)?.callback ?? null;
          },
          set [name](value) {
            const { context, handlers } = stateOf(this, illegal);
            const handler = handlers.get(type);
            if (!isObject(value)) {
              if (handler !== undefined) unlisten(context, type, handler.listener);
              handlers.delete(type);
            } else if (handler !== undefined) {
              handler.callback = value;
            } else {
              const added = {
                __proto__: null,
                callback: value,
                listener: (event) => {
                  if (typeof added.callback !== 'function') return;
                  if (apply(added.callback, context, [event]) === false) preventDefault(event);
                },
              };
              handlers.set(type, added);
              listen(context, type, added.listener);
            }
          },
        },
        name,
      );
      define(ModelContext.prototype, name, { get, set, enumerable: true, configurable: true });
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
    function install(constructor, name, prototype, base) {
      define(constructor, 'name', { value: name, configurable: true });
      define(constructor, 'prototype', { value: prototype, writable: false });
      setPrototypeOf(constructor, base);
      define(prototype, 'constructor', { value: constructor, writable: true, configurable: true });
      define(prototype, Symbol.toStringTag, { value: name, configurable: true });
      define(window, name, { value: constructor, writable: true, configurable: true });
    }

    // The order of the members is the one in which native Chromium lists them.
    define(ModelContext, 'prototype', { value: create(NativeEventTarget.prototype) });
    handlerAttribute('toolchange');
    handlerAttribute('toolactivated');
    handlerAttribute('toolcancel');
    for (const name of ['executeTool', 'getTools', 'registerTool']) {
      define(ModelContext.prototype, name, { value: methods[name], writable: true, enumerable: true, configurable: true });
    }
    install(ModelContext, 'ModelContext', ModelContext.prototype, NativeEventTarget);
    const activatedEvent = eventClass('ToolActivatedEvent', 'toolactivated');
    const cancelEvent = eventClass('ToolCancelEvent', 'toolcancel');

    // Configurable and on the prototype, so that a native implementation that comes late takes its place.
    const accessor = {
      get modelContext() {
        const view = viewOf(this);
        if (view !== null && view !== window) return view.document.modelContext;
        forms.flush();
        return contextOf(this);
      },
    };
    define(Document.prototype, 'modelContext', getOwnPropertyDescriptor(accessor, 'modelContext'));

    listen(clock, MEET, (event) => {
      stopImmediatePropagation(event);
      define(event, 'bridge', { value: own });
    });

    return {
      name: 'polyfill',
      isReplaced: hasNative,
      yieldTo(successor) {
        heir = successor;
        // Native WebMCP makes tools of the forms itself.
        forms.stop();
        const state = current();
        state.tools.forEach((tool) => {
          // What native WebMCP refuses, the page has registered there itself meanwhile.
          if (isLive(tool)) follow(successor.register(tool, tool), undefined, () => {});
        });
        const copies = {
          __proto__: null,
          toolchange: () => new NativeEvent('toolchange'),
          toolactivated: ({ toolName }) => activatedEvent(toolName),
          toolcancel: ({ toolName }) => cancelEvent(toolName),
        };
        each(ownKeys(copies), (type) => listen(successor.context(), type, (event) => fire(state, copies[type](event))));
      },
      context() {
        forms.flush();
        return contextOf(document);
      },
      has: (name) => toolOf(current(), name) !== undefined,
      register: (definition, options) =>
        new NativePromise((resolve, reject) => register(current(), definition, options, resolve, reject, failing('registerTool'))),
      greet: (port) => postText(port, changedText()),
      hear(port, calls, message) {
        switch (message.type) {
          case NAMES.LIST_TOOLS:
            postText(port, listAnswer(message.requestId, listing()));
            break;
          case NAMES.CALL_TOOL:
            call(port, calls, message);
            break;
          case NAMES.CANCEL_CALL:
            calls.get(message.requestId)?.();
            break;
        }
      },
    };
  }

  // --------------------------------------------------------------------------------------------------------- native

  /**
   * The browser's own WebMCP, or a stranger's polyfill: listed and called from elsewhere. What is done here is to keep the
   * words of a failing tool, of which native callers are told nothing.
   *
   * @returns {Backend}
   */
  function native() {
    const descriptor = getOwnPropertyDescriptor(Document.prototype, 'modelContext');
    const read = descriptor?.get && !getOwnPropertyDescriptor(document, 'modelContext') ? uncurry(descriptor.get) : undefined;
    const found = read === undefined ? document.modelContext : undefined;
    const context = () => found ?? read(document);

    /**
     * Announced calls, oldest first.
     *
     * @typedef {{ port: MessagePort, requestId: string, toolName: string, args: object, failed: (words: string) => void }} Expected
     * @type {Map<string, Expected>}
     */
    const expected = new SafeMap();

    /** Names registered in this document and the signals that end them. @type {Map<string, AbortSignal | undefined>} */
    const names = new SafeMap();
    const has = (name) => names.has(name) && !(names.get(name) !== undefined && isAborted(names.get(name)));

    /** Whether two values out of JSON are equal. Compared as text they would run the page's `toJSON`. */
    function alike(one, other) {
      if (!isObject(one) || !isObject(other)) return one === other;
      const keys = ownKeys(one);
      if (isArray(one) !== isArray(other) || keys.length !== ownKeys(other).length) return false;
      return each(keys, (key) => {
        const match = getOwnPropertyDescriptor(other, key);
        return match !== undefined && alike(getProperty(one, key), match.value);
      });
    }

    /** The announced call that this run answers: the oldest of that name and with the same input. */
    function take(toolName, input) {
      let taken;
      try {
        expected.forEach((one) => {
          if (taken === undefined && one.toolName === toolName && alike(one.args, input)) taken = one;
        });
      } catch {
        // Nested too deeply to be compared.
      }
      if (taken !== undefined) expected.delete(taken.requestId);
      return taken;
    }

    /** `execute` as native WebMCP is to call it. */
    function observed(toolName, execute) {
      return function (...args) {
        const call = take(toolName(), args[0]);
        const signal = args[1]?.signal;
        if (call !== undefined && signal !== undefined) origins.set(signal, call);

        // For an announced call the text is made here, so that a result that has none fails with its reason, and half a
        // surrogate pair does not become null, which means navigation. Any other result passes unchanged, unless it is a
        // Symbol: that would crash the tab.
        const pass = (value) => {
          if (call !== undefined) return wellFormed(render(value));
          return typeof value === 'symbol' ? render(value) : value;
        };
        const failed = (error) => {
          call?.failed(errorText(error));
          throw error;
        };
        let value;
        try {
          value = apply(execute, this, args);
          if (!isObject(value)) return pass(value);
        } catch (error) {
          return failed(error);
        }
        return settled(value).then(pass).then(undefined, failed);
      };
    }

    /** A stand-in for a dictionary, whose members `see` may replace as they are read. It hides no own property: its target is empty. */
    const seen = (object, see) =>
      new NativeProxy({ __proto__: null }, { __proto__: null, get: (_, key) => see(key, getProperty(object, key)) });

    function wrap(registerTool) {
      return new NativeProxy(registerTool, {
        __proto__: null,
        apply(target, self, args) {
          hearWindow();
          let name;
          let description;
          let signal;
          if (args.length > 0 && isObject(args[0])) {
            args[0] = seen(args[0], (key, value) => {
              if (key === 'execute' && typeof value === 'function') return observed(() => name, value);
              if (key === 'description') description = value;
              if (key !== 'name' || value === undefined || typeof value === 'symbol') return value;
              return (name = `${value}`);
            });
          }
          if (args.length > 1 && isObject(args[1])) {
            args[1] = seen(args[1], (key, value) => {
              if (key === 'signal') signal = value;
              return value;
            });
          }
          const promise = apply(target, self, args);
          if (name !== undefined && isValidName(name) && description !== '' && self === context() && !has(name)) {
            names.set(name, signal);
          }
          return promise;
        },
      });
    }

    const prototype = window.ModelContext?.prototype;
    const own = prototype && getOwnPropertyDescriptor(prototype, 'registerTool');
    if (typeof own?.value === 'function') define(prototype, 'registerTool', { ...own, value: wrap(own.value) });
    // The browser takes longer to make its object than all else here: whoever uses it first has it made.
    const { executeTool, getTools, registerTool } = read !== undefined && isNativeCode(prototype?.getTools) ? prototype : context();

    // For relays whose own world has no WebMCP: one that was there before the page's token was, or a stranger's polyfill.

    const name = isNativeCode(getTools) ? 'native' : 'polyfill';

    /** Handles of this document's tools as last listed, by name. @type {Map<string, object>} */
    let handles = new SafeMap();

    /** Whether a relay has asked for the list, and is to be told when it is another. */
    let isWatched = false;

    /** Characters of the list as last given. */
    let size = 0;

    const isBlocking = (error) => error?.name === 'NotAllowedError' || error?.name === 'SecurityError';

    /** The list as the last members of a JSON object. */
    function list() {
      const listed = (tools) => {
        handles = new SafeMap();
        const wires = [];
        each(tools, (tool) => {
          if (tool.window !== undefined && tool.window !== window) return;
          const { inputSchema } = tool;
          // It was text once, and still is with some polyfills.
          const schema = isObject(inputSchema) ? stringify(inputSchema) : inputSchema;
          handles.set(tool.name, tool);
          append(wires, wireOf({ __proto__: null, ...tool, title: `${tool.title ?? ''}`, description: `${tool.description}`, schema }));
        });
        const text = listOf(name, wires.length, (at) => wires[at], false);
        size = text.length;
        return text;
      };
      const refused = (error) => listOf(name, 0, undefined, isBlocking(error));
      return runSafely(() => outcomeOf(apply(getTools, context(), [])), []).then(listed).then(undefined, refused);
    }

    /** Have a relay ask for the list. One whose own world has WebMCP does not. */
    const invite = (port) => postText(port, `{"type":"${NAMES.TOOLS_CHANGED}","backend":"${name}"}`);

    function watch() {
      if (isWatched) return;
      isWatched = true;
      const inviteAll = paced(() => {
        relays.forEach((_, port) => invite(port));
        return size;
      });
      listen(context(), 'toolchange', inviteAll);
    }

    function call(port, calls, message) {
      const { requestId, toolName, args } = message;
      takeCall(port, calls, message, (input, { result, failure }) => {
        const controller = new NativeAbortController();
        const options = { signal: signalOf(controller) };
        const one = { __proto__: null, port, requestId, toolName, args: input, failed: (words) => (one.words = words), words: undefined };
        const run = (given) => runSafely(() => outcomeOf(apply(executeTool, context(), [handles.get(toolName), given, options])), []);
        const start = () => {
          if (!handles.has(toolName)) {
            failure('notFound', NOT_FOUND);
            return undefined;
          }
          expected.set(requestId, one);
          // Chrome before 154 and some polyfills want JSON text. Neither error comes after the tool has run: native WebMCP
          // tells nothing of a tool's own TypeError.
          const again = (error) => {
            const isType = name === 'native' && error instanceof NativeTypeError;
            if (isType || matches(/^Failed to parse input/, `${error?.message}`) !== null) return run(args);
            throw error;
          };
          // Some polyfills give a result as it is.
          return run(input).then(undefined, again).then((value) => result(value === null || value === '' ? value : render(value)));
        };
        const failed = (error) => {
          if (one.words !== undefined) failure('threw', one.words);
          else if (isBlocking(error)) failure('blocked', errorText(error));
          // A tool that ran says so, and may have removed itself.
          else if (matches(/^Tool was executed/, `${error?.message}`) !== null) failure('threw', errorText(error));
          // To look for it in a new list is for the relay, which knows when the browser must not be asked.
          else failure('unsure', errorText(error));
        };
        const ready = handles.has(toolName) ? settled(undefined) : list();
        ready.then(start).then(undefined, failed).then(() => expected.delete(requestId));
        return () => {
          expected.delete(requestId);
          abort(controller);
        };
      });
    }

    return {
      name,
      isReplaced: () => false,
      context,
      has,
      register({ name, title, description, schema, annotations, execute }, { exposedTo, signal }) {
        const tool = { __proto__: null, name, title, description, execute, annotations, inputSchema: schema && parse(schema) };
        return apply(registerTool, context(), [tool, { __proto__: null, exposedTo, signal }]);
      },
      greet: invite,
      hear(port, calls, message) {
        const { type, requestId, toolName, args } = message;
        if (typeof requestId !== 'string') return;
        switch (type) {
          case NAMES.EXPECT_CALL: {
            if (typeof args !== 'string' || args.length > CAPS.ARGUMENTS || expected.size >= MAX_EXPECTED) return;
            const failed = (error) => post(port, { type: NAMES.EXPECTED_CALL, requestId, phase: 'failed', error });
            expected.set(requestId, { __proto__: null, port, requestId, toolName, args: objectIn(args), failed });
            post(port, { type: NAMES.EXPECTED_CALL, requestId, phase: 'expecting' });
            break;
          }
          case NAMES.LIST_TOOLS:
            watch();
            list().then((text) => postText(port, listAnswer(requestId, text)));
            break;
          case NAMES.CALL_TOOL:
            call(port, calls, message);
            break;
          case NAMES.CANCEL_CALL:
            calls.get(requestId)?.();
            expected.delete(requestId);
            break;
        }
      },
    };
  }

  // ------------------------------------------------------------------------------------------ navigator.modelContext

  /**
   * Give a tool that was registered the older way the second argument of that way, and that of today.
   *
   * @param {string} toolName
   * @param {Function} execute
   */
  function withClient(toolName, execute) {
    return (input, options) => {
      const signal = options?.signal;
      const origin = signal === undefined ? undefined : origins.get(signal);
      let waiting = 0;
      let over = false;
      const report = (phase) =>
        tell(origin?.port, { type: NAMES.USER_INTERACTION, requestId: origin?.requestId ?? null, toolName, phase, kind: 'callback' });
      const end = () => {
        over = true;
        if (waiting > 0) report('ended');
        waiting = 0;
      };
      const client = {
        signal,
        requestUserInteraction(callback) {
          return new NativePromise((resolve, reject) => {
            if (typeof callback !== 'function') {
              throw new NativeTypeError(
                "Failed to execute 'requestUserInteraction' on 'ModelContextClient': parameter 1 is not of type 'Function'.",
              );
            }
            if (over) throw invalidState('The tool call is over.');
            waiting += 1;
            if (waiting === 1) report('started');
            const answered = (settle) => (value) => {
              if (!over) {
                waiting -= 1;
                if (waiting === 0) report('ended');
              }
              settle(value);
            };
            runSafely(callback, []).then(answered(resolve), answered(reject));
          });
        },
      };
      const deafen = signal && whenAborted(signal, end);
      const run = runSafely(execute, [input, client]);
      const done = () => {
        deafen?.();
        end();
      };
      run.then(done, done);
      return run;
    };
  }

  /**
   * Today's object with the methods that it once had. What is registered here appears in `document.modelContext`; the
   * older methods do not.
   *
   * @param {object} base the prototype of today's object
   */
  function olderView(base) {
    /** Tools registered here. @type {Map<string, AbortController>} */
    const own = new SafeMap();

    /** Read and check a tool, which throws at once, as the older API did. */
    function prepare(tool, taken, fail) {
      const definition = readTool(tool, fail);
      check(definition, taken(definition.name), fail);
      return definition;
    }

    function add(definition, { exposedTo, signal }) {
      const { name } = definition;
      const controller = new NativeAbortController();
      const ended = signalOf(controller);
      own.set(name, controller);
      const promise = backend.register(
        { __proto__: null, ...definition, execute: withClient(name, definition.execute) },
        { __proto__: null, exposedTo, signal: signal === undefined ? ended : oneOf(ended, signal) },
      );
      // Some libraries of that time return `{ unregister }`, some nothing; a promise with that method suits the callers of all.
      define(promise, 'unregister', { value: () => abort(controller), writable: true, configurable: true });
      // Older pages do not expect a promise: its failure must be no unhandled rejection.
      return follow(promise, undefined, () => abort(controller));
    }

    function clear() {
      own.forEach((controller) => abort(controller));
      own.clear();
    }

    const methods = {
      registerTool(tool, options = undefined) {
        const fail = failing('registerTool');
        const definition = prepare(tool, backend.has, fail);
        return add(definition, readRegisterOptions(options, fail));
      },
      unregisterTool(tool) {
        // For some weeks the draft took the tool itself.
        const name = `${isObject(tool) ? tool.name : tool}`;
        const controller = own.get(name);
        own.delete(name);
        if (controller !== undefined) abort(controller);
      },
      provideContext(options = undefined) {
        const fail = failing('provideContext');
        const definitions = new SafeMap();
        // All are checked before any is replaced: what throws leaves the earlier tools in place.
        const taken = (name) => definitions.has(name) || (backend.has(name) && !own.has(name));
        const asPrepared = (tool) => {
          const definition = prepare(tool, taken, fail);
          definitions.set(definition.name, definition);
        };
        optionsOf(options, 'ModelContextOptions', fail)('tools', asListOf(asPrepared));
        clear();
        definitions.forEach((definition) => add(definition, { __proto__: null }));
      },
      clearContext() {
        clear();
      },
    };

    const prototype = create(base);
    const show = (name, value) => {
      define(value, 'name', { value: name, configurable: true });
      define(prototype, name, { value, writable: true, enumerable: true, configurable: true });
    };
    each(ownKeys(methods), (name) => show(name, methods[name]));
    // Everything else is that of the current document's object.
    const pass = (level) =>
      each(ownKeys(level), (name) => {
        const descriptor = getOwnPropertyDescriptor(level, name);
        setPrototypeOf(descriptor, null);
        const { value, get, set } = descriptor;
        if (name === 'constructor' || hasOwn(methods, name)) return;
        if (typeof value === 'function') {
          show(name, (...args) => apply(getProperty(backend.context(), name), backend.context(), args));
        } else if (get !== undefined) {
          define(prototype, name, {
            get: () => getProperty(backend.context(), name),
            set: set && ((to) => setProperty(backend.context(), name, to)),
            enumerable: true,
            configurable: true,
          });
        }
      });
    pass(NativeEventTarget.prototype);
    pass(base);
    return create(prototype);
  }

  /** `navigator.modelContext`, which is made when it is first asked for: most pages never do. */
  function offerOlderView() {
    const base = window.ModelContext?.prototype ?? NativeEventTarget.prototype;
    const owner = navigator;
    let view;
    // A page may put its own object here, as it could when this property was no browser's.
    const accessor = {
      get modelContext() {
        if (this !== owner) throw new NativeTypeError('Illegal invocation');
        takeOver();
        return (view ??= olderView(base));
      },
      set modelContext(value) {
        define(this, 'modelContext', { value, writable: true, enumerable: true, configurable: true });
      },
    };
    define(Navigator.prototype, 'modelContext', getOwnPropertyDescriptor(accessor, 'modelContext'));
  }

  // ----------------------------------------------------------------------------------------------------- connection

  /**
   * Whether an earlier polyfill serves this window. Around native WebMCP a second copy does no harm: it is put in only where
   * the first does not answer any more.
   */
  function isHereAlready() {
    const earlier = 'modelContext' in navigator ? reach(window) : undefined;
    earlier?.hear();
    return earlier !== undefined;
  }

  /** The property `type` of a message that has no other. */
  function loneType(data) {
    if (!isObject(data)) return undefined;
    const keys = ownKeys(data);
    return keys.length === 1 && keys[0] === 'type' ? data.type : undefined;
  }

  function onWindowMessage(event) {
    // Ports first: to read `data` is to deserialise it, and nearly all messages have no port.
    const ports = messagePorts(event);
    if (ports.length !== 1 || !event.isTrusted || messageSource(event) !== window) return;
    if (loneType(messageData(event)) !== NAMES.CONNECT) return;
    stopImmediatePropagation(event);
    connect(ports[0]);
  }

  function connect(port) {
    const calls = new SafeMap();
    if (relays.size >= MAX_RELAYS) {
      let oldest;
      relays.forEach((_, one) => (oldest ??= one));
      relays.delete(oldest);
      closePort(oldest);
    }
    relays.set(port, calls);
    listen(port, 'message', (event) => {
      const text = messageData(event);
      const message = typeof text === 'string' ? objectIn(text) : undefined;
      takeOver();
      if (message !== undefined) backend.hear(port, calls, message);
    });
    startPort(port);
    takeOver();
    greet(port);
  }

  function greet(port) {
    post(port, { type: NAMES.BRIDGE_READY, version: VERSION, backend: backend.name });
    backend.greet(port);
  }

  /** Listen to the window. `document.open()` takes every listener off it, so this is done again whenever there is an occasion. */
  const hearWindow = () => listen(window, 'message', onWindowMessage, true);

  /** Native WebMCP may come late, with an origin-trial token of the page: it then stands in the polyfill's place. */
  function takeOver() {
    hearWindow();
    if (!backend.isReplaced()) return;
    const { yieldTo } = backend;
    backend = native();
    yieldTo(backend);
    relays.forEach((_, port) => greet(port));
  }

  if (isHereAlready()) return;
  /** @type {Backend} */
  let backend = hasNative() || document.modelContext?.registerTool ? native() : polyfill();
  if (!('modelContext' in navigator)) offerOlderView();
  hearWindow();
})();
// The page sees this name in stack traces, and not the address of an extension.
//# sourceURL=webmcp.js
