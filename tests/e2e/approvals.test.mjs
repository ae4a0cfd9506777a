/** Approvals: how a call asks, what the user can answer, and the policies that an answer sets. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { offered } from '../lib/model.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('approvals', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native: true })));
  after(() => stage?.strike());

  const runs = (page) => page.evaluate(() => window.runs.map(({ tool, args }) => [tool, args]));
  const told = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  const whys = () => stage.panel.page.$$eval(testId('approval-why'), (nodes) => nodes.map((node) => node.dataset.why));
  const passed = async () => {
    await stage.panel.unfold();
    return stage.panel.page.$$eval(testId('tool-passed'), (nodes) => nodes.map((node) => node.dataset.passed));
  };
  const edit = async (name, value) => {
    const field = await stage.panel.see('approval-argument', `[data-name="${name}"]`);
    await field.click({ count: 3 });
    await stage.panel.page.keyboard.press('Backspace');
    await field.type(value);
  };
  const shop = async (more = {}) => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate((extra) => addTool('order', { description: 'Pays for seats.', annotations: {}, inputSchema: { type: 'object', properties: { seats: { type: 'integer' }, to: { type: 'string' } } }, ...extra }), more);
    await stage.panel.knows(2);
    return page;
  };
  const takeAllBack = async () => {
    await stage.panel.view('settings');
    for (const button of await stage.panel.page.$$(testId('grant-take-back'))) {
      const before = (await stage.panel.page.$$(testId('grant-row'))).length;
      await button.click();
      await until(async () => (await stage.panel.page.$$(testId('grant-row'))).length < before, { what: 'the grant to be gone' });
    }
    await stage.panel.view('chat');
  };

  test('a decision that a dying worker did not receive reaches the next one, with the changed arguments', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":2}');
    await stage.panel.see('approval', '[data-ready="true"]');
    await edit('seats', '3');
    await stage.panel.see('approval', '[data-ready="true"]');
    await stage.panel.clickUnaware('approval-run', () => stage.chromium.killWorker());
    await stage.panel.rest();
    assert.deepEqual(await runs(page), [['order', { seats: 3 }]]);
  });

  /** Hold back the worker's messages on the panel's next connection until `link.open()`, and record the panel's own. */
  const shutLink = () =>
    stage.panel.page.evaluate(() => {
      const connect = chrome.runtime.connect.bind(chrome.runtime);
      window.link = {
        said: [],
        waiting: [],
        open() {
          this.waiting.splice(0).forEach(({ deliver }) => deliver());
          this.isOpen = true;
        },
      };
      chrome.runtime.connect = (info) => {
        const port = connect(info);
        // A port that is closed delivers nothing, here neither.
        let isClosed = false;
        port.onDisconnect.addListener(() => (isClosed = true));
        const hear = (listener) => (text) => {
          const deliver = () => isClosed || listener(text);
          if (link.isOpen) deliver();
          else link.waiting.push({ deliver, text });
        };
        return {
          postMessage(text) {
            link.said.push(text);
            port.postMessage(text);
          },
          disconnect() {
            isClosed = true;
            port.disconnect();
          },
          onMessage: { addListener: (listener) => port.onMessage.addListener(hear(listener)), removeListener() {} },
          onDisconnect: port.onDisconnect,
        };
      };
    });
  const decisions = () => stage.panel.page.evaluate(() => link.said.filter((text) => text.includes('"decide"')).length);

  test('a decision between a new connection and its Welcome is sent once, and locks its card', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":2}');
    await stage.panel.see('approval', '[data-ready="true"]');
    await shutLink();
    await stage.chromium.killWorker();
    const isWelcome = () => link.waiting.some(({ text }) => text.includes('"welcome"'));
    await stage.panel.happens(isWelcome, [], { what: 'the Welcome of the next worker' });
    // The schema wants an integer: the card comes back each time that the turn gets this value.
    await edit('seats', '1.5');
    await stage.panel.decide('run');
    const fields = [testId('approval-argument'), testId('approval-words')].join();
    assert.deepEqual(await stage.panel.page.$$eval(fields, (nodes) => nodes.map((node) => node.readOnly)), [true, true]);
    assert.equal(await stage.panel.page.$eval(testId('approval-run'), (run) => run.disabled), true);
    await stage.panel.page.type(testId('approval-argument'), '7');
    assert.equal(await stage.panel.page.$eval(testId('approval-argument'), (node) => node.value), '1.5');
    assert.equal(await decisions(), 0, 'no worker has shown the call yet');
    await stage.panel.page.evaluate(() => link.open());
    await stage.panel.see('approval-error');
    assert.equal(await decisions(), 1);
    await edit('seats', '3');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await runs(page), [['order', { seats: 3 }]]);
    assert.equal(await decisions(), 2);
  });

  test('in auto mode only a consequential call asks, and each call shows what let it run', async () => {
    const page = await shop();
    await page.evaluate(() => addTool('mark', { description: 'Changes a colour.', annotations: {} }));
    await stage.panel.knows(3);
    await stage.panel.say('call always\ncall mark\ncall order {"seats":2}');
    await stage.panel.see('approval');
    assert.deepEqual(await whys(), ['consequential']);
    assert.deepEqual((await runs(page)).map(([tool]) => tool), ['always', 'mark']);
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await passed(), ['readOnly', 'mode', 'user']);
  });

  test('a call that asks is announced in all other chats, with a button that leads to it', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":7}');
    await stage.panel.see('approval');
    assert.equal(await stage.panel.shows('approvals-elsewhere'), false, 'its own chat shows it itself');
    await stage.panel.newChat();
    await stage.panel.see('approval-elsewhere');
    assert.match(await stage.panel.text('approval-elsewhere'), /order on localhost:\d+ asks you in “call order/);
    assert.deepEqual(await violations(stage.panel.page), []);
    // Another chat can be used meanwhile.
    await stage.panel.ask('call always');
    await stage.panel.see('approval-elsewhere');
    await stage.panel.click('approval-elsewhere-show');
    await stage.panel.see('approval');
    await stage.panel.gone('approval-elsewhere');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual((await runs(page)).map(([tool, args]) => [tool, args.seats]), [['always', undefined], ['order', 7]]);
    await stage.panel.newChat();
    await stage.panel.gone('approvals-elsewhere');
  });

  test('all policies are removed at once, and restored by Undo', async () => {
    const page = await shop();
    await page.evaluate(() => addTool('pay', { description: 'Pays.', annotations: {}, inputSchema: { type: 'object' } }));
    await stage.panel.knows(3);
    for (const name of ['order', 'pay']) {
      await stage.panel.say(`call ${name} {}`);
      await stage.panel.decide('always');
      await stage.panel.rest();
    }
    await stage.panel.view('settings');
    const rows = () => stage.panel.page.$$eval(testId('grant-row'), (nodes) => nodes.map(({ dataset: { name, policy } }) => [name, policy]));
    const both = [['pay', 'allow'], ['order', 'allow']];
    assert.deepEqual(await rows(), both);
    await stage.panel.click('grants-take-back-all');
    await stage.panel.gone('grant-row');
    await stage.panel.click('grant-undo');
    await until(async () => (await rows()).length === 2, { what: 'the decisions to be back' });
    assert.deepEqual(await rows(), both);
    await stage.panel.click('grants-take-back-all');
    await stage.panel.gone('grants-take-back-all');
    await stage.panel.view('chat');
  });

  test('Always allow: the tool does not ask again until its policy is removed, which can be undone', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":1}\nthen call order {"seats":2}');
    await stage.panel.decide('always');
    await stage.panel.rest();
    assert.equal((await runs(page)).length, 2);
    assert.deepEqual(await passed(), ['user', 'grant']);
    await stage.panel.view('settings');
    await stage.panel.see('grant-row', '[data-name="order"][data-policy="allow"]');
    await stage.panel.click('grant-take-back');
    await stage.panel.gone('grant-row');
    await stage.panel.click('grant-undo');
    await stage.panel.see('grant-row', '[data-name="order"][data-policy="allow"]');
    await stage.panel.click('grant-take-back');
    await stage.panel.gone('grant-row');
    await stage.panel.newChat();
    await stage.panel.say('call order {"seats":3}');
    await stage.panel.see('approval');
    await stage.panel.decide('decline');
    await stage.panel.rest();
  });

  test('an allowed tool whose definition changed asks again and shows what changed', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":1}');
    await stage.panel.decide('always');
    await stage.panel.rest();
    await page.evaluate(async () => {
      removeTool('order');
      await addTool('order', { description: 'Pays for seats and for a hotel.', annotations: {} });
    });
    await until(async () => (await stage.panel.tools()).some(({ text }) => text.includes('hotel')), { what: 'the new definition' });
    await stage.panel.newChat();
    await stage.panel.say('call order {"seats":1}');
    await stage.panel.see('approval');
    assert.ok((await whys()).includes('changed'));
    const changes = await stage.panel.page.$$eval(testId('approval-change'), (nodes) => nodes.map((node) => node.innerText));
    assert.match(changes.join('\n'), /Description[\s\S]*Pays for seats\.[\s\S]*Pays for seats and for a hotel\./);
    await stage.panel.decide('always');
    await stage.panel.rest();
    await stage.panel.ask('call order {"seats":1}');
    assert.deepEqual(await passed(), ['user', 'grant']);
    await takeAllBack();
  });

  test('changed arguments are what the tool gets and what the model is told', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":2,"to":"SHA"}');
    await stage.panel.see('approval');
    await edit('seats', 'many');
    await stage.panel.decide('run');
    assert.match(await stage.panel.text('approval-error'), /seats/);
    await edit('seats', '"many"');
    await stage.panel.decide('run');
    await until(async () => /expected an integer/.test(await stage.panel.text('approval-error')), { what: 'the schema to be held against it' });
    assert.deepEqual(await runs(page), []);
    await edit('seats', '3');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await runs(page), [['order', { seats: 3, to: 'SHA' }]]);
    assert.match((await told())[0], /The user changed the arguments of this call to \{"seats":3,"to":"SHA"\}/);
    await stage.panel.see('tool-edited');
    await stage.panel.unfold();
    assert.equal((await stage.panel.calls())[0].arguments, 'seats: 3, to: SHA');
  });

  test('changed arguments that do not fit the schema are kept when the panel is reopened', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":2}');
    await stage.panel.see('approval');
    await edit('seats', '"many"');
    await stage.panel.decide('run');
    await stage.panel.see('approval-error');
    await stage.panel.page.reload();
    await stage.panel.ready();
    const field = await stage.panel.see('approval-argument');
    assert.equal(await field.evaluate((node) => node.value), 'many');
    assert.match(await stage.panel.text('approval-error'), /expected an integer/);
    await edit('seats', '4');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await runs(page), [['order', { seats: 4 }]]);
  });

  test('Decline can carry a message to the model, and Enter in a field decides nothing', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":2}');
    const field = await stage.panel.see('approval-argument');
    await field.focus();
    await stage.panel.page.keyboard.press('Enter');
    const words = await stage.panel.see('approval-words');
    await words.type('Ask me for the date first.');
    await stage.panel.page.keyboard.press('Enter');
    await stage.panel.call('order', 'asking');
    await stage.panel.decide('decline');
    await stage.panel.rest();
    assert.deepEqual(await runs(page), []);
    assert.match((await told())[0], /Ask me for the date first\./);
  });

  test('a message for Decline is dropped when the user presses Run', async () => {
    const page = await shop();
    await stage.panel.say('call order {"seats":2}');
    await (await stage.panel.see('approval-words')).type('Too many seats.');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual(await runs(page), [['order', { seats: 2 }]]);
    await stage.panel.unfold();
    const shown = await stage.panel.page.$eval('body', (body) => body.innerText);
    assert.match(shown, /seats: 2/);
    assert.doesNotMatch(shown, /Too many seats/);
    assert.doesNotMatch((await told())[0], /Too many seats/);
  });

  test('a tool that is off is not offered, is listed as off, and can be switched on again', async () => {
    await shop();
    await stage.panel.view('tools');
    const row = '[data-name="order"] ';
    await stage.panel.page.click(`${row}${testId('tool-row-toggle')}`);
    await stage.panel.page.select(`${row}${testId('tool-policy')}`, 'off');
    await stage.panel.see('tool-row', '[data-name="order"][data-policy="off"]');
    await stage.panel.ask('call order {"seats":2}');
    const names = async () => offered((await stage.model.requests()).at(-1)).map(({ name }) => name);
    assert.deepEqual(await names(), ['always']);
    assert.equal((await stage.panel.calls())[0].state, 'failed');
    await stage.panel.view('tools');
    await stage.panel.see('tool-row', '[data-name="order"][data-policy="off"]');
    await stage.panel.page.click(`${row}${testId('tool-row-toggle')}`);
    await stage.panel.page.select(`${row}${testId('tool-policy')}`, '');
    await stage.panel.see('tool-row', '[data-name="order"][data-policy=""]');
    await stage.panel.ask('hello');
    assert.deepEqual((await names()).sort(), ['always', 'order']);
  });

  test('Always ask makes a read-only tool ask', async () => {
    await shop();
    await stage.panel.view('tools');
    const row = '[data-name="always"] ';
    await stage.panel.page.click(`${row}${testId('tool-row-toggle')}`);
    await stage.panel.page.select(`${row}${testId('tool-policy')}`, 'ask');
    await stage.panel.see('tool-row', '[data-name="always"][data-policy="ask"]');
    await stage.panel.say('call always');
    await stage.panel.see('approval');
    assert.deepEqual(await whys(), ['policy']);
    await stage.panel.decide('run');
    await stage.panel.rest();
    await takeAllBack();
  });

  test('a call that asks marks the toolbar icon, without a notification while a panel is open', async () => {
    const page = await shop();
    const badge = () => stage.chromium.inWorker(async (url) => {
      const [tab] = (await chrome.tabs.query({})).filter((one) => one.url === url);
      return chrome.action.getBadgeText({ tabId: tab.id });
    }, page.url());
    const notices = () => stage.chromium.inWorker(() => chrome.notifications.getAll().then((all) => Object.keys(all).length));
    await stage.panel.say('call order {"seats":2}');
    await stage.panel.see('approval');
    await until(async () => (await badge()) === '?', { what: 'the icon to call' });
    assert.equal(await notices(), 0, 'the panel says it');
    await stage.panel.decide('decline');
    await stage.panel.rest();
    await until(async () => (await badge()) === '2', { what: 'the icon to count again' });
  });

  test('the card is translated into Chinese', async () => {
    await stage.panel.set('language', 'zh-CN');
    await shop();
    await stage.panel.say('call order {"seats":2}');
    const card = await stage.panel.see('approval');
    assert.match(await card.evaluate((node) => node.innerText), /在 .* 上运行 order？[\s\S]*难以撤销[\s\S]*始终允许/);
    await stage.panel.decide('decline');
    await stage.panel.rest();
    await stage.panel.set('language', 'en');
  });
});
