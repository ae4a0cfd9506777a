/** The demo's conversation through the real side panel, checked on the page and in the panel. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch } from '../lib/browser.mjs';
import { withoutTools } from '../lib/by-hand.mjs';
import { offered } from '../lib/model.mjs';
import { FLIGHTS } from '../lib/paths.mjs';
import { isoDate, readPrompt } from '../lib/prompt.mjs';
import { serve } from '../lib/site.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { judge, readFlightPage } from '../lib/verdict.mjs';
import { until } from '../lib/wait.mjs';
import { filterFlights, flightsOn } from '../sites/flights/timetable.js';

/** @param {number} days */
function ahead(days) {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return isoDate(date);
}

/** The sorted flight numbers that the page must show for a wish. */
function numbersFor(wish) {
  return filterFlights(flightsOn(wish), wish).map((flight) => flight.number).sort();
}

/** @param {import('puppeteer-core').Page} page */
async function shownOn(page) {
  const { origin, destination, date, flights } = await readFlightPage(page);
  return { origin, destination, date, numbers: flights.map((flight) => flight.number).sort() };
}

forBothModes('the flight conversation', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  test('the panel lists the page’s four tools, and which are read-only', async () => {
    await stage.begin(stage.flights.url('?lang=en'), { scenario: 'scripted-flights', tools: 4 });
    const tools = await stage.panel.tools();
    assert.deepEqual(
      tools.map(({ name, source, readOnly }) => ({ name, source, readOnly })).sort((a, b) => (a.name < b.name ? -1 : 1)),
      ['listFlights', 'resetFilters', 'searchFlights', 'setFilters'].map((name) => ({
        name,
        source: native ? 'native' : 'polyfill',
        readOnly: name === 'listFlights',
      })),
    );
  });

  test('direct flights Beijing to Shanghai tomorrow below 2000: the page shows them and the answer names the cheapest', async () => {
    const page = await stage.begin(stage.flights.url('?lang=zh'), { scenario: 'scripted-flights', tools: 4 });
    const turn = await stage.panel.ask('帮我搜明天北京到上海的直飞航班，2000 以下');

    const wish = { origin: 'PEK', destination: 'SHA', date: ahead(1), directOnly: true, maxPrice: 2000 };
    const numbers = numbersFor(wish);
    assert.deepEqual(await shownOn(page), { origin: 'PEK', destination: 'SHA', date: wish.date, numbers });

    assert.deepEqual(
      turn.filter((entry) => entry.kind === 'tool').map(({ name, state }) => [name, state]),
      [['searchFlights', 'ok'], ['setFilters', 'ok'], ['listFlights', 'ok']],
    );
    const answer = turn.findLast((entry) => entry.kind === 'assistant');
    assert.equal(answer.state, 'done');
    const cheapest = filterFlights(flightsOn(wish), wish).reduce((best, flight) => (flight.price < best.price ? flight : best));
    assert.match(answer.answer, new RegExp(cheapest.number));
    assert.deepEqual([turn.at(-1).kind, turn.at(-1).why], ['rest', 'done']);
  });

  test('each tool call shows its arguments, its result and how long it took', async () => {
    await stage.panel.unfold();
    const [search, filter] = await stage.panel.calls();
    assert.match(search.arguments, /PEK/);
    assert.match(search.arguments, new RegExp(ahead(1)));
    assert.match(search.result, /"?flights"?/);
    assert.match(search.duration, /\d/);
    assert.match(filter.arguments, /2,?000/);
    const thoughts = (await stage.panel.transcript()).filter((entry) => entry.reasoning);
    assert.ok(thoughts.length > 0, 'reasoning can be unfolded');
  });

  test('the requests to the model have tools, reasoning and results, and no settings that are not set', async () => {
    const requests = await stage.model.requests();
    assert.equal(requests.length, 4, 'three calls and an answer');
    assert.ok(requests.every((request) => request.status === 200 && request.key === 'right'));
    const [first, second] = requests;
    assert.deepEqual(
      offered(first).map(({ name }) => name).sort(),
      ['listFlights', 'resetFilters', 'searchFlights', 'setFilters'],
    );
    const { parameters } = first.body.tools.find((tool) => tool.function.name === 'searchFlights').function;
    assert.deepEqual(parameters.required, ['origin', 'destination', 'date']);
    assert.equal(first.body.temperature, undefined, 'sent only when set');
    assert.equal(first.body.max_tokens, undefined, 'sent only when set');
    const sentBack = second.body.messages.find((message) => message.role === 'assistant');
    assert.ok(sentBack.reasoning_content, 'reasoning goes back within the turn');
    assert.equal(second.body.messages.at(-1).role, 'tool');
  });

  test('a second search in the same conversation changes the page again', async () => {
    const page = await stage.begin(stage.flights.url('?lang=en'), { scenario: 'scripted-flights', tools: 4 });
    await stage.model.hurry();
    await stage.panel.ask('Direct flights from Beijing to Shanghai tomorrow, under 2000');
    await stage.panel.ask('And from Chengdu to Guangzhou the day after tomorrow, under 1200');
    const wish = { origin: 'CTU', destination: 'CAN', date: ahead(2), maxPrice: 1200 };
    assert.deepEqual(await shownOn(page), { origin: 'CTU', destination: 'CAN', date: wish.date, numbers: numbersFor(wish) });
  });

  test('a failing tool is shown as failed, and the answer says so', async () => {
    const page = await stage.begin(stage.flights.url('?lang=en&broken=searchFlights'), { scenario: 'scripted-flights', tools: 4 });
    const turn = await stage.panel.ask('Flights from Beijing to Shanghai tomorrow');
    assert.equal((await shownOn(page)).origin, '', 'nothing was searched');
    const failed = turn.filter((entry) => entry.kind === 'tool');
    assert.ok(failed.length >= 1 && failed.every((call) => call.name === 'searchFlights' && call.state === 'failed'));
    await stage.panel.unfold();
    assert.match((await stage.panel.calls())[0].text, /The flight service does not answer \(503\)/);
    assert.ok(turn.findLast((entry) => entry.kind === 'assistant').answer, 'the model says that it failed');
  });

  test('without tools, the same search is done by the page’s forms, after one consent', async () => {
    const page = await stage.begin(`${await withoutTools(stage.flights)}?lang=en`, { scenario: 'scripted-flights-by-hand', tools: 0 });
    await stage.panel.say('Find direct flights from Beijing to Shanghai tomorrow, under 2000.');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    const turn = await stage.panel.turn();
    const wish = readPrompt('Find direct flights from Beijing to Shanghai tomorrow, under 2000.', new Date());
    const findings = judge({ wish, shown: await readFlightPage(page), turn });
    assert.deepEqual(findings.filter(({ ok }) => !ok), []);
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});

describe('the flight page by hand', () => {
  /** @type {import('../lib/browser.mjs').Chromium} */
  let chromium;
  /** @type {import('../lib/site.mjs').Site} */
  let site;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    site = await serve(FLIGHTS);
    chromium = await launch({ native: true, extension: null });
  });
  after(async () => {
    await chromium?.close();
    await site?.close();
  });

  const searched = () => until(async () => (await readFlightPage(page)).origin, { what: 'a search' });

  test('a person can search, filter, sort and remove the filter', async () => {
    page = await chromium.open(site.url('?lang=en'));
    await page.select('#origin', 'CAN');
    await page.select('#destination', 'HND');
    await page.locator('#search [type=submit]').click();
    await searched();
    const wish = { origin: 'CAN', destination: 'HND', date: ahead(1) };
    assert.deepEqual((await shownOn(page)).numbers, numbersFor(wish));

    await page.locator('[name=directOnly]').click();
    assert.deepEqual((await shownOn(page)).numbers, numbersFor({ ...wish, directOnly: true }));
    await page.select('#order', 'duration');
    const departures = await page.$$eval('[data-flight]', (cards) => cards.map((card) => card.dataset.number));
    assert.deepEqual([...departures].sort(), numbersFor({ ...wish, directOnly: true }));

    await page.locator('[data-filter=directOnly]').click();
    assert.deepEqual((await shownOn(page)).numbers, numbersFor(wish));
  });

  test('it is translated into Chinese', async () => {
    await page.goto(site.url('?lang=zh'));
    assert.equal(await page.$eval('html', (html) => html.lang), 'zh-CN');
    assert.equal(await page.$eval('#search [type=submit]', (button) => button.textContent), '搜索');
  });

  test('its tools reject invalid arguments with a helpful message', async () => {
    await page.goto(site.url('?lang=en'));
    await page.waitForSelector('body[data-tools="ready"]');
    await page.evaluate(() => import('./page.js').then((module) => (window.flightPage = module)));
    const refusal = (name, input) =>
      page.evaluate(
        async (fn, args) => {
          try {
            await window.flightPage[fn](args);
            return 'accepted';
          } catch (error) {
            return error.message;
          }
        },
        name,
        input,
      );
    const day = ahead(1);
    assert.match(await refusal('listFlights', {}), /searchFlights first/);
    assert.match(await refusal('search', { origin: 'XXX', destination: 'SHA', date: day }), /Unknown airport "XXX".*PEK Beijing/);
    assert.match(await refusal('search', { origin: 'Beijing', destination: 'SHA', date: day }), /Did you mean PEK/);
    assert.match(await refusal('search', { origin: 'SHA', destination: 'sha', date: day }), /same airport/);
    assert.match(await refusal('search', { origin: 'PEK', destination: 'SHA', date: '2026-02-30' }), /YYYY-MM-DD/);
    assert.match(await refusal('search', { origin: 'PEK', destination: 'SHA', date: ahead(-1) }), /in the past/);
    assert.match(await refusal('search', { origin: 'PEK', destination: 'SHA' }), /no date/);
    assert.equal(await refusal('search', { origin: 'pek', destination: 'SHA', date: day }), 'accepted');
    assert.match(await refusal('setFilters', { maxPrice: '2000' }), /maxPrice must be a number/);
    assert.match(await refusal('setFilters', { price: 1 }), /Unknown filter "price"/);
    assert.match(await refusal('setFilters', { airline: 'Nobody Air' }), /Unknown airline/);
    assert.match(await refusal('setFilters', { departAfter: '25:00' }), /such as 08:30/);
    assert.match(await refusal('listFlights', { limit: 0 }), /above 0/);
    assert.match(await refusal('listFlights', { sortBy: 'colour' }), /price, depart, duration/);
  });
});
