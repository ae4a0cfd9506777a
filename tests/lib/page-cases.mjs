/**
 * The numbered cases of page actions, and their document. A test belongs to the case that its title begins with
 * (`case 29: …`).
 */

/**
 * The cases by section and number: what must hold, and, where no end-to-end test shows it, the unit test that does
 * (`crate › function`) or why there is none; and which part no test shows.
 *
 * @type {Record<string, Record<number, [text: string, more?: { unit?: string, because?: string, missing?: string }]>>}
 */
export const CASES = {
  'Snapshot': {
    1: ['a page is an outline of roles, names, states, values and references'],
    2: ['everything that a user cannot see is left out, whichever way it is hidden'],
    3: ['behind a modal dialog the page is one line; after closing it is back'],
    4: ['a control that is visible under aria-hidden stays, text under it does not'],
    5: ['open, closed and nested shadow roots and slots are read as they are rendered'],
    6: ['aria-owns moves a node once, cycles end'],
    7: ['aria-labelledby inside a shadow root'],
    8: ['forty ways to name an element'],
    9: ['an icon that can be clicked has a reference'],
    10: ['secret fields: neither value nor length'],
    11: ['a table row is one line, its controls have their own'],
    12: ['among 1,000 like items, a query finds number 777'],
    13: ['what does not fit is left out in a fixed order; dialog and focus stay'],
    14: ['frames of six kinds, in their places, with their origins'],
    15: ['a frame of a hidden site is not read'],
    16: ['a frame that still loads delays nothing'],
    17: ['an equal re-render keeps the references'],
    18: ['a reference of an earlier document is stale'],
    19: ['reference numbers grow over ten navigations'],
    20: ['changes since a snapshot: none, one, a removal, most of the page, an unknown snapshot'],
    21: ['invisible text is left out and counted'],
    22: ['text that imitates references and fences'],
    23: ['lone surrogates and bidirectional marks'],
    24: ['inputs named tagName, children, querySelector'],
    25: ['prototypes patched by the page'],
    26: ['50,000 nodes, great depth, endless change'],
    27: ['SVG, XHTML, framesets, plain text'],
    28: ['Chinese pages, and pages from right to left'],
  },
  'Before an action': {
    29: ['under a banner: no event, and the banner is named'],
    30: ['covered in part: clicked where it is free'],
    31: ['under a sticky header: scrolled into the open'],
    32: ['in a frame that its parent covers'],
    33: ['disabled, in a disabled group, inert: no handler of the page runs'],
    34: ['enabled after two seconds: waited for'],
    35: ['moving for a second: waited for; moving for ever: not clicked'],
    36: ['replaced between check and press'],
    37: ['two elements match: neither is used'],
    38: ['a link over two lines'],
    39: ['a styled checkbox over a hidden one'],
    40: ['changed after the approval: not done'],
  },
  'Clicks and keys': {
    41: ['the events are those of a hand, in order'],
    42: ['menus that open on pointerdown or mousedown only'],
    43: ['what the page prevents does not follow'],
    44: ['double click'],
    45: ['details, popover, command, label'],
    46: ['a link whose address is a script'],
    47: ['a link to a new tab'],
    48: ['a window that the browser does not open'],
    49: ['Enter submits, unless the page prevents it'],
    50: ['Tab goes through shadow roots'],
    51: ['Escape closes dialogs and popovers'],
    52: ['arrow keys; the key codes are right'],
    53: ['pages that ignore scripts, menus by CSS, canvas: blocked'],
    54: ['a slider that captures the pointer'],
    55: ['a click that removes its own target'],
  },
  'Filling in and choosing': {
    56: ['every type of input, good and bad values'],
    57: ['maximum length, pattern, masks, thousands'],
    58: ['fields controlled by React, Vue, Svelte and Lit'],
    59: ['five fields, of which the third refuses'],
    60: ['append, replace, clear'],
    61: ['secret and file fields: the user fills them, and the turn goes on'],
    62: ['six editors: the text is in the editor’s own model, once'],
    63: ['an editor that takes the text back'],
    64: ['never the field beside it'],
    65: ['a field that suggests while one types'],
    66: ['emoji, and 20,000 characters'],
    67: ['select: groups, several, disabled options, own looks'],
    68: ['lists in a portal, virtual, filtered'],
    69: ['an option that is not there'],
    70: ['a date picker, typed and by its grid'],
    71: ['colour and range'],
    72: ['a checkbox that the page turns back'],
    73: ['three states, switch, radio buttons'],
  },
  'Scrolling and dragging': {
    74: ['scrollable parts in each other, and in a frame'],
    75: ['row 7,777 of a virtual list'],
    76: ['an endless list, and its end'],
    77: ['drag and drop, also refused'],
    78: ['sorting by pointer, long press and keys'],
  },
  'After an action': {
    79: ['navigation, other origin, history, hash'],
    80: ['a form with errors'],
    81: ['nothing happened: said'],
    82: ['dialogs: answered in time, Stop, leaving'],
    83: ['beforeunload, when the agent typed and when the user did'],
    84: ['a download link'],
    85: ['the worker is killed before, during and after an action'],
    86: ['a frame is removed, a tab closed, a page crashes'],
  },
  'Hidden tabs': {
    87: ['a snapshot within 300 ms, a click within a second'],
    88: ['filling in and choosing, also in a React page'],
    89: ['what waits for animations says that it works only in front, and does there'],
    90: ['focus events come once'],
  },
  'Consent and hostile pages': {
    91: ['without consent only the request is offered, and the turn goes on after it'],
    92: ['reading is not acting; a frame of another origin asks, and is named'],
    93: ['labels that pay or delete are never missed, few harmless ones ask', {
      unit: 'agent › of_400_labels_none_with_consequences_is_missed_and_few_others_ask',
    }],
    94: ['the card has our own reading of the element'],
    95: ['consent by site, for a chat and for good'],
    96: ['pages of the browser, the store, PDF, files', { unit: 'webmcp › only_secure_addresses_can_have_tools' }],
    97: ['the user clicks meanwhile: the action stops between two steps'],
    98: ['the light removed three times: the actions end'],
    99: ['the page can neither press nor find the overlay'],
    100: ['text in the page that asks for a payment'],
    101: ['a call after the page changed is not “the same”'],
    102: ['older snapshots leave the model’s input in one step', { unit: 'agent › older_snapshots_of_a_document_go_in_one_step' }],
    103: ['consent taken back during a turn'],
  },
};

/** @typedef {{ file: string, name: string, ok: boolean }} TestResult */

/** The number of the case that a test's title begins with. */
const NUMBERED = /^cases? (\d+): /;

/** Where the results of the tests of each case are. @param {TestResult[]} results */
export function byCase(results) {
  const found = new Map();
  for (const result of results) {
    const number = Number(NUMBERED.exec(result.name)?.[1]);
    if (number) found.set(number, [...(found.get(number) ?? []), result]);
  }
  return found;
}

const all = Object.values(CASES).flatMap((cases) => Object.entries(cases));

/**
 * What is wrong with the cases: one without a test, with a test and an excuse, an unknown one, a unit test that is gone.
 *
 * @param {TestResult[]} results
 * @param {(unit: string) => boolean} isUnitTest
 * @returns {string[]}
 */
export function problems(results, isUnitTest) {
  const found = byCase(results);
  const known = new Set(all.map(([number]) => Number(number)));
  const wrong = [...found.keys()].filter((number) => !known.has(number)).map((number) => `case ${number} is not in tests/lib/page-cases.mjs`);
  for (const [number, [, { unit, because } = {}]] of all) {
    const ran = found.has(Number(number));
    if (!ran && !unit && !because) wrong.push(`case ${number} has no test`);
    if (ran && because) wrong.push(`case ${number} has a test now: take "because" out of tests/lib/page-cases.mjs`);
    if (unit && !isUnitTest(unit)) wrong.push(`case ${number}: there is no unit test ${unit}`);
  }
  return wrong;
}

const cell = (text) => text.replaceAll('|', '\\|').replace(NUMBERED, '');

/** The tests of a case as a cell: file by file, with what each saw. */
function seen(results) {
  const files = [...new Set(results.map(({ file }) => file))].sort();
  return files
    .map((file) => {
      const own = results.filter((result) => result.file === file);
      return `\`${file}\`: ${own.map(({ name, ok }) => `${ok ? '✓' : '✗'} ${cell(name)}`).join('; ')}`;
    })
    .join('<br>');
}

/** The document's counts and tables, with the results of a run. @param {TestResult[]} results */
export function tables(results) {
  const found = byCase(results);
  const tests = [...found.values()].flat();
  const units = all.filter(([number, [, { unit } = {}]]) => !found.has(Number(number)) && unit);
  const open = all.filter(([number, [, { because } = {}]]) => !found.has(Number(number)) && because);
  const parts = all.filter(([, [, { missing } = {}]]) => missing);
  const counts = `${all.length} cases: ${found.size} shown by ${tests.length} end-to-end tests, of which ${tests.filter(({ ok }) => ok).length} passed; ${units.length} by unit tests alone; ${open.length} without a test, ${parts.length} in part.`;
  const without = open.map(([number, [text, { because }]]) => `- **${number}**, ${text}: ${because}.`);
  without.push(...parts.map(([number, [text, { missing }]]) => `- of **${number}**, ${text}: ${missing}.`));
  const rows = ([number, [text, { unit, because, missing } = {}]]) => {
    const results = found.get(Number(number));
    const shown = [results && seen(results), unit && `unit test of \`${unit.split(' › ')[0]}\`: \`${unit.split(' › ')[1]}\``, missing && `not shown: ${missing}`].filter(Boolean);
    return `| ${number} | ${cell(text)} | ${shown.join('<br>') || `no test: ${because}`} |`;
  };
  const sections = Object.entries(CASES).map(
    ([title, cases]) => `## ${title}\n\n| case | what | tests, and what they saw |\n| --- | --- | --- |\n${Object.entries(cases).map(rows).join('\n')}\n`,
  );
  return [counts, ...(without.length > 0 ? [`Without a test, or a part of them:\n\n${without.join('\n')}`] : []), ...sections].join('\n\n').replaceAll('\n\n\n', '\n\n');
}
