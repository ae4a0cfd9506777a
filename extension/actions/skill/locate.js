/** Locators: alternatives in their order, each a chain of links; those that match must agree. */

import { refOf } from '../refs.js';
import { ActionError } from '../why.js';
import { Fault, MOST, search, selectorsOf } from './link.js';
import { holds } from './open-tree.js';
import { Place } from './place.js';

/** How many locators may be around each other. */
const MOST_DEPTH = 6;

/**
 * @typedef {{ any: { n: number, links: import('./link.js').Link[] }[], in?: Locator, visible?: boolean }} Locator `n`: the alternative's
 *   number in the package
 *
 * @typedef {object} Found
 * @property {Element[]} elements
 * @property {number | null} n of the alternative that is used: the first one that matches
 * @property {boolean} agrees whether all others that match give the same elements
 * @property {boolean} isCut whether there may be more elements, which were not looked at
 * @property {string} [fault] what the SKILL says wrongly
 * @property {Found} [around] of the locator around it
 */

/** Finds elements in one place, which does not change in the meantime. */
export class Finder {
  /** By locator, in the whole place. @type {Map<Locator, Found>} */
  #known = new Map();

  /** @param {Place} [place] */
  constructor(place = new Place()) {
    this.place = place;
  }

  /**
   * @param {Locator} locator
   * @param {Element} [row] inside this element
   * @returns {Found}
   */
  find(locator, row, depth = 0) {
    if (!Array.isArray(locator?.any) || depth > MOST_DEPTH) throw new ActionError('badInput', 'malformed');
    if (row !== undefined) return this.#look(locator, row, depth);
    if (!this.#known.has(locator)) this.#known.set(locator, this.#look(locator, undefined, depth));
    return this.#known.get(locator);
  }

  #look(locator, row, depth) {
    const found = { elements: [], n: null, agrees: true, isCut: false };
    try {
      check(locator);
      let starts = [row ?? this.place.root];
      if (locator.in) {
        found.around = this.find(locator.in, undefined, depth + 1);
        const { elements, agrees, isCut, fault } = found.around;
        if (fault !== undefined) return { ...found, fault };
        found.agrees = agrees;
        found.isCut = isCut;
        starts = row === undefined ? elements : within(elements, row);
      }
      this.#alternatives(locator, starts, found);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { ...found, elements: [], n: null, fault: error.message };
    }
    return found;
  }

  #alternatives({ any, visible = false }, starts, found) {
    for (const { n, links } of any) {
      let matches = { elements: starts, isCut: false };
      for (const link of links) {
        const { elements, isCut } = search(link, matches.elements, this.place);
        matches = { elements, isCut: isCut || matches.isCut };
      }
      found.isCut ||= matches.isCut;
      const elements = visible ? matches.elements.filter((one) => this.place.shows(one)) : matches.elements;
      if (elements.length === 0) continue;
      if (found.n === null) Object.assign(found, { n, elements });
      else found.agrees &&= isSameSet(found.elements, elements);
    }
  }
}

/** A wrong selector is one also where nothing is searched. */
function check({ any }) {
  for (const { links } of any) {
    if (!Array.isArray(links) || links.length === 0) throw new Fault('locator');
    for (const link of links) if (typeof link?.css === 'string') selectorsOf(link.css);
  }
}

/** Of elements that are around it, or in it, what is to be searched of a row. */
function within(elements, row) {
  if (elements.some((one) => holds(one, row))) return [row];
  return elements.filter((one) => holds(row, one));
}

function isSameSet(elements, others) {
  if (elements.length !== others.length) return false;
  const set = new Set(elements);
  return others.every((one) => set.has(one));
}

/** What every answer says of what was found. @param {Found} found */
export const told = ({ elements, n, agrees, isCut, fault, around }) => ({
  count: elements.length, n, agrees, ...(isCut && { most: MOST }), ...(fault !== undefined && { fault }), ...(around && { in: told(around) }),
});

/** @param {{ locator: Locator }} message */
export function locate({ locator }) {
  const found = new Finder().find(locator);
  return { ...told(found), ...(found.elements.length === 1 && { ref: refOf(found.elements[0]) }) };
}
