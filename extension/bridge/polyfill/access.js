/** Whether this document may use WebMCP, and the origins of documents. */

import { construct, matches, NativeDOMException } from '../captured.js';
import { each } from '../safe.js';
import { invalidState } from '../webidl.js';
import { NativeURL, urlHostname, urlOrigin, urlProtocol, viewOf } from './captured.js';

/** The origin of this document, as tools have it. @type {string} */
export let ownOrigin;

/** Why this document may not use WebMCP: message and name of what is thrown. @type {[string, string] | undefined} */
export let refusal;

export function lookAround() {
  const isFile = isOfFile(window);
  ownOrigin = isFile ? 'file://' : self.origin;
  refusal = whyRefused(isFile);
}

/** Whether a document is a file, or an empty or `srcdoc` one of a file. */
function isOfFile(view) {
  try {
    const { protocol } = view.location;
    return protocol === 'file:' || (protocol === 'about:' && view.parent !== view && isOfFile(view.parent));
  } catch {
    // It is of another origin.
    return false;
  }
}

/** Why this document may not use WebMCP, as far as a script can know: the permissions policy itself is hidden from it. */
function whyRefused(isFile) {
  // Files share no origin, and no agent cluster of an origin; only files have them in frames, and may use WebMCP there.
  if (isFile) return undefined;
  if (window.originAgentCluster === false) {
    return ['document.modelContext cannot be used when document.domain is enabled.', 'SecurityError'];
  }
  const ancestors = location.ancestorOrigins;
  for (let at = 0; at < ancestors.length; at += 1) {
    if (ancestors[at] !== self.origin || self.origin === 'null') {
      return ['Access to the feature "tools" is disallowed by permissions policy.', 'NotAllowedError'];
    }
  }
  return undefined;
}

export function demandAccess(state) {
  if (viewOf(state.document) === null) throw invalidState('The document is not active.');
  if (refusal !== undefined) throw construct(NativeDOMException, refusal);
}

/** The origin that a text names: `null` if it is no URL, `'null'` if it is opaque. */
export function originOf(text) {
  try {
    const url = new NativeURL(text);
    return urlProtocol(url) === 'file:' ? 'file://' : urlOrigin(url);
  } catch {
    return null;
  }
}

export function demandSecureOrigins(texts, list) {
  each(texts, (text) => {
    const origin = originOf(text);
    if (origin === null || origin === 'null' || !isTrustworthy(origin)) {
      throw new NativeDOMException(`Only secure origins are allowed in the ${list} list.`, 'SecurityError');
    }
  });
}

function isTrustworthy(origin) {
  const url = new NativeURL(origin);
  return (
    matches(/^(?:https|wss|file|chrome|chrome-extension):$/, urlProtocol(url)) !== null ||
    matches(/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/, urlHostname(url)) !== null
  );
}
