/** The files for evals say what the pages of the tests register, and suites are tried out and run in a page. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { launch } from '../lib/browser.mjs';
import { SCRIPTED_KEY, startModel } from '../lib/model.mjs';
import { FLIGHTS, PAGES, xtask } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';

test('the tools file of the flights suite has the tools of the page', async () => {
  const file = path.join(import.meta.dirname, '..', 'evals', 'flights.tools.json');
  const { tools } = JSON.parse(await readFile(file, 'utf8'));
  const site = await serve(FLIGHTS);
  const chromium = await launch({ native: true, extension: null });
  try {
    const page = await chromium.open(site.url(''));
    await page.waitForSelector('[data-tools="ready"]');
    const registered = await page.evaluate(async () =>
      (await document.modelContext.getTools()).map(({ name, description, inputSchema }) => ({ name, description, inputSchema: typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema })),
    );
    const sorted = (list) => list.toSorted((one, other) => one.name.localeCompare(other.name));
    assert.deepEqual(sorted(registered), sorted(tools));
  } finally {
    await Promise.all([chromium.close(), site.close()]);
  }
});

/** Run `cargo xtask evals`. */
async function evals(options, env = {}) {
  const program = spawn(xtask(), ['evals', ...options], { env: { ...process.env, ...env } });
  let said = '';
  program.stdout.on('data', (text) => (said += text));
  program.stderr.on('data', (text) => (said += text));
  const [code] = await once(program, 'close');
  return { code, said };
}

describe('inspector: smoke runs', () => {
  let site;
  let folder;
  before(async () => {
    site = await serve(FLIGHTS);
    site.put('trial.html', TRIAL);
    folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-evals-'));
  });
  after(async () => {
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Run a suite of these calls in a page, by itself the flight page. */
  const smoke = async (calls, page = '', more = []) => {
    const suite = path.join(folder, 'suite.json');
    await writeFile(suite, JSON.stringify([{ name: 'Flights', messages: [], expectedCall: calls }]));
    return evals(['--suite', suite, '--mode', 'smoke', '--url', site.url(page), ...more]);
  };
  const search = { functionName: 'searchFlights', arguments: { origin: { $pattern: '^PEK$' }, destination: 'SHA', date: { $type: 'string' } } };

  test('inspector case 73: the tools of the flight page work', async () => {
    const { code, said } = await smoke([search, { functionName: 'listFlights', arguments: {} }]);
    assert.equal(code, 0, said);
    assert.match(said, /✓ 1\/1 pass: Flights/);
  });

  test('inspector case 73: a tool that fails, and one that is missing, are named', async () => {
    const wrong = await smoke([{ ...search, arguments: { ...search.arguments, date: 'never' } }]);
    assert.equal(wrong.code, 1, wrong.said);
    assert.match(wrong.said, /searchFlights failed/);
    const missing = await smoke([{ functionName: 'teleport', arguments: {} }]);
    assert.equal(missing.code, 1, missing.said);
    assert.match(missing.said, /no tool teleport/);
  });

  test('inspector case 28: without a model, too, a consequential call is not made unless that is allowed', async () => {
    const trial = (names, ...more) => smoke(names.map((functionName) => ({ functionName, arguments: {} })), 'trial.html', more);
    const held = await trial(['count', 'checkout']);
    assert.equal(held.code, 3, held.said);
    assert.match(held.said, /checkout is consequential/);
    assert.match(held.said, /--allow-consequential lets its calls reach the page/);
    const late = await trial(['prepare', 'pay_later']);
    assert.equal(late.code, 3, late.said);
    assert.match(late.said, /pay_later is consequential/);
    assert.deepEqual(site.asked.filter((address) => ['/bought', '/late'].includes(address)), []);
    const allowed = await trial(['count', 'checkout'], '--allow-consequential');
    assert.equal(allowed.code, 0, allowed.said);
    assert.equal(site.asked.includes('/bought'), true);
  });

  test('inspector case 73: a call that prepares the page fails the case if it fails, and tools without a case are named', async () => {
    const prepared = { name: 'Flights', messages: [], expectedCall: [{ functionName: 'listFlights', arguments: {} }] };
    const suite = path.join(folder, 'suite.json');
    const run = async (date) => {
      const setup = [{ functionName: 'searchFlights', arguments: { origin: 'PEK', destination: 'SHA', date } }];
      await writeFile(suite, JSON.stringify([{ ...prepared, 'x-sidecar': { setup } }]));
      return evals(['--suite', suite, '--mode', 'smoke', '--url', site.url('')]);
    };
    const { code, said } = await run('2099-03-05');
    assert.equal(code, 0, said);
    assert.match(said, /Tools without a case\n {2}· resetFilters\n {2}· searchFlights\n {2}· setFilters\n/);
    const unprepared = await run('never');
    assert.equal(unprepared.code, 1, unprepared.said);
    assert.match(unprepared.said, /searchFlights failed/);
  });

  test('a suite without calls to make is refused', async () => {
    const { code, said } = await smoke(null);
    assert.equal(code, 2, said);
  });
});

/** A page with a tool that holds to its schema, and one that may act. */
const STRICT = `<!doctype html><title>Seats</title><script>
  const seats = { name: 'listSeats', description: 'Lists free seats.', annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: { limit: { type: 'integer', minimum: 1 } }, additionalProperties: false },
    execute: (input) => {
      if (Object.keys(input).some((key) => key !== 'limit') || ('limit' in input && !(Number.isInteger(input.limit) && input.limit > 0))) throw new Error('limit is a number from 1 on');
      return { seats: ['4A'] };
    } };
  document.modelContext.registerTool(seats);
  document.modelContext.registerTool({ name: 'holdSeat', description: 'Holds a seat.', inputSchema: { type: 'object' }, execute: () => ({ held: true }) });
</script>`;

describe('inspector: made-up arguments', () => {
  let site;
  before(async () => {
    site = await serve(PAGES);
    site.put('strict.html', STRICT);
  });
  after(() => site?.close());

  /** Call a page's tools with made-up arguments. */
  const tryOut = (page, ...more) => evals(['--mode', 'smoke', '--url', site.url(page), ...more]);

  test('inspector case 73: tools that only read are called; what fits works, and what does not fit is refused', async () => {
    const { code, said } = await tryOut('strict.html');
    assert.equal(code, 0, said);
    assert.match(said, /Not called, because it may act.*: holdSeat\n/);
    assert.match(said, /✓ \/limit: just allowed \(.*\): \{"limit":1\}/);
    assert.match(said, /✓ \/limit: just not allowed \(.*\): \{"limit":0\}/);
    assert.match(said, /calls: \d+ good, 0 doubtful, 0 bad/);
  });

  test('inspector case 73: a tool that takes what its schema refuses is named, and one that may act is called if it is named', async () => {
    const lenient = await tryOut('echo.html');
    assert.equal(lenient.code, 0, lenient.said);
    assert.match(lenient.said, /! \/text: another type: \{"text":1\}\n +echoText .*\[result-accepts-invalid-input\]/);
    assert.doesNotMatch(lenient.said, /^ {2}writeNote$/m);
    const named = await tryOut('echo.html', '--tool', 'writeNote');
    assert.match(named.said, /^ {2}writeNote\n {4}✓ What is required/m);
    const failing = await tryOut('throwing.html', '--tool', 'throwError');
    assert.equal(failing.code, 1, failing.said);
    assert.match(failing.said, /✗ What is required: \{\}\n +throwError .*\[result-error-on-valid-input\]/);
    const unknown = await tryOut('echo.html', '--tool', 'teleport');
    assert.equal(unknown.code, 2, unknown.said);
    assert.match(unknown.said, /no tool teleport/);
    const none = await tryOut('empty.html');
    assert.equal(none.code, 3, none.said);
  });
});

/** A page whose tools count their calls, change the list, fail, go to another page, and buy. */
const TRIAL = `<!doctype html><title>Trial</title><output id="shown" title="none"></output>
<form toolname="ask" tooldescription="Asks."><label>Seat <input name="seat"></label><button>Send</button></form><script>
  let count = 0;
  const offer = (name, execute, more) => {
    const gone = new AbortController();
    const tool = { name, description: 'The tool ' + name + '.', inputSchema: { type: 'object', properties: {} }, execute, ...more };
    document.modelContext.registerTool(tool, { signal: gone.signal });
    return gone;
  };
  offer('count', () => {
    const result = { content: [{ type: 'text', text: JSON.stringify({ count: count++ }) }] };
    document.querySelector('#shown').textContent = count;
    return result;
  });
  const start = offer('start', () => {
    setTimeout(() => offer('finish', () => 'finished'), 100);
    start.abort();
    return 'started';
  });
  offer('fail', () => ({ isError: true, content: [{ type: 'text', text: 'sold out' }] }));
  offer('leave', () => {
    location.assign('?next');
    return new Promise(() => {});
  });
  offer('prepare', () => {
    offer('pay_later', () => fetch('late').then(() => 'paid'), { annotations: { consequentialHint: true } });
    return 'prepared';
  });
  const turns = offer('turn', () => {
    turns.abort();
    offer('turn', () => fetch('late').then(() => 'turned'), { annotations: { consequentialHint: true } });
    return 'turned';
  });
  offer('checkout', async () => (await fetch('bought')).status, { annotations: { consequentialHint: true } });
</script>`;

for (const native of [false, true]) {
  describe(`inspector: live runs, ${native ? 'native WebMCP' : 'polyfill'}`, () => {
    let site;
    let model;
    let folder;
    before(async () => {
      site = await serve(FLIGHTS);
      site.put('trial.html', TRIAL);
      site.put('empty.html', '<!doctype html><title>Empty</title>');
      model = await startModel();
      folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-evals-'));
    });
    after(async () => {
      await Promise.all([site?.close(), model?.close()]);
      await rm(folder, { recursive: true, force: true });
    });

    /** A case in which the scripted model is told what to call: `call NAME {arguments}`, and `then` between its answers. */
    const ofCalls = (name, expectedCall, content = calls(expectedCall)) => ({ name, messages: [{ role: 'user', type: 'message', content }], expectedCall });
    const calls = (nodes) => nodes.map(({ functionName, arguments: input = {} }) => `call ${functionName} ${JSON.stringify(input)}`).join('\nthen\n');

    /** Run a suite with the scripted model. */
    const run = async (content, options) => {
      const suite = path.join(folder, 'suite.json');
      await writeFile(suite, JSON.stringify(content));
      const out = path.join(folder, 'out');
      await rm(out, { recursive: true, force: true });
      const where = ['--out', out, ...(native ? ['--native'] : [])];
      const who = ['--model', 'custom:call-tool', '--endpoint', `custom=${model.url}/v1`];
      const ended = await evals(['--suite', suite, ...where, ...who, ...options], { CUSTOM_API_KEY: SCRIPTED_KEY });
      const text = await readFile(path.join(out, 'report.json'), 'utf8').catch(() => 'null');
      assert.ok(!`${ended.said}${text}`.includes(SCRIPTED_KEY), 'the key stands nowhere');
      return { ...ended, report: JSON.parse(text) };
    };

    /** Run cases in a page. */
    const live = (page, cases, more = ['--runs', '1']) =>
      run({ format: 'sidecar-suite', version: 1, name: 'Trial', startUrl: site.url(page), cases }, ['--mode', 'live', ...more]);

    /** Run simulations in the page of trials. */
    const simulate = (simulations) => run(simulations, ['--mode', 'simulation', '--url', site.url('trial.html'), '--runs', '1']);

    test('inspector case 70: the tools of the flight page are offered, called and judged', async () => {
      await model.reset();
      const search = { functionName: 'searchFlights', arguments: { origin: 'PEK', destination: 'SHA', date: '2027-03-05' }, result: { count: { $gt: 0 } } };
      const { code, said, report } = await live('', [ofCalls('Search', [search, { functionName: 'listFlights' }]), ofCalls('Greeting', null, 'Hello')], ['--runs', '2']);
      assert.equal(code, 0, said);
      assert.match(said, /✓ 2\/2 pass: Search/);
      const { mode, browser, backend, origin, toolsHash, prompt } = report.environment;
      assert.deepEqual({ mode, backend, origin, prompt: prompt.profile }, { mode: 'live', backend: native ? 'native' : 'polyfill', origin: site.origin, prompt: 'product' });
      assert.match(`${browser} ${toolsHash}`, /^.*Chrome\/\d+\S* [0-9a-f]{64}$/);
      assert.ok(report.models[0].sent);
      const [{ body, key }] = await model.requests();
      assert.equal(key, 'right');
      assert.ok(body.tools.some((tool) => tool.function.name === 'searchFlights' && tool.function.description.includes(site.origin)));
    });

    test('inspector case 27: the page is loaded anew for each run', async () => {
      const counted = [0, 1].map((count) => ({ functionName: 'count', result: { count } }));
      const { code, said } = await live('trial.html', [ofCalls('Count', counted)], ['--runs', '3']);
      assert.equal(code, 0, said);
      assert.match(said, /✓ 3\/3 pass: Count/);
    });

    test('a case prepares its page before the model is asked, which is told nothing of that', async () => {
      await model.reset();
      site.asked.length = 0;
      const setup = [{ functionName: 'count', arguments: {} }];
      const prepared = { ...ofCalls('Prepared', [{ functionName: 'count', result: { count: 1 } }]), 'x-sidecar': { setup } };
      const unready = { ...prepared, name: 'Unready', 'x-sidecar': { setup: [{ functionName: 'fail', arguments: {} }] } };
      const bought = { ...prepared, name: 'Bought', 'x-sidecar': { setup: [{ functionName: 'checkout', arguments: {} }] } };
      const { said, report } = await live('trial.html', [prepared, unready, bought]);
      assert.deepEqual(report.cells.map(({ outcome }) => outcome), ['pass', 'error', 'skipped'], said);
      assert.match(said, /Unready.*fail failed: sold out/);
      assert.equal(site.asked.includes('/bought'), false);
      const [{ body }] = await model.requests();
      assert.deepEqual(body.messages.map(({ role }) => role), ['system', 'user']);
    });

    test('the list is read again for each answer; a tool that is gone is unknown; an error, a new page and a form that waits are told', async () => {
      const steps = [{ functionName: 'start', result: 'started' }, { functionName: 'finish', result: 'finished' }];
      const gone = ofCalls('Gone', [{ functionName: 'start' }, { functionName: 'start' }]);
      const cases = [ofCalls('Steps', steps), gone, ofCalls('Fails', [{ functionName: 'fail', result: { error: 'sold out' } }]), ofCalls('Leaves', [{ functionName: 'leave' }]), ofCalls('Waits', [{ functionName: 'ask', arguments: { seat: '1A' }, result: { waiting: { $type: 'string' } } }])];
      const { code, said, report } = await live('trial.html', cases);
      assert.equal(code, 1, said);
      const outcomes = report.cells.map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['pass', 'fail', 'pass', 'pass', 'pass'], said);
      assert.deepEqual(report.cells[1].reasons.map(({ kind }) => kind), ['missing-call', 'unknown-tool']);
      assert.deepEqual(report.cells[3].calls[0].result, { navigatedTo: site.url('trial.html?next') });
    });

    test('inspector case 28: a consequential call does not reach the page, unless that is allowed', async () => {
      const checkout = { functionName: 'checkout' };
      const cases = [ofCalls('Mocked', [{ ...checkout, mockOutput: { paid: 1 }, result: { paid: 1 } }]), ofCalls('Unanswered', [checkout])];
      const bought = () => site.asked.includes('/bought');
      const held = await live('trial.html', [...cases, ofCalls('Unexpected', null, 'call checkout {}')]);
      assert.equal(held.code, 1, held.said);
      assert.deepEqual(held.report.cells.map(({ outcome }) => outcome), ['pass', 'skipped', 'fail']);
      assert.match(held.said, /consequential tools: checkout.*--allow-consequential/);
      assert.match(held.said, /Unanswered.*checkout is consequential/);
      assert.equal(bought(), false);
      const allowed = await live('trial.html', [ofCalls('Unanswered', [{ ...checkout, result: 404 }])], ['--runs', '1', '--allow-consequential']);
      assert.equal(allowed.code, 0, allowed.said);
      assert.equal(bought(), true);
    });

    test('inspector case 28: a tool that comes, or becomes consequential, after the list was read is judged before it is called', async () => {
      const shown = [{ type: 'dom', selector: '#shown', expect: { exists: true } }];
      const twice = (...names) => ({ name: names.join(), setup: names.map((functionName) => ({ functionName, arguments: {} })), userMessage: 'Hello', assertions: shown });
      const { said, report } = await simulate([twice('prepare', 'pay_later'), twice('turn', 'turn'), twice('count', 'count')]);
      assert.deepEqual(report.cells.map(({ outcome }) => outcome), ['skipped', 'skipped', 'pass'], said);
      assert.equal(site.asked.includes('/late'), false);
    });

    test('a simulation is set up, and judged by what the page shows in the end', async () => {
      const shows = (expect) => ({ type: 'dom', selector: '#shown', expect });
      const titled = { attribute: { name: 'title', value: 'none' } };
      const setup = [{ functionName: 'count', arguments: {} }];
      const counts = { name: 'Counts', setup, userMessage: 'call count {}', assertions: [shows({ text: '2' }), shows({ count: 1 }), shows(titled)] };
      const wrong = { name: 'Wrong', userMessage: 'call count {}', assertions: [shows({ exists: true }), shows({ text: { $pattern: '^7$' } })] };
      const buys = { name: 'Buys', userMessage: 'call checkout {}', assertions: [shows({ exists: true })] };
      const unready = { ...counts, name: 'Unready', setup: [{ functionName: 'fail', arguments: {} }] };
      const { code, said, report } = await simulate([counts, wrong, buys, unready, { ...counts, name: 'Late', maxDurationMs: 1 }]);
      assert.equal(code, 1, said);
      assert.deepEqual(report.cells.map(({ outcome }) => outcome), ['pass', 'fail', 'skipped', 'error', 'error'], said);
      assert.deepEqual(report.cells.slice(3).map(({ reasons }) => reasons[0].kind), ['tool-error', 'time-limit']);
      assert.match(said, /Wrong.*#shown at \/text: \$pattern "\^7\$" was expected, "1" came/);
      assert.equal(report.environment.mode, 'simulation');
      const refused = await simulate([{ userScenario: 'You want to count.', successCriteria: 'It was counted.' }]);
      assert.equal(refused.code, 2, refused.said);
      assert.match(refused.said, /\[0\]\.userScenario.*Invented users are not offered yet/);
    });

    test('inspector case 24: a page without tools is an error, and no fail', async () => {
      const { code, said, report } = await live('empty.html', [ofCalls('Count', [{ functionName: 'count' }])]);
      assert.equal(code, 3, said);
      assert.match(said, /The page has no tools/);
      assert.equal(report.cells[0].outcome, 'error');
    });
  });
}
