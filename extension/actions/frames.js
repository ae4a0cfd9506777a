/**
 * Pairs frames with the documents in them: a token goes to the window of each frame, the script in there tells the worker
 * which one it caught. Extensions have no other way that reaches frames in shadow trees.
 */

import { post } from './channel.js';
import { attribute, closest, getter, query, rectOf, rootsOf, styleOf, tagOf } from './dom.js';
import { refOf, startAt } from './refs.js';
import { hiddenBecause, topModal } from './shown.js';

const MARK = 'webmcp-sidecar-frame:';
const FORM = /^webmcp-sidecar-frame:([0-9a-f-]{36})$/;
const TAGS = 'iframe, frame, object, embed, fencedframe';
const MAX_FRAMES = 200;

const windowOf = [HTMLIFrameElement, HTMLFrameElement, HTMLObjectElement].map((Interface) => ({ Interface, get: getter(Interface, 'contentWindow') }));

/** @type {WeakMap<Element, string>} */
const tokens = new WeakMap();
/** Tokens sent here by the document above. Its page hears those of its own frame and could pass one on: the worker heeds who names a token first. */
const caught = new Set();
const MAX_TOKENS = 20;

/** The window in a frame; null if nothing can be in there. */
function contentWindow(element) {
  for (const { Interface, get } of windowOf) if (element instanceof Interface) return get(element);
  return null;
}

/** The token of a frame's element, which is also sent into it. Empty if it holds no document. */
export function tokenOf(element) {
  const inner = contentWindow(element);
  if (inner === null) return '';
  if (!tokens.has(element)) {
    tokens.set(element, crypto.randomUUID());
    send(element, inner);
  }
  return tokens.get(element);
}

function send(element, inner) {
  inner.postMessage(MARK + tokens.get(element), '*');
}

/** The frame's element of a token. @returns {Element | undefined} */
export const frameOfToken = (token) => frames().find((one) => tokens.get(one) === token);

/** Elements that hold documents, also in closed shadow roots. */
function frames() {
  const list = [];
  for (const root of rootsOf()) for (const one of query(root, TAGS)) if (list.length < MAX_FRAMES && contentWindow(one) !== null) list.push(one);
  return list;
}

/** Whether an element may hold another document. */
export const isFrame = (element) => tagOf(element) === 'iframe' || tagOf(element) === 'frame' || contentWindow(element) !== null;

/** Catch tokens. Only the window above may send one. */
export function listenForTokens() {
  addEventListener('message', (event) => {
    const token = typeof event.data === 'string' && event.source === parent && parent !== window && FORM.exec(event.data)?.[1];
    if (!token) return;
    event.stopImmediatePropagation();
    if (caught.has(token) || caught.size >= MAX_TOKENS) return;
    caught.add(token);
    post({ event: 'token', token });
  }, true);
}

/** Tell a new worker what was caught. */
export function announceTokens() {
  for (const token of caught) post({ event: 'token', token });
}

/** The origin of the address, or of the document around it: a sandbox takes only the document's own away. */
const home = () => [location.origin, self.origin, ...location.ancestorOrigins].find((one) => one !== 'null') ?? 'null';

/** @param {{ prefix: string, next: number }} message */
export function hello({ prefix, next: number }) {
  startAt(typeof prefix === 'string' && /^(f\d{1,9})?$/.test(prefix) ? prefix : '', Number.isSafeInteger(number) ? number : 1);
  announceTokens();
  return { origin: self.origin, home: home(), path: location.pathname, type: document.contentType };
}

/** Send each frame its token, again to those whose document may be another. */
export function pair() {
  return {
    frames: frames().map((one) => {
      const isKnown = tokens.has(one);
      const token = tokenOf(one);
      if (isKnown) send(one, contentWindow(one));
      return { ref: refOf(one), token, name: attribute(one, 'name').slice(0, 200) };
    }),
  };
}

/** Whether an element keeps what is below it from being read: as hidden from readers, or clipped by an empty box. */
function isShut(element) {
  if (attribute(element, 'aria-hidden') === 'true') return true;
  const { width, height } = rectOf(element);
  if ((width !== 0 && height !== 0) || ['html', 'body'].includes(tagOf(element))) return false;
  const { display, overflowY } = styleOf(element);
  return display !== 'contents' && overflowY !== 'visible';
}

/** Whether a snapshot reads something of a frame: what is in others counts as not there. */
function isShownFrame(frame, dialog) {
  const { width, height } = rectOf(frame);
  return width > 1 && height > 1 && hiddenBecause(frame, dialog) === '' && closest(frame, isShut) === null;
}

/** The frames here, and which of them are shown. */
export function inner() {
  const dialog = topModal();
  return { frames: frames().map((one) => ({ token: tokenOf(one), isShown: isShownFrame(one, dialog) })) };
}
