/** The basket. It is kept in this browser. */

import { productOf } from './products.js';

const KEY = 'basket';

/** Pieces of one product that can be ordered at once. */
export const MAX_QUANTITY = 9;

/** @typedef {{ product: import('./products.js').Product, quantity: number }} Line */

/** @returns {Line[]} */
export function lines() {
  return saved().flatMap(({ id, quantity }) => {
    const product = productOf(id);
    return product && quantity > 0 ? [{ product, quantity }] : [];
  });
}

/** How many pieces are in it. */
export function count() {
  return lines().reduce((sum, { quantity }) => sum + quantity, 0);
}

/** What they cost, in CNY. */
export function total() {
  return lines().reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
}

/** How many of a product can be in it. */
export function most(product) {
  return Math.min(MAX_QUANTITY, product.stock);
}

/** How many pieces of a product are in it. */
export function quantityOf(id) {
  return lines().find(({ product }) => product.id === id)?.quantity ?? 0;
}

/**
 * @param {string} id
 * @param {number} quantity 0 takes it out
 */
export function set(id, quantity) {
  const allowed = Math.min(quantity, most(productOf(id)));
  const all = saved();
  const line = all.find((one) => one.id === id);
  if (line) line.quantity = allowed;
  else all.push({ id, quantity: allowed });
  save(all.filter(({ quantity }) => quantity > 0));
}

export function clear() {
  save([]);
}

/** Call when the basket has changed, here or in another tab. */
export function onChange(call) {
  changes.addEventListener('change', call);
  addEventListener('storage', (event) => event.key === KEY && call());
}

const changes = new EventTarget();

function save(all) {
  localStorage.setItem(KEY, JSON.stringify(all));
  changes.dispatchEvent(new Event('change'));
}

function saved() {
  try {
    const all = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
}
