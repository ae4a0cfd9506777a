/** What became of an action: what a person would notice on the page afterwards. */

import {
  attribute, closest, contains, deepActive, hasAttribute, isChecked, isConnected, isElement, isHtml, isRendered, matches, parentOf, query, rectOf,
  rootsOf, scroller, tagOf, valueOf,
} from './dom.js';
import { content, nameOf } from './name.js';
import { roleOf } from './role.js';
import { settle, Watch } from './settle.js';
import { isShown } from './shown.js';
import { isSecret } from './secrets.js';
import { known } from './target.js';
import { line } from './text.js';

/** How long a control may take until something is to be seen. */
const REACTION = 1000;
const MOST = 300;
const MAX_FIELDS = 20;
const messageOf = (element) => (isHtml(element) && 'validationMessage' in element ? element.validationMessage : '');
const isOpenPopover = (element) => isHtml(element) && matches(element, ':popover-open');
const POPUPS = '[role=menu], [role=listbox], [role=tree], [role=tooltip], [role=grid]';
const DIALOGS = 'dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]';
const LIVE = /^(alert|status|log)$/;

const all = (css) => rootsOf().flatMap((root) => query(root, css));
const shown = (css) => new Set(all(css).slice(0, 500).filter(isShown));
const place = () => `${location.origin}${location.pathname}`;

/** What of an element changes without a mutation. */
function look(element) {
  if (!isConnected(element)) return 'gone';
  const states = [attribute(element, 'aria-expanded'), attribute(element, 'aria-checked'), attribute(element, 'aria-pressed'), attribute(element, 'aria-selected')];
  if (element instanceof HTMLInputElement) states.push(isChecked(element));
  return [...states, valueOf(element)].join('\n');
}

/** Notes how the page is before an action, and tells afterwards what is different. */
export class Changes {
  #watch = new Watch();
  #before;
  #invalid = new Set();
  #isLeaving = false;
  #element;
  #unlisten;

  /** @param {Element} element acted on */
  constructor(element) {
    this.#element = element;
    this.#before = { address: location.href, focus: deepActive(), dialogs: shown(DIALOGS), popups: shown(POPUPS), popovers: new Set(all(':popover-open')), look: look(element), scroll: this.#scrolled() };
    const heed = (event) => {
      if (event.type === 'invalid') this.#invalid.add(event.composedPath()[0]);
      else if (event.type === 'beforeunload' || event.type === 'pagehide') this.#isLeaving = true;
      this.#watch.note();
    };
    // `change`, `toggle` and the like are trusted: the browser sends them for what really happened.
    const types = ['invalid', 'beforeunload', 'pagehide', 'submit', 'toggle', 'close', 'fullscreenchange', 'play', 'hashchange', 'popstate'];
    for (const type of types) addEventListener(type, heed, true);
    this.#unlisten = () => types.forEach((type) => removeEventListener(type, heed, true));
  }

  #scrolled() {
    const page = scroller();
    return page ? [page.scrollTop, page.scrollLeft].join() : '';
  }

  /** Changes from here on are the action's. */
  note() {
    this.#watch.note();
  }

  end() {
    this.#unlisten();
    this.#watch.end();
  }

  /** Whether something that no mutation shows is different. */
  #isDifferent() {
    const before = this.#before;
    return look(this.#element) !== before.look || location.href !== before.address || this.#isLeaving || this.#scrolled() !== before.scroll;
  }

  /**
   * Wait until the page is at rest.
   * @param {{ isControl?: boolean }} [options] whether it should show a reaction
   * @returns {Promise<{ became: { kind: string, text?: string }[], isStill: boolean, isAnything: boolean }>}
   */
  async settled({ isControl = false } = {}) {
    const started = performance.now();
    let still = await settle(this.#watch, { limit: 2000 });
    // A slow page: it gets a second, then nothing has happened.
    while (isControl && !still.changed && !this.#isDifferent() && performance.now() - started < REACTION) {
      still = await settle(this.#watch, { limit: 2000, reaction: Math.min(200, REACTION - (performance.now() - started)) });
    }
    this.end();
    const became = this.#became();
    return { became, isStill: still.still, isAnything: became.some(({ kind }) => kind !== 'nothing' && kind !== 'focus') };
  }

  #became() {
    const before = this.#before;
    const list = [];
    const add = (kind, text) => list.push(text ? { kind, text: line(text, MOST) } : { kind });
    if (location.href !== before.address || this.#isLeaving) add('address', this.#isLeaving && location.href === before.address ? '' : place());
    const dialog = [...shown(DIALOGS)].find((one) => !before.dialogs.has(one));
    if (dialog) add('dialog', nameOf(dialog) || content(dialog));
    const popup = [...all(':popover-open'), ...shown(POPUPS)].find((one) => !before.popovers.has(one) && !before.popups.has(one));
    if (popup) add('popover', nameOf(popup) || content(popup));
    const wrong = this.#wrong();
    if (wrong) add('validation', wrong);
    if (this.#watch.hasChanged || look(this.#element) !== before.look || this.#scrolled() !== before.scroll) {
      const words = this.#words(dialog ?? popup);
      // A change that nobody can see, as that of a counter of visits, is none.
      add('changed', words);
    }
    const focus = deepActive();
    if (focus !== before.focus && focus && focus !== this.#element && !contains(this.#element, focus)) {
      const { role, name, ref } = known(focus);
      add('focus', `${role} ${JSON.stringify(name)} [${ref}]`);
    }
    if (list.length === 0) add('nothing');
    return list;
  }

  /** Fields that the browser or the page calls wrong, with its words. */
  #wrong() {
    const fields = [...this.#invalid].filter(isElement).slice(0, MAX_FIELDS);
    return fields.map((one) => `${nameOf(one) || tagOf(one)}: ${isSecret(one) ? '' : messageOf(one)}`).join('; ');
  }

  /** The words that are new: what is announced to readers first. */
  #words(without) {
    const nodes = [...this.#watch.changed].filter((node) => isConnected(node)).map((node) => (isElement(node) ? node : parentOf(node))).filter((one) => one && one !== this.#element);
    const live = nodes.map((one) => closest(one, (above) => LIVE.test(roleOf(above)) || hasAttribute(above, 'aria-live'))).find((one) => one && isShown(one));
    if (live) return content(live);
    const [first] = nodes.filter((one) => isRendered(one) && one !== without && !(without && contains(without, one)) && rectOf(one).width > 0 && !['body', 'html'].includes(tagOf(one)));
    return first ? content(first) : '';
  }
}

/** A link's own word on what it does, which a page's script cannot change any more. */
export function linkKind(element) {
  const link = closest(element, (one) => tagOf(one) === 'a' && hasAttribute(one, 'href'));
  if (!link) return undefined;
  if (hasAttribute(link, 'download')) return 'download-link';
  const target = attribute(link, 'target').toLowerCase();
  return target !== '' && !['_self', '_top', '_parent'].includes(target) ? 'opened-link' : undefined;
}
