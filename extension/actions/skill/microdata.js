/** The items of a page in microdata. */

import { attribute, attributeOf, byId, ELEMENT, firstChildOf, hasAttribute, nextOf, query, tagOf, textContentOf, typeOf } from '../dom.js';
import { fold } from '../text.js';
import { Gathered } from './gathered.js';

const MOST_ITEMS = 2_000;
const MOST_DEPTH = 8;
const MOST_NODES = 20_000;

/** Where the value of a property stands that is an address. */
const ADDRESSES = { a: 'href', area: 'href', audio: 'src', embed: 'src', iframe: 'src', img: 'src', link: 'href', object: 'data', source: 'src', track: 'src', video: 'src' };

/** @param {import('./place.js').Place} place */
export function microdata(place) {
  let nodes = 0;

  /** @returns {{ type: string, properties: Record<string, unknown> }} */
  function item(element, above) {
    const gathered = new Gathered();
    const id = attribute(element, 'itemid').trim();
    const refs = attribute(element, 'itemref').split(/\s+/).filter(Boolean).slice(0, 20);
    const stack = [...childElements(element), ...refs.map((ref) => byId(element, ref)).filter(Boolean)].reverse();
    const seen = new Set();
    while (stack.length && nodes < MOST_NODES) {
      const one = stack.pop();
      if (seen.has(one)) continue;
      seen.add(one);
      nodes += 1;
      const isItem = hasAttribute(one, 'itemscope');
      const names = attribute(one, 'itemprop').split(/\s+/).filter(Boolean);
      if (names.length && !(isItem && above.includes(one)) && above.length < MOST_DEPTH) {
        const value = isItem ? item(one, [...above, one]) : valueOfProperty(one, place);
        for (const name of new Set(names)) gathered.add(name, value);
      }
      if (!isItem) stack.push(...childElements(one).reverse());
    }
    return { type: attribute(element, 'itemtype').trim(), ...(id && { id }), properties: gathered.object };
  }

  return query(place.root, '[itemscope]:not([itemprop])').slice(0, MOST_ITEMS).map((one) => item(one, [one]));
}

function childElements(element) {
  const list = [];
  for (let node = firstChildOf(element); node; node = nextOf(node)) if (typeOf(node) === ELEMENT) list.push(node);
  return list;
}

function valueOfProperty(element, place) {
  const tag = tagOf(element);
  if (tag === 'meta') return attribute(element, 'content');
  if (Object.hasOwn(ADDRESSES, tag)) return place.address(attribute(element, ADDRESSES[tag])) ?? '';
  if (tag === 'data' || tag === 'meter') return attribute(element, 'value');
  if (tag === 'time' && hasAttribute(element, 'datetime')) return attributeOf(element, 'datetime');
  if (hasAttribute(element, 'content')) return attribute(element, 'content');
  return fold(textContentOf(element)).trim();
}
