/** Elements by CSS, for callers from outside. */

import { attributeOf, hasAttribute, query, rootsOf, tagOf } from './dom.js';
import { content, nameOf } from './name.js';
import { refOf } from './refs.js';
import { roleOf } from './role.js';
import { isSecret } from './secrets.js';
import { isShown } from './shown.js';
import { statesOf, valueText } from './state.js';
import { line, plain } from './text.js';

const MOST = 200;
/** Attributes that tell what an element is for; never values, which may be secrets. */
const ATTRIBUTES = ['id', 'name', 'type', 'href', 'src', 'alt', 'title', 'placeholder', 'for', 'data-testid', 'datetime'];

/**
 * What matches, in document order, through shadow roots; what nobody can see is left out.
 * @param {{ css: string, maxChars?: number }} message
 */
export function find({ css, maxChars = 16_000 }) {
  const rows = [];
  let count = 0;
  let length = 0;
  try {
    for (const root of rootsOf()) {
      for (const element of query(root, String(css))) {
        if (!isShown(element)) continue;
        count += 1;
        if (rows.length >= MOST || length > maxChars) continue;
        const row = rowOf(element);
        length += JSON.stringify(row).length;
        if (length <= maxChars) rows.push(row);
      }
    }
  } catch {
    return { outcome: 'badInput', why: { code: 'malformed' } };
  }
  return { rows, count };
}

function rowOf(element) {
  const role = roleOf(element);
  const name = nameOf(element, role);
  const attributes = {};
  for (const key of ATTRIBUTES) if (hasAttribute(element, key)) attributes[key] = plain(line(withoutSecrets(key, attributeOf(element, key)), 200));
  const states = statesOf(element, role);
  const value = valueText(element, role);
  return {
    ref: refOf(element, role, name),
    role: role || tagOf(element),
    name: plain(name),
    text: isSecret(element) ? '' : plain(line(content(element), 500)),
    ...(states.length && { states }),
    ...(value && { value: plain(value) }),
    attributes,
  };
}

/** Addresses without what follows the path. */
const withoutSecrets = (key, value) => (key === 'href' || key === 'src' ? value.split(/[?#]/)[0].slice(0, 500) : value);
