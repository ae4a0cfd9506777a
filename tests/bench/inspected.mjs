/** What a developer may inspect, generated: a schema with 300 fields, 1,000 different tools, a suite of 1,000 cases. */

const VERBS = {
  find: 'Finds', list: 'Lists', read: 'Reads', compare: 'Compares', count: 'Counts', create: 'Creates', update: 'Changes', rename: 'Renames', copy: 'Copies',
  move: 'Moves', archive: 'Puts away', restore: 'Brings back', delete: 'Deletes', share: 'Shares', export: 'Exports', import: 'Imports', assign: 'Assigns',
  schedule: 'Schedules', cancel: 'Cancels', approve: 'Approves', reject: 'Turns down', tag: 'Tags', rate: 'Rates', watch: 'Follows', print: 'Prints',
};
const NOUNS = [
  'product', 'order', 'invoice', 'customer', 'supplier', 'shipment', 'parcel', 'warehouse', 'shelf', 'discount', 'voucher', 'basket', 'payment', 'refund',
  'subscription', 'ticket', 'flight', 'hotel', 'room', 'table', 'menu', 'recipe', 'ingredient', 'course', 'lesson', 'exam', 'student', 'teacher', 'project',
  'task', 'sprint', 'release', 'report', 'chart', 'dataset', 'article', 'comment', 'photo', 'playlist', 'song',
];
const WHICH = [
  'of the signed-in user', 'of the whole shop', 'of one branch', 'that nobody has touched for a month', 'by the words of its title', 'of the last year',
  'of a team', 'between two dates', 'below a price', 'with a given state', 'in the language of the page', 'that is still open', 'of a region',
];
const WHEN = [
  'the user names it', 'its number is known', 'a search found several', 'the list on the page is too long', 'something was ordered twice',
  'the total does not add up', 'a colleague is away', 'the season changes', 'prices were raised', 'somebody asks for a copy', 'the address was wrong',
  'a delivery is late', 'the stock runs low', 'it was made by mistake', 'a deadline is near',
];
const GIVES = [
  'the id and the name', 'a list with prices in euros', 'the number of changed rows', 'a link to the page', 'the new state and who set it', 'nothing but a confirmation',
  'one row for each match, newest first', 'the totals by month', 'what was there before', 'the whole record as JSON', 'a summary in one sentence', 'the first fifty and a cursor for more',
];
const BUT = [
  'It does not touch what is archived.', 'Nothing is sent to anybody.', 'It takes a few seconds for large accounts.', 'Amounts are rounded to cents.',
  'Works only during office hours.', 'Earlier versions stay in the history.', 'The user sees the change at once.', 'Deleted entries are left out.', '',
];
const CITIES = ['Lisbon', 'Paris', 'Oslo', '上海', '成都', 'Graz', 'Kyoto', 'Porto', 'Leeds', 'Turin'];

/** Schemas of single parameters, by name. */
const PARTS = {
  query: () => ({ type: 'string', description: 'Words that have to occur, separated by spaces.', minLength: 2, maxLength: 200 }),
  state: () => ({ type: 'string', enum: ['open', 'waiting', 'done', 'archived'], description: 'Only those in this state.' }),
  limit: () => ({ type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most.' }),
  maxPrice: () => ({ type: 'number', minimum: 0, description: 'The highest price, in euros.' }),
  since: () => ({ type: 'string', format: 'date', description: 'The first day that counts, as 2026-11-26.' }),
  email: () => ({ type: 'string', format: 'email', description: 'Where the answer is sent.' }),
  tags: () => ({ type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 10, description: 'All of these tags.' }),
  dryRun: () => ({ type: 'boolean', default: false, description: 'Only say what would change.' }),
  sort: () => ({ type: 'string', enum: ['newest', 'oldest', 'cheapest', 'best'], default: 'newest', description: 'The order of the result.' }),
  address: () => ({
    type: 'object',
    description: 'Where it goes.',
    properties: {
      street: { type: 'string', description: 'Street and number.' },
      city: { type: 'string', description: 'The city.' },
      postcode: { type: 'string', pattern: '^[0-9A-Z -]{3,10}$', description: 'As it is written there.' },
      country: { type: 'string', minLength: 2, maxLength: 2, description: 'Two letters (ISO 3166-1).' },
    },
    required: ['street', 'city'],
    additionalProperties: false,
  }),
  lines: () => ({
    type: 'array',
    description: 'One entry for each position.',
    items: {
      type: 'object',
      properties: { id: { type: 'string', description: 'Of the article.' }, amount: { type: 'integer', minimum: 1, description: 'How many.' } },
      required: ['id', 'amount'],
    },
  }),
  contact: () => ({
    description: 'Whom to tell: a person of the team by id, or anybody by address.',
    oneOf: [
      { title: 'Of the team', type: 'object', properties: { id: { type: 'string', description: 'Of the person.' } }, required: ['id'] },
      { title: 'By mail', type: 'object', properties: { mail: { type: 'string', format: 'email', description: 'Of the person.' } }, required: ['mail'] },
    ],
  }),
  note: () => ({ type: ['string', 'null'], description: 'For those who look at it later.', maxLength: 2_000 }),
};

/** Numbers that look random and are the same in each run. */
function draws() {
  let state = 20_261_126;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Tools as a page registers them, each with a name, a description and a schema of its own. */
export function manyTools(count) {
  const draw = draws();
  const one = (list) => list[draw(list.length)];
  const verbs = Object.keys(VERBS);
  return Array.from({ length: count }, (_, at) => {
    const verb = verbs[at % verbs.length];
    const noun = NOUNS[Math.floor(at / verbs.length) % NOUNS.length];
    const names = Object.keys(PARTS);
    const chosen = Array.from({ length: 2 + draw(6) }, () => names.splice(draw(names.length), 1)[0]);
    const id = { type: 'string', description: `The id of the ${noun}, as a search gives it.` };
    const properties = { [`${noun}Id`]: id, ...Object.fromEntries(chosen.map((name) => [name, PARTS[name]()])) };
    return {
      name: `${verb}_${noun}`,
      title: `${verb[0].toUpperCase()}${verb.slice(1)} ${noun}`,
      description: `${VERBS[verb]} a ${noun} ${one(WHICH)}. Use it when ${one(WHEN)} or ${one(WHEN)}. Returns ${one(GIVES)}. ${one(BUT)}`.trim(),
      inputSchema: { type: 'object', properties, required: [`${noun}Id`, ...chosen.filter((_, place) => place % 3 === 0)], additionalProperties: false },
      annotations: { readOnlyHint: ['find', 'list', 'read', 'compare', 'count'].includes(verb) },
    };
  });
}

/** The question of the worker about such tools, as it asks the inspector. */
export function lintQuestion(tools) {
  const inspected = tools.map(({ inputSchema, ...tool }) => ({ origin: 'https://shop.example', frame: 0, description: { ...tool, inputSchema: JSON.stringify(inputSchema) } }));
  return JSON.stringify({ language: 'en', tools: inspected });
}

/** Fields of a form, by turns. */
const FIELDS = [
  (at) => ({ type: 'string', title: `Note ${at}`, description: 'What should be known about it.', maxLength: 500 }),
  () => ({ type: 'string', minLength: 2, description: 'The name as it is printed.', examples: ['Harbour kettle'] }),
  () => ({ type: 'integer', minimum: 0, maximum: 10_000, description: 'How many there are.' }),
  () => ({ type: 'string', enum: ['new', 'used', 'restored'], description: 'Its condition.' }),
  () => ({ type: 'boolean', description: 'Whether it is shown in the shop.' }),
  () => ({ type: 'number', exclusiveMinimum: 0, multipleOf: 0.01, description: 'The price in euros.' }),
  () => ({ type: 'string', format: 'date', description: 'When it comes.' }),
  () => ({ type: 'array', items: { type: 'string' }, description: 'Words by which it is found.' }),
  () => ({ type: 'string', enum: CITIES, description: 'Where it is.' }),
  () => ({ type: ['string', 'null'], description: 'Who takes care of it, if anybody.' }),
];

/** The number of fields of `wideSchema`, those in its groups and the groups themselves included. */
export const WIDE = 300;

/** A schema of 300 fields: 240 beside each other, and 12 groups with four each. The last one is a text. */
export function wideSchema() {
  const properties = {};
  const groups = [];
  for (let at = 0; at < 240; at += 1) {
    // From the end, so that a text is the last field.
    properties[`field_${at}`] = FIELDS[(239 - at) % FIELDS.length](at);
    if (at % 20 !== 10) continue;
    const name = `group_${groups.length}`;
    groups.push(name);
    properties[name] = {
      type: 'object',
      description: 'Measures, in millimetres.',
      properties: Object.fromEntries(['width', 'height', 'depth', 'tolerance'].map((key) => [key, { type: 'number', minimum: 0, description: `The ${key}.` }])),
      required: ['width', 'height'],
    };
  }
  // A group that has to be set is open.
  return { type: 'object', properties, required: ['field_0', 'field_1', ...groups] };
}

/** The text of a suite: what a user says, at times with a call before, and the calls that are expected. */
export function manyCases(count) {
  const draw = draws();
  const one = (list) => list[draw(list.length)];
  const tools = manyTools(200);
  const said = (content) => ({ role: 'user', type: 'message', content });
  const cases = Array.from({ length: count }, (_, at) => {
    const { name, inputSchema } = one(tools);
    const [key] = Object.keys(inputSchema.properties);
    const city = one(CITIES);
    const before = [
      said(`What is there in ${city}?`),
      { role: 'model', type: 'functioncall', name: 'find_product', arguments: { query: city, limit: 20 } },
      { role: 'user', type: 'functionresponse', name: 'find_product', response: { result: { total: 2, items: [{ id: `p-${at}`, price: 168 }, { id: `p-${at + 1}`, price: 129.5 }] } } },
    ];
    const call = {
      functionName: name,
      arguments: { [key]: `p-${at}`, query: { $pattern: `(?i)\\b${city}\\b` }, limit: { $gte: 1, $lte: 50 } },
      mockOutput: { total: 1, items: [{ id: `p-${at}`, title: `Number ${at}`, price: { amount: 100 + (at % 90), currency: 'EUR' }, inStock: at % 3 > 0 }] },
    };
    const second = { functionName: one(tools).name, arguments: { [key]: { $any: true } }, mockOutput: { done: true } };
    return {
      name: `Case ${at}: ${name} for ${city}`,
      messages: [...(at % 4 === 0 ? before : []), said(`Please ${name.replaceAll('_', ' ')} p-${at} for ${city}, at most fifty, and tell me when ${one(WHEN)}.`)],
      expectedCall: at % 5 === 0 ? [{ unordered: [call, second] }] : at % 7 === 0 ? [call, second] : [call],
      'x-sidecar': { tags: [city, name.split('_')[0]], minimum: 0.8 },
    };
  });
  return JSON.stringify(cases, null, 2);
}

/**
 * Runs of tools by hand, oldest first, as the extension keeps them: like one that it kept, by turns on so many sites.
 *
 * @param {object} kept a run of the product
 * @param {{ origins: string[], each: number }} of
 */
export function manyRuns(kept, { origins, each }) {
  const draw = draws();
  const now = Date.now();
  const count = origins.length * each;
  return Array.from({ length: count }, (_, at) => {
    const city = CITIES[draw(CITIES.length)];
    const number = `${at}`.padStart(12, '0');
    return {
      ...kept,
      callId: `run.5f0c1c1e-7a54-4b0e-9d3b-${number}`,
      at: now - (count - at) * 60_000,
      origin: origins[at % origins.length],
      arguments: JSON.stringify({ query: city, limit: 1 + draw(90) }),
      durationMs: 1 + draw(400),
    };
  });
}
