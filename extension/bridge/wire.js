/** Serialises what relays are sent, within the caps. */

import * as CAPS from '../shared/caps.js';
import * as NAMES from '../shared/names.js';
import { NativeTypeError, slice, stringify, wellFormed } from './captured.js';
import { isObject } from './safe.js';

const cut = (text, cap) => wellFormed(text.length > cap ? slice(text, 0, cap) : text);

/** The page's own error message. */
export function errorText(error) {
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
    // Reading the error threw: it has no message.
  }
  return typeof text === 'string' && text !== '' ? cut(text, CAPS.ERROR) : 'The tool failed without saying why.';
}

/** A tool as JSON text for the relays. @param {Definition} definition */
export function wireOf({ name, title, description, schema, annotations }) {
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
export function listOf(name, total, wireAt, blocked) {
  let tools = '';
  for (let at = 0; at < total && at < CAPS.TOOLS; at += 1) {
    const wire = wireAt(at);
    if (tools.length + wire.length > CAPS.LIST) break;
    tools += at === 0 ? wire : `,${wire}`;
  }
  return `"backend":"${name}","tools":[${tools}],"total":${total}${blocked ? ',"blocked":true' : ''}}`;
}

export const listAnswer = (requestId, list) => `{"type":"${NAMES.TOOLS_LIST}","requestId":${stringify(`${requestId}`)},${list}`;

/** The text of what a tool returned, as Chromium renders it; a Symbol, on which Chromium crashes, is an error. */
export function render(value) {
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
