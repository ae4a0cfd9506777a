/** The rows of a list and the fields of each, also lists in a row. */

import { ActionError } from '../why.js';
import { Finder, told } from './locate.js';
import { ofElement, rawOf } from './raw.js';

/** Rows of a list, and characters of all of them as JSON. */
const MOST = 200;
const MOST_CHARACTERS = 190_000;
/** Of lists in each other, a list in a row is the last. */
const MOST_DEPTH = 1;

/**
 * @typedef {{ each: import('./locate.js').Locator, fields: Record<string, Field>, max?: number }} Extraction
 * @typedef {({ locator?: import('./locate.js').Locator } & import('./raw.js').Reading) | Extraction} Field
 */

/** @param {Extraction} message */
export const rows = (message) => extract(message, new Finder());

/**
 * @param {Extraction} extraction
 * @param {Finder} finder
 */
export function extract({ each, fields, max }, finder) {
  const found = finder.find(each);
  const reader = new Reader(finder);
  const list = found.fault === undefined && found.agrees ? reader.rowsOf(found.elements, fields, max) : [];
  return {
    ...told(found), ...(reader.fault !== undefined && { fault: reader.fault }), rows: reader.fault === undefined ? list : [], total: found.elements.length,
    worn: [...reader.worn], ambiguous: [...reader.ambiguous], ...(reader.isCut && { cut: true }),
  };
}

/** Whether a later alternative than the first was used, here or around. @returns {boolean} */
const isWorn = ({ n, around }) => n > 0 || (around !== undefined && isWorn(around));

class Reader {
  isCut = false;
  /** @type {string | undefined} */
  fault;
  /** Names of fields. @type {Set<string>} */
  worn = new Set();
  ambiguous = new Set();
  #finder;
  #left = MOST_CHARACTERS;

  constructor(finder) {
    this.#finder = finder;
  }

  rowsOf(elements, fields, max = MOST) {
    const list = [];
    for (const element of elements.slice(0, Math.min(Math.max(Number(max) || 0, 0), MOST))) {
      const row = this.#row(element, fields, '', 0);
      if (this.fault !== undefined) break;
      this.#left -= JSON.stringify(row).length + 1;
      if (this.#left < 0) {
        this.isCut = true;
        break;
      }
      list.push(row);
    }
    return list;
  }

  #row(element, fields, path, depth) {
    const row = Object.create(null);
    for (const [name, field] of Object.entries(fields)) row[name] = field.each ? this.#list(element, field, path + name, depth) : this.#value(element, field, path + name);
    return row;
  }

  #found(locator, row, name) {
    const found = this.#finder.find(locator, row);
    if (found.fault !== undefined) this.fault ??= found.fault;
    if (isWorn(found)) this.worn.add(name);
    if (!found.agrees) this.ambiguous.add(name);
    return found;
  }

  #value(row, { locator, ...reading }, name) {
    if (locator === undefined) return this.#told(ofElement(row, reading, this.#finder.place));
    const found = this.#found(locator, row, name);
    if (found.elements.length > 1 && !reading.first && reading.what !== 'count' && reading.what !== 'exists') this.ambiguous.add(name);
    return this.#told(rawOf(found, reading, this.#finder.place));
  }

  #told({ raw, cut }) {
    this.isCut ||= cut === true;
    return raw;
  }

  #list(row, { each, fields }, name, depth) {
    if (depth >= MOST_DEPTH) throw new ActionError('badInput', 'malformed');
    const found = this.#found(each, row, name);
    if (!found.agrees) return null;
    this.isCut ||= found.elements.length > MOST;
    const list = [];
    let length = 0;
    for (const element of found.elements.slice(0, MOST)) {
      const inner = this.#row(element, fields, `${name}.`, depth + 1);
      length += JSON.stringify(inner).length;
      if (this.fault !== undefined) break;
      if (length > this.#left) {
        // No row stands there with a part of its list.
        this.#left = 0;
        break;
      }
      list.push(inner);
    }
    return list;
  }
}
