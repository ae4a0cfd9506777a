/** Lists of tools, within the caps. What comes from a page was written by it, or could have been. */

import * as CAPS from '../shared/caps.js';
import { all, toolNameOf } from './own.js';

/** @typedef {{ backend: 'native' | 'polyfill', tools: object[], total: number, blocked?: true }} List */

export const cut = (text, cap) => (text.length > cap ? text.slice(0, cap) : text);

/** A tool within the caps, or `undefined` if it is none. */
function tidyTool(tool) {
  if (typeof tool !== 'object' || tool === null) return undefined;
  const { name, title, description, inputSchema, annotations } = tool;
  if (typeof name !== 'string' || name === '' || name.length > 128 || typeof description !== 'string') return undefined;
  const tidy = { name, description: cut(description, CAPS.DESCRIPTION) };
  if (typeof title === 'string' && title !== '') tidy.title = cut(title, CAPS.TITLE);
  const schema = schemaText(inputSchema);
  if (schema !== undefined && schema.length <= CAPS.SCHEMA) tidy.inputSchema = schema;
  if (typeof annotations === 'object' && annotations !== null) {
    const { readOnlyHint, untrustedContentHint, consequentialHint, destructiveHint, debugging } = annotations;
    tidy.annotations = {
      readOnlyHint: readOnlyHint === true,
      untrustedContentHint: untrustedContentHint === true,
      consequentialHint: consequentialHint === true,
      destructiveHint: destructiveHint === true,
      debugging: debugging === true,
    };
  }
  return tidy;
}

/** Chrome gave the schema as text until about version 153, and gives an object now. */
function schemaText(schema) {
  if (schema === undefined || typeof schema === 'string') return schema;
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined;
  }
}

/** @returns {List} */
export function tidyList(backend, tools, total, blocked) {
  const list = { backend, tools: [], total: Number.isSafeInteger(total) ? Math.max(total, 0) : tools.length };
  const forms = new Set(all('form[toolname]').map(toolNameOf));
  let size = 0;
  for (const tool of tools.slice(0, CAPS.TOOLS)) {
    const tidy = tidyTool(tool);
    if (tidy === undefined) continue;
    if (forms.has(tidy.name)) tidy.form = true;
    size += JSON.stringify(tidy).length;
    if (size > CAPS.LIST) break;
    list.tools.push(tidy);
  }
  list.total = Math.max(list.total, list.tools.length);
  if (blocked === true) list.blocked = true;
  return list;
}
