/** What the user sees in the page while the agent uses it, and that the page can do nothing with it. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { Actions } from '../lib/actions.mjs';
import { until } from '../lib/wait.mjs';

const WORD = { label: 'Sidecar uses this page', stop: 'Stop' };

/** Keeps every element that is added to the document. */
const WATCHING = `<script>
  var added = [];
  new MutationObserver((records) => records.forEach(({ addedNodes }) => added.push(...addedNodes))).observe(document, { childList: true, subtree: true });
</script>
<button id="pay" style="margin: 40px">Pay</button><p style="height: 2000px">Text</p><iframe id="low" srcdoc="Low"></iframe>`;

describe('the light in the page', () => {
  /** @type {Actions} */
  let actions;
  /** @type {import('puppeteer-core').Page} */
  let page;
  /** @type {import('puppeteer-core').CDPSession} */
  let tools;
  let seen = 0;

  before(async () => {
    actions = await Actions.start();
    page = await actions.open(WATCHING);
    tools = await page.createCDPSession();
    await tools.send('DOM.enable');
    await tools.send('CSS.enable');
  });
  after(() => actions?.stop());
  beforeEach(async () => {
    await page.bringToFront();
    await actions.go(page, WATCHING);
    await actions.attach(page);
    seen = (await actions.events(page)).length;
  });

  const on = (more) => actions.ask(page, { do: 'light', on: true, word: WORD, ...more });
  /** The events since the test began. */
  const events = async () => (await actions.events(page)).slice(seen).map(({ event }) => event);
  const heard = (event) => until(async () => (await events()).includes(event), { what: `the event ${event}` });
  /** Our host and what is in its closed root, as only the browser's tools see it: by class or tag name. */
  const overlay = async () => {
    const { nodes } = await tools.send('DOM.getFlattenedDocument', { depth: -1, pierce: true });
    const host = nodes.find((node) => node.shadowRoots?.[0]?.shadowRootType === 'closed');
    if (host === undefined) return undefined;
    const inner = (parent) => nodes.filter((node) => node.parentId === parent).flatMap((node) => [node, ...inner(node.nodeId)]);
    const parts = inner(host.shadowRoots[0].nodeId);
    const attributes = ({ attributes: list = [] }) => Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])));
    const part = (name) => parts.find((node) => node.localName === name || (attributes(node).class ?? '').split(' ').includes(name));
    const computed = async (name, property) => {
      const { computedStyle } = await tools.send('CSS.getComputedStyleForNode', { nodeId: part(name).nodeId });
      return computedStyle.find((one) => one.name === property).value;
    };
    const middle = async (name) => {
      const { model } = await tools.send('DOM.getBoxModel', { nodeId: part(name).nodeId });
      const [left, top, right, , , bottom] = model.border;
      return { x: (left + right) / 2, y: (top + bottom) / 2, left, top, right, bottom };
    };
    return { host, part, computed, middle, text: parts.filter((node) => node.nodeType === 3).map((node) => node.nodeValue).join('|') };
  };

  test('case 99: a page can neither press nor read the overlay', async () => {
    await on();
    const found = await page.evaluate(async () => {
      const [host] = added.filter((node) => node.popover === 'manual');
      const name = host.localName;
      const pressed = [];
      host.addEventListener('click', () => pressed.push('click'));
      host.click();
      for (const type of ['pointerdown', 'click', 'keydown']) host.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, clientX: innerWidth / 2, clientY: innerHeight - 30 }));
      host.focus();
      host.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true }));
      // A page that sees the name can define it; the root stays closed to it.
      let internals = 'refused';
      customElements.define(name, class extends HTMLElement {
        constructor() {
          super();
          try {
            internals = this.attachInternals().shadowRoot;
          } catch {
            internals = 'refused';
          }
        }
      });
      return {
        root: host.shadowRoot,
        internals,
        children: host.childNodes.length,
        text: host.textContent + host.innerText + document.documentElement.innerText + host.outerHTML,
        active: document.activeElement === host,
        atFrame: document.elementFromPoint(1, innerHeight / 2) === host,
      };
    });
    assert.deepEqual({ ...found, text: '' }, { root: null, internals: null, children: 0, text: '', active: false, atFrame: false });
    assert.ok(!/Sidecar|Stop/.test(found.text), found.text);
    assert.deepEqual(await events(), []);
  });

  test('case 99: the overlay is in no snapshot and covers nothing', async () => {
    const before = await actions.outline(page);
    await on();
    assert.equal(await actions.outline(page), before);
    await page.mouse.click(1, 300);
    assert.ok(!(await events()).includes('stop'));
  });

  test('Stop heeds a hand, also while a modal dialog keeps the rest of the page back', async () => {
    await on();
    const shown = await overlay();
    assert.equal(shown.text, 'Sidecar uses this page|Stop');
    const { x, y } = await shown.middle('button');
    assert.ok(y > (await page.evaluate(() => innerHeight)) - 60, 'at the lower edge');
    await page.mouse.click(x, y);
    await heard('stop');
    assert.deepEqual(await events(), ['stop'], 'a press on Stop is not input of the user to the page');
    seen += 1;
    await page.evaluate(() => document.body.appendChild(document.createElement('dialog')).showModal());
    await page.mouse.click(x, y);
    await heard('stop');
  });

  test('case 98: an overlay that the page removes is put back twice, then the light ends', async () => {
    await on();
    const isThere = () => page.evaluate(() => document.querySelectorAll('[popover]').length);
    for (const way of ['remove', 'hide']) {
      const count = await page.evaluate((how) => {
        const host = document.querySelector('[popover]');
        if (how === 'remove') host.remove();
        else host.hidePopover();
        return added.length;
      }, way);
      await until(() => page.evaluate(() => document.querySelectorAll(':popover-open').length === 1), { what: `the overlay after ${way}` });
      assert.ok(count > 0);
    }
    assert.deepEqual(await events(), []);
    await page.evaluate(() => document.querySelector('[popover]').remove());
    await heard('light-removed');
    assert.equal(await isThere(), 0);
    assert.deepEqual(await events(), ['light-removed']);
  });

  test('styles of the page do not hide the overlay', async () => {
    await on();
    await page.evaluate(() => {
      const host = document.querySelector('[popover]');
      host.style.cssText = 'display: none !important; opacity: 0 !important; pointer-events: auto !important; transform: scale(0) !important';
      document.head.append(Object.assign(document.createElement('style'), { textContent: '* { visibility: hidden !important; clip-path: inset(50%) !important }' }));
    });
    const { x, y } = await (await overlay()).middle('button');
    await page.mouse.click(x, y);
    await heard('stop');
  });

  test('the light is gone at once when the worker is', async () => {
    await on();
    assert.ok(await overlay());
    const tabId = await actions.tabOf(page);
    await actions.chromium.inWorker((id) => pageActions.detach(id), tabId);
    await until(async () => (await overlay()) === undefined, { what: 'the overlay to go' });
  });

  test('the light goes when it is switched off, and nothing of it stays', async () => {
    await on();
    await actions.ask(page, { do: 'light', on: false });
    assert.equal(await overlay(), undefined);
  });

  test("the user's own input is reported, with and without the light, the page's is not", async () => {
    await on();
    await page.evaluate(() => {
      for (const event of [new PointerEvent('pointerdown', { bubbles: true }), new KeyboardEvent('keydown', { bubbles: true, key: 'a' }), new WheelEvent('wheel', { bubbles: true })]) document.body.dispatchEvent(event);
    });
    assert.deepEqual(await events(), []);
    await page.mouse.click(300, 300);
    await heard('user');
    assert.deepEqual(await events(), ['user']);
    await actions.ask(page, { do: 'light', on: false });
    // What comes right after another input is not told again.
    const key = async () => {
      await page.keyboard.press('a');
      return (await events()).length > 1;
    };
    await until(key, { what: 'a key to be reported', every: 100 });
    assert.deepEqual([...new Set(await events())], ['user']);
  });

  test('an element is lit where it is, after it was brought into view', async () => {
    await on();
    const { frames } = await actions.ask(page, { do: 'pair' });
    const [{ ref }] = frames;
    await on({ element: ref });
    const shown = await overlay();
    const ring = await shown.middle('ring');
    const box = await page.$eval('#low', (node) => node.getBoundingClientRect().toJSON());
    assert.ok(Math.abs(ring.x - (box.x + box.width / 2)) < 2 && Math.abs(ring.y - (box.y + box.height / 2)) < 2, `${JSON.stringify(ring)} is not around ${JSON.stringify(box)}`);
    assert.ok(shown.part('lit') !== undefined);
    await until(async () => (await overlay()).part('lit') === undefined, { what: 'the ring to fade' });
  });

  test('a field that the user is to fill stays lit, wherever the page is scrolled to, until it is no longer theirs', async () => {
    await on();
    await actions.ask(page, { do: 'point', element: '#low' });
    const isAround = async () => {
      const ring = await (await overlay()).middle('ring');
      const box = await page.$eval('#low', (node) => node.getBoundingClientRect().toJSON());
      return Math.abs(ring.x - (box.x + box.width / 2)) < 2 && Math.abs(ring.y - (box.y + box.height / 2)) < 2;
    };
    assert.ok(await isAround());
    await page.evaluate(() => scrollBy(0, -120));
    await until(isAround, { what: 'the ring to follow' });
    // Another element is lit in between.
    await on({ element: (await actions.ask(page, { do: 'pair' })).frames[0].ref });
    await new Promise((resolve) => setTimeout(resolve, 700));
    assert.ok((await overlay()).part('lit') !== undefined && (await isAround()));
    await actions.ask(page, { do: 'point' });
    assert.equal((await overlay()).part('lit'), undefined);
    await actions.ask(page, { do: 'point', element: '#low' });
    await page.evaluate(() => document.querySelector('#low').remove());
    await until(async () => (await overlay()).part('lit') === undefined, { what: 'the ring to go with its field' });
  });

  test('the overlay follows colour scheme, forced colours and reduced motion', async () => {
    await on();
    const shown = await overlay();
    const look = async () => [await shown.computed('panel', 'background-color'), await shown.computed('ring', 'transition-duration'), await shown.computed('frame', 'border-top-color')];
    const media = (features) => page.emulateMediaFeatures(Object.entries(features).map(([name, value]) => ({ name, value })));
    await media({ 'prefers-color-scheme': 'light', 'prefers-reduced-motion': 'no-preference' });
    const light = await look();
    await media({ 'prefers-color-scheme': 'dark', 'prefers-reduced-motion': 'reduce' });
    const dark = await look();
    await tools.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
    const forced = await look();
    await tools.send('Emulation.setEmulatedMedia', { features: [] });
    assert.deepEqual([light[1], dark[1]], ['0.12s', '0s']);
    assert.equal(new Set([light[0], dark[0]]).size, 2);
    assert.equal(new Set([light[2], dark[2], forced[2]]).size, 3);
  });
});
