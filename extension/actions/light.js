/**
 * What the user sees in the page while the agent uses it: a thin frame, a word with Stop at the lower edge, for a moment the
 * element that is acted on, and for as long as it takes the field that the user is to fill. It lies in a closed shadow root on a host with a random name, above the page, and takes no
 * pointer but that of Stop, which heeds a hand only. Snapshots and hit tests skip it: `isOwn` knows it by identity.
 */

import { connection, post } from './channel.js';
import { pause } from './clock.js';
import {
  isConnected, isHiddenTab, isRendered, matches, method, parentNodeOf, query, rectOf, rootElement, scrollIntoView, setAttribute, setOwn,
} from './dom.js';
import { LIGHT_CSS } from './light-style.js';
import { faces, field, resolve } from './target.js';
import { hiddenBecause } from './shown.js';

/** How long an element is lit before it is acted on, in ms. */
const LIT_MS = 300;
/** How often the page may remove the overlay until the agent gives up. */
const MOST_REMOVALS = 2;
/** How often the overlay is looked after, in ms: what takes it out of the top layer leaves no trace in the tree. */
const CHECK_MS = 500;
/** Characters of a word in the overlay. */
const MOST_WORD = 80;

const create = method(Document, 'createElement').bind(null, document);
const append = method(Node, 'appendChild');
const remove = method(Element, 'remove');
const showPopover = method(HTMLElement, 'showPopover');
const hidePopover = method(HTMLElement, 'hidePopover');
const attachShadow = method(Element, 'attachShadow');
const isTrusted = (event) => event.isTrusted === true;

/** The overlay of one time that the light is on. */
class Overlay {
  #host = create(randomTag());
  #frame = create('div');
  #ring = create('div');
  #panel = create('div');
  #label = create('span');
  #stop = create('button');
  #removals = 0;
  #end = new AbortController();
  #observer = new MutationObserver(() => this.#check());
  /** Distinguishes the last element that was lit from those before. */
  #lit = 0;
  /** The field that the user is to fill. @type {Element | undefined} */
  #pointed;

  /** @param {AbortSignal} connected ends it */
  constructor(connected) {
    setOwn(this.#host);
    setAttribute(this.#host, 'popover', 'manual');
    const root = attachShadow(this.#host, { mode: 'closed' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LIGHT_CSS);
    root.adoptedStyleSheets = [sheet];
    this.#panel.className = 'panel';
    this.#panel.setAttribute('role', 'status');
    this.#stop.type = 'button';
    this.#panel.append(this.#label, this.#stop);
    this.#ring.className = 'ring';
    this.#frame.className = 'frame';
    root.append(this.#frame, this.#ring, this.#panel);

    const { signal } = this.#end;
    this.#stop.addEventListener('click', (event) => isTrusted(event) && this.#stopped(), { signal });
    addEventListener('pointerdown', (event) => this.#pressed(event), { capture: true, passive: true, signal });
    // The handle of the last worker goes with its port.
    connected.addEventListener('abort', () => switchOff(), { signal });
    for (const kind of ['scroll', 'resize']) addEventListener(kind, () => this.#follow(), { capture: true, passive: true, signal });
    const timer = setInterval(() => {
      this.#check();
      this.#follow();
    }, CHECK_MS);
    this.#observer.observe(document, { childList: true });
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      this.#observer.disconnect();
      remove(this.#host);
    });
    this.#show();
  }

  /** @param {{ label?: unknown, stop?: unknown } | undefined} word without it, only elements are lit: the frame is that of the top document */
  say(word) {
    this.#frame.hidden = this.#panel.hidden = word === undefined;
    this.#label.textContent = wordOf(word?.label);
    this.#stop.textContent = wordOf(word?.stop);
  }

  /** Above what the page has opened meanwhile. */
  raise() {
    if (!this.#isIn()) this.#check();
    else {
      hidePopover(this.#host);
      showPopover(this.#host);
    }
  }

  /** Not by taking it away, which would count as removed. */
  hide(isHidden) {
    for (const { style } of [this.#frame, this.#ring, this.#panel]) {
      if (isHidden) style.setProperty('visibility', 'hidden', 'important');
      else style.removeProperty('visibility');
    }
  }

  /** Light an element for a moment. */
  async light(element) {
    bringIntoView(element, 'nearest');
    this.#put(element);
    const number = (this.#lit += 1);
    await pause(LIT_MS);
    // A little longer than it holds up the action: the eye follows.
    setTimeout(() => {
      if (number === this.#lit) this.#rest();
    }, LIT_MS);
  }

  /** Keep an element lit, or no longer. */
  point(element) {
    this.#pointed = element;
    if (element !== undefined) bringIntoView(element, 'center');
    this.#rest();
  }

  #rest() {
    this.#ring.className = 'ring';
    this.#follow();
  }

  #follow() {
    if (this.#pointed === undefined) return;
    if (isConnected(this.#pointed)) this.#put(this.#pointed);
    else this.#ring.className = 'ring';
  }

  #put(element) {
    const { x, y, width, height } = rectOf(element);
    const { style } = this.#ring;
    for (const [name, value] of Object.entries({ left: x, top: y, width, height })) style.setProperty(name, `${value}px`);
    this.#ring.className = 'ring lit';
  }

  end() {
    this.#end.abort();
  }

  #show() {
    const root = rootElement();
    // A document can be without an element for a moment; the next check finds it.
    if (root === null) return;
    append(root, this.#host);
    showPopover(this.#host);
    this.#observer.observe(root, { childList: true });
    this.#observer.takeRecords();
  }

  #isIn() {
    return isConnected(this.#host) && parentNodeOf(this.#host) === rootElement() && matches(this.#host, ':popover-open') && isRendered(this.#host);
  }

  /** Puts the overlay back if the page removed it; gives up if it does so again and again. */
  #check() {
    if (this.#end.signal.aborted || this.#isIn()) return;
    this.#removals += 1;
    if (this.#removals > MOST_REMOVALS) {
      switchOff();
      post({ event: 'light-removed' });
      return;
    }
    setAttribute(this.#host, 'popover', 'manual');
    this.#show();
  }

  #stopped() {
    post({ event: 'stop' });
  }

  /** Heard before the page: a press on Stop that a modal dialog keeps from it. */
  #pressed(event) {
    if (isTrusted(event) && event.target !== this.#host && this.#isOnStop(event) && query(document, ':modal').length > 0) this.#stopped();
  }

  #isOnStop({ clientX, clientY }) {
    const { left, right, top, bottom } = rectOf(this.#stop);
    return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
  }
}

function bringIntoView(element, block) {
  const { top, bottom, left, right } = rectOf(element);
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth) scrollIntoView(element, { block, inline: 'nearest', behavior: 'instant' });
}

/** A name that no page can know before it sees the element. Custom names may have shadow roots. */
function randomTag() {
  const letters = crypto.randomUUID().replace(/[^a-z]/g, '');
  return `x${letters.slice(0, 6)}-${crypto.randomUUID().slice(0, 8)}`;
}

const wordOf = (value) => (typeof value === 'string' ? value.toWellFormed().slice(0, MOST_WORD) : '');

/** @type {Overlay | undefined} */
let overlay;

function switchOff() {
  overlay?.end();
  overlay = undefined;
}

/**
 * The worker's word: show it, light an element, take it away.
 * @param {{ on?: boolean, word?: { label: string, stop: string }, element?: string }} message
 */
export async function light({ on, word, element }) {
  if (on === false) {
    switchOff();
    return {};
  }
  raise();
  if (word !== undefined || element === undefined) overlay.say(word);
  const found = typeof element === 'string' ? find(element) : undefined;
  if (found !== undefined) await lightUp(found);
  return {};
}

/**
 * The worker's word: keep the field lit that the user is to fill, or without one, no longer.
 * @param {{ element?: string }} message
 */
export function point({ element }) {
  if (element === undefined) {
    overlay?.point(undefined);
    return {};
  }
  if (raise()) overlay.say(undefined);
  overlay.point(face(field(resolve(element))));
  return {};
}

/** What the user sees of an element: its label where a styled box hides it. */
const face = (element) => faces(element).find((one) => hiddenBecause(one) === '') ?? element;

/** Whether it can be acted on is told by the action. */
function find(target) {
  try {
    return face(resolve(target));
  } catch {
    return undefined;
  }
}

/** @returns {boolean} whether it was off */
function raise() {
  if (overlay !== undefined) {
    overlay.raise();
    return false;
  }
  overlay = new Overlay(connection());
  return true;
}

/** Take it out of sight while a picture is taken; it stays where it is. */
export function hideLight(isHidden) {
  overlay?.hide(isHidden);
}

/**
 * Light an element for 300 ms before it is acted on. Nothing where nobody looks, or while the light is off.
 * @param {Element} element
 */
async function lightUp(element) {
  if (overlay !== undefined && !isHiddenTab()) await overlay.light(element);
}

/** Light the next of several elements without waiting. */
export function lightNext(element) {
  if (!isHiddenTab()) overlay?.light(face(element)).catch(() => {});
}
