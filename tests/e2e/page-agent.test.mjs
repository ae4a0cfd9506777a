/** The agent reads and acts on a page that offers no tools: consent by site, cards, what it is told, and Stop in the page. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { downloaded } from '../lib/download.mjs';
import { Stage } from '../lib/stage.mjs';
import { testId } from '../lib/panel.mjs';
import { quick, until, within } from '../lib/wait.mjs';

describe('the agent on a page without tools', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
  });
  after(() => stage?.strike());

  const shop = () => stage.site.url('actions/tea.html');
  const lastRequest = async () => (await stage.model.requests()).at(-1).body;
  const offered = async () => (await lastRequest()).tools.map((tool) => tool.function.name);
  const results = async () => (await lastRequest()).messages.filter((message) => message.role === 'tool').map((message) => message.content);
  const card = () => stage.panel.see('approval').then((node) => node.evaluate((it) => it.innerText));
  const takeBack = async () => {
    await stage.panel.view('settings');
    while (await stage.panel.shows('grant-take-back')) {
      const rows = (await stage.panel.page.$$(testId('grant-row'))).length;
      await stage.panel.click('grant-take-back');
      await until(async () => (await stage.panel.page.$$(testId('grant-row'))).length < rows, { what: 'a row to go' });
    }
    await stage.panel.view('chat');
  };

  test('case 91: off: only the request is offered; its card is the consent, and the turn goes on by itself', async () => {
    await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"read"}\nthen\ncall snapshot');
    assert.match(await card(), /read .*\?/i);
    assert.deepEqual(await offered(), ['request_page_access', 'ask_user']);
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual((await stage.panel.calls()).map(({ name, state }) => [name, state]), [['request_page_access', 'ok'], ['snapshot', 'ok']]);
    const [, snapshot] = await results();
    assert.match(snapshot, /Tea shop/);
    assert.match(snapshot, /- textbox "City" \[ref=e\d+\]/);
    assert.match(snapshot, /- button "Place order" \[ref=e\d+\]/);
    assert.ok(!(await offered()).includes('click_element'), 'reading is not acting');
  });

  test('case 95: the consent of a chat ends with the chat', async () => {
    await stage.converse();
    await stage.panel.say('call snapshot');
    await stage.panel.rest();
    assert.deepEqual(await offered(), ['request_page_access', 'ask_user']);
  });

  test('case 95: consent for good stands in Settings, holds in the next chat, and is taken back there', async () => {
    await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}');
    await stage.panel.see('approval');
    await stage.panel.decide('always');
    await stage.panel.rest();
    await stage.converse();
    await stage.panel.ask('call page_text');
    const [text] = await results();
    assert.match(text, /We sell three teas/);
    assert.ok((await offered()).includes('click_element'));
    await stage.panel.view('settings');
    const row = await stage.panel.see('grant-row');
    assert.match(await row.evaluate((node) => node.innerText), /Use its pages/);
    await takeBack();
    await stage.converse();
    await stage.panel.ask('call snapshot');
    assert.deepEqual(await offered(), ['request_page_access', 'ask_user']);
  });

  test('case 95: consent is of one site and one use: reading for good is not acting, and another site asks; each is taken back by itself', async () => {
    const rows = async () => {
      await stage.panel.view('settings');
      await stage.panel.page.waitForSelector(testId('grants'));
      const all = await stage.panel.page.$$eval(testId('grant-row'), (nodes) => nodes.map((node) => node.innerText.split('\n')).map(([what, , site]) => [what, site]));
      await stage.panel.view('chat');
      return all;
    };
    const allow = async (access) => {
      await stage.panel.say(`call request_page_access {"access":"${access}"}`);
      await stage.panel.see('approval');
      await stage.panel.decide('always');
      await stage.panel.rest();
    };
    const { host } = new URL(stage.site.origin);
    await stage.begin(shop(), { tools: 0 });
    try {
      await allow('read');
      await stage.converse();
      await stage.panel.say('call click_element {"selector":"#more"}\nthen\ncall request_page_access {"access":"act"}');
      await stage.panel.call('request_page_access', 'asking');
      assert.equal(await stage.panel.page.$eval(`${testId('item-tool')}[data-name="click_element"]`, (node) => node.dataset.state), 'failed');
      await stage.panel.decide('decline');
      await stage.panel.rest();
      assert.ok((await offered()).includes('snapshot') && !(await offered()).includes('click_element'));
      await allow('act');
      await stage.converse();
      await stage.panel.ask('call click_element {"selector":"#more"}');
      assert.match((await results())[0], /ok: click_element/);
      assert.deepEqual(await rows(), [['Use its pages', host], ['Read its pages', host]]);
      // The same page of another site.
      const other = await stage.begin(stage.site.url('actions/tea.html', stage.site.otherOrigin), { tools: 0 });
      await stage.panel.ask('call snapshot\nthen\ncall click_element {"selector":"#more"}');
      assert.deepEqual(await offered(), ['request_page_access', 'ask_user']);
      assert.deepEqual((await stage.panel.calls()).map(({ state }) => state), ['failed', 'failed']);
      assert.equal(await other.evaluate(() => list.children.length), 0);
      // Acting is taken back, and reading stays.
      await stage.panel.view('settings');
      await stage.panel.page.locator(`${testId('grant-row')}[data-name="act"] ${testId('grant-take-back')}`).click();
      await until(async () => (await rows()).length === 1, { what: 'the consent to act to go' });
      await stage.begin(shop(), { tools: 0 });
      await stage.panel.ask('call snapshot');
      assert.deepEqual([(await stage.panel.calls()).at(-1).state, (await offered()).includes('click_element')], ['ok', false]);
    } finally {
      await takeBack();
    }
  });

  test('case 95: what pays, deletes or sends asks each time, though acting is allowed for good, and is never allowed for good', async () => {
    const page = await stage.begin(stage.site.put('actions/kinds.html', `<!doctype html><title>Kinds</title>${['Pay now', 'Delete all', 'Send', 'Accept all', 'Show more'].map((name, at) => `<button id=b${at} onclick="log.push(this.textContent); out.textContent = log.length">${name}</button>`).join('')}<p id=out></p><script>var log = []</script>`), { tools: 0 });
    try {
      await stage.panel.say('call request_page_access {"access":"act"}');
      await stage.panel.see('approval');
      await stage.panel.decide('always');
      await stage.panel.rest();
      for (const at of [0, 1, 2, 3, 0]) {
        await stage.panel.say(`call click_element {"selector":"#b${at}"}`);
        await stage.panel.call('click_element', 'asking');
        await stage.panel.see('approval');
        assert.equal(await stage.panel.shows('approval-always'), false);
        await stage.panel.decide('run');
        await stage.panel.rest();
      }
      await stage.panel.ask('call click_element {"selector":"#b4"}');
      assert.deepEqual(await page.evaluate(() => log), ['Pay now', 'Delete all', 'Send', 'Accept all', 'Pay now', 'Show more']);
    } finally {
      await takeBack();
    }
  });

  test('it types, chooses and clicks, and is told what became of the page', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall input_text {"selector":"#city","text":"Lyon"}\nthen\ncall select_option {"selector":"#tea","values":["Black"]}\nthen\ncall click_element {"selector":"#more"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    const told = await results();
    assert.match(told[1], /ok: input_text textbox "City".*Lyon/);
    assert.match(told[2], /ok: select_option combobox "Tea".*Black/);
    assert.match(told[3], /ok: click_element button "Show more".*The page changed/);
    assert.deepEqual(await page.evaluate(() => [city.value, tea.value, list.children.length]), ['Lyon', 'Black', 1]);
  });

  test('case 94: an order asks in automatic mode, on a card in our own words, and runs once', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#place"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('click_element', 'asking');
    const text = await card();
    assert.match(text, /Click “Place order”/);
    assert.match(text, /Checkout/);
    assert.match(text, /pay or order/);
    assert.equal(await stage.panel.shows('approval-always'), false, 'nobody allows that for good');
    assert.deepEqual(await page.evaluate(() => window.log), []);
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.equal((await page.evaluate(() => window.log)).length, 1);
  });

  test('case 40: what is no longer what the user was asked about is not done', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#place"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('click_element', 'asking');
    await page.evaluate(() => (document.querySelector('#place').textContent = 'Pay twice'));
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await page.evaluate(() => window.log), []);
    assert.match((await results()).at(-1), /changed/i);
  });

  test('case 79: a link leads to the next page, and its refs are others', async () => {
    await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall snapshot\nthen\ncall click_element {"selector":"a"}\nthen\ncall snapshot');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    const told = await results();
    assert.match(told[2], /The tab is now at .*done\.html, "About us"/);
    const refs = (text) => [...text.matchAll(/ref=e(\d+)/g)].map(([, number]) => Number(number));
    assert.ok(Math.min(...refs(told[3])) > Math.max(...refs(told[1])), 'numbers are not used again');
  });

  test('case 79: a link to another site: the model is told that, not where or what it is, and may do nothing there without consent', async () => {
    const elsewhere = stage.site.url('actions/elsewhere.html?token=4711', stage.site.otherOrigin);
    stage.site.put('actions/elsewhere.html', '<!doctype html><title>Account of Ada</title><button id=b onclick="document.title = `Pressed`">Go on</button>');
    const page = await stage.begin(stage.site.put('actions/leads.html', `<!doctype html><title>Leads</title><a id=a href="${elsewhere}">Partner</a>`), { tools: 0 });
    await stage.panel.say(['call request_page_access {"access":"act"}', 'call click_element {"selector":"#a"}', 'call snapshot', 'call click_element {"selector":"#b"}', 'call request_page_access {"access":"act"}', 'call click_element {"selector":"#b"}'].join('\nthen\n'));
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await until(async () => (await stage.panel.calls()).length === 5, { what: 'the question about the other site' });
    await stage.panel.see('approval');
    const told = await results();
    assert.match(told[1], /The tab is now at another site, whose use the user has not allowed/);
    assert.deepEqual((await stage.panel.calls()).map(({ state }) => state), ['ok', 'ok', 'failed', 'failed', 'asking']);
    assert.match((await card()), new RegExp(new URL(stage.site.otherOrigin).host));
    for (const words of ['Ada', '4711', 'elsewhere.html', 'Go on']) assert.ok(!told.slice(1).join().includes(words), `${words} in ${told.join('\n')}`);
    assert.deepEqual([page.url(), await page.title()], [elsewhere, 'Account of Ada']);
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.equal(await page.title(), 'Pressed');
  });

  test('case 79: back in the history: it is told, the refs of the page between are gone, and the page is used again', async () => {
    const first = stage.site.put('actions/first.html', '<!doctype html><title>First</title><h1>First</h1><a id=a href="second.html">On</a><button id=b onclick="document.title = `Pressed`">Go on</button>');
    stage.site.put('actions/second.html', '<!doctype html><title>Second</title><h1>Second</h1><button id=k onclick="history.back()">Back</button>');
    const page = await stage.begin(first, { tools: 0 });
    await page.evaluate(() => (window.isKept = true));
    await stage.panel.say(['call request_page_access {"access":"act"}', 'call snapshot', 'call click_element {"selector":"#a"}', 'call snapshot', 'call click_element {"selector":"#k"}', 'call snapshot', 'call click_element {"selector":"#b"}'].join('\nthen\n'));
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    const told = await results();
    assert.match(told[2], /The tab is now at .*second\.html, "Second"/);
    assert.match(told[4], /The tab is now at .*first\.html, "First"/);
    assert.match(told[5], /heading "First"/);
    const refs = (text) => [...text.matchAll(/ref=e(\d+)/g)].map(([, number]) => Number(number));
    assert.ok(Math.min(...refs(told[3])) > Math.max(...refs(told[1])), 'numbers are not used again');
    // The browser may have kept the document; then its refs are those that it had.
    if (await page.evaluate(() => window.isKept)) assert.deepEqual(refs(told[5]), refs(told[1]));
    else assert.ok(Math.min(...refs(told[5])) > Math.max(...refs(told[3])), 'numbers are not used again');
    assert.match(told[6], /ok: click_element button "Go on"/);
    assert.equal(await page.title(), 'Pressed');
    // A ref of the page between is of no element.
    await stage.panel.ask(`call click_element {"selector":"e${refs(told[3])[0]}"}`);
    assert.equal((await stage.panel.calls()).at(-1).state, 'failed');
  });

  /** Give the agent the use of the page. */
  const allow = async () => {
    await stage.panel.say('call request_page_access {"access":"act"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
  };

  test('case 84: what may be a download is told as such, and the page is still there', async () => {
    stage.site.put('actions/sheet.csv', 'a,b');
    const page = await stage.begin(stage.site.put('actions/gets.html', '<!doctype html><title>Gets</title><a id=a href="sheet.csv" download="mine.csv">Sheet</a>'), { tools: 0 });
    await allow();
    const saved = await downloaded(stage.chromium.browser, () => stage.panel.ask('call click_element {"selector":"#a"}'));
    assert.deepEqual(saved, { name: 'mine.csv', text: 'a,b' });
    assert.match((await results()).at(-1), /ok: click_element link .*A download may have started\./);
    assert.equal(await page.title(), 'Gets');
  });

  test('case 84: a link that says nothing of it, and whose answer is saved as a file', async () => {
    stage.site.put('actions/bill.bin', 'bill', { 'Content-Disposition': 'attachment; filename="bill.txt"' });
    const page = await stage.begin(stage.site.put('actions/bills.html', '<!doctype html><title>Bills</title><a id=a href="bill.bin">Bill</a>'), { tools: 0 });
    await allow();
    const saved = await downloaded(stage.chromium.browser, () => stage.panel.ask('call click_element {"selector":"#a"}'));
    assert.deepEqual(saved, { name: 'bill.txt', text: 'bill' });
    const told = (await results()).at(-1);
    assert.match(told, /A download may have started\./);
    assert.doesNotMatch(told, /address changed/);
    assert.equal(await page.title(), 'Bills');
  });

  /** The page of the dialogs' tests, used by the agent. */
  const asks = async () => {
    const page = await stage.begin(stage.site.put('actions/asks.html', `<!doctype html><title>Asks</title><p id=out>Nothing yet</p>${['alert', 'confirm', 'prompt'].map((kind) => `<button id=${kind} onclick="out.textContent = '${kind} said ' + ${kind}('Really?')">Next</button>`).join('')}`), { tools: 0 });
    await allow();
    return page;
  };

  test('case 82: the call that opened a dialog is answered within five seconds and names it; once the user has answered, the page is used again', async () => {
    const page = await asks();
    for (const [kind, answer, said] of [['alert', undefined, 'undefined'], ['confirm', undefined, 'true'], ['prompt', 'Lyon', 'Lyon']]) {
      let dialog;
      const click = async () => {
        await dialog?.dismiss();
        dialog = undefined;
        const opened = new Promise((resolve) => page.once('dialog', resolve));
        await stage.panel.say(`call click_element {"selector":"#${kind}"}`);
        dialog = await within(opened, { what: `the ${kind}` });
        const since = performance.now();
        await stage.panel.rest();
        const took = performance.now() - since;
        assert.deepEqual([dialog.type(), (await stage.panel.calls()).at(-1).state], [kind, 'failed']);
        assert.match((await results()).at(-1), /A dialog of the page may be waiting for the user/);
        return took;
      };
      try {
        await quick(5_000, click, `the answer beside ${kind}`);
      } finally {
        await dialog?.accept(answer);
      }
      await stage.panel.ask('call snapshot {"query":"said"}');
      assert.match((await results()).at(-1), new RegExp(`${kind} said ${said}`));
    }
  });

  test('case 82: while a dialog waits, who reads the page or acts on it is told, and the dialog stays the user’s', async () => {
    const page = await asks();
    const opened = new Promise((resolve) => page.once('dialog', resolve));
    await stage.panel.say('call click_element {"selector":"#confirm"}');
    const dialog = await within(opened, { what: 'the dialog' });
    try {
      await stage.panel.rest();
      for (const call of ['snapshot', 'click_element {"selector":"#alert"}']) {
        const ask = async () => {
          const since = performance.now();
          await stage.panel.ask(`call ${call}`);
          return performance.now() - since;
        };
        await quick(5_000, ask, `the answer to ${call}`);
        assert.match((await results()).at(-1), /A dialog of the page may be waiting for the user/);
      }
    } finally {
      await dialog.dismiss();
    }
    assert.equal(await page.$eval('#out', (node) => node.textContent), 'confirm said false');
  });

  test('case 82: Stop ends a turn whose page has a dialog open, and the next turn leaves the page', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    const opened = new Promise((resolve) => page.once('dialog', resolve));
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall click_element {"selector":"#ask"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await opened;
    await stage.panel.click('stop');
    await stage.panel.rest();
    assert.equal((await stage.panel.calls()).at(-1).state, 'cancelled');
    await stage.panel.ask(`call navigate_to {"url":"${stage.site.url('actions/done.html')}"}`);
    assert.match((await results()).at(-1), /the tab is now at .*done\.html/i);
    assert.match(page.url(), /done\.html$/);
  });

  test('the page says that it is used, and Stop there stops the turn', async () => {
    const page = await stage.begin(shop(), { tools: 0 });
    await stage.panel.say('call request_page_access {"access":"act"}\nthen\ncall wait_for {"text":"never there","seconds":30}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.call('wait_for', 'running');
    await page.bringToFront();
    const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
    const hosts = () => page.evaluate(() => [...document.documentElement.children].filter((node) => node.tagName.startsWith('X')).length);
    await until(async () => (await hosts()) === 1, { what: 'the sign in the page' });
    // Stop is at the lower edge; where exactly depends on the words.
    for (let x = width / 2; x < width / 2 + 240 && (await stage.panel.shows('stop')); x += 12) await page.mouse.click(x, height - 26);
    await stage.panel.rest();
    assert.equal((await stage.panel.calls()).at(-1).state, 'cancelled');
    await until(async () => (await hosts()) === 0, { what: 'the sign to go with the turn' });
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
