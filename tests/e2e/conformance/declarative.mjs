/** Cases 53 to 56: forms as tools. Case 56 runs cases 53 to 55 with the polyfill. */

import assert from 'node:assert/strict';
import { after } from 'node:test';

import { FORM_OBSERVATIONS } from '../../fixtures/webmcp/form-observations.mjs';
import { html } from '../../lib/conformance.mjs';
import { Plain } from '../../lib/plain.mjs';
import { until } from '../../lib/wait.mjs';

const TRIP = html(
  `<script>
    window.log = [];
    for (const type of ['toolactivated', 'toolcancel']) document.modelContext.addEventListener(type, ({ toolName }) => log.push(type + ' ' + toolName));
    addEventListener('submit', (event) => {
      event.preventDefault();
      const trip = Object.fromEntries(new FormData(event.target));
      log.push('submit ' + event.agentInvoked);
      if (event.agentInvoked) event.respondWith(trip.city === 'Nowhere' ? Promise.reject(new Error('No train goes there.')) : { booked: trip });
    });
  </script>`,
  `<form id="trip" toolname="book_trip" tooltitle="Book a trip" tooldescription="Books a trip." toolautosubmit>
    <label>City <input name="city" required></label>
    <label>Nights <input type="number" name="nights" min="1" max="14" value="1" toolparamdescription="How many nights"></label>
    <select name="class"><option value="first">First class</option><option value="second">Second class</option></select>
    <label><input type="checkbox" name="breakfast"> Breakfast</label>
    <input type="hidden" name="hidden" value="h">
    <button>Book</button>
  </form>`,
);

const TRIP_SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'City' },
    nights: { type: 'number', minimum: 1, maximum: 14, multipleOf: 1, description: 'How many nights' },
    class: {
      type: 'string',
      anyOf: [
        { type: 'string', const: 'first', title: 'First class' },
        { type: 'string', const: 'second', title: 'Second class' },
      ],
      enum: ['first', 'second'],
    },
    breakfast: { type: 'boolean', description: 'Breakfast' },
  },
  required: ['city'],
};

/** The results of this turn's calls, as sent to the model. */
const toldTo = async (model) =>
  (await model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

const states = async (panel) => (await panel.calls()).map(({ name, state }) => [name, state]);

const logOf = (page) => page.evaluate(() => window.log.splice(0));

/** A form is listed, filled in, validated and submitted. */
async function autosubmit({ agent, native, open, problems, site }) {
  const page = await open(site.put('trip.html', TRIP));
  await agent.lists(page, ['book_trip']);
  assert.deepEqual(await agent.tools(), [
    {
      name: 'book_trip',
      title: 'Book a trip',
      description: 'Books a trip.',
      inputSchema: TRIP_SCHEMA,
      schemaProblem: '',
      risk: 'acting',
      source: native ? 'native' : 'polyfill',
      form: true,
      frame: '',
      origin: site.origin,
      key: { tool: { origin: site.origin, name: 'book_trip' } },
    },
  ]);

  const { ok, result } = await agent.call(page, 'book_trip', { city: '西安', nights: '3', class: 'second', breakfast: true });
  assert.equal(ok, true);
  assert.deepEqual(JSON.parse(result), { booked: { city: '西安', nights: '3', class: 'second', breakfast: 'on', hidden: 'h' } });
  await until(async () => (await page.evaluate(() => window.log.length)) === 2, { what: 'toolactivated' });
  assert.deepEqual(await logOf(page), ['submit true', 'toolactivated book_trip']);

  const wrong = {
    'Invalid value "third" for parameter class': { city: 'Xian', class: 'third' },
    'no such parameter': { city: 'Xian', colour: 'red' },
    'Form validation failed: nights: ': { city: 'Xian', nights: 99 },
    // Native WebMCP withholds the page's error message.
    [native ? 'respondWith promise was rejected' : 'No train goes there']: { city: 'Nowhere', nights: 1 },
  };
  for (const [words, args] of Object.entries(wrong)) {
    const failed = await agent.call(page, 'book_trip', args);
    assert.equal(failed.ok, false);
    assert.ok(failed.error.includes(words), `${failed.error} should say ${words}`);
  }
  // The rejection of a promise given to respondWith is also an unhandled rejection of the page.
  assert.deepEqual(problems.splice(0), ['No train goes there.']);
}

/** Changes of attributes and controls change the tool. */
async function changes({ agent, open, site }) {
  const page = await open(site.put('trip.html', TRIP));
  await agent.lists(page, ['book_trip']);
  const step = async (act, names) => {
    await page.evaluate(act);
    await agent.lists(page, names);
  };
  const described = (wanted, what) => until(async () => wanted((await agent.tools())[0]), { what });
  await step(() => document.querySelector('#trip').setAttribute('toolname', 'plan_trip'), ['plan_trip']);
  await page.evaluate(() => document.querySelector('#trip').setAttribute('tooldescription', 'Plans a trip.'));
  await described(({ description }) => description === 'Plans a trip.', 'the new description');
  await page.evaluate(() => document.querySelector('[name=nights]').remove());
  await described(({ inputSchema }) => !('nights' in inputSchema.properties), 'the schema without nights');
  await page.evaluate(() => document.querySelector('#trip').append(Object.assign(document.createElement('input'), { name: 'note', required: true })));
  await described(({ inputSchema }) => inputSchema.required.join() === 'city,note', 'the schema with a note');
  await step(() => document.querySelector('#trip').removeAttribute('tooldescription'), []);
  await step(() => document.querySelector('#trip').setAttribute('tooldescription', 'Again.'), ['plan_trip']);
  await step(() => document.querySelector('#trip').removeAttribute('toolname'), []);
  await step(() => {
    const form = document.createElement('form');
    form.setAttribute('toolname', 'second_form');
    form.setAttribute('tooldescription', 'Another.');
    document.body.append(form);
  }, ['second_form']);
  await step(() => document.querySelector('[toolname]').remove(), []);
}

/** A form that the user has to submit. */
async function waits({ agent, open, site, stage }) {
  const page = await open(site.put('trip-to-send.html', TRIP.replace(' toolautosubmit', '')));
  await agent.lists(page, ['book_trip']);
  const panel = await stage.converse();
  const begin = async (say) => {
    await panel.say(say);
    await panel.call('book_trip', 'waiting');
    await until(() => page.evaluate(() => document.querySelector('[name=city]').value === 'Xian'), { what: 'the form to be filled' });
  };
  const ends = async (state) => {
    await panel.rest();
    assert.equal((await panel.calls()).at(-1).state, state);
  };
  const call = 'call book_trip {"city":"Xian","nights":2}';

  await begin(call);
  const { text } = (await panel.calls()).at(-1);
  assert.match(text, /form/i, 'the user is told what to do');
  assert.match(text, /send|submit/i);
  assert.deepEqual((await logOf(page)).filter((line) => line.startsWith('submit')), [], 'nothing is sent for the user');
  await page.bringToFront();
  await page.click('button');
  await ends('ok');
  assert.match((await toldTo(stage.model))[0], /"city":"Xian"/);
  assert.ok((await logOf(page)).includes('submit true'));

  await panel.newChat();
  await begin(call);
  await page.evaluate(() => document.querySelector('#trip').reset());
  await ends('failed');

  await page.evaluate(() => window.log.splice(0));
  await panel.newChat();
  await begin(call);
  await panel.click('stop');
  await ends('cancelled');
  await until(() => page.evaluate(() => window.log.includes('toolcancel book_trip')), { what: 'toolcancel' });
  assert.ok(!(await logOf(page)).some((line) => line.startsWith('submit')));
}

/** A form that navigates. */
async function navigates({ agent, open, site, stage }, slowdown = 1) {
  const url = site.put(
    'leaving.html',
    html(
      '',
      `<form toolname="go_there" tooldescription="Goes to another page." toolautosubmit action="echo.html"><input name="place"><button>Go</button></form>`,
    ),
  );
  const page = await open(url);
  await page.emulateCPUThrottling(slowdown);
  await agent.lists(page, ['go_there']);
  const panel = await stage.converse();
  await panel.ask('call go_there {"place":"there"}\nthen call readNote');
  assert.equal(page.url(), site.url('echo.html?place=there'));
  assert.deepEqual(await states(panel), [['go_there', 'ok'], ['readNote', 'ok']]);
  assert.match((await toldTo(stage.model))[0], /took the page to another address[^]*Title: Echo\nAddress: [^]*place=there\n\nEcho\n/);
  await agent.lists(page, ['echo', 'echoText', 'readNote', 'writeNote']);
}

/** In a slow page the navigation happens before its announcement arrives. */
const navigatesSlowly = (place) => navigates(place, 20);

/** @param {Parameters<Parameters<typeof import('../../lib/conformance.mjs').section>[1]>[0]} suite */
export function declarative({ proves }) {
  const parts = { 'a form with toolautosubmit': autosubmit, 'changes': changes };
  for (const [part, work] of Object.entries(parts)) proves(53, work, part);
  proves(54, waits);
  proves(55, navigates);
  proves(55, navigatesSlowly, 'in a slow page');
  const all = { ...parts, 'a form that waits for the user': waits, 'a form that navigates': navigates, 'a form that navigates in a slow page': navigatesSlowly };
  for (const [part, work] of Object.entries(all)) proves(56, work, part);

  const plain = new Plain();
  after(() => plain.close());
  for (const [part, observation] of Object.entries(FORM_OBSERVATIONS)) proves(56, (place) => plain.agrees(observation, place), part);
}
