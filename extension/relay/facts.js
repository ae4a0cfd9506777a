/**
 * How the document's tools came to be, for its developer: what the bridge knows of registrations, and the forms that declare
 * tools. What the bridge says was written by a page, or could have been.
 */

import * as CAPS from '../shared/caps.js';
import * as NAMES from '../shared/names.js';
import { bridge } from './bridge.js';
import { formsOf } from './forms.js';
import { cut } from './lists.js';
import { pause } from './pace.js';

/** Milliseconds to wait for a bridge: one of an earlier version does not answer. */
const PATIENCE = 500;

/** What is told of the origins that a tool is exposed to: so many, and so many characters of each. */
const ORIGINS = 20;
const ORIGIN = 256;

/** When the page had loaded, in milliseconds since the navigation began: not yet is infinity. Nothing if it is not known. */
function loadedAt() {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation && (navigation.loadEventEnd || Infinity);
}

/** The address of a script, without what may hold a secret; of one that the page made of a text, whose it is. */
function addressOf(script) {
  if (typeof script !== 'string' || !URL.canParse(script)) return undefined;
  const { protocol, origin, pathname } = new URL(script);
  if (origin === 'null') return protocol;
  return cut(protocol === 'blob:' ? `blob:${origin}` : origin + pathname, CAPS.ADDRESS);
}

/** A count or a time as a whole number, if it is one. */
const wholeOf = (value) => (Number.isFinite(value) && value >= 0 && value <= 0xffffffff ? Math.round(value) : undefined);

function tidyFacts(facts, loaded) {
  const name = facts?.name;
  const at = wholeOf(facts?.at);
  if (typeof name !== 'string' || name.length > 128 || at === undefined) return undefined;
  const tidy = { name, at, again: wholeOf(facts.again), script: addressOf(facts.script) };
  if (loaded !== undefined) tidy.afterLoad = Math.max(0, Math.round(at - loaded));
  if (tidy.script !== undefined) tidy.line = wholeOf(facts.line);
  if (Array.isArray(facts.exposedTo)) {
    const texts = facts.exposedTo.filter((text) => typeof text === 'string');
    tidy.exposedTo = texts.slice(0, ORIGINS).map((text) => cut(text, ORIGIN));
  }
  return tidy;
}

/**
 * @param {string} [toolName] the tool that is meant
 * @returns {Promise<string>} JSON text, as `sidecar_protocol::registration` has it
 */
export async function factsText(toolName) {
  const asked = async () => ((await bridge.find()) ? bridge.ask({ type: NAMES.LIST_FACTS, requestId: crypto.randomUUID() }) : undefined);
  const said = await Promise.race([asked(), pause(PATIENCE)]);
  const isMeant = (one) => one !== undefined && (toolName === undefined || one.name === toolName);
  const loaded = loadedAt();
  const facts = Array.isArray(said?.facts) ? said.facts.slice(0, CAPS.TOOLS) : [];
  return JSON.stringify({ tools: facts.map((one) => tidyFacts(one, loaded)).filter(isMeant), forms: formsOf().filter(isMeant) });
}
