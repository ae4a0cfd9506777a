/** Price, rating and stock of a product, as lists and the product's own page show them. */

import { element } from './element.js';
import { part } from './structure.js';
import { many, money, words } from './words.js';

/** @typedef {import('./products.js').Product} Product */

/** @param {Product} product */
export function priceOf({ price, listPrice }) {
  return element(
    'p',
    { class: 'prices' },
    element('data', part('price', { value: price.toFixed(2) }), money(price)),
    listPrice ? element('s', {}, element('span', { class: 'quiet' }, `${words.was} `), money(listPrice)) : null,
  );
}

/** @param {Product} product */
export function ratingOf({ rating, reviews }) {
  if (rating === null) return element('p', { class: 'rated hint' }, words.unrated);
  const stars = element('span', { class: 'stars', 'aria-hidden': 'true' }, '★');
  const score = element('data', part('rating', { value: rating }), rating.toFixed(1));
  const unit = element('span', { class: 'quiet' }, words.outOfFive);
  const count = element('data', part('reviews', { value: reviews }), many(reviews));
  return element('p', { class: 'rated hint' }, stars, ' ', score, unit, ' · ', count, words.reviews(reviews));
}

/** Below this it says how many are left. */
const FEW = 5;

/** @param {Product} product */
export function stockOf({ stock }) {
  const state = stock === 0 ? 'out' : stock < FEW ? 'few' : 'in';
  const text = { out: words.soldOut, few: words.few(stock), in: words.inStock }[state];
  return element('span', part('stock', { 'data-stock': state }), text);
}

/** @param {Product} product */
export function colorOf({ color }) {
  return element('span', part('colorName'), words.colors[color]);
}
