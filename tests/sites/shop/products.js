/**
 * What the shop sells: sixty made-up products, the same on every visit. Plain data without a page, so that a test can
 * work out what the shop ought to show.
 */

/**
 * @typedef {object} Product
 * @property {string} id
 * @property {string} kind id of its kind
 * @property {{ en: string, zh: string }} name
 * @property {string} color one of COLORS
 * @property {number} price in CNY
 * @property {number | null} listPrice what it cost before, in CNY; null if it never cost more
 * @property {number} stock pieces in stock; 0 is sold out
 * @property {number | null} rating 1 to 5; null if nobody rated it
 * @property {number} reviews
 */

export const COLORS = ['black', 'white', 'red', 'blue', 'green', 'yellow'];

/** Kinds of products, each with a usual price in CNY. */
export const KINDS = [
  { id: 'kettle', en: 'kettle', zh: '电热水壶', price: 199 },
  { id: 'mug', en: 'mug', zh: '马克杯', price: 39 },
  { id: 'lamp', en: 'desk lamp', zh: '台灯', price: 159 },
  { id: 'backpack', en: 'backpack', zh: '双肩包', price: 299 },
  { id: 'headphones', en: 'headphones', zh: '头戴式耳机', price: 899 },
  { id: 'notebook', en: 'notebook', zh: '手账本', price: 28 },
  { id: 'umbrella', en: 'umbrella', zh: '雨伞', price: 69 },
  { id: 'keyboard', en: 'keyboard', zh: '键盘', price: 459 },
  { id: 'blanket', en: 'blanket', zh: '毛毯', price: 189 },
  { id: 'bottle', en: 'water bottle', zh: '保温杯', price: 99 },
  { id: 'chair', en: 'chair', zh: '椅子', price: 1099 },
  { id: 'clock', en: 'wall clock', zh: '挂钟', price: 129 },
];

/** Lines, of each of which there is every kind. */
const LINES = [
  { id: 'harbour', en: 'Harbour', zh: '港湾' },
  { id: 'maple', en: 'Maple', zh: '枫叶' },
  { id: 'cloud', en: 'Cloud', zh: '云朵' },
  { id: 'meadow', en: 'Meadow', zh: '草甸' },
  { id: 'lantern', en: 'Lantern', zh: '灯笼' },
];

/** @type {Product[]} */
export const PRODUCTS = KINDS.flatMap((kind, row) => LINES.map((line, column) => product(kind, line, row * LINES.length + column)));

/** @param {string} id */
export function productOf(id) {
  return PRODUCTS.find((one) => one.id === id);
}

/** @returns {Product} */
function product(kind, line, number) {
  const chance = (of) => scatter(number * 16 + of);
  const price = Math.round(kind.price * (0.7 + 0.9 * chance(0)) * 2) / 2;
  const isRated = chance(1) > 0.15;
  return {
    id: `${kind.id}-${line.id}`,
    kind: kind.id,
    name: { en: `${line.en} ${kind.en}`, zh: `${line.zh}${kind.zh}` },
    color: COLORS[Math.floor(chance(2) * COLORS.length)],
    price,
    listPrice: chance(3) > 0.75 ? Math.ceil(price * 1.25) : null,
    stock: stockOf(chance(4), chance(5)),
    rating: isRated ? Math.round((3.4 + 1.5 * chance(6)) * 10) / 10 : null,
    reviews: isRated ? Math.round(10 ** (1 + 3.4 * chance(7))) : 0,
  };
}

/** One in six is sold out, one in four nearly. */
function stockOf(chance, amount) {
  if (chance < 1 / 6) return 0;
  return chance < 5 / 12 ? 1 + Math.floor(amount * 4) : 8 + Math.floor(amount * 70);
}

/** A number from 0 to 1 that looks like chance and is the same for the same number. */
function scatter(number) {
  let mixed = Math.imul(number + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
