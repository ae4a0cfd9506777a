/** Several tabs in one turn: each is named by its number, has the consent of its own site, and no other can be used. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('pages in several tabs', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
  });
  after(() => stage?.strike());

  const results = async () => (await stage.model.requests()).at(-1).body.messages.filter((message) => message.role === 'tool').map((message) => message.content);
  const card = () => stage.panel.see('approval').then((node) => node.evaluate((it) => it.innerText));
  const numberOf = (page) => stage.chromium.inWorker(async (url) => (await chrome.tabs.query({})).find((tab) => tab.url === url).id, page.url());
  const host = (page) => new URL(page.url()).host;
  /** A tab that stays in the chat, with another of another site in front of it. */
  const twoTabs = async () => {
    const kept = await stage.begin(stage.site.url('actions/tea.html?kept'), { tools: 0 });
    await stage.panel.click('pin-tab');
    await stage.panel.see('pinned-tab');
    const front = await stage.tab(stage.site.url('actions/tea.html?front', stage.site.otherOrigin));
    await until(async () => (await stage.panel.text('site')) === host(front), { what: 'the panel to follow the tab' });
    return { kept, front, number: await numberOf(kept) };
  };

  test('a tab behind another is read and used by its number, after consent for its own site', async () => {
    const { kept, front, number } = await twoTabs();
    await stage.panel.say(
      [
        'call request_page_access {"access":"act"}',
        `call snapshot {"tabId":${number}}`,
        `call request_page_access {"access":"act","tabId":${number}}`,
        `call snapshot {"tabId":${number}}`,
        `call input_text {"selector":"#city","text":"Lyon","tabId":${number}}`,
        'call input_text {"selector":"#city","text":"Bern"}',
        `call click_element {"selector":"#place","tabId":${number}}`,
        'call click_element {"selector":"f1e1"}',
      ].join('\nthen\n'),
    );
    assert.match(await card(), new RegExp(host(front)));
    await stage.panel.decide('run');
    await until(async () => (await card()).includes(host(kept)), { what: 'the question about the other site' });
    await stage.panel.decide('run');
    await stage.panel.call('click_element', 'asking');
    const text = await card();
    assert.match(text, new RegExp(`Click “Place order” on ${host(kept)}`));
    assert.match(text, /In the tab “Tea shop”/);
    await stage.panel.decide('run');
    await stage.panel.rest();
    const told = await results();
    assert.match(told[1], new RegExp(`not allowed that on the site in tab ${number}\\. Call request_page_access`));
    assert.match(told[3], /^<page_data origin="http:\/\/localhost[\s\S]*background tab[\s\S]*\[ref=f1e\d+\]/);
    assert.match(told[7], /The element of this ref is gone\. Take a new snapshot\./);
    assert.deepEqual(await kept.evaluate(() => [city.value, window.log.length]), ['Lyon', 1]);
    assert.deepEqual(await front.evaluate(() => [city.value, window.log.length]), ['Bern', 0]);
    assert.equal(await front.evaluate(() => document.visibilityState), 'visible', 'the user’s tab stays in front');
  });

  test('a tab that the user did not name is refused in words, and one that the agent opens can be used', async () => {
    const other = await stage.tab(stage.site.url('actions/tea.html?other'));
    const number = await numberOf(other);
    await stage.begin(stage.site.url('actions/tea.html?mine'), { tools: 0 });
    const again = await stage.tab(stage.site.url('actions/tea.html?again'));
    await stage.panel.say(`call request_page_access {"access":"act"}\nthen\ncall list_tabs\nthen\ncall snapshot {"tabId":${number}}\nthen\ncall snapshot {"tabId":${await numberOf(again)}}\nthen\ncall open_tab {"url":"${stage.site.url('actions/done.html')}"}`);
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    await stage.panel.rest();
    const told = await results();
    assert.match(told[2], new RegExp(`Tab ${number} is (not part of this chat|closed)`));
    assert.match(told[3], /Tea shop/, 'its own number is its own tab');
    const [, opened] = told[4].match(/tab (\d+) is open/);
    assert.ok(Number(opened) > 0);
    const { tabs } = JSON.parse(told[1].match(/\{"tabs".*\}/)[0]);
    assert.deepEqual(tabs.filter(({ inChat }) => inChat).map(({ current }) => current), [true]);
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
