/**
 * The shop's own tools, offered to agents through WebMCP where `?webmcp=1` switches them on. One of them has a fault that was
 * planted, for those who try an inspector: no postcode has both of the lengths that `estimate_delivery` asks for.
 */

import { quantityOf, set } from './basket.js';
import { find, SORTS } from './finder.js';
import { COLORS, productOf } from './products.js';
import { words } from './words.js';

const DAYS = { standard: 4, express: 1 };

const TOOLS = [
  {
    name: 'find_products',
    title: 'Find products',
    description: 'Searches the shop. Use this first, to learn the ids of products. Prices are in CNY.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words of the name, such as kettle.' },
        maxPrice: { type: 'number', minimum: 1, description: 'Highest price in CNY, inclusive.' },
        color: { type: 'string', enum: COLORS, description: 'Only products of this color.' },
        inStock: { type: 'boolean', description: 'Whether only products in stock are wanted.' },
        sort: { type: 'string', enum: SORTS, description: 'Order of the results.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    execute({ query, maxPrice = null, color = null, inStock = false, sort = SORTS[0] }) {
      const { products, total } = find({ q: query, max: maxPrice, color, isInStock: inStock, sort, page: 1 });
      const items = products.map(({ id, name, price, stock }) => ({ id, name: name.en, price, stock }));
      return { total, items };
    },
  },
  {
    name: 'put_in_basket',
    title: 'Put in basket',
    description: 'Puts pieces of a product into the basket, in addition to those that are there.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Id of the product, from find_products.' },
        quantity: { type: 'integer', minimum: 1, maximum: 9, default: 1, description: 'How many pieces.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
    execute({ id, quantity = 1 }) {
      if (!productOf(id)) throw new Error(`There is no product ${JSON.stringify(id)}. Use find_products to learn the ids.`);
      set(id, quantityOf(id) + quantity);
      return { id, quantity: quantityOf(id) };
    },
  },
  {
    name: 'estimate_delivery',
    title: 'Estimate delivery',
    description: 'Says how many days a delivery to a postcode takes, for either way of sending it.',
    inputSchema: {
      type: 'object',
      properties: {
        postcode: { type: 'string', minLength: 6, maxLength: 4, description: 'Postcode of the address.' },
        way: { type: 'string', enum: Object.keys(DAYS), description: 'How it is sent.' },
      },
      required: ['postcode', 'way'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    execute: ({ way }) => ({ days: DAYS[way] }),
  },
];

const context = document.modelContext ?? navigator.modelContext;
const line = document.createElement('p');
document.querySelector('#foot').append(line);
if (context) {
  // Older browsers register at once and return nothing.
  await Promise.all(TOOLS.map((tool) => context.registerTool(tool)));
  line.textContent = words.offersTools(TOOLS.length);
} else {
  line.textContent = words.offersNoTools;
}
