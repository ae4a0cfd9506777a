/** A form that navigates: the call returns the new page's content as data of its origin, or says why it does not. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { INSECURE_HOST } from '../lib/browser.mjs';
import { html } from '../lib/conformance.mjs';
import { testId } from '../lib/panel.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

/** A page with a form that is the tool `look` and navigates to an address. */
const formTo = (address, more = '', name = 'look') =>
  html('', `<form toolname="${name}" tooldescription="Looks something up." toolautosubmit action="${address}" ${more}><input name="q"><button>Go</button></form>`);

const script = (text) => `<script type="application/ld+json">${text}</script>`;

forBothModes('a form that navigates', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set({ native })));
  after(() => stage?.strike());

  const told = async () =>
    (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  const begin = async (address, { more, name, scenario } = {}) =>
    stage.begin(stage.site.put('form.html', formTo(address, more, name)), { tools: 1, scenario });
  const framed = (text, origin = stage.site.origin) => `<page_data origin="${origin}">\n${text}\n</page_data>`;
  const shown = async () => {
    await stage.panel.unfold();
    return stage.panel.text('tool-result');
  };

  test('the result is the new page’s JSON-LD, or without valid JSON-LD its title, address and main text', async () => {
    const order = '{"@type":"Order","orderNumber":"ZK-1"}';
    const page = (head) => html(head, '<nav>Menu</nav><main>Thank you for your order.</main>');
    const words = (file) => `Title: A page of the conformance suite\nAddress: ${stage.site.url(`${file}?q=x`)}\n\nThank you for your order.`;
    for (const [file, head, expected] of [
      ['one.html', script(order), order],
      ['two.html', script(order) + script('\n[2]\n'), `[${order},[2]]`],
      ['broken.html', script("{'a': 1}"), words('broken.html')],
      ['none.html', '', words('none.html')],
    ]) {
      await begin(stage.site.put(file, page(head)));
      await stage.panel.ask('call look {"q":"x"}');
      assert.equal((await stage.panel.calls())[0].state, 'ok', file);
      const [said] = await told();
      assert.ok(said.includes('took the page to another address') && said.includes(framed(expected)), said);
      const result = await shown();
      assert.match(result, /took the page to localhost:\d+/);
      assert.ok(result.includes('ZK-1') === expected.includes('ZK-1'), result);
    }
  });

  test('a slow page is waited for', async () => {
    const release = stage.site.hold('/late.html');
    await begin(stage.site.put('late.html', html(script('{"late":true}'))));
    await stage.panel.say('call look {"q":"x"}');
    await stage.panel.call('look', 'running');
    setTimeout(release, 2_500);
    await stage.panel.rest();
    assert.ok((await told())[0].includes(framed('{"late":true}')));
  });

  test('the new page’s content belongs to its own origin, and asks before it is passed to another', async () => {
    const mail = stage.site.url('mail.html', stage.site.otherOrigin);
    stage.site.put('mail.html', html('', 'Your confirmation code is ZK-483920, valid today.'));
    await begin(mail, { name: 'readMail', scenario: 'forward' });
    await stage.panel.ask('read my mail');
    assert.ok((await told())[0].includes(`<page_data origin="${stage.site.otherOrigin}">`));
    const shop = await stage.tab(stage.site.url('changing.html'));
    await stage.panel.knows(1);
    await shop.evaluate(() => addTool('mark', { description: 'Changes a label.', annotations: {}, inputSchema: { type: 'object' } }));
    await stage.panel.knows(2);
    await stage.panel.say('put the code on the label');
    await stage.panel.see('approval');
    assert.deepEqual(await stage.panel.page.$$eval(testId('approval-why'), (nodes) => nodes.map((node) => node.dataset.why)), ['flow']);
    assert.ok((await stage.panel.text('approval-flow')).includes(new URL(mail).host));
    await stage.panel.decide('decline');
    await stage.panel.rest();
  });

  test('a hidden site, an insecure address or a missing page yields no content', async () => {
    const secret = 'nobody-reads-this';
    stage.site.put('secret.html', html(script(`"${secret}"`), secret));
    stage.site.put('file.bin', secret, { 'Content-Disposition': 'attachment' });
    for (const [address, more, expected] of [
      [stage.site.url('secret.html', `http://${INSECURE_HOST}:${stage.site.port}`), '', /Its address is insecure/],
      [stage.site.url('file.bin'), '', /no new page came in its place/],
      [stage.site.url('secret.html'), 'target="_blank"', /no new page came in its place/],
    ]) {
      await begin(address, { more });
      await stage.panel.ask('call look {"q":"x"}');
      const [said] = await told();
      assert.match(said, expected, address);
      assert.ok(!said.includes(secret));
    }
    const hidden = stage.site.url('secret.html', stage.site.otherOrigin);
    await stage.begin(hidden);
    await stage.panel.view('tools');
    await stage.panel.click('hide-site');
    await stage.panel.see('hide-site', ':checked');
    await begin(hidden);
    await stage.panel.ask('call look {"q":"x"}');
    const [said] = await told();
    assert.match(said, /hidden its site from you/);
    assert.ok(!said.includes(secret));
    assert.match(await shown(), /a site that you hid/);
    await stage.panel.view('settings');
    await stage.panel.click('hidden-take-back');
    await stage.panel.view('chat');
  });

  test('a form in a frame yields the frame’s new page', async () => {
    stage.site.put('answer.html', html(script('{"from":"the frame"}'), 'answer'));
    stage.site.put('inner.html', formTo(stage.site.url('answer.html')));
    await stage.begin(stage.site.put('outer.html', html(script('{"from":"the page"}'), '<iframe src="onward.html?inner.html"></iframe>')), { tools: 1 });
    await stage.panel.ask('call look {"q":"x"}');
    const [said] = await told();
    assert.ok(said.includes(framed('{"from":"the frame"}')), said);
  });

  test('a worker that dies meanwhile does not submit the form twice', async () => {
    const release = stage.site.hold('/late.html');
    stage.site.put('late.html', html(script('{"late":true}')));
    const page = await begin(stage.site.url('late.html'));
    const sent = [];
    page.on('request', (request) => request.url().includes('late.html') && sent.push(request.url()));
    await stage.panel.say('call look {"q":"x"}');
    await until(() => sent.length > 0, { what: 'the form to be sent' });
    await stage.panel.call('look', 'running');
    await stage.chromium.killWorker();
    release();
    await stage.panel.rest();
    // A worker that died late has recorded that no page came.
    assert.match((await stage.panel.calls())[0].state, /interrupted|ok/);
    assert.match((await told())[0], /an effect is unknown/);
    assert.equal(sent.length, 1);
  });
});
