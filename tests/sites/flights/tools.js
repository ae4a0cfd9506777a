/** The page's tools: what a person can do here, offered to agents through WebMCP. */

import { listFlights, resetFilters, search, setFilters } from './page.js';
import { AIRLINES, CITIES, ORDERS } from './timetable.js';
import { words } from './words.js';

const cities = CITIES.map(({ code, en, zh }) => `${code} ${en} ${zh}`).join(', ');
const time = (description) => ({ type: 'string', pattern: '^\\d{1,2}:\\d{2}$', description });

const TOOLS = [
  {
    name: 'searchFlights',
    title: 'Search flights',
    description:
      'Searches all flights of a route on one day and shows them on the page. Clears the filters. Prices are in CNY, times are local.',
    inputSchema: {
      type: 'object',
      properties: {
        origin: { type: 'string', description: `IATA code of the airport of departure. One of: ${cities}.` },
        destination: { type: 'string', description: 'IATA code of the airport of arrival, from the same list.' },
        date: { type: 'string', format: 'date', description: 'Day of departure, YYYY-MM-DD, today or later.' },
      },
      required: ['origin', 'destination', 'date'],
      additionalProperties: false,
    },
    execute: (input, options) => search(input, options?.signal),
  },
  {
    name: 'setFilters',
    title: 'Set filters',
    description:
      'Narrows down the flights shown on the page after a search. Given filters are set, others stay as they are.',
    inputSchema: {
      type: 'object',
      properties: {
        directOnly: { type: 'boolean', description: 'true: only flights without a stop.' },
        maxPrice: { type: 'number', exclusiveMinimum: 0, description: 'Highest price in CNY, inclusive.' },
        airline: {
          type: 'string',
          description: `Name or code of one airline: ${AIRLINES.map(({ code, en, zh }) => `${code} ${en} ${zh}`).join(', ')}.`,
        },
        departAfter: time('Earliest departure, HH:MM.'),
        departBefore: time('Latest departure, HH:MM.'),
      },
      additionalProperties: false,
    },
    execute: (input) => setFilters(input),
  },
  {
    name: 'listFlights',
    title: 'List flights',
    description: 'Reads the flights that the page shows now, after the filters. Changes nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        sortBy: { type: 'string', enum: ORDERS, description: 'Order of the list, smallest first.' },
        limit: { type: 'integer', minimum: 1, description: 'How many flights at most.' },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    execute: (input) => listFlights(input),
  },
  {
    name: 'resetFilters',
    title: 'Reset filters',
    description: 'Removes all filters, so that the page shows every flight of the search again.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    execute: () => resetFilters(),
  },
];

/** `?broken=name` makes a tool fail, to see how an agent takes it. */
const broken = (new URLSearchParams(location.search).get('broken') ?? '').split(',');

const context = document.modelContext ?? navigator.modelContext;
const line = document.querySelector('#tools');

if (context) {
  const registered = TOOLS.map((tool) => {
    const execute = broken.includes(tool.name)
      ? async () => {
          throw new Error('The flight service does not answer (503). Try again later.');
        }
      : tool.execute;
    return context.registerTool({ ...tool, execute });
  });
  // Older browsers register at once and return nothing.
  Promise.all(registered).then(
    () => {
      line.textContent = words.tools(TOOLS.length);
      document.body.dataset.tools = 'ready';
    },
    (error) => (line.textContent = error.message),
  );
} else {
  line.textContent = words.noTools;
  document.body.dataset.tools = 'none';
}
