/** Reads and checks the definition of a tool that a page registers. */

import { matches, stringify } from './captured.js';
import { isObject } from './safe.js';
import {
  asBoolean, asFunction, asObject, asSignal, asString, asText, asTexts, invalidState, membersOf, optionsOf,
} from './webidl.js';

export function asAnnotations(value, fail) {
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
 * @property {boolean} [isSkill] it is a SKILL's, see skills.js
 */
export function readTool(tool, fail) {
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

/** @typedef {{ exposedTo?: string[], signal?: AbortSignal }} RegisterOptions */
export function readRegisterOptions(options, fail) {
  const member = optionsOf(options, 'ModelContextRegisterToolOptions', fail);
  return { __proto__: null, exposedTo: member('exposedTo', asTexts), signal: member('signal', asSignal) };
}

export function jsonOf(value, what, fail) {
  return stringify(value) ?? fail(`invalid ${what}: toJSON() returns undefined`);
}

export const isValidName = (name) => matches(/^[\w.-]{1,128}$/, name) !== null;

/** Throws what is wrong with a definition, in Chromium's order; otherwise sets the text of its schema. */
export function check(definition, taken, fail) {
  if (taken) throw invalidState('Duplicate tool name');
  if (!isValidName(definition.name)) throw invalidState('Invalid tool name');
  if (definition.description === '') throw invalidState('Description is required');
  if (definition.inputSchema !== undefined) definition.schema ??= jsonOf(definition.inputSchema, 'input schema', fail);
}
