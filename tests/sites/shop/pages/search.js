/** The result list. Filters change it without a new document; pages are links. */

import { element } from '../element.js';
import { addressOf, find, SORTS, wishOf } from '../finder.js';
import { begin, setTitle } from '../layout.js';
import { COLORS } from '../products.js';
import { results } from '../result.js';
import { part, wrapped } from '../structure.js';
import { words } from '../words.js';

/** How long the made-up service takes to answer, in milliseconds. */
const SERVICE_TIME = 150;

let wish = wishOf(new URLSearchParams(location.search));
const heading = element('h1');
const form = filters();
const region = element('section', part('results', { 'aria-labelledby': 'results-title' }));
const count = element('p', { class: 'hint', role: 'status' });
const shown = element('div', { class: 'shown' });

begin(titleOf(wish), (main) => {
  region.append(element('h2', { id: 'results-title', class: 'quiet' }, words.results), count, shown);
  main.append(heading, element('div', { class: 'columns' }, wrapped(form), wrapped(region)));
  showForm();
  showResults();
  addEventListener('popstate', () => {
    wish = wishOf(new URLSearchParams(location.search));
    showForm();
    void answer();
  });
});

function titleOf({ q }) {
  return q ? words.resultsFor(q) : words.allProducts;
}

// ---------------------------------------------------------------- filters

function filters() {
  const option = (value, text) => element('option', { value }, text);
  const max = element('input', part('max', { type: 'number', min: 0, step: 'any', inputmode: 'decimal', placeholder: words.anyPrice }));
  const color = element('select', part('color'), option('any', words.anyColor), ...COLORS.map((one) => option(one, words.colors[one])));
  const inStock = element('input', part('inStock', { type: 'checkbox', value: 'true' }));
  const sort = element('select', part('sort'), ...SORTS.map((one) => option(one, words.sorts[one])));
  const made = element(
    'form',
    part('filters', { 'aria-label': words.filters }),
    element('label', {}, words.max, max),
    element('label', {}, words.color, color),
    element('label', { class: 'check' }, inStock, words.inStockOnly),
    element('label', {}, words.sort, sort),
    element('button', { type: 'reset' }, words.clear),
  );
  Object.assign(made, { fields: { max, color, inStock, sort } });
  made.addEventListener('submit', (event) => event.preventDefault());
  made.addEventListener('change', () => {
    if (!max.reportValidity()) return;
    change({ max: Number(max.value) || null, color: color.value === 'any' ? null : color.value, isInStock: inStock.checked, sort: sort.value });
  });
  made.addEventListener('reset', (event) => {
    event.preventDefault();
    change({ max: null, color: null, isInStock: false, sort: SORTS[0] });
    showForm();
  });
  return made;
}

function change(changes) {
  wish = { ...wish, ...changes, page: 1 };
  history.pushState(null, '', addressOf(wish));
  void answer();
}

function showForm() {
  const { max, color, inStock, sort } = form.fields;
  max.value = wish.max ?? '';
  color.value = wish.color ?? 'any';
  inStock.checked = wish.isInStock;
  sort.value = wish.sort;
}

// ---------------------------------------------------------------- results

/** Show the list when the made-up service has answered the last question. */
async function answer() {
  const asked = wish;
  region.setAttribute('aria-busy', 'true');
  await new Promise((resolve) => setTimeout(resolve, SERVICE_TIME));
  if (asked !== wish) return;
  showResults();
  region.removeAttribute('aria-busy');
}

function showResults() {
  const { products, total, pages } = find(wish);
  setTitle(titleOf(wish));
  heading.textContent = titleOf(wish);
  count.replaceChildren(element('data', part('count', { value: total }), String(total)), words.products(total));
  if (products.length === 0) {
    const empty = element('p', part('empty'), words.empty);
    shown.replaceChildren(element('div', { class: 'none' }, empty, element('p', { class: 'hint' }, words.emptyHint)));
  } else {
    shown.replaceChildren(results(words.results, products), pages > 1 ? paging(pages) : '');
  }
}

/** @param {number} pages */
function paging(pages) {
  const { page } = wish;
  const link = (to, text, more = {}) => element('a', { href: addressOf({ ...wish, page: to }), ...more }, text);
  const numbers = Array.from({ length: pages }, (_, index) => {
    const number = index + 1;
    return element('li', {}, link(number, String(number), { 'aria-label': words.page(number), 'aria-current': number === page ? 'page' : null }));
  });
  return element(
    'nav',
    { class: 'paging', 'aria-label': words.pages },
    page > 1 ? link(page - 1, words.previous, { rel: 'prev' }) : '',
    element('ol', {}, ...numbers),
    page < pages ? link(page + 1, words.next, part('next', { rel: 'next' })) : '',
  );
}
