/** Page actions: native and custom lists, date pickers, boxes, switches and radio buttons. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { acting } from '../lib/acting.mjs';

const codes = ({ outcome, why }) => [outcome, why?.code];

/** A list as component kits make it: opens on `type`, its options come at the end of the body, later. */
const PORTAL = (type) => `<div id=box role=combobox tabindex=0 aria-expanded=false aria-controls=lb aria-label=City>Choose</div><script>
  box.addEventListener('${type}', () => setTimeout(() => {
    if (document.getElementById('lb')) return;
    const list = document.createElement('div');
    list.innerHTML = '<div id=lb role=listbox style="position:absolute;top:200px">' + ['Lyon', 'Paris', 'Nîmes'].map((name) => '<div role=option>' + name + '</div>').join('') + '</div>';
    document.body.append(list);
    box.ariaExpanded = 'true';
    for (const one of list.querySelectorAll('[role=option]')) one.onclick = () => { box.textContent = one.textContent; box.ariaExpanded = 'false'; list.remove(); };
    addEventListener('keydown', (event) => { if (event.key === 'Escape') { box.ariaExpanded = 'false'; list.remove(); } }, { once: true });
  }, 80));</script>`;

describe('page actions: choosing', () => {
  const own = acting();
  const { on, act, see } = own;
  const choose = (target, ...values) => act('choose', target, { values });

  test('case 67: a native list by words or value, in groups, several, a disabled option', async () => {
    await on(`<label>One <select id=s><option value=a>Alpha<optgroup label=G><option value=b>Beta</optgroup><option disabled>Gamma<optgroup label=H disabled><option>Delta</optgroup></select></label>
      <select id=m multiple><option>One<option>Two<option>Three</select><script>var seen = []; for (const type of ['input', 'change']) s.addEventListener(type, () => seen.push(type));</script>`);
    const result = await choose('#s', 'beta');
    assert.deepEqual([result.outcome, result.value, await see(() => s.value)], ['ok', 'Beta', 'b']);
    assert.deepEqual(await see(() => seen), ['input', 'change']);
    assert.equal((await choose('#s', 'a')).value, 'Alpha');
    for (const name of ['Gamma', 'Delta']) assert.deepEqual(codes(await choose('#s', name)), ['disabled', 'optionDisabled']);
    const missing = await choose('#s', 'Omega');
    assert.deepEqual([...codes(missing), missing.why.options], ['notFound', 'optionMissing', ['Alpha', 'Beta', 'Gamma', 'Delta']]);
    assert.equal((await choose('#m', 'One', 'Three')).outcome, 'ok');
    assert.deepEqual(await see(() => [...m.selectedOptions].map(({ text }) => text)), ['One', 'Three']);
    assert.deepEqual(codes(await choose('#s', 'Alpha', 'Beta')), ['badInput', 'malformed']);
  });

  test('case 67: a list with its own looks is chosen from without being opened', async () => {
    await on('<style>select, ::picker(select) { appearance: base-select }</style><select id=s><button><selectedcontent></selectedcontent></button><option>One<option>Two</select>');
    assert.equal((await choose('#s', 'Two')).outcome, 'ok');
    assert.equal(await see(() => s.value), 'Two');
  });

  for (const type of ['pointerdown', 'mousedown', 'click']) {
    test(`case 68: a list that opens on ${type}, its options at the end of the body`, async () => {
      await on(PORTAL(type));
      const result = await choose('#box', 'nimes');
      assert.deepEqual([result.outcome, result.why, await see(() => box.textContent)], ['ok', undefined, 'Nîmes']);
    });
  }

  test('case 68: an option far down in a virtual list', async () => {
    await on(`<button id=b aria-haspopup=listbox aria-expanded=false>Pick</button><div id=l role=listbox hidden style="height:200px;overflow:auto;position:relative"><div id=in></div></div><script>
      in_ = document.getElementById('in'); in_.style.height = 200 * 20 + 'px';
      const draw = () => { const first = Math.floor(l.scrollTop / 20); in_.innerHTML = Array.from({ length: 12 }, (_, n) => first + n).filter((n) => n < 200).map((n) => '<div role=option style="position:absolute;top:' + n * 20 + 'px;height:20px">Item ' + n + '</div>').join(''); };
      l.onscroll = draw; b.onclick = () => { l.hidden = !l.hidden; b.ariaExpanded = String(!l.hidden); draw(); };
      l.onclick = (e) => { b.textContent = e.target.textContent; l.hidden = true; b.ariaExpanded = 'false'; };</script>`);
    const result = await choose('#b', 'Item 120');
    assert.deepEqual([result.outcome, result.why, await see(() => b.textContent)], ['ok', undefined, 'Item 120']);
  });

  test('case 68: a field that filters its list', async () => {
    await on(`<input id=i role=combobox aria-expanded=false aria-controls=l><ul id=l role=listbox hidden></ul><script>
      const all = Array.from({ length: 300 }, (_, n) => 'Town ' + n);
      const show = () => { l.hidden = false; i.ariaExpanded = 'true'; l.innerHTML = all.filter((one) => one.startsWith(i.value)).slice(0, 5).map((one) => '<li role=option>' + one).join(''); };
      i.onclick = i.oninput = show; l.onclick = (e) => { i.value = e.target.textContent; l.hidden = true; i.ariaExpanded = 'false'; };</script>`);
    const result = await choose('#i', 'Town 217');
    assert.deepEqual([result.outcome, result.why, await see(() => i.value)], ['ok', undefined, 'Town 217']);
  });

  test('case 69: an option that is not there: what is there, and the list is closed', async () => {
    await on(PORTAL('click'));
    const result = await choose('#box', 'Rome');
    assert.deepEqual([...codes(result), result.why.options], ['notFound', 'optionMissing', ['Lyon', 'Paris', 'Nîmes']]);
    assert.equal(await see(() => box.ariaExpanded), 'false');
  });

  test('case 40: a list that is called otherwise than on the card is left as it is', async () => {
    await on(`<label id=l>Size <select id=s><option>S<option>L</select></label>`);
    const { approved } = await own.actions.ask(own.page, { do: 'describe', target: '#s', act: 'choose' });
    assert.equal(approved.role, 'combobox');
    assert.equal((await act('choose', '#s', { values: ['L'], approved })).outcome, 'ok');
    await see(() => (l.firstChild.data = 'Amount to pay '));
    assert.deepEqual(codes(await act('choose', '#s', { values: ['S'], approved })), ['changed', 'notApproved']);
    assert.equal(await see(() => s.value), 'L');
  });

  /** A date picker as component kits make it: what is typed counts when the field is left, its days are cells named by their whole date. */
  const PICKER = (isTyped) => `<label for=d>Day</label><input id=d ${isTyped ? '' : 'readonly'} role=combobox aria-haspopup=dialog aria-expanded=false value="11/05/2026"><p id=out></p><script>
    const LONG = { month: 'long', day: 'numeric', year: 'numeric' };
    var model = new Date(2026, 10, 5), shown, popup, drawn = 0;
    const take = (date) => { model = date; d.value = date.toLocaleDateString('en-US', { month: '2-digit', day: '2-digit', year: 'numeric' }); out.textContent = 'Arrival ' + date.toLocaleDateString('en-US', LONG); close_(); };
    const close_ = () => { popup?.remove(); popup = undefined; d.ariaExpanded = 'false'; };
    const draw = () => {
      drawn += 1;
      const [first, last] = [shown.getDay(), new Date(shown.getFullYear(), shown.getMonth() + 1, 0).getDate()];
      const cells = Array.from({ length: 42 }, (_, at) => new Date(shown.getFullYear(), shown.getMonth(), at - first + 1)).map((day) =>
        '<td role=gridcell style="width:30px;cursor:pointer" aria-label="' + day.toLocaleDateString('en-US', LONG) + '"' + (day.getMonth() === shown.getMonth() ? ' tabindex=-1' : ' aria-disabled=true') + ' aria-selected=' + (day.getTime() === model.getTime()) + '>' + day.getDate() + '</td>');
      popup.innerHTML = '<button class=by data-by=-1 aria-label="Previous month">‹</button><b aria-live=polite>' + shown.toLocaleDateString('en-US', { month: 'long', year: 'numeric' }) + '</b><button class=by data-by=1 aria-label="Next month">›</button><table role=grid>' + [0, 1, 2, 3, 4, 5].map((row) => '<tr role=row>' + cells.slice(row * 7, row * 7 + 7).join('') + '</tr>').join('') + '</table>';
    };
    const open_ = () => { if (popup) return; popup = document.createElement('div'); popup.role = 'dialog'; popup.ariaLabel = 'Choose a day'; popup.style = 'position:absolute;top:150px;background:#fff'; shown = new Date(model.getFullYear(), model.getMonth(), 1); document.body.append(popup); d.ariaExpanded = 'true'; draw(); };
    d.addEventListener('mousedown', open_);
    d.addEventListener('blur', () => { if (d.readOnly) return; const typed = new Date(d.value); if (isNaN(typed)) d.value = model.toLocaleDateString('en-US'); else take(typed); });
    document.addEventListener('click', (event) => {
      const by = event.target.closest?.('.by'), cell = event.target.closest?.('[role=gridcell]');
      if (by) { shown = new Date(shown.getFullYear(), shown.getMonth() + Number(by.dataset.by), 1); draw(); }
      else if (cell && !cell.ariaDisabled) take(new Date(cell.ariaLabel));
    });</script>`;
  const picked = () => see(() => [d.value, model.toLocaleDateString('en-CA'), popup === undefined]);

  test('case 70: a date is typed into a picker, which takes it; what is no date it takes back', async () => {
    await on(PICKER(true));
    const result = await act('fill', '#d', { text: '12/24/2026' });
    assert.deepEqual([result.outcome, result.value], ['ok', '12/24/2026']);
    assert.deepEqual(await picked(), ['12/24/2026', '2026-12-24', true]);
    assert.deepEqual(codes(await act('fill', '#d', { text: 'some day' })), ['blocked', 'reverted']);
    assert.deepEqual((await picked())[1], '2026-12-24');
  });

  test('case 70: in a picker that takes no typing the day is found in its grid by its whole date, also two years on', async () => {
    await on(PICKER(false));
    assert.deepEqual(codes(await act('fill', '#d', { text: '12/24/2026', timeout: 200 })), ['disabled', 'readOnly']);
    for (const [date, pages, iso] of [['December 2, 2026', 1, '2026-12-02'], ['December 24, 2028', 24, '2028-12-24']]) {
      const opened = await act('click', '#d');
      assert.ok(opened.became.some(({ kind, text }) => kind === 'dialog' && text === 'Choose a day'), JSON.stringify(opened.became));
      const before = await see(() => drawn);
      // As the agent does: by the words of the page, and by a new ref each time, because each month is drawn anew.
      for (let page = 0; page < pages; page += 1) {
        const turned = await act('click', await own.actions.ref(own.page, 'button "Next month"', { query: 'next month' }));
        assert.equal(turned.outcome, 'ok');
      }
      assert.equal(await see(() => drawn), before + pages);
      const cell = await own.actions.ref(own.page, `gridcell "${date}"`, { query: date });
      const result = await act('click', cell);
      assert.deepEqual([result.outcome, (await picked())[1]], ['ok', iso]);
      assert.equal(await see(() => out.textContent), `Arrival ${date}`);
    }
    // A day of the next month is there, and cannot be chosen.
    await act('click', '#d');
    const beside = await own.actions.ref(own.page, 'gridcell "January 1, 2029"', { query: 'January 1, 2029' });
    assert.equal((await act('click', beside, { timeout: 200 })).outcome, 'disabled');
    assert.equal((await picked())[1], '2028-12-24');
  });

  test('case 72: a box that the page turns back is blocked', async () => {
    await on('<input type=checkbox id=b><input type=checkbox id=p><script>b.onchange = () => setTimeout(() => (b.checked = false), 20); p.onclick = (e) => e.preventDefault();</script>');
    assert.deepEqual(codes(await act('check', '#b', { on: true })), ['blocked', 'reverted']);
    assert.deepEqual(codes(await act('check', '#p', { on: true })), ['blocked', 'reverted']);
  });

  test('case 73: three states, a switch, radio buttons', async () => {
    await on(`<input type=checkbox id=t><div role=switch id=s tabindex=0 aria-checked=false onclick="this.ariaChecked = this.ariaChecked === 'false'">Wifi</div>
      <div role=radiogroup id=g aria-label=Size><label><input type=radio name=r value=1 checked>Small</label><label><input type=radio name=r id=r2>Large</label></div>
      <button id=c role=checkbox aria-checked=mixed onclick="this.ariaChecked = { mixed: 'false', false: 'true', true: 'false' }[this.ariaChecked]">All</button><script>t.indeterminate = true</script>`);
    assert.equal((await act('check', '#t', { on: true })).outcome, 'ok');
    assert.deepEqual(await see(() => [t.checked, t.indeterminate]), [true, false]);
    assert.equal((await act('check', '#s', { on: true })).outcome, 'ok');
    const again = await act('check', '#s', { on: true });
    assert.deepEqual([again.outcome, await see(() => s.ariaChecked)], ['ok', 'true']);
    assert.equal((await act('check', '#c', { on: true })).outcome, 'ok');
    assert.equal(await see(() => c.ariaChecked), 'true');
    assert.equal((await choose('#g', 'Large')).outcome, 'ok');
    assert.equal(await see(() => r2.checked), true);
    assert.equal((await act('check', '#r2', { on: false })).outcome, 'badInput');
  });
});
