/** What the composer suggests: commands and saved prompts behind `/`, open tabs behind `@`. And what outlives the panel. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('suggestions', () => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set();
    await stage.use('echo');
  });
  after(() => stage?.strike());

  const panel = () => stage.panel.page;
  const suggested = () => panel().$$eval(testId('suggestion'), (all) => all.map((one) => one.querySelector('.line').textContent));
  const shows = (wanted, what) => until(async () => wanted(await suggested()), { what });
  const article = (name, title, html = '<p id="part">The ferry leaves at nine.</p>') => stage.site.put(name, `<!doctype html><title>${title}</title>${html}`);
  const told = async () => (await stage.model.requests()).at(-1).body.messages.findLast(({ role }) => role === 'user').content;
  const write = async (text) => {
    await panel().focus(testId('composer-input'));
    await panel().keyboard.type(text);
  };
  const clear = () =>
    panel().$eval(testId('composer-input'), (input) => {
      input.value = '';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });

  test('a slash in an empty message offers commands, by keyboard', async () => {
    await stage.begin(article('a.html', 'An article'), { scenario: 'echo' });
    await write('/');
    await shows((all) => all.includes('Temporary chat') && all.includes('Save a prompt of your own'), 'the commands');
    assert.deepEqual(await violations(panel()), []);
    await write('sum');
    await shows((all) => all.length === 1, 'one command');
    const active = await panel().$eval(testId('composer-input'), (input) => document.getElementById(input.getAttribute('aria-activedescendant'))?.textContent);
    assert.match(active, /Summarise this page/);
    await panel().keyboard.press('Enter');
    assert.equal((await stage.panel.rest()).why, 'done');
    assert.match(await told(), /^Summarise this page\n\n[^]*The ferry leaves at nine\./);
    assert.equal(await stage.panel.typed(), '');
  });

  test('Escape closes them, and a path is no command', async () => {
    await stage.begin(article('a.html', 'An article'), { scenario: 'echo' });
    await write('/s');
    await stage.panel.see('suggestions');
    await panel().keyboard.press('Escape');
    await stage.panel.gone('suggestions');
    assert.equal(await stage.panel.typed(), '/s');
    await clear();
    await write('/usr/bin');
    assert.deepEqual(await suggested(), []);
    await clear();
  });

  test('a saved prompt is written with the title of the page, and attaches what is selected', async () => {
    const tab = await stage.begin(article('a.html', 'An article'), { scenario: 'echo' });
    await write('/prompt');
    await shows((all) => all.length === 1, 'the command');
    await panel().keyboard.press('Enter');
    await stage.panel.see('prompts');
    await until(() => panel().evaluate(() => document.activeElement.id === 'prompt-name'), { what: 'the focus in the form' });
    await stage.panel.click('prompt-save');
    await stage.panel.see('prompt-error');
    await panel().type(testId('prompt-name'), 'Explain');
    await panel().type(testId('prompt-text'), 'In “{title}”, explain {selection}.');
    await stage.panel.click('prompt-save');
    await stage.panel.see('prompt-row');
    assert.deepEqual(await violations(panel()), []);
    await stage.panel.click('prompt-delete');
    await stage.panel.click('prompt-undo');
    await stage.panel.see('prompt-row');
    await stage.panel.view('chat');
    await tab.evaluate(() => getSelection().selectAllChildren(document.querySelector('#part')));
    await write('/expl');
    await shows((all) => all[0] === 'Explain', 'the prompt');
    await panel().keyboard.press('Enter');
    await stage.panel.see('attachment');
    assert.equal(await stage.panel.typed(), 'In “An article”, explain the selected text, which is attached.');
    await panel().keyboard.press('Enter');
    await stage.panel.rest();
    assert.match(await told(), /^In “An article”, explain the selected text, which is attached\.\n\n\[The user attached what is selected on a page:\]\n<page_data [^>]*>\nThe ferry leaves at nine\.\n<\/page_data>/);
  });

  test('an at sign names an open tab, whose title and address go with the message', async () => {
    await stage.begin(article('ferries.html', 'Ferries'), { scenario: 'echo' });
    await stage.tab(article('trains.html', 'Trains'));
    await write('Compare @Ferr');
    await shows((all) => all.length === 1 && all[0] === 'Ferries', 'the tab');
    assert.deepEqual(await violations(panel()), []);
    await panel().click(testId('suggestion'));
    await until(async () => (await stage.panel.typed()) === 'Compare @Ferries ', { what: 'the name in the draft' });
    await write('with this');
    await panel().keyboard.press('Enter');
    await stage.panel.rest();
    const text = await told();
    for (const part of ['Compare @Ferries with this', 'ferries.html', 'trains.html']) assert.ok(text.includes(part), `${part} in ${text}`);
  });

  test('what was written outlives the panel, once', async () => {
    await stage.begin(article('a.html', 'An article'), { scenario: 'echo' });
    await write('A thought that is not');
    await panel().reload();
    await stage.panel.ready();
    await until(async () => (await stage.panel.typed()) === 'A thought that is not', { what: 'the draft' });
    assert.equal(await panel().evaluate(() => localStorage.getItem('unsent')), null);
    await clear();
    await panel().reload();
    await stage.panel.ready();
    assert.equal(await stage.panel.typed(), '');
  });
});
