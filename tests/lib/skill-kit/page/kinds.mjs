/**
 * The mutations of a fixture: each changes a document as a site may change it, and says how often it could be made.
 */

import { copyOf, elementsIn, textsIn } from './tree.mjs';
import { regionOf } from './region.mjs';

/** Added to the longer words of a copied row, so that it is another one. */
export const MARK = ' (again)';

/** Elements of which the parser allows none but certain ones around it. */
const FIXED = /^(area|caption|col|colgroup|dd|dt|legend|li|link|meta|noscript|optgroup|option|rp|rt|script|source|style|summary|tbody|td|template|tfoot|th|thead|title|tr|track)$/;
/** Rows that stand in a line of text: an advert among them would be one in the text. */
const INLINE = /^(a|abbr|b|em|i|option|p|small|span|strong|time)$/;

/**
 * @typedef {(finder: import('./find.mjs').Finder, job: any, touch: (mutated: Element) => void) => number} Mutation `touch`: of an
 *   element whose text, or absence, another value may have in it
 * @type {Record<string, Mutation>}
 */
export const MUTATIONS = {
  /** Classes have other names, as after a redesign. */
  rename({ document }, { classes, parts }) {
    let count = 0;
    for (const element of elementsIn(document)) {
      for (const name of [...element.classList]) {
        if (!classes.includes(name) && !parts.some((part) => name.includes(part))) continue;
        element.classList.replace(name, `renamed-${classes.indexOf(name) + 1}`);
        count += 1;
      }
    }
    return count;
  },

  /** A list has one row more, after the last one. */
  row(finder, { lists }, touch) {
    const last = finder.rows(lists).at(-1);
    if (last === undefined) return 0;
    touch(last);
    const copy = copyOf(last);
    for (const text of textsIn(copy)) if (/^\D{12,}$/.test(text.data.trim())) text.data = text.data.replace(/\s*$/, (blanks) => MARK + blanks);
    last.after(copy);
    return 1;
  },

  /** Lists begin with something that is no row. */
  advert(finder, { all }) {
    const firsts = new Map();
    for (const lists of all) {
      for (const row of finder.rows(lists)) if (!INLINE.test(row.localName) && !firsts.has(row.parentNode)) firsts.set(row.parentNode, row);
    }
    for (const row of firsts.values()) {
      const advert = finder.document.createElement(row.localName.includes('-') ? 'div' : row.localName);
      const link = '<a href="https://advert.example/buy">Advertisement</a>';
      advert.innerHTML = advert.localName === 'tr' ? `<td colspan="3">${link}</td>` : link;
      row.before(advert);
    }
    return firsts.size;
  },

  /** The main region, or a form, is there twice, once hidden, as for narrow screens. */
  copy(finder, { used }) {
    const { region, forms } = regionOf(finder, used);
    const hide = (element) => {
      element.hidden = true;
      element.style.display = 'none';
      return element;
    };
    if (region === finder.document.body) {
      const copy = hide(finder.document.createElement('div'));
      copy.append(...[...region.children].filter(({ localName }) => localName !== 'script').map(copyOf));
      region.prepend(copy);
    } else region.before(hide(copyOf(region)));
    for (const form of forms) form.before(hide(copyOf(form)));
    return 1;
  },

  /** A row lacks what not all rows have. */
  drop(finder, { lists, at, attr, first, kept }, touch) {
    for (const row of lists.length === 0 ? [undefined] : finder.rows(lists)) {
      if (at === null && row.hasAttribute(attr)) {
        row.removeAttribute(attr);
        return 1;
      }
      const all = at === null ? [] : finder.find(at, row).filter((one) => !['html', 'body'].includes(one.localName));
      const found = first ? all.slice(0, 1) : all;
      // What has to be there may stand in it.
      const must = kept.flatMap((other) => finder.find(other, row));
      if (found.length === 0 || found.some((one) => must.some((other) => one.contains(other)))) continue;
      found.forEach((one) => {
        touch(one);
        one.remove();
      });
      return 1;
    }
    return 0;
  },

  /** The page is in a language of which the SKILL knows no word. */
  language({ document }, { lang }) {
    document.documentElement.lang = lang;
    return 1;
  },

  /** A list has no rows. */
  empty(finder, { lists }, touch) {
    const rows = finder.rows(lists);
    rows.forEach((row) => {
      touch(row);
      row.remove();
    });
    return rows.length;
  },

  /** Something stands around all parts of the page, and around rows. */
  wrap(finder, { all, used }) {
    const { region } = regionOf(finder, used);
    const parts = new Set([...finder.document.body.children, ...region.children, ...all.flatMap((lists) => finder.rows(lists))]);
    let count = 0;
    for (const part of parts) {
      if (FIXED.test(part.localName) || part.hasAttribute('slot') || !part.isConnected) continue;
      const wrapper = finder.document.createElement('div');
      wrapper.className = 'wrapper-of-a-redesign';
      part.replaceWith(wrapper);
      wrapper.append(part);
      count += 1;
    }
    return count;
  },

  /** The main region is in an open shadow root. */
  shadow(finder, { used }) {
    const { region } = regionOf(finder, used);
    const host = finder.document.createElement('div');
    const root = host.attachShadow({ mode: 'open' });
    if (region === finder.document.body) {
      root.append(...region.childNodes);
      region.append(host);
    } else {
      region.replaceWith(host);
      root.append(region);
    }
    return 1;
  },
};
