/** A product's own page. */

import { most, quantityOf, set } from '../basket.js';
import { element } from '../element.js';
import { colorOf, priceOf, ratingOf, stockOf } from '../facts.js';
import { begin } from '../layout.js';
import { picture } from '../pictures.js';
import { productOf } from '../products.js';
import { part, wrapped } from '../structure.js';
import { language, words } from '../words.js';

/** How long the made-up service takes to put something into the basket, in milliseconds. */
const SERVICE_TIME = 100;

const product = productOf(new URLSearchParams(location.search).get('id') ?? '');

begin(product ? product.name[language] : words.missing, (main) => {
  if (!product) {
    main.append(
      element('div', { class: 'none' }, element('h1', part('missing'), words.missing), element('p', { class: 'hint' }, words.missingHint), toShop()),
    );
    return;
  }
  document.head.append(element('script', { type: 'application/ld+json' }, JSON.stringify(linkedData())));
  main.append(wrapped(sheet()));
});

function toShop() {
  return element('p', {}, element('a', { href: 'search.html' }, words.backToShop));
}

function descriptionText() {
  return words.description(product.name[language], words.colors[product.color]);
}

function sheet() {
  return element(
    'article',
    part('item', { itemscope: true, itemtype: 'https://schema.org/Product' }),
    picture(product),
    element(
      'div',
      { class: 'about' },
      element('h1', part('name'), product.name[language]),
      ratingOf(product),
      priceOf(product),
      element('p', {}, colorOf(product), ' · ', stockOf(product)),
      element('p', part('description'), descriptionText()),
      wrapped(addForm()),
      toShop(),
    ),
  );
}

function addForm() {
  const isSoldOut = product.stock === 0;
  const max = Math.max(1, most(product));
  const quantity = element('input', part('quantity', { type: 'number', min: 1, max, value: 1, required: true, disabled: isSoldOut }));
  const button = element('button', part('add', { disabled: isSoldOut }), words.add);
  button.classList.add('main');
  const status = element('p', { role: 'status' });
  const form = element('form', { class: 'add' }, element('label', {}, words.quantity, quantity), button, status);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    status.replaceChildren();
    await new Promise((resolve) => setTimeout(resolve, SERVICE_TIME));
    const before = quantityOf(product.id);
    if (before + Number(quantity.value) > most(product)) {
      status.textContent = words.tooMany(most(product), before);
      return;
    }
    set(product.id, before + Number(quantity.value));
    status.replaceChildren(element('strong', part('added'), words.added), ' ', element('a', { href: 'basket.html' }, words.viewBasket));
  });
  return form;
}

/** The same for programs (schema.org, "Product"). */
function linkedData() {
  const { id, name, color, price, stock, rating, reviews } = product;
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    sku: id,
    name: name[language],
    description: descriptionText(),
    color,
    offers: {
      '@type': 'Offer',
      price: price.toFixed(2),
      priceCurrency: 'CNY',
      availability: `https://schema.org/${stock > 0 ? 'InStock' : 'OutOfStock'}`,
    },
    ...(rating !== null && { aggregateRating: { '@type': 'AggregateRating', ratingValue: rating, reviewCount: reviews } }),
  };
}
