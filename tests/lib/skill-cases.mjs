/**
 * The numbered cases of SKILLs. An end-to-end test belongs to those that its title begins with (`SKILL case 24: …`), a unit
 * test to that of its name (`case_24_…`).
 */

/** @type {import('./cases.mjs').CaseSuite} */
export const SKILLS = {
  file: 'docs/skills-conformance.md',
  command: 'cargo xtask test skills',
  data: 'tests/lib/skill-cases.mjs',
  title: /^SKILL cases? ([\d, ]+): /,
  unitName: /^case_(\d+)_/,
  cases: {
    'Format': {
      1: ['SKILL.md alone is a SKILL of instructions: no tools, and its text stays out of the prompt until it is activated'],
      2: ['a whole package: its tools are offered in tabs that match, and nowhere else'],
      3: ['each of the six fields is taken at its limit, and not one beyond'],
      4: ['a Chinese name is fine; CamelCase, or a name unlike the folder’s, warns'],
      5: ['byte order mark, Windows line ends, folded texts and bare colons read as in the clean file, and each repair is told'],
      6: ['alias bombs, tags and front matter of a megabyte are refused within 50 ms'],
      7: ['an unknown key of skill.json is refused with its path; `x-` keys survive export'],
      8: ['a package of a later format is kept, offers nothing and says so'],
    },
    'Import': {
      9: ['paths that lead elsewhere, links, backslashes and names that differ only by case are refused, and nothing is stored'],
      10: ['bombs and false sizes stop at the limit'],
      11: ['of three SKILLs in an archive the user chooses, and only that one is stored'],
      12: ['scripts of others are listed and exported byte by byte, and never run'],
      13: ['what is exported, imported and exported again has the same digest'],
      14: ['an address: nothing is requested before the click, nothing but it after it, and a redirect is shown as one (not where it leads, which the browser tells no extension) and never followed'],
      15: ['a recording becomes an inactive draft with parameters, and its steps of code are named'],
      16: ['scripts with a header are refused, and what they ask for is named'],
      17: ['packages of HTTP requests are refused by name'],
    },
    'Match': {
      18: ['forty addresses against patterns: apex, port, query, case, exclusions'],
      19: ['pushState, replaceState, hash and the back-forward cache: tools come and go within a second, none twice'],
      20: ['two SKILLs with a tool of one name: one is offered, in a fixed order, the other is shown as shadowed'],
      21: ['the site registers the name later: its tool is used, and ours comes back when it goes'],
      22: ['where no SKILL matches nothing is requested, and no file for SKILLs put in'],
    },
    'Health': {
      23: ['on a page that has changed tools are withheld, and the probe is named'],
      24: ['walls for signing in and for proving to be a person are told as such'],
      25: ['an empty list is empty only if the page says so; a list that is not there is a change'],
      26: ['found by a second alternative: worn, with the right value'],
      27: ['alternatives that find different elements: changed'],
      28: ['all mutations of all fixtures that ship: never a wrong value as a success'],
    },
    'Steps': {
      29: ['two elements where one is to be used: no click'],
      30: ['covered, disabled or hidden: no click'],
      31: ['fill reads back in a controlled input and in a rich editor; a page that takes only real events is blocked'],
      32: ['a click that leads on: the steps go on in the new document; another origin ends them as left'],
      33: ['the worker dies before or after an acting step: begun anew, or interrupted; never twice'],
      34: ['pages stops at each of its limits, and says that there is more'],
      35: ['Stop ends every kind of step within 300 ms'],
      36: ['whatever the input, a template stays in its segment, adds no key and breaks no selector'],
      37: ['password, file and payment fields are left alone'],
      38: ['fetch: redirects, HTML for JSON, 401, 429 and 5 MiB have the right outcomes; cookies go to the own origin only'],
      39: ['typed fields: 1.2万, 3,456, 刚刚, and nothing at all'],
    },
    'Rights': {
      40: ['a click in a tool that says it reads is refused'],
      41: ['an acting tool of an imported SKILL is off; switched on, its card names SKILL, level and site; a changed definition ends its grant'],
      42: ['an update with a new site, acting tool or key stops at the install screen, one of texts shows what changed, and there is a way back', {
        missing: 'keys, which come with signatures',
      }],
      43: ['a revoked SKILL is off at once and says why; a list with a bad signature is ignored and reported', { missing: 'signatures of lists' }],
      44: ['hidden instructions in a description are framed and flagged, and grant nothing'],
      45: ['a script of the page that calls an acting tool of ours gets a card; code and other origins are refused'],
      46: ['acting on all sites is refused'],
    },
    'Code': {
      47: ['without user scripts a sentence says so and the rest works; switched on, code runs without a restart'],
      48: ['two SKILLs share no globals, reach no network and no extension API'],
      49: ['after an update of the extension all works'],
      50: ['a throw, a rejection and an endless wait fail, or time out, with the line'],
    },
    'Making': {
      51: ['invalid JSON keeps the draft and marks its line; a reload loses nothing', { because: 'there is no editor' }],
      52: ['the locator tester finds what the engine finds', { because: 'there is no editor' }],
      53: ['a dry run never acts', { because: 'there is no editor' }],
      54: ['a page that is saved as a fixture holds no token, typed value or script', { because: 'there is no editor' }],
      55: ['what the model drafts is stored after a click of the user only', { because: 'there is no editor' }],
      56: ['all of it by keyboard, in both languages', { because: 'there is no editor' }],
    },
    'Agent': {
      57: ['a task on a site is done with the tools of its SKILL; only acting asks, and the trace names SKILL and version'],
      58: ['a SKILL that is switched off during a turn: the open call ends, and no more come'],
      59: ['five hundred SKILLs are compared with an address in 5 ms, and listed in 100 ms'],
    },
  },
};
