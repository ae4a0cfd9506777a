/** The demo's judge: it reads prompts correctly, and accepts no claim of success that the page does not show. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { readPrompt } from '../lib/prompt.mjs';
import { judge } from '../lib/verdict.mjs';
import { CITIES, filterFlights, flightsOn } from '../sites/flights/timetable.js';

const NOW = new Date(2026, 10, 21);

describe('reading a prompt', () => {
  const cases = {
    '帮我搜明天北京到上海的直飞航班，2000 以下': {
      origin: 'PEK', destination: 'SHA', date: '2026-11-22', directOnly: true, maxPrice: 2000,
    },
    'Find me a direct flight from Beijing to Shanghai tomorrow, under 2000.': {
      origin: 'PEK', destination: 'SHA', date: '2026-11-22', directOnly: true, maxPrice: 2000,
    },
    '后天从成都飞昆明，不超过一千五': { origin: 'CTU', destination: 'KMG', date: '2026-11-23', maxPrice: 1500 },
    "Flights to Tokyo from Xi'an on 3 December, nonstop, at most ¥4,500": {
      origin: 'XIY', destination: 'HND', date: '2026-12-03', directOnly: true, maxPrice: 4500,
    },
    '1月5日 香港去新加坡 3000元以内': { origin: 'HKG', destination: 'SIN', date: '2027-01-05', maxPrice: 3000 },
    'CAN to WUH on 2026-12-24': { origin: 'CAN', destination: 'WUH', date: '2026-12-24' },
    '明天上午从广州飞武汉，玉翼航空': { origin: 'CAN', destination: 'WUH', date: '2026-11-22', more: true },
    'Nanjing to Sanya tomorrow after 9:30': { origin: 'NKG', destination: 'SYX', date: '2026-11-22', more: true },
    'What can you do on this page?': {},
    'Can you find something to Wuhan?': {},
  };
  for (const [prompt, wish] of Object.entries(cases)) {
    test(prompt, () => assert.deepEqual(readPrompt(prompt, NOW), wish));
  }
});

describe('the timetable', () => {
  test('gives the same flights for the same route and date, and others for another date', () => {
    const search = { origin: 'PEK', destination: 'SHA', date: '2026-11-22' };
    assert.deepEqual(flightsOn(search), flightsOn(search));
    assert.notDeepEqual(flightsOn(search), flightsOn({ ...search, date: '2026-11-23' }));
  });

  test('has direct flights from Beijing to Shanghai both below and above 2000 every day', () => {
    const day = new Date(Date.UTC(2026, 0, 1));
    for (let count = 0; count < 730; count += 1) {
      const date = day.toISOString().slice(0, 10);
      const direct = flightsOn({ origin: 'PEK', destination: 'SHA', date }).filter((flight) => flight.direct);
      assert.ok(direct.filter((flight) => flight.price <= 2000).length >= 3, `cheap ones on ${date}`);
      assert.ok(direct.some((flight) => flight.price > 2000), `dear ones on ${date}`);
      day.setUTCDate(day.getUTCDate() + 1);
    }
  });

  test('has direct and stopping flights on every route, each with its own number', () => {
    for (const { code: origin } of CITIES) {
      for (const { code: destination } of CITIES.filter((city) => city.code !== origin)) {
        const flights = flightsOn({ origin, destination, date: '2026-12-01' });
        assert.ok(flights.some((flight) => flight.direct) && flights.some((flight) => !flight.direct), `${origin} ${destination}`);
        assert.equal(new Set(flights.map((flight) => flight.id)).size, flights.length);
        assert.ok(flights.every(({ via }) => via !== origin && via !== destination));
      }
    }
  });
});

describe('judging a turn', () => {
  const wish = { origin: 'PEK', destination: 'SHA', date: '2026-11-22', directOnly: true, maxPrice: 2000 };
  const fitting = filterFlights(flightsOn(wish), wish);
  const cheapest = fitting.reduce((best, flight) => (flight.price < best.price ? flight : best));
  const shown = { origin: 'PEK', destination: 'SHA', date: '2026-11-22', flights: fitting };
  const turn = [
    { kind: 'user', text: 'please' },
    { kind: 'tool', name: 'searchFlights', state: 'ok', text: '' },
    { kind: 'assistant', state: 'done', answer: `Take ${cheapest.number}.`, text: '' },
    { kind: 'rest', why: 'done', text: '' },
  ];
  const done = (facts) => judge({ wish, shown, turn, ...facts }).every((finding) => finding.ok);
  const said = (answer) => turn.map((entry) => (entry.kind === 'assistant' ? { ...entry, answer } : entry));

  test('accepts a finished task', () => assert.equal(done({}), true));
  test('without a known wish, accepts a turn in which nothing failed and whose answer names a flight on the page', () => {
    assert.equal(done({ wish: {} }), true);
    assert.equal(done({ wish: {}, turn: said('Take XX0000.') }), false);
  });

  test('with a partly known wish, accepts fewer flights than expected, but no other ones', () => {
    const vague = { ...wish, more: true };
    assert.equal(done({ wish: vague, shown: { ...shown, flights: [cheapest] } }), true);
    assert.equal(done({ wish: vague, shown: { ...shown, flights: flightsOn(wish) } }), false);
  });

  const failures = {
    'another route': { shown: { ...shown, destination: 'CAN' } },
    'another date': { shown: { ...shown, date: '2026-11-23' } },
    'filters forgotten': { shown: { ...shown, flights: flightsOn(wish) } },
    'a filter too many': { shown: { ...shown, flights: [cheapest] } },
    'nothing searched': { shown: { origin: '', destination: '', date: '', flights: [] } },
    'a dearer flight named': { turn: said(`Take ${fitting.find((flight) => flight !== cheapest).number}.`) },
    'nothing said': { turn: said('') },
    'no tool called': { turn: turn.filter((entry) => entry.kind !== 'tool') },
    'no end reached': { turn: [...turn.slice(0, -1), { kind: 'rest', why: 'failed', text: '' }] },
    'a failed tool when the wish is unknown': {
      wish: {}, turn: turn.map((entry) => (entry.kind === 'tool' ? { ...entry, state: 'failed' } : entry)),
    },
  };
  for (const [name, facts] of Object.entries(failures)) {
    test(`rejects: ${name}`, () => assert.equal(done(facts), false));
  }

  test('when no flight fits, accepts only an answer that says so', () => {
    const strict = { ...wish, maxPrice: 100 };
    const empty = { ...shown, flights: [] };
    assert.equal(done({ wish: strict, shown: empty, turn: said('没有符合条件的航班。') }), true);
    assert.equal(done({ wish: strict, shown: empty }), false);
  });
});
