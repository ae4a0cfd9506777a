/**
 * Finds what a locator of a SKILL means, for mutations. Simpler than the page actions' own search, and apart from it: what
 * is not found here is only not mutated.
 */

import { rootsIn } from './tree.mjs';

const ROLES = {
  heading: 'h1, h2, h3, h4, h5, h6, [role="heading"]',
  button: 'button, [role="button"]',
  link: 'a[href], [role="link"]',
  list: 'ul, ol, [role="list"]',
  listitem: 'li, [role="listitem"]',
  row: 'tr, [role="row"]',
  article: 'article, [role="article"]',
};

/** The words of a locator in whichever language. */
const words = (wording) => {
  if (typeof wording === 'string') return [wording];
  return Object.values(wording ?? {}).flatMap(words);
};

const line = (text) => (text ?? '').replace(/\s+/g, ' ').trim();
const unique = (elements) => [...new Set(elements)];
const inAllRoots = (start, css) => [start, ...rootsIn(start)].flatMap((root) => [...root.querySelectorAll(css)]);

export class Finder {
  /**
   * @param {Document} document
   * @param {Record<string, object>} locators of the SKILL, by name
   * @param {Record<string, unknown>} input of the call, for templates
   */
  constructor(document, locators, input) {
    this.document = document;
    this.locators = locators;
    this.input = input;
  }

  /** @param {string | object} at a locator or its name @param {Element} [row] @returns {Element[]} */
  find(at, row) {
    const locator = typeof at === 'string' ? this.locators[at] : at;
    let starts = [row ?? this.document];
    if (locator.in !== undefined) {
      const around = this.find(locator.in);
      if (row === undefined) starts = around;
      else if (!around.some((one) => one.contains(row))) starts = around.filter((one) => row.contains(one));
    }
    for (const way of locator.any) {
      let found = starts;
      for (const link of [way].flat()) found = unique(found.flatMap((start) => this.#link(link, start)));
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The rows of lists in each other, the outermost first. */
  rows(lists) {
    return lists.reduce((rows, each) => unique(rows.flatMap((row) => this.find(each, row))), [undefined]).filter(Boolean);
  }

  /** What is found in all rows of lists, or in the document; the rows themselves, if nothing is looked for in them. */
  all(lists, at) {
    const rows = lists.length === 0 ? [undefined] : this.rows(lists);
    return at === null ? rows : unique(rows.flatMap((row) => this.find(at, row)));
  }

  /** Whether a condition holds about an element. */
  holds({ at, is = 'present', text }) {
    const found = this.find(at);
    if (text !== undefined) return found.some((one) => words(text).some((word) => line(one.textContent).includes(word)));
    return is === 'absent' ? found.length === 0 : found.length > 0;
  }

  #link(link, start) {
    if (link.css !== undefined) return this.#css(link.css, start);
    if (link.testid !== undefined) return inAllRoots(start, `[data-testid="${CSS.escape(link.testid)}"]`);
    if (link.role !== undefined) {
      const found = inAllRoots(start, ROLES[link.role] ?? `[role="${CSS.escape(link.role)}"]`);
      if (link.name === undefined) return found;
      return found.filter((one) => words(link.name).includes(line(one.getAttribute('aria-label') ?? one.textContent)));
    }
    if (link.text !== undefined) {
      const said = inAllRoots(start, '*').filter((one) => words(link.text).includes(line(one.textContent)));
      return said.filter((one) => !said.some((other) => other !== one && one.contains(other)));
    }
    if (link.placeholder !== undefined) return inAllRoots(start, '[placeholder]').filter((one) => words(link.placeholder).includes(line(one.placeholder)));
    const labels = inAllRoots(start, 'label').filter((one) => words(link.label).includes(line(one.textContent)));
    return labels.map((label) => label.control ?? label.querySelector('input, select, textarea')).filter(Boolean);
  }

  #css(css, start) {
    let isFilled = true;
    const filled = css.replace(/\{\{(\w+)\}\}/g, (_, name) => {
      isFilled &&= this.input[name] !== undefined;
      return `"${CSS.escape(String(this.input[name]))}"`;
    });
    if (!isFilled) return [];
    return filled.split('>>').reduce((found, selector, at) => {
      const within = at === 0 ? found : found.map((one) => one.shadowRoot).filter(Boolean);
      return selector.trim() === '' ? within : unique(within.flatMap((root) => [...root.querySelectorAll(selector)]));
    }, [start]);
  }
}
