/** Finds products: what is asked for stands in the query of `search.html`. */

import { COLORS, KINDS, PRODUCTS } from './products.js';

/** @typedef {import('./products.js').Product} Product */

export const PAGE_SIZE = 12;

export const SORTS = ['relevance', 'price-asc', 'price-desc', 'rating', 'reviews'];

/**
 * What is asked for. `max` is in CNY, inclusive; `color` is null for any; `page` counts from 1.
 *
 * @typedef {{ q: string, max: number | null, color: string | null, isInStock: boolean, sort: string, page: number }} Wish
 */

/**
 * @param {URLSearchParams} query
 * @returns {Wish}
 */
export function wishOf(query) {
  const max = Number(query.get('max'));
  const color = query.get('color');
  const sort = query.get('sort');
  return {
    q: (query.get('q') ?? '').trim(),
    max: max > 0 ? max : null,
    color: COLORS.includes(color) ? color : null,
    isInStock: query.get('instock') === 'true',
    sort: SORTS.includes(sort) ? sort : SORTS[0],
    page: Math.max(1, Math.trunc(Number(query.get('page')) || 1)),
  };
}

/**
 * The address that asks for it. What goes without saying is left out.
 *
 * @param {Wish} wish
 */
export function addressOf({ q, max, color, isInStock, sort, page }) {
  const query = new URLSearchParams({ q });
  if (max !== null) query.set('max', String(max));
  if (color) query.set('color', color);
  if (isInStock) query.set('instock', 'true');
  if (sort !== SORTS[0]) query.set('sort', sort);
  if (page > 1) query.set('page', String(page));
  return `search.html?${query}`;
}

/**
 * @param {Wish} wish
 * @returns {{ products: Product[], total: number, pages: number }} the products of one page, and how many there are
 */
export function find(wish) {
  const found = PRODUCTS.filter((product) => fits(product, wish)).toSorted(ORDERS[wish.sort]);
  const start = (wish.page - 1) * PAGE_SIZE;
  return { products: found.slice(start, start + PAGE_SIZE), total: found.length, pages: Math.ceil(found.length / PAGE_SIZE) };
}

/** @type {Record<string, (a: Product, b: Product) => number>} */
const ORDERS = {
  relevance: () => 0,
  'price-asc': (a, b) => a.price - b.price,
  'price-desc': (a, b) => b.price - a.price,
  rating: (a, b) => (b.rating ?? 0) - (a.rating ?? 0),
  reviews: (a, b) => b.reviews - a.reviews,
};

function fits(product, { q, max, color, isInStock }) {
  const kind = KINDS.find((one) => one.id === product.kind);
  const text = [product.name.en, product.name.zh, kind.en, product.color].join(' ').toLowerCase();
  return (
    q.toLowerCase().split(/\s+/).every((word) => text.includes(word)) &&
    (max === null || product.price <= max) &&
    (!color || product.color === color) &&
    (!isInStock || product.stock > 0)
  );
}
