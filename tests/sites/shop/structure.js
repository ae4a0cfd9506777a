/**
 * How the parts of the pages are marked: as a careful shop does it, and in a new structure with other class names and
 * wrappers and without test ids. Words, roles and links are the same in both.
 */

import { element } from './element.js';
import { isNewLayout } from './switches.js';

const testid = (id) => ({ class: id, 'data-testid': id });
const property = (name, itemprop) => ({ class: name, itemprop });

/** Attributes of each part: usual, new. */
const PARTS = {
  filters: [{ id: 'filters', ...testid('filters') }, { class: 'refine' }],
  max: [{ name: 'max' }, { name: 'price_to' }],
  color: [{ name: 'color' }, { name: 'shade' }],
  inStock: [{ name: 'instock' }, { name: 'available' }],
  sort: [{ name: 'sort' }, { name: 'order_by' }],
  results: [testid('results'), { class: 'stage' }],
  count: [testid('count'), { class: 'tally-count' }],
  list: [{ class: 'list' }, { class: 'wall' }],
  result: [testid('result'), { class: 'tile' }],
  empty: [testid('empty'), { class: 'nothing' }],
  next: [testid('next'), { class: 'forward' }],

  name: [property('name', 'name'), { class: 'tile-name' }],
  link: [property('link', 'url'), { class: 'tile-link' }],
  price: [property('price', 'price'), { class: 'tile-price' }],
  rating: [property('rating', 'ratingValue'), { class: 'tile-rating' }],
  reviews: [property('reviews', 'reviewCount'), { class: 'tile-reviews' }],
  colorName: [property('color', 'color'), { class: 'tile-color' }],
  stock: [{ class: 'stock' }, { class: 'tile-stock' }],
  description: [property('description', 'description'), { class: 'story' }],

  item: [testid('item'), { class: 'sheet' }],
  missing: [testid('missing'), { class: 'gone' }],
  quantity: [{ name: 'quantity' }, { name: 'pieces' }],
  add: [testid('add-to-basket'), { class: 'buy' }],
  added: [testid('added'), { class: 'done' }],

  lines: [{ class: 'lines' }, { class: 'rows' }],
  line: [testid('line'), { class: 'row' }],
  lineTotal: [testid('line-total'), { class: 'row-sum' }],
  total: [testid('total'), { class: 'grand-total' }],
  basketEmpty: [testid('basket-empty'), { class: 'nothing' }],

  order: [{ id: 'order', ...testid('order') }, { class: 'checkout' }],
  fullName: [{ name: 'name' }, { name: 'recipient' }],
  street: [{ name: 'street' }, { name: 'address_1' }],
  city: [{ name: 'city' }, { name: 'town' }],
  delivery: [{ name: 'delivery' }, { name: 'shipping' }],
  note: [{ name: 'note' }, { name: 'remarks' }],
  card: [{ name: 'card-number' }, { name: 'card_number' }],
  saveDraft: [testid('save-draft'), { class: 'keep' }],
  placeOrder: [testid('place-order'), { class: 'buy' }],
  draftNumber: [testid('draft-number'), { class: 'the-draft' }],
  orderNumber: [testid('order-number'), { class: 'the-order' }],

  signIn: [testid('sign-in'), { class: 'gate' }],
  challenge: [testid('challenge'), { class: 'gate' }],
  basketCount: [testid('basket-count'), { class: 'bag-count' }],
};

/**
 * The attributes of a part, and more.
 *
 * @param {keyof typeof PARTS} name
 * @param {Record<string, string | number | boolean | null | undefined>} [more]
 */
export function part(name, more = {}) {
  return { ...PARTS[name][isNewLayout ? 1 : 0], ...more };
}

/** An element, in the new structure with a wrapper around it. */
export function wrapped(inner) {
  return isNewLayout ? element('div', { class: 'box' }, element('div', { class: 'box-in' }, inner)) : inner;
}
