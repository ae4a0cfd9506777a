/** Drafts and orders. They are kept in this browser; nothing is sent anywhere. */

/** Ways of delivery, and what each costs in CNY. */
export const DELIVERIES = { standard: 10, express: 25, pickup: 0 };

/** @typedef {{ name: string, street: string, city: string, delivery: string, note: string }} Details */

/**
 * @param {Details} details
 * @returns {string} the draft's number
 */
export function saveDraft(details) {
  const number = `D-${next('drafts')}`;
  localStorage.setItem('draft', JSON.stringify({ number, ...details }));
  return number;
}

/** The draft saved last. @returns {(Details & { number: string }) | null} */
export function draft() {
  try {
    return JSON.parse(localStorage.getItem('draft') ?? 'null');
  } catch {
    return null;
  }
}

/**
 * @param {Details} details
 * @returns {string} the order's number
 */
export function placeOrder(details) {
  const number = `A-${next('orders')}`;
  localStorage.setItem('order', JSON.stringify({ number, ...details }));
  localStorage.removeItem('draft');
  return number;
}

function next(counter) {
  const number = Number(localStorage.getItem(counter) ?? '100') + 1;
  localStorage.setItem(counter, String(number));
  return number;
}
