/** The order form. A draft can be saved at any time; placing the order cannot be taken back. */

import { clear, lines, total } from '../basket.js';
import { element } from '../element.js';
import { begin } from '../layout.js';
import { DELIVERIES, draft, placeOrder, saveDraft } from '../orders.js';
import { part, wrapped } from '../structure.js';
import { money, words } from '../words.js';

const options = Object.keys(DELIVERIES).map((one) => element('option', { value: one }, words.deliveries[one]));
const fields = {
  name: element('input', part('fullName', { autocomplete: 'name', required: true })),
  street: element('input', part('street', { autocomplete: 'street-address', required: true })),
  city: element('input', part('city', { autocomplete: 'address-level2', required: true })),
  delivery: element('select', part('delivery'), ...options),
  note: element('textarea', part('note', { rows: 3 })),
};
const status = element('p', { role: 'status' });
const costs = element('dl', { class: 'costs' });

begin(words.orderTitle, (main) => {
  if (lines().length === 0) {
    const empty = element('p', part('basketEmpty'), words.basketEmpty);
    const link = element('a', { href: 'search.html' }, words.backToShop);
    main.append(element('h1', {}, words.orderTitle), element('div', { class: 'none' }, empty, element('p', {}, link)));
    return;
  }
  main.append(element('h1', {}, words.orderTitle), wrapped(form(main)));
  restore();
  showCosts();
});

function form(main) {
  const card = element(
    'input',
    part('card', { type: 'password', inputmode: 'numeric', autocomplete: 'cc-number', required: true, minlength: 12, 'aria-describedby': 'card-hint' }),
  );
  const save = element('button', part('saveDraft', { type: 'button' }), words.saveDraft);
  const place = element('button', part('placeOrder'), words.placeOrder);
  place.classList.add('main');
  const made = element(
    'form',
    part('order', { 'aria-label': words.orderTitle }),
    element(
      'fieldset',
      {},
      element('legend', {}, words.address),
      element('label', {}, words.fullName, fields.name),
      element('label', {}, words.street, fields.street),
      element('label', {}, words.city, fields.city),
      element('label', {}, words.delivery, fields.delivery),
      element('label', {}, words.note, fields.note),
    ),
    element(
      'fieldset',
      {},
      element('legend', {}, words.payment),
      costs,
      element('label', {}, words.card, card),
      element('p', { id: 'card-hint', class: 'hint' }, words.cardHint),
    ),
    element('div', { class: 'actions' }, save, place, status),
  );
  fields.delivery.addEventListener('change', showCosts);
  save.addEventListener('click', () => {
    const number = saveDraft(details());
    status.replaceChildren(`${words.draftSaved} `, element('data', part('draftNumber', { value: number }), number));
  });
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    const number = placeOrder(details());
    clear();
    showPlaced(main, number);
  });
  return made;
}

function details() {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
}

function restore() {
  const saved = draft();
  if (!saved) return;
  for (const [name, field] of Object.entries(fields)) field.value = saved[name] ?? '';
  status.textContent = words.restored(saved.number);
}

function showCosts() {
  const delivery = DELIVERIES[fields.delivery.value];
  const row = (name, ...value) => [element('dt', {}, name), element('dd', {}, ...value)];
  const sum = total() + delivery;
  costs.replaceChildren(
    ...row(words.goods, money(total())),
    ...row(words.deliveryCost, money(delivery)),
    ...row(words.total, element('data', part('total', { value: sum.toFixed(2) }), money(sum))),
  );
}

function showPlaced(main, number) {
  main.replaceChildren(
    element(
      'div',
      { class: 'none' },
      element('h1', {}, words.placedTitle),
      element('p', { role: 'status' }, `${words.orderNumber} `, element('data', part('orderNumber', { value: number }), number)),
      element('p', {}, element('a', { href: 'search.html' }, words.backToShop)),
    ),
  );
  main.focus();
}
