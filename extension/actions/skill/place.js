/** Where is looked: in the page's document, or in one that was made of an answer, which is rendered nowhere. */

import { closest, getter, hasAttribute } from '../dom.js';
import { content, nameOf } from '../name.js';
import { isNamedByContent, roleOf } from '../role.js';
import { isShown } from '../shown.js';

const baseOf = getter(Node, 'baseURI');

export class Place {
  /** Whether an element can be seen, by element: alternatives often find the same ones. */
  #shown = new Map();

  /**
   * @param {Document} [root]
   * @param {string} [base] what addresses are relative to, in a document that was made of an answer
   */
  constructor(root = document, base) {
    this.root = root;
    this.isLive = base === undefined;
    this.base = base ?? baseOf(root);
  }

  /** Whether a person could see an element. Where nothing is rendered, whether its markup does not hide it. */
  shows(element) {
    if (!this.#shown.has(element)) this.#shown.set(element, this.isLive ? isShown(element) : closest(element, (one) => hasAttribute(one, 'hidden')) === null);
    return this.#shown.get(element);
  }

  /** The accessible name. Where nothing is rendered, what an element holds is not asked whether it shows. */
  nameOf(element, role = roleOf(element)) {
    if (this.isLive || !isNamedByContent(role) || hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby')) return nameOf(element, role);
    return content(element, { isHidden: true }) || nameOf(element, role);
  }

  /** An address as it is meant there; null if it is none. */
  address(text) {
    return URL.canParse(text, this.base) ? new URL(text, this.base).href : null;
  }
}
