/** Stop ends whatever a step of a SKILL waits for. */
// lane: alone (checks a limit of 300 ms)

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { testId } from '../lib/panel.mjs';
import { StepStage } from '../lib/step-stage.mjs';
import { until } from '../lib/wait.mjs';

const LIMIT = 300;
const HELD = '/steps/held.html';
const BEGUN = '/steps/begun.json';

const never = { at: 'never', is: 'present' };
const LOCATORS = { never: '#never', button: 'button', field: '#field', list: 'select', box: '[type=checkbox]', covered: '#covered', rows: 'li' };
/** A page that never rests, with controls that cannot be used, and a list that always grows when its end is seen. */
const PAGE = `<button>Press</button><input id=field disabled><input type=checkbox disabled><select disabled><option>One</select>
  <p style="position:relative"><a id=covered href="#">Menu</a><b style="position:absolute;inset:0;background:#fff"></b></p><a rel=next href="held.html">Next</a><ul><li>One</ul>
  <script>
    setInterval(() => (document.title = String(Math.random())), 50);
    addEventListener('scroll', () => setTimeout(() => document.querySelector('ul').insertAdjacentHTML('beforeend', '<li style="height:2000px">More'), 200), true);
  </script>`;

/** Those that ask for the page that is held. */
const LEADS_ON = ['fetch', 'navigate', 'pages'];
/** All kinds of steps that wait, as they stand in a tool, and whether the user is asked about it. */
const STEPS = {
  wait: [false, { do: 'wait', for: never, timeout: 30 }],
  'wait stable': [false, { do: 'wait', for: 'stable', timeout: 30 }],
  expect: [false, { do: 'expect', that: never, timeout: 30 }],
  read: [false, { do: 'read', at: 'never', what: 'text', timeout: 30, as: 'found' }],
  extract: [false, { do: 'extract', each: 'never', fields: { text: { what: 'text' } }, timeout: 30, as: 'found' }],
  fetch: [false, { do: 'fetch', endpoint: 'held', read: 'json', as: 'found' }],
  navigate: [false, { do: 'navigate', path: HELD }],
  pages: [false, { do: 'pages', next: { any: [{ css: 'a[rel=next]' }] }, collect: 'rows', as: 'found', steps: [{ do: 'extract', each: 'rows', fields: { text: { what: 'text' } }, as: 'rows' }] }],
  scroll: [false, { do: 'scroll', at: 'rows', to: 'end' }],
  either: [false, { do: 'either', branches: [{ when: never, steps: [] }, { steps: [{ do: 'wait', for: never, timeout: 30 }] }] }],
  handOver: [false, { do: 'handOver', say: 'Do it.', until: never, minutes: 1 }],
  click: [true, { do: 'click', at: 'button', then: { appears: 'never' }, timeout: 30 }],
  fill: [true, { do: 'fill', at: 'field', value: 'text', timeout: 30 }],
  choose: [true, { do: 'choose', at: 'list', option: 'One', timeout: 30 }],
  check: [true, { do: 'check', at: 'box', on: true, timeout: 30 }],
  hover: [true, { do: 'hover', at: 'covered', timeout: 30 }],
  press: [true, { do: 'press', at: 'field', key: 'Enter', timeout: 30 }],
};

describe('Stop during a step of a SKILL', () => {
  /** @type {StepStage} */
  let own;
  before(async () => {
    own = await StepStage.set();
    own.stage.site.put(BEGUN.slice(1), '{}');
  });
  after(() => own?.strike());

  /** Milliseconds from the click on Stop until the agent rests, by the panel's own clock. */
  const stop = () =>
    own.stage.panel.page.evaluate(
      (button, items) =>
        new Promise((resolve) => {
          const begun = performance.now();
          const observer = new MutationObserver(() => {
            if ([...document.querySelectorAll(items)].at(-1)?.dataset.testid !== 'item-rest') return;
            observer.disconnect();
            resolve(performance.now() - begun);
          });
          observer.observe(document.body, { childList: true, subtree: true, attributes: true });
          document.querySelector(button).click();
        }),
      testId('stop'),
      `${testId('transcript')} [data-testid^="item-"]`,
    );

  for (const [name, [isAsked, step]] of Object.entries(STEPS)) {
    test(`SKILL case 35: ${name} ends within ${LIMIT} ms`, async () => {
      const { site, panel } = own.stage;
      const release = site.hold(HELD);
      site.asked.length = 0;
      try {
        // The step comes after a request, which tells that the tool has come so far.
        await own.does([{ do: 'fetch', endpoint: 'begun', read: 'json', as: 'begun' }, step], LOCATORS, { endpoints: { begun: { path: BEGUN }, held: { path: HELD } } });
        await own.on(PAGE);
        if (isAsked) await own.act();
        else await own.read();
        await panel.call(isAsked ? 'shop_add_to_basket' : 'shop_search', name === 'handOver' ? 'waiting' : 'running');
        await until(() => site.asked.includes(LEADS_ON.includes(name) ? HELD : BEGUN), { what: `the step ${name}` });
        const took = await stop();
        assert.equal((await panel.rest()).why, 'stopped');
        assert.equal((await panel.calls()).at(-1).state, 'cancelled', 'the step had not ended by itself');
        assert.ok(took < LIMIT, `${took} ms`);
      } finally {
        release();
      }
    });
  }
});
