/**
 * The page: what it shows, and the four things that can be done with it, by hand or by a tool. Its state can be read
 * from attributes of `#main` and of each flight.
 */

import {
  AIRLINES,
  airlineOf,
  changeFilters,
  checkSearch,
  CITIES,
  cityOf,
  filterFlights,
  flightsOn,
  NO_FILTERS,
  ORDERS,
  sortFlights,
} from './timetable.js';
import { language, longDate, money, words } from './words.js';

/** How long the made-up service takes to answer a search, in milliseconds. */
const SERVICE_TIME = 120;

const $ = (selector) => document.querySelector(selector);
const main = $('#main');
const searchForm = $('#search');
const filterForm = $('#filters');

/** @type {{ route: { origin: string, destination: string } | null, date: string, all: import('./timetable.js').Flight[], filters: import('./timetable.js').Filters, order: 'price' | 'depart' | 'duration' }} */
const state = { route: null, date: '', all: [], filters: NO_FILTERS, order: 'price' };

// ---------------------------------------------------------------- what can be done

/**
 * Search a route, without filters.
 *
 * @param {unknown} input `{ origin, destination, date }`
 * @param {AbortSignal} [signal]
 */
export async function search(input, signal) {
  const { origin, destination, date } = checkSearch(input, today());
  $('#results').setAttribute('aria-busy', 'true');
  $('#count').textContent = words.searching;
  try {
    await answerOfService(signal);
  } finally {
    $('#results').removeAttribute('aria-busy');
    show();
  }
  Object.assign(state, { route: { origin, destination }, date, all: flightsOn({ origin, destination, date }), filters: NO_FILTERS });
  show();
  touch(searchForm, ...$('#flights').children);
  return { route: state.route, date, count: state.all.length, flights: shown().map(summary) };
}

/**
 * Change some filters and keep the others.
 *
 * @param {unknown} input
 */
export function setFilters(input) {
  needSearch();
  state.filters = changeFilters(state.filters, input);
  show();
  touch(filterForm, ...$('#chips').querySelectorAll('button'));
  return { filters: namedFilters(), count: shown().length };
}

/** Show all flights of the search again. */
export function resetFilters() {
  needSearch();
  state.filters = NO_FILTERS;
  show();
  touch(filterForm);
  return { filters: namedFilters(), count: shown().length };
}

/**
 * What the page shows now. Changes nothing; the flights named light up for a moment.
 *
 * @param {unknown} input `{ sortBy?, limit? }`
 */
export function listFlights(input) {
  needSearch();
  const { sortBy = state.order, limit } = Object(input);
  if (!ORDERS.includes(sortBy)) throw new Error(`sortBy must be one of ${ORDERS.join(', ')}, not ${JSON.stringify(sortBy)}.`);
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
    throw new Error(`limit must be a whole number above 0, not ${JSON.stringify(limit)}.`);
  }
  const passing = sortFlights(shown(), sortBy);
  const listed = passing.slice(0, limit);
  const ids = new Set(listed.map((flight) => flight.id));
  touch(...[...$('#flights').children].filter((card) => ids.has(card.dataset.flight)));
  return { route: state.route, date: state.date, filters: namedFilters(), count: passing.length, flights: listed.map(summary) };
}

function needSearch() {
  if (!state.route) throw new Error('Nothing has been searched yet. Call searchFlights first.');
}

/** @param {AbortSignal} [signal] */
function answerOfService(signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, SERVICE_TIME);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** A flight as tools tell it. */
function summary({ id, airline, number, depart, arrive, minutes, direct, via, price }) {
  const duration = `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
  return { id, airline: airlineOf(airline)[language], number, depart, arrive, duration, direct, ...(via && { via }), price };
}

/** The filters as tools tell them: airlines by name. */
function namedFilters() {
  const { airline, ...others } = state.filters;
  return { ...others, ...(airline && { airline: airlineOf(airline)[language] }) };
}

// ---------------------------------------------------------------- what is seen

function shown() {
  return sortFlights(filterFlights(state.all, state.filters), state.order);
}

function show() {
  const { route, date, filters, all, order } = state;
  const flights = shown();
  Object.assign(main.dataset, {
    origin: route?.origin ?? '',
    destination: route?.destination ?? '',
    date,
    filters: JSON.stringify(filters),
    order,
    count: String(flights.length),
    total: String(all.length),
  });
  showForms();
  if (route) {
    $('#heading').textContent = words.heading(cityOf(route.origin)[language], cityOf(route.destination)[language], longDate(date));
    $('#count').textContent = words.count(flights.length, all.length);
  } else {
    $('#heading').textContent = '';
    $('#count').textContent = '';
  }
  showChips();
  const lowest = Math.min(...flights.map((flight) => flight.price));
  $('#flights').replaceChildren(...flights.map((flight) => card(flight, flight.price === lowest)));
  $('.bar').hidden = !route;
  filterForm.querySelectorAll('input, select, button').forEach((control) => (control.disabled = !route));
  const empty = $('#empty');
  empty.hidden = flights.length > 0;
  const [title, text] = empty.children;
  title.textContent = route ? words.noneTitle : words.emptyTitle;
  text.textContent = route ? words.noneText : words.emptyText;
}

function showForms() {
  const { route, date, filters, order } = state;
  if (route) {
    searchForm.origin.value = route.origin;
    searchForm.destination.value = route.destination;
    searchForm.date.value = date;
  }
  filterForm.directOnly.checked = filters.directOnly ?? false;
  filterForm.maxPrice.value = filters.maxPrice ?? '';
  filterForm.airline.value = filters.airline ?? '';
  filterForm.departAfter.value = filters.departAfter ?? '';
  filterForm.departBefore.value = filters.departBefore ?? '';
  $('#order').value = order;
}

function showChips() {
  const chips = Object.entries(state.filters).map(([name, value]) => {
    const readable = { maxPrice: money, airline: (code) => airlineOf(code)[language] };
    const text = words.chips[name](readable[name]?.(value) ?? value);
    const button = element('button', { type: 'button', ariaLabel: words.remove(text) }, `${text} ×`);
    button.dataset.filter = name;
    button.addEventListener('click', () => setFilters({ [name]: null }));
    return element('li', {}, button);
  });
  $('#chips').replaceChildren(...chips);
}

/** @param {import('./timetable.js').Flight} flight */
function card(flight, cheapest) {
  const [arrive, later] = flight.arrive.split('+');
  const { origin, destination } = state.route;
  const item = element(
    'li',
    { className: 'flight' },
    element(
      'div',
      {},
      element('p', { className: 'carrier' }, airlineOf(flight.airline)[language]),
      element('p', { className: 'small' }, flight.number),
    ),
    element(
      'div',
      { className: 'times' },
      element('div', {}, element('p', {}, flight.depart), element('p', { className: 'small' }, origin)),
      element(
        'div',
        {},
        element('p', { className: 'small way' }, words.lasting(Math.floor(flight.minutes / 60), flight.minutes % 60)),
        element(
          'p',
          { className: flight.direct ? 'small stop direct' : 'small stop' },
          flight.direct ? words.direct : words.via(cityOf(flight.via)[language]),
        ),
      ),
      element(
        'div',
        {},
        element('p', {}, arrive),
        element('p', { className: 'small' }, later ? `${destination} · ${words.nextDay}` : destination),
      ),
    ),
    element(
      'div',
      { className: 'cost' },
      element('strong', {}, money(flight.price)),
      cheapest ? element('p', { className: 'small cheapest' }, words.cheapest) : '',
    ),
  );
  Object.assign(item.dataset, {
    flight: flight.id,
    number: flight.number,
    price: String(flight.price),
    direct: String(flight.direct),
    depart: flight.depart,
    airline: flight.airline,
  });
  return item;
}

/** Let something light up for a moment. */
function touch(...elements) {
  for (const one of elements) {
    one.classList.remove('touched');
    void one.offsetWidth; // Restarts the animation.
    one.classList.add('touched');
    setTimeout(() => one.classList.remove('touched'), 1500);
  }
}

/**
 * @param {string} name
 * @param {object} properties
 * @param {...(Node | string)} children
 */
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// ---------------------------------------------------------------- by hand

/** The date here, YYYY-MM-DD. */
export function today(daysAhead = 0) {
  const date = new Date();
  date.setDate(date.getDate() + daysAhead);
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Do it, and say on the page what was wrong with it. */
async function attempt(act) {
  const problem = $('#problem');
  problem.hidden = true;
  try {
    await act();
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
    show();
  }
}

function begin() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.title = words.title;
  for (const node of document.querySelectorAll('[data-word]')) node.textContent = words[node.dataset.word];
  $('#languages').setAttribute('aria-label', words.language);
  for (const link of $('#languages').children) {
    const address = new URL(location.href);
    address.searchParams.set('lang', link.lang.slice(0, 2));
    link.href = address.href;
    if (link.lang.startsWith(language)) link.setAttribute('aria-current', 'page');
  }
  $('#swap').setAttribute('aria-label', words.swap);
  $('#swap').title = words.swap;

  const option = (value, text) => element('option', { value }, text);
  for (const name of ['origin', 'destination']) {
    searchForm[name].replaceChildren(...CITIES.map((city) => option(city.code, `${city[language]} ${city.code}`)));
  }
  searchForm.origin.value = 'PEK';
  searchForm.destination.value = 'SHA';
  searchForm.date.value = today(1);
  searchForm.date.min = today();
  filterForm.airline.replaceChildren(option('', words.anyAirline), ...AIRLINES.map((one) => option(one.code, one[language])));
  filterForm.maxPrice.placeholder = words.anyPrice;
  $('#order').replaceChildren(...ORDERS.map((order) => option(order, words[order])));

  searchForm.addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(() => search(Object.fromEntries(new FormData(searchForm))));
  });
  $('#swap').addEventListener('click', () => {
    const { origin, destination } = searchForm;
    [origin.value, destination.value] = [destination.value, origin.value];
  });
  filterForm.addEventListener('submit', (event) => event.preventDefault());
  filterForm.addEventListener('change', () => {
    const { directOnly, maxPrice, airline, departAfter, departBefore } = filterForm;
    void attempt(() =>
      setFilters({
        directOnly: directOnly.checked,
        maxPrice: maxPrice.value ? Number(maxPrice.value) : null,
        airline: airline.value || null,
        departAfter: departAfter.value || null,
        departBefore: departBefore.value || null,
      }),
    );
  });
  filterForm.addEventListener('reset', (event) => {
    event.preventDefault();
    void attempt(() => resetFilters());
  });
  $('#order').addEventListener('change', () => {
    state.order = $('#order').value;
    show();
  });
  show();
}

begin();
