/** Accessible names beside those of a library that follows the specification. The numbers are those of docs/page-actions.md. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Actions } from '../lib/actions.mjs';
import { TESTS } from '../lib/paths.mjs';

/** HTML in which `#t` is named. */
const CASES = [
  '<button id="t">Save</button>', '<button id="t" aria-label="Close window">x</button>', '<b id="l">By label</b><button id="t" aria-labelledby="l">x</button>',
  '<b id="l">One</b><i id="m">Two</i><button id="t" aria-labelledby="l m">x</button>', '<button id="t" aria-label="Delete" aria-labelledby="t f">x</button><b id="f">file.txt</b>',
  '<button id="t" title="Tip"></button>', '<button id="t"><img alt="Picture"></button>', '<button id="t"><span aria-hidden="true">x</span> Close</button>',
  '<button id="t"><svg width="9" height="9"><title>Star</title></svg></button>', '<a id="t" href="/x">Read <b>more</b></a>', '<a id="t" href="/x"><img alt="Home"> page</a>',
  '<a id="t" href="/x"><div>One</div><div>Two</div></a>', '<label>First <input id="t"></label>', '<label for="t">Second</label><input id="t">', '<label for="t">A</label><label for="t">B</label><input id="t">',
  '<input id="t" placeholder="Hint">', '<input id="t" title="Tip" placeholder="Hint">', '<input id="t" type="submit">', '<input id="t" type="submit" value="Send">', '<input id="t" type="reset">',
  '<input id="t" type="image" alt="Go">', '<input id="t" type="button" value="Press">', '<label><input id="t" type="checkbox"> Agree</label>', '<label>Flash <input id="t" type="checkbox"> <input value="5" aria-label="x"> times</label>',
  '<textarea id="t" aria-label="Notes">text</textarea>', '<label>Size <select id="t"><option>S<option>M</select></label>', '<fieldset id="t"><legend>Way</legend><input></fieldset>', '<table id="t"><caption>Orders</caption><tr><td>x</table>',
  '<figure id="t"><img><figcaption>A boat</figcaption></figure>', '<img id="t" alt="Boat">', '<img id="t" title="Only title">', '<h2 id="t">Title <small>small</small></h2>', '<div id="t" role="button">Made <i>of</i> div</div>',
  '<div id="t" role="checkbox" aria-checked="true">Box</div>', '<div role="tablist"><div id="t" role="tab">Tab one</div></div>', '<select><option id="t" label="Labelled">x</option></select>', '<nav id="t" aria-label="Main">x</nav>',
  '<section id="t" aria-labelledby="h"><h2 id="h">News</h2></section>', '<b id="l" hidden>Hidden label</b><input id="t" aria-labelledby="l">', '<div id="t" role="textbox" contenteditable="true" aria-label="Message">hi</div>',
  '<button id="t"><span style="display:none">No</span>Yes</button>', '<button id="t">Two<br>lines</button>', '<meter id="t" value="1" aria-label="Full"></meter>', '<button id="t" aria-label="   ">Blank label</button>', '<dialog id="t" open aria-label="Sale">x</dialog>',
];

/** Where we say more than the library does: a name that people see. */
const OURS = {
  '<input id="t" placeholder="Hint">': 'Hint',
  '<figure id="t"><img><figcaption>A boat</figcaption></figure>': 'A boat',
  '<select><option id="t" label="Labelled">x</option></select>': 'Labelled',
  '<button id="t">Two<br>lines</button>': 'Two lines',
};

describe('names', () => {
  /** @type {Actions} */
  let actions;
  /** @type {import('puppeteer-core').Page} */
  let page;
  before(async () => {
    actions = await Actions.start();
    const folder = path.join(TESTS, 'node_modules/dom-accessibility-api/dist');
    for (const file of (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.mjs'))) actions.site.put(`judge/${file}`, await readFile(path.join(folder, file), 'utf8'));
    page = await actions.open('<p>');
  });
  after(() => actions?.stop());

  test(`case 8: ${CASES.length} ways of naming give the names of the specification`, async () => {
    const differing = [];
    await actions.go(page, '<p>');
    await actions.attach(page);
    for (const html of CASES) {
      await page.evaluate((text) => (document.body.innerHTML = text), html);
      const theirs = await page.evaluate(async (address) => (await import(address)).computeAccessibleName(document.querySelector('#t')), actions.site.url('judge/index.mjs'));
      const { rows } = await actions.ask(page, { do: 'find', css: '#t' });
      // An option of a closed list is no row of its own: its list names it.
      const ours = rows[0]?.name ?? /\/options: (.*)/.exec((await actions.ask(page, { do: 'snapshot' })).text)?.[1];
      if (ours !== (OURS[html] ?? theirs.replace(/\s+/g, ' ').trim())) differing.push({ html, ours, theirs });
    }
    assert.deepEqual(differing, []);
  });
});
