/** Data that a page carries for programs: JSON-LD, `meta` elements, microdata, the JSON of a `script` element. */

import { attribute, query, tagOf, textContentOf } from '../dom.js';
import { ActionError } from '../why.js';
import { Finder, told } from './locate.js';
import { microdata } from './microdata.js';
import { Gathered } from './gathered.js';

/** Characters of data as JSON, and of the text of one `script` element. */
const MOST = 200_000;
const MOST_SOURCE = 2_000_000;
const MOST_ELEMENTS = 2_000;

/** Types of scripts that run. */
const RUNS = /^$|^module$|(java|ecma|live|j)script/i;

/** @param {{ from: 'jsonLd' | 'meta' | 'microdata' | 'script', locator?: import('./locate.js').Locator }} message */
export function data({ from, locator }) {
  const finder = new Finder();
  switch (from) {
    case 'jsonLd': return fitting(jsonLd());
    case 'meta': return fitting({ data: meta() });
    case 'microdata': return fitting({ data: microdata(finder.place) });
    case 'script': {
      const found = finder.find(locator);
      return { ...told(found), ...(found.elements.length === 1 && found.agrees && fitting(scriptData(found.elements[0]))) };
    }
    default: throw new ActionError('badInput', 'malformed');
  }
}

const fitting = (answer) => (answer.fault === undefined && JSON.stringify(answer.data).length > MOST ? { fault: 'tooLarge' } : answer);

function parsed(text) {
  if (text.length > MOST_SOURCE) return { fault: 'tooLarge' };
  try {
    return { data: JSON.parse(text) };
  } catch {
    return { fault: 'json' };
  }
}

function scriptData(element) {
  if (tagOf(element) !== 'script' || RUNS.test(attribute(element, 'type').trim())) return { fault: 'json' };
  return parsed(textContentOf(element));
}

/** All objects, also those in lists and graphs. Scripts that are no JSON are counted, and a fault if there are no others. */
function jsonLd() {
  const list = [];
  let broken = 0;
  const scripts = query(document, 'script[type="application/ld+json" i]').slice(0, MOST_ELEMENTS);
  for (const script of scripts) {
    const { data: one, fault } = parsed(textContentOf(script));
    if (fault === 'tooLarge') return { fault };
    if (fault !== undefined) broken += 1;
    else list.push(...flat(one));
  }
  if (broken > 0 && broken === scripts.length) return { fault: 'json' };
  return { data: list, ...(broken > 0 && { broken }) };
}

function flat(one, depth = 0) {
  if (one === null || typeof one !== 'object' || depth > 5) return [];
  if (Array.isArray(one)) return one.flatMap((inner) => flat(inner, depth + 1));
  if (!Array.isArray(one['@graph'])) return [one];
  const { '@graph': graph, '@context': context, ...rest } = one;
  // What a graph says of itself beside its name is an object as well.
  const isMore = Object.keys(rest).some((key) => key !== '@id');
  return [...(isMore ? [rest] : []), ...graph.flatMap((inner) => flat(inner, depth + 1))];
}

/** By name, property and itemprop. */
function meta() {
  const gathered = new Gathered();
  for (const element of query(document, 'meta[content]').slice(0, MOST_ELEMENTS)) {
    const names = ['name', 'property', 'itemprop'].flatMap((kind) => attribute(element, kind).trim()).filter(Boolean);
    for (const name of new Set(names)) gathered.add(name, attribute(element, 'content'));
  }
  return gathered.object;
}
