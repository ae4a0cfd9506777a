/** A product in a list. */

import { element } from './element.js';
import { colorOf, priceOf, ratingOf, stockOf } from './facts.js';
import { picture } from './pictures.js';
import { part } from './structure.js';
import { isNewLayout } from './switches.js';
import { language } from './words.js';

const tile = isNewLayout ? (await import('./tile.js')).tile : null;

/**
 * A list of products.
 *
 * @param {string} label
 * @param {import('./products.js').Product[]} products
 */
export function results(label, products) {
  const attributes = part('list', { 'aria-label': label });
  if (!tile) return element('ul', attributes, ...products.map(result));
  return element('div', { ...attributes, role: 'list' }, ...products.map((product) => tile(product, inside(product))));
}

/** @param {import('./products.js').Product} product */
function result(product) {
  return element(
    'li',
    part('result', { 'data-id': product.id, itemscope: true, itemtype: 'https://schema.org/Product' }),
    ...inside(product),
  );
}

function inside(product) {
  const link = element('a', part('link', { href: `item.html?id=${product.id}` }), product.name[language]);
  return [
    picture(product),
    element('h3', part('name'), link),
    priceOf(product),
    ratingOf(product),
    element('p', { class: 'hint' }, colorOf(product), ' · ', stockOf(product)),
  ];
}
