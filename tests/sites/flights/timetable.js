/**
 * A made-up timetable: every flight, airline and price is invented, and the same for the same route and date.
 * Plain functions without a page, so that a test can work out what the page ought to show.
 */

/**
 * @typedef {object} City
 * @property {string} code IATA code of the airport
 * @property {string} en
 * @property {string} zh
 * @property {number} latitude
 * @property {number} longitude
 * @property {number} zone hours ahead of UTC
 */

/**
 * @typedef {object} Flight
 * @property {string} id unique on its date
 * @property {string} airline code of the airline
 * @property {string} number flight number
 * @property {string} depart local time, HH:MM
 * @property {string} arrive local time, HH:MM, with +1 when it is the next day
 * @property {number} minutes from departure to arrival
 * @property {boolean} direct
 * @property {string} [via] IATA code of the stop
 * @property {number} price in CNY
 */

/**
 * @typedef {object} Filters
 * @property {boolean} [directOnly]
 * @property {number} [maxPrice] in CNY, inclusive
 * @property {string} [airline] code
 * @property {string} [departAfter] HH:MM, inclusive
 * @property {string} [departBefore] HH:MM, inclusive
 */

/** @type {City[]} */
export const CITIES = [
  { code: 'PEK', en: 'Beijing', zh: '北京', latitude: 40.08, longitude: 116.58, zone: 8 },
  { code: 'SHA', en: 'Shanghai', zh: '上海', latitude: 31.2, longitude: 121.34, zone: 8 },
  { code: 'CAN', en: 'Guangzhou', zh: '广州', latitude: 23.39, longitude: 113.3, zone: 8 },
  { code: 'SZX', en: 'Shenzhen', zh: '深圳', latitude: 22.64, longitude: 113.81, zone: 8 },
  { code: 'CTU', en: 'Chengdu', zh: '成都', latitude: 30.58, longitude: 103.95, zone: 8 },
  { code: 'HGH', en: 'Hangzhou', zh: '杭州', latitude: 30.23, longitude: 120.43, zone: 8 },
  { code: 'XIY', en: "Xi'an", zh: '西安', latitude: 34.45, longitude: 108.75, zone: 8 },
  { code: 'CKG', en: 'Chongqing', zh: '重庆', latitude: 29.72, longitude: 106.64, zone: 8 },
  { code: 'KMG', en: 'Kunming', zh: '昆明', latitude: 25.1, longitude: 102.93, zone: 8 },
  { code: 'WUH', en: 'Wuhan', zh: '武汉', latitude: 30.78, longitude: 114.21, zone: 8 },
  { code: 'NKG', en: 'Nanjing', zh: '南京', latitude: 31.74, longitude: 118.86, zone: 8 },
  { code: 'XMN', en: 'Xiamen', zh: '厦门', latitude: 24.54, longitude: 118.13, zone: 8 },
  { code: 'TAO', en: 'Qingdao', zh: '青岛', latitude: 36.36, longitude: 120.09, zone: 8 },
  { code: 'SYX', en: 'Sanya', zh: '三亚', latitude: 18.3, longitude: 109.41, zone: 8 },
  { code: 'HKG', en: 'Hong Kong', zh: '香港', latitude: 22.31, longitude: 113.91, zone: 8 },
  { code: 'HND', en: 'Tokyo', zh: '东京', latitude: 35.55, longitude: 139.78, zone: 9 },
  { code: 'SIN', en: 'Singapore', zh: '新加坡', latitude: 1.36, longitude: 103.99, zone: 8 },
];

export const AIRLINES = [
  { code: 'JW', en: 'Jadewing', zh: '玉翼航空' },
  { code: 'NL', en: 'Northlight', zh: '北光航空' },
  { code: 'RC', en: 'Red Crane', zh: '赤鹤航空' },
  { code: 'LS', en: 'Lotus Sky', zh: '莲天航空' },
  { code: 'CB', en: 'Cloudbridge', zh: '云桥航空' },
  { code: 'HL', en: 'Harborline', zh: '港线航空' },
];

/** What the filters are before anything is set. */
export const NO_FILTERS = Object.freeze({});

/** The orders in which flights can be listed. */
export const ORDERS = ['price', 'depart', 'duration'];

/** @param {string} code */
export function cityOf(code) {
  return CITIES.find((city) => city.code === code);
}

/** @param {string} code */
export function airlineOf(code) {
  return AIRLINES.find((airline) => airline.code === code);
}

/**
 * All flights of a route on a date, by departure.
 *
 * @param {{ origin: string, destination: string, date: string }} search known codes, date YYYY-MM-DD
 * @returns {Flight[]}
 */
export function flightsOn({ origin, destination, date }) {
  const random = randomFrom(`${origin}>${destination}@${date}`);
  const from = cityOf(origin);
  const to = cityOf(destination);
  const distance = kilometres(from, to);
  const fare = 320 + 0.62 * distance;
  const taken = new Set();

  const direct = cheapToDear(random, 8 + pick(random, 4), 0.62, 2.55).map((factor) => {
    const minutes = roundTo(38 + distance / 12.6 + random() * 18, 5);
    return flight({ factor: fare * factor, minutes, direct: true });
  });
  const hubs = CITIES.filter((hub) => [from, to].every((end) => kilometres(hub, end) > 250))
    .sort((a, b) => detour(from, a, to) - detour(from, b, to))
    .slice(0, 4);
  const stopping = cheapToDear(random, 3 + pick(random, 3), 0.5, 1.7).map((factor) => {
    const via = hubs[pick(random, hubs.length)];
    const flying = 76 + (kilometres(from, via) + kilometres(via, to)) / 12.6;
    return flight({ factor: fare * factor, minutes: roundTo(flying + 55 + random() * 130, 5), direct: false, via: via.code });
  });
  return sortFlights([...direct, ...stopping], 'depart');

  function flight({ factor, minutes, direct: isDirect, via }) {
    const airline = AIRLINES[pick(random, AIRLINES.length)].code;
    let number;
    do number = `${airline}${1000 + pick(random, 8999)}`;
    while (taken.has(number));
    taken.add(number);
    const leaves = roundTo(370 + random() * 950, 5);
    return {
      id: `${number}-${date}`,
      airline,
      number,
      depart: clock(leaves),
      arrive: clock(leaves + minutes + (to.zone - from.zone) * 60),
      minutes,
      direct: isDirect,
      ...(via && { via }),
      price: roundTo(factor, 10),
    };
  }
}

/**
 * The flights that pass all filters, in the order given.
 *
 * @param {Flight[]} flights
 * @param {Filters} filters
 */
export function filterFlights(flights, { directOnly, maxPrice, airline, departAfter, departBefore }) {
  return flights.filter(
    (flight) =>
      (!directOnly || flight.direct) &&
      (maxPrice === undefined || flight.price <= maxPrice) &&
      (airline === undefined || flight.airline === airline) &&
      (departAfter === undefined || flight.depart >= departAfter) &&
      (departBefore === undefined || flight.depart <= departBefore),
  );
}

/**
 * The flights in another order; equal ones by departure, then by number.
 *
 * @param {Flight[]} flights
 * @param {'price' | 'depart' | 'duration'} order
 */
export function sortFlights(flights, order) {
  const key = { price: (one) => one.price, depart: (one) => one.depart, duration: (one) => one.minutes }[order];
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return [...flights].sort(
    (a, b) => compare(key(a), key(b)) || compare(a.depart, b.depart) || compare(a.number, b.number),
  );
}

/**
 * A search that can be carried out.
 *
 * @param {unknown} input `{ origin, destination, date }`
 * @param {string} today YYYY-MM-DD
 * @throws {Error} with words for whoever asked
 */
export function checkSearch(input, today) {
  const { origin, destination, date } = Object(input);
  const from = checkCity('origin', origin);
  const to = checkCity('destination', destination);
  if (from === to) throw new Error(`origin and destination are the same airport (${from}). Choose two different ones.`);
  return { origin: from, destination: to, date: checkDate(date, today) };
}

/**
 * The filters after a change: given ones replace, null removes, the others stay.
 *
 * @param {Filters} current
 * @param {unknown} input
 * @returns {Filters}
 * @throws {Error} with words for whoever asked
 */
export function changeFilters(current, input) {
  const changes = Object(input);
  const unknown = Object.keys(changes).filter((name) => !(name in FILTER_CHECKS));
  if (unknown.length > 0) {
    throw new Error(`Unknown filter "${unknown[0]}". The filters are ${Object.keys(FILTER_CHECKS).join(', ')}.`);
  }
  const next = { ...current };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const checked = value === null ? undefined : FILTER_CHECKS[name](value);
    if (checked === undefined || checked === false) delete next[name];
    else next[name] = checked;
  }
  if (next.departAfter && next.departBefore && next.departAfter > next.departBefore) {
    throw new Error(`departAfter (${next.departAfter}) is later than departBefore (${next.departBefore}): no flight can pass.`);
  }
  return next;
}

const FILTER_CHECKS = {
  directOnly(value) {
    if (typeof value !== 'boolean') throw new Error(`directOnly must be true or false, not ${JSON.stringify(value)}.`);
    return value;
  },
  maxPrice(value) {
    if (typeof value !== 'number' || !(value > 0)) {
      throw new Error(`maxPrice must be a number of CNY above 0, not ${JSON.stringify(value)}.`);
    }
    return value;
  },
  airline(value) {
    const wanted = String(value).trim().toLowerCase();
    const found = AIRLINES.find(({ code, en, zh }) => [code.toLowerCase(), en.toLowerCase(), zh].includes(wanted));
    if (!found) {
      throw new Error(`Unknown airline "${value}". Known: ${AIRLINES.map(({ code, en }) => `${code} ${en}`).join(', ')}.`);
    }
    return found.code;
  },
  departAfter: (value) => checkTime('departAfter', value),
  departBefore: (value) => checkTime('departBefore', value),
};

function checkCity(name, value) {
  const text = String(value ?? '').trim();
  if (!text) throw new Error(`${name} is missing. Give an IATA code such as PEK.`);
  const city = cityOf(text.toUpperCase());
  if (city) return city.code;
  const named = CITIES.find(({ en, zh }) => zh === text || en.toLowerCase() === text.toLowerCase());
  if (named) throw new Error(`${name} "${text}" is no IATA code. Did you mean ${named.code}?`);
  throw new Error(`Unknown airport "${text}" for ${name}. Known: ${CITIES.map(({ code, en }) => `${code} ${en}`).join(', ')}.`);
}

function checkDate(value, today) {
  const text = String(value ?? '').trim();
  const parsed = new Date(`${text}T00:00:00Z`);
  const real = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
  if (!real) throw new Error(`date "${text}" is no date. Write it as YYYY-MM-DD, for example ${today}.`);
  if (text < today) throw new Error(`date ${text} is in the past. Today is ${today}.`);
  return text;
}

function checkTime(name, value) {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(String(value).trim()) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) {
    throw new Error(`${name} must be a time such as 08:30, not ${JSON.stringify(value)}.`);
  }
  return `${hours.padStart(2, '0')}:${minutes}`;
}

/** Factors from cheap to dear, evenly spread with a little noise, in random order: every route has both ends. */
function cheapToDear(random, count, cheap, dear) {
  const factors = Array.from({ length: count }, (_, at) => {
    const even = cheap + ((dear - cheap) * at) / (count - 1);
    return even * (0.97 + random() * 0.06);
  });
  for (let at = factors.length - 1; at > 0; at -= 1) {
    const other = pick(random, at + 1);
    [factors[at], factors[other]] = [factors[other], factors[at]];
  }
  return factors;
}

function detour(from, via, to) {
  return kilometres(from, via) + kilometres(via, to);
}

/** Great-circle distance. */
function kilometres(a, b) {
  const radians = (degrees) => (degrees * Math.PI) / 180;
  const half = (x, y) => Math.sin(radians(y - x) / 2) ** 2;
  const h =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  return 12742 * Math.asin(Math.sqrt(h));
}

/** Minutes since midnight as HH:MM, with +1 on the next day. */
function clock(minutes) {
  const two = (number) => String(number).padStart(2, '0');
  const days = Math.floor(minutes / 1440);
  const rest = minutes - days * 1440;
  return `${two(Math.floor(rest / 60))}:${two(rest % 60)}${days > 0 ? `+${days}` : ''}`;
}

function roundTo(value, step) {
  return Math.round(value / step) * step;
}

function pick(random, count) {
  return Math.floor(random() * count);
}

/** Numbers from 0 to 1 that depend on the text alone (FNV-1a into mulberry32). */
function randomFrom(text) {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
