/** Where is looked: in the page's document, or in one that was made of an answer, which is rendered nowhere. */

import { closest, getter, hasAttribute } from '../dom.js';
import { content, nameOf } from '../name.js';
import { isNamedByContent, roleOf } from '../role.js';
import { hiddenBecause, topModal } from '../shown.js';

const baseOf = getter(Node, 'baseURI');

export class Place {
  /** Why elements cannot be seen: alternatives often find the same ones. @type {Map<Element, string>} */
  #hidden = new Map();
  /** @type {Element | null | undefined} */
  #dialog;

  /**
   * @param {Document} [root]
   * @param {string} [base] what addresses are relative to, in a document that was made of an answer
   */
  constructor(root = document, base) {
    this.root = root;
    this.isLive = base === undefined;
    this.base = base ?? baseOf(root);
  }

  /** Why an element cannot be seen; empty if it can. Where nothing is rendered, its markup tells. */
  hiddenBecause(element) {
    if (!this.#hidden.has(element)) this.#hidden.set(element, this.isLive ? this.#look(element) : closest(element, (one) => hasAttribute(one, 'hidden')) === null ? '' : 'hidden');
    return this.#hidden.get(element);
  }

  #look(element) {
    if (this.#dialog === undefined) this.#dialog = topModal();
    return hiddenBecause(element, this.#dialog);
  }

  shows(element) {
    return this.hiddenBecause(element) === '';
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
