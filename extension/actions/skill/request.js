/**
 * A request as the page itself could make it: to its own origin, with its cookies. Nothing comes from a cache, because what
 * is read has to be what the site says now, and nothing that was read for a SKILL stays behind in one.
 */

import { connection, post } from '../channel.js';
import { pause } from '../clock.js';
import { attribute, query } from '../dom.js';
import { ActionError } from '../why.js';
import { bytesOf, textOfDocument, textOfJson } from './body.js';
import { Finder } from './locate.js';
import { inParts } from './part.js';
import { Place } from './place.js';
import { extract } from './rows.js';

/** Milliseconds until a request is given up; the worker hears of it so often. */
const LONGEST = 30_000;
const EVERY = 1_000;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Said in the answer, in place of what was asked for. */
class Failed extends Error {}

/**
 * @typedef {object} Message
 * @property {string} [method]
 * @property {string} path with its query
 * @property {Record<string, string>} [headers]
 * @property {Record<string, unknown>} [form]
 * @property {unknown} [json]
 * @property {'json' | 'html'} read
 * @property {import('./rows.js').Extraction} [rows] of a document
 * @property {number} [timeout] milliseconds
 *
 * @param {Message} message
 * @param {AbortSignal} [life] of who asks
 */
export async function request(message, life = connection()) {
  const { method = 'GET', read, timeout = LONGEST } = message;
  if (!METHODS.has(method) || !['json', 'html'].includes(read)) throw new ActionError('badInput', 'malformed');
  const limit = new AbortController();
  const end = performance.now() + Math.min(Math.max(Number(timeout) || 0, 0), LONGEST);
  const signal = AbortSignal.any([life, limit.signal]);
  let isDone = false;
  const watch = async () => {
    while (!isDone) {
      await pause(Math.min(EVERY, Math.max(end - performance.now(), 0)));
      if (isDone) return;
      if (performance.now() >= end) {
        limit.abort();
        return;
      }
      post({ event: 'progress' });
    }
  };
  // Without the worker there is no time in a hidden tab, and nobody who waits.
  watch().catch(() => limit.abort());
  let response;
  try {
    const url = addressOf(message.path);
    response = await answer(url, message, signal);
    const bytes = await bytesOf(response);
    if (bytes === undefined) throw new Failed('tooLarge');
    const { status } = response;
    return { status, ...(read === 'json' ? json(bytes, life) : html(bytes, response, url, message.rows)) };
  } catch (error) {
    if (error instanceof ActionError) throw error;
    const fault = error instanceof Failed ? error.message : limit.signal.aborted ? 'timeout' : 'network';
    return { ...(response && { status: response.status }), fault };
  } finally {
    isDone = true;
  }
}

/** The origin is compared once more when the address is whole: there are many ways to write another one. */
function addressOf(path) {
  const isPath = typeof path === 'string' && /^\/(?!\/)[^\\#\s\u0000-\u001f]*$/.test(path);
  const isStraight = isPath && !path.split('?', 1)[0].split('/').some((one) => /^(\.|%2e){1,2}$/i.test(one));
  const url = isStraight && URL.canParse(path, location.origin) ? new URL(path, location.origin) : undefined;
  if (url === undefined || url.origin !== location.origin) throw new Failed('path');
  return url.href;
}

async function answer(url, { method = 'GET', headers = {}, form, json: value }, signal) {
  const init = { method, headers: headersOf(headers), signal, mode: 'same-origin', credentials: 'same-origin', cache: 'no-store', redirect: 'manual' };
  if (form !== undefined) init.body = formOf(form);
  else if (value !== undefined) {
    init.body = JSON.stringify(value);
    init.headers.set('content-type', 'application/json');
  }
  if (method === 'GET' && init.body !== undefined) throw new ActionError('badInput', 'malformed');
  const response = await fetch(url, init);
  // Where it leads is not asked.
  if (response.type === 'opaqueredirect') throw new Failed('redirect');
  return response;
}

function headersOf(headers) {
  try {
    return new Headers(headers);
  } catch {
    throw new ActionError('badInput', 'malformed');
  }
}

/** Of a list, each; what is null is left out. */
function formOf(fields) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) if (one !== null && one !== undefined) form.append(name, String(one));
  return form;
}

function json(bytes, life) {
  // What takes something often says nothing.
  if (bytes.length === 0) return { size: 0, part: '' };
  const text = textOfJson(bytes);
  try {
    JSON.parse(text);
  } catch {
    throw new Failed('notJson');
  }
  return inParts(text, life);
}

/** What addresses in a document are relative to. */
function baseOf(parsed, url) {
  const [base] = query(parsed, 'base[href]');
  const href = base && attribute(base, 'href');
  return href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : url;
}

/** The rows of a document that loads and runs nothing. */
function html(bytes, response, url, rows) {
  const parsed = new DOMParser().parseFromString(textOfDocument(bytes, response.headers.get('content-type')), 'text/html');
  return rows === undefined ? {} : extract(rows, new Finder(new Place(parsed, baseOf(parsed, url))));
}
