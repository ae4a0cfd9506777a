/** Whether a task was done on the flight page, judged by the page and not by the model's claims. */

import { filterFlights, flightsOn, sortFlights } from '../sites/flights/timetable.js';

/**
 * @typedef {object} Shown what the flight page shows
 * @property {string} origin
 * @property {string} destination
 * @property {string} date
 * @property {{ number: string, price: number, direct: boolean }[]} flights
 */

/**
 * @typedef {object} Finding
 * @property {boolean} ok
 * @property {string} text
 */

/**
 * Read what the page shows, from the page itself.
 *
 * @param {import('puppeteer-core').Page} page
 * @returns {Promise<Shown>}
 */
export async function readFlightPage(page) {
  return page.evaluate(() => {
    const { origin, destination, date } = document.querySelector('#main').dataset;
    const flights = [...document.querySelectorAll('[data-flight]')]
      .filter((card) => card.checkVisibility())
      .map(({ dataset }) => ({ number: dataset.number, price: Number(dataset.price), direct: dataset.direct === 'true' }));
    return { origin, destination, date, flights };
  });
}

/**
 * Judge a finished turn.
 *
 * @param {object} facts
 * @param {import('./prompt.mjs').Wish} facts.wish what was asked for, as far as it is known
 * @param {Shown} facts.shown
 * @param {import('./panel.mjs').Entry[]} facts.turn the turn as the panel shows it
 * @returns {Finding[]}
 */
export function judge({ wish, shown, turn }) {
  const calls = turn.filter((entry) => entry.kind === 'tool');
  const answer = turn.findLast((entry) => entry.kind === 'assistant')?.answer ?? '';
  const rest = turn.at(-1);
  return [
    { ok: rest?.kind === 'rest' && rest.why === 'done', text: `the agent finished (${rest?.why ?? rest?.kind ?? 'nothing'})` },
    { ok: calls.length > 0, text: `tools were called: ${calls.map((call) => call.name).join(', ') || 'none'}` },
    ...judgePage(wish, shown, calls),
    judgeAnswer(wish, shown, answer),
  ];
}

function judgePage(wish, shown, calls) {
  if (!shown.origin) return [{ ok: false, text: 'the page shows no search' }];
  const findings = [];
  const same = (what, wanted, is) => {
    if (wanted !== undefined) findings.push({ ok: wanted === is, text: `the page shows ${what} ${is} (asked for: ${wanted})` });
  };
  same('origin', wish.origin, shown.origin);
  same('destination', wish.destination, shown.destination);
  same('date', wish.date, shown.date);
  if (wish.origin === undefined) {
    // The wish is unknown: check at least that nothing failed.
    findings.push({ ok: calls.every((call) => call.state === 'ok'), text: 'every tool call succeeded' });
    findings.push({ ok: shown.flights.length > 0, text: `the page shows ${shown.flights.length} flights` });
  } else {
    const wanted = filterFlights(flightsOn(shown), wish);
    const fitting = new Set(wanted.map((flight) => flight.number));
    const allFit = shown.flights.every((flight) => fitting.has(flight.number));
    findings.push({
      // A prompt with more conditions than were read may leave fewer flights, but no other ones.
      ok: allFit && (wish.more || shown.flights.length === wanted.length),
      text: `the page shows ${shown.flights.length} flights, ${wanted.length} fit${wish.directOnly ? ', direct' : ''}${wish.maxPrice ? `, up to ${wish.maxPrice} CNY` : ''}`,
    });
  }
  return findings;
}

function judgeAnswer(wish, shown, answer) {
  const [cheapest] = sortFlights(
    shown.flights.map((flight) => ({ ...flight, depart: '' })),
    'price',
  );
  if (!cheapest) {
    return { ok: /没有|无符合|未找到|\bno\b|\bnone\b/i.test(answer), text: 'the answer says that nothing fits' };
  }
  if (wish.origin === undefined) {
    const named = shown.flights.filter((flight) => answer.includes(flight.number));
    return { ok: named.length > 0, text: `the answer names ${named.length} of the flights on the page` };
  }
  const best = shown.flights.filter((flight) => flight.price === cheapest.price).map((flight) => flight.number);
  return {
    ok: best.some((number) => answer.includes(number)),
    text: `the answer names the cheapest flight on the page, ${best.join(' or ')} at ${cheapest.price} CNY`,
  };
}
