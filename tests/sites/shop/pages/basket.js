/** The basket's page. */

import { lines, most, onChange, set, total } from '../basket.js';
import { element } from '../element.js';
import { begin } from '../layout.js';
import { picture } from '../pictures.js';
import { part, wrapped } from '../structure.js';
import { language, money, words } from '../words.js';

const shown = element('div');
const list = element('ul', part('lines', { 'aria-label': words.basketTitle }));
const sum = element('data', part('total'));
const filled = element(
  'div',
  {},
  list,
  element('p', { class: 'sum', role: 'status' }, `${words.total} `, sum),
  element('p', { class: 'go' }, element('a', { class: 'button main', href: 'order.html' }, words.toOrder)),
);
const empty = element(
  'div',
  { class: 'none' },
  element('p', part('basketEmpty'), words.basketEmpty),
  element('p', {}, element('a', { href: 'search.html' }, words.backToShop)),
);

/** The rows, by the id of their product. @type {Map<string, { row: Element, show: (quantity: number) => void }>} */
const rows = new Map();

begin(words.basketTitle, (main) => {
  main.append(element('h1', {}, words.basketTitle), wrapped(shown));
  show();
  onChange(show);
});

/** Rows that stay keep their elements, and with them the focus. */
function show() {
  const all = lines();
  for (const [id, { row }] of rows) {
    if (all.some(({ product }) => product.id === id)) continue;
    row.remove();
    rows.delete(id);
  }
  for (const { product, quantity } of all) {
    if (!rows.has(product.id)) {
      rows.set(product.id, rowOf(product));
      list.append(rows.get(product.id).row);
    }
    rows.get(product.id).show(quantity);
  }
  setAmount(sum, total());
  const content = all.length > 0 ? filled : empty;
  if (content.parentNode !== shown) shown.replaceChildren(content);
}

/** @param {import('../products.js').Product} product */
function rowOf(product) {
  const name = product.name[language];
  const field = element('input', part('quantity', { type: 'number', min: 1, max: most(product), required: true, 'aria-label': words.quantityOf(name) }));
  const cost = element('data', part('lineTotal'));
  const remove = element('button', { type: 'button', 'aria-label': words.removeOf(name) }, words.remove);
  field.addEventListener('change', () => {
    if (field.reportValidity()) set(product.id, Number(field.value));
  });
  remove.addEventListener('click', () => {
    set(product.id, 0);
    document.querySelector('#main').focus();
  });
  const row = element(
    'li',
    part('line', { 'data-id': product.id }),
    picture(product),
    element(
      'div',
      {},
      element('a', part('link', { href: `item.html?id=${product.id}` }), name),
      element('p', { class: 'hint' }, element('data', part('price', { value: product.price.toFixed(2) }), money(product.price)), words.each),
    ),
    field,
    cost,
    remove,
  );
  const show = (quantity) => {
    field.value = String(quantity);
    setAmount(cost, product.price * quantity);
  };
  return { row, show };
}

function setAmount(data, amount) {
  data.value = amount.toFixed(2);
  data.textContent = money(amount);
}
