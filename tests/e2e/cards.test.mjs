/** Approval cards: a click meant for something else decides nothing, and hidden parts of the arguments are marked. */
// lane: alone (it clicks within the 700 ms in which a card takes no clicks)

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { Kept, thread } from '../lib/database.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { pause, until } from '../lib/wait.mjs';

describe('approval cards', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.use('call-tool');
    // A chat that is long enough to scroll: the next card appears where the last one was.
    await new Kept(stage.chromium).write([
      thread('long', { title: 'Long', turns: 20, answered: () => 'One more line.\n\nAnd another.' }),
    ]);
  });
  after(() => stage?.strike());

  const runs = (page) => page.evaluate(() => window.runs.map(({ tool, args }) => [tool, args]));
  const shop = async (names) => {
    const page = await stage.begin(stage.site.url('changing.html'), { tools: 1 });
    await page.evaluate(async (tools) => {
      for (const tool of tools) await addTool(tool, { description: 'Pays money.', annotations: {} });
    }, names);
    await stage.panel.knows(1 + names.length);
    return page;
  };
  /** Send a message of any length at once. */
  const say = async (text) => {
    await stage.panel.page.$eval(
      testId('composer-input'),
      (input, words) => {
        input.value = words;
        input.dispatchEvent(new Event('input', { bubbles: true }));
      },
      text,
    );
    await stage.panel.page.focus(testId('composer-input'));
    await stage.panel.page.keyboard.press('Enter');
  };
  const ready = () => stage.panel.page.waitForSelector(`${testId('approval')}[data-ready="true"]`);
  const middle = async (id) => {
    const { x, y, width, height } = await (await stage.panel.see(id)).boundingBox();
    return [x + width / 2, y + height / 2];
  };
  const asking = () => stage.panel.page.$$eval(`${testId('item-tool')}[data-state="asking"]`, (nodes) => nodes.map((node) => node.dataset.name));

  for (const button of ['approval-run', 'approval-always']) {
    test(`a second click on ${button} does not decide the next call, whose card takes its place`, async () => {
      for (const gap of [120, 250, 400, 600]) {
        // New tools for each round: one that is always allowed does not ask again.
        const [first, second] = [`lunch${gap}`, `savings${gap}`];
        const page = await shop([first, second]);
        await stage.panel.click('threads');
        await stage.panel.click('thread-row', '[data-thread="long"]');
        await until(async () => (await stage.panel.transcript()).length >= 40, { what: 'the long chat' });
        await say(`call ${first} {"eur":9}\nthen call ${second} {"eur":90000}`);
        await ready();
        const place = await middle(button);
        await stage.panel.page.mouse.click(...place);
        // A click before the second card is there would test nothing.
        const comes = until(async () => (await asking()).join() === second, { what: 'the second call to ask' });
        await Promise.all([pause(gap), comes]);
        await stage.panel.page.mouse.click(...place);
        const [x, y] = await middle(button);
        assert.ok(Math.hypot(x - place[0], y - place[1]) < 3, 'the second card stands where the first one stood');
        await ready();
        assert.deepEqual(await runs(page), [[first, { eur: 9 }]], `${gap} ms apart`);
        await stage.panel.decide('decline');
        await stage.panel.rest();
        assert.deepEqual(await runs(page), [[first, { eur: 9 }]]);
      }
    });
  }

  test('no key, scripted click or double click decides before the card is ready', async () => {
    const page = await shop(['pay']);
    await stage.panel.page.evaluate(() => {
      const find = () => document.querySelector('[data-testid="approval-run"]');
      let inserted;
      const watch = new MutationObserver(() => {
        if (inserted === undefined && find()) {
          inserted = performance.now();
          // At once and then repeatedly, like a key that is held down.
          const press = () => {
            if (!find() || find().disabled) window.tookAfter ??= performance.now() - inserted;
            find()?.click();
          };
          press();
          setInterval(press, 20);
        }
      });
      watch.observe(document.body, { subtree: true, childList: true });
    });
    await say('call pay {"eur":0}');
    await stage.panel.rest();
    assert.ok((await stage.panel.page.evaluate(() => window.tookAfter)) >= 700);
    await stage.panel.page.reload();
    await stage.panel.ready();
    await stage.panel.newChat();
    await say('call pay {"eur":1}');
    await ready();
    assert.deepEqual(await asking(), ['pay']);
    const [x, y] = await middle('approval-run');
    await stage.panel.page.evaluate(() => {
      const run = document.querySelector('[data-testid="approval-run"]');
      run.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
      // As if the user came back from another window.
      window.dispatchEvent(new Event('focus'));
    });
    await stage.panel.page.mouse.click(x, y);
    await ready();
    assert.deepEqual(await asking(), ['pay']);
    await stage.panel.page.focus(testId('approval-run'));
    await stage.panel.page.keyboard.press('Enter');
    await stage.panel.rest();
    assert.deepEqual(await runs(page), [['pay', { eur: 0 }], ['pay', { eur: 1 }]]);
  });

  test('a card almost as tall as the view takes clicks while its buttons are in view', async () => {
    const page = await shop(['pay']);
    const frame = stage.panel.page;
    await say('call pay {"eur":1}');
    await ready();
    const heights = () =>
      frame.$eval(testId('approval'), (card) => [card, card.closest('.transcript')].map((node) => node.getBoundingClientRect().height));
    const [card, view] = await heights();
    const [width, height] = await frame.evaluate(() => [window.innerWidth, window.innerHeight]);
    try {
      await frame.setViewport({ width, height: Math.round(height - view + card + 6) });
      await until(async () => Math.abs((await heights())[1] - card - 6) < 2, { what: 'the view to be little taller than the card' });
      assert.equal((await heights())[0], card);
      // The focus makes the card wait again before it takes clicks.
      await frame.evaluate(() => window.dispatchEvent(new Event('focus')));
      await frame.waitForSelector(`${testId('approval')}[data-ready="false"]`);
      await ready();
      await frame.mouse.click(...(await middle('approval-run')));
      await stage.panel.rest();
    } finally {
      await frame.setViewport(null);
    }
    assert.deepEqual(await runs(page), [['pay', { eur: 1 }]]);
  });

  test('Run is locked until an argument that its box cuts off is scrolled or unfolded, and says so', async () => {
    const page = await shop(['pay']);
    const frame = stage.panel.page;
    const given = { note: '转账说明'.repeat(50) };
    const waits = () => frame.$eval(testId('approval-run'), (run) => document.getElementById(run.getAttribute('aria-describedby'))?.innerText ?? '');
    const ways = [
      [320, () => frame.$eval(testId('approval-argument'), (box) => (box.scrollTop = box.scrollHeight))],
      [360, () => stage.panel.click('approval-show-all')],
    ];
    try {
      for (const [at, [width, see]] of ways.entries()) {
        await frame.setViewport({ width, height: 720 });
        await say(`call pay ${JSON.stringify(given)}`);
        await ready();
        await stage.panel.see('approval-unseen');
        assert.equal(await stage.panel.text('approval-count'), '1 argument, 0 shown in full');
        assert.match(await waits(), /the end of the arguments/);
        await frame.mouse.click(...(await middle('approval-run')));
        assert.deepEqual(await asking(), ['pay'], 'not all of it was in view');
        await see();
        await frame.$eval(testId('approval-run'), (run) => run.scrollIntoView());
        await frame.waitForSelector(`${testId('approval')}[data-unseen="false"]`);
        assert.equal(await waits(), '');
        await stage.panel.decide('run');
        await stage.panel.rest();
        assert.equal((await runs(page)).length, at + 1);
      }
    } finally {
      await frame.setViewport(null);
    }
  });

  test('many arguments are counted, their runs of blanks folded, and Run is locked until their end was in view', async () => {
    const options = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`option${at}`, `${at}`]));
    const given = { to: `Anna${'\n'.repeat(400)}ACCOUNT: ATTACKER`, note: 'word '.repeat(600).trim(), eur: 9, ...options, zzAmount: 99_999 };
    const page = await shop(['pay']);
    const text = (id, more = '') => stage.panel.page.$eval(testId(id) + more, (node) => node.innerText);
    const unseen = (is) => stage.panel.page.waitForSelector(`${testId('approval')}[data-unseen="${is}"]`);
    await say(`call pay ${JSON.stringify(given)}\nthen call pay ${JSON.stringify({ ...given, eur: 10 })}`);
    await ready();
    assert.match(await text('approval-count'), /^64 arguments, \d shown in full$/);
    assert.equal((await text('approval-value', '[data-name="to"]')).trim(), 'Anna⏎ ×400ACCOUNT: ATTACKER');
    assert.deepEqual(
      await stage.panel.page.$$eval(testId('approval-length'), (nodes) => nodes.map((node) => node.innerText)),
      ['421 characters', '2,999 characters'],
    );
    assert.match(await text('approval-unseen'), /the end of the arguments/);
    assert.deepEqual(await violations(stage.panel.page), []);
    await stage.panel.click('approval-run');
    assert.deepEqual(await asking(), ['pay'], 'the end was not in view');
    await stage.panel.page.$$eval('.asks-fields, .asks-value', (nodes) => nodes.forEach((node) => (node.scrollTop = node.scrollHeight)));
    await unseen('false');
    await stage.panel.decide('run');
    await until(async () => (await runs(page)).length === 1, { what: 'the call to run' });
    assert.deepEqual(await runs(page), [['pay', given]], 'what runs is what was given, unfolded');
    await unseen('true');
    await stage.panel.click('approval-show-all');
    // The card is taller than the panel now: its buttons are below its arguments.
    await stage.panel.page.$eval(testId('approval-run'), (run) => run.scrollIntoView());
    await unseen('false');
    assert.equal(await text('approval-count'), '64 arguments, 64 shown in full');
    await stage.panel.click('approval-edit');
    await (await stage.panel.see('approval-argument', '[data-name="to"]')).evaluate((node) => {
      node.value = 'Anna';
      node.dispatchEvent(new Event('input', { bubbles: true }));
    });
    assert.equal((await text('approval-value', '[data-name="to"]')).trim(), 'Anna');
    await stage.panel.decide('run');
    await stage.panel.rest();
    assert.deepEqual((await runs(page))[1], ['pay', { ...given, eur: 10, to: 'Anna' }]);
  });
});
