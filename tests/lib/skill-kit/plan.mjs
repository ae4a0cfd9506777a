/** The mutations of a test of a SKILL, as pages to be served. */

import { chainOf, classesOf, locatorsOf, readingsOf } from './uses.mjs';

/** What is done to a page, by kind, in words. */
export const KINDS = {
  rename: 'the classes of a locator have other names',
  row: 'a list has one row more',
  advert: 'lists begin with an advert',
  copy: 'the main region is there twice, once hidden',
  drop: 'an optional field is missing in a row',
  language: 'the page is in a language that the SKILL does not know',
  empty: 'a list has no rows',
  signedOut: 'the page wants the user to sign in',
  challenge: 'the page wants proof of a person',
  wrap: 'something stands around parts and rows',
  shadow: 'the main region is in an open shadow root',
};

/** Languages of which no SKILL is likely to know words. */
const UNKNOWN = ['eo', 'fy', 'gd'];
const SIGNALS = { signedOut: 'signIn', challenge: 'challenge' };
/** Where no value is expected, only what could make one of the page. */
const WITHOUT_VALUE = ['copy', 'language', 'wrap', 'shadow'];

/**
 * @typedef {object} Mutated
 * @property {string} kind
 * @property {string} label
 * @property {Map<string, string>} pages HTML by address, of the pages that are mutated
 * @property {string[]} [keys] where the value may differ
 * @property {string[]} [optional] what values may be without in any case
 * @property {number} [count] how often it was made
 * @property {string[]} [touched] where a value has in it what was added, or taken out
 * @property {string[]} [outcomes] the right ones, if there is no right value
 * @property {boolean} [requests] whether answers to requests are part of the test
 * @property {string} [from] @property {string} [to] the language before and now
 */

/**
 * @param {object} skill
 * @param {object} skill.definition
 * @param {(file: string) => Promise<string>} skill.fixture the text of one
 * @param {string[]} skill.fixtures
 * @param {import('../skill-packages.mjs').SkillTest} one
 * @param {Map<string, string>} pages HTML by address, of those that the tool reads
 * @param {import('./editor.mjs').FixtureEditor} editor
 * @returns {Promise<{ mutated: Mutated[], unfit: { kind: string, label: string }[] }>}
 */
export async function plan(skill, one, pages, editor) {
  const { definition } = skill;
  const tool = definition.tools.find(({ name }) => name === one.tool);
  const hasValue = one.expect.outcome === 'ok';
  const jobs = jobsOf(definition, tool).filter(({ kind }) => hasValue || WITHOUT_VALUE.includes(kind));
  const input = one.input ?? {};
  const texts = readingsOf(tool).filter(({ kind, at }) => kind === 'value' && at !== null);
  const mutated = jobs.map((job) => ({ ...job, pages: new Map(), count: 0, touched: [] }));
  for (const [url, html] of pages) {
    const made = await editor.mutate({ html, locators: definition.locators ?? {}, input, jobs, texts });
    made.forEach((result, at) => {
      if (result === null) return;
      mutated[at].pages.set(url, result.html);
      mutated[at].count += result.count;
      mutated[at].touched.push(...result.touched);
    });
    for (const job of mutated.filter(({ kind }) => kind === 'language')) job.from = await editor.languageOf({ html });
  }
  if (hasValue) mutated.push(...(await walls(skill, pages, editor)).map((wall) => ({ ...wall, requests: (one.mocks ?? []).length > 0 })));
  return { mutated: mutated.filter((job) => job.pages.size > 0), unfit: mutated.filter((job) => job.pages.size === 0) };
}

/** What may be done to the pages of a tool, nothing twice: branches often read the same. */
function jobsOf(definition, tool) {
  const jobs = allJobsOf(definition, tool);
  return [...new Map(jobs.map((job) => [JSON.stringify(job), job])).values()];
}

function allJobsOf(definition, tool) {
  const used = locatorsOf(definition, tool);
  const readings = readingsOf(tool);
  const lists = readings.filter(({ kind }) => kind === 'list');
  const all = lists.map((one) => one.lists);
  const optional = readings.filter((one) => one.optional).flatMap(({ keys }) => keys);
  const to = UNKNOWN.find((language) => !JSON.stringify(definition).includes(`"${language}"`));
  return [
    ...renames(definition, used, readings),
    ...lists.map((one) => ({ kind: 'row', label: nameOf(one.at), lists: one.lists, keys: one.keys })),
    { kind: 'advert', label: '', all },
    { kind: 'copy', label: '', used },
    ...drops(readings).map((job) => ({ ...job, optional })),
    { kind: 'language', label: to, lang: to, to },
    ...lists.map((one) => ({ kind: 'empty', label: nameOf(one.at), lists: one.lists, keys: one.keys })),
    { kind: 'wrap', label: '', all, used },
    { kind: 'shadow', label: '', used, keys: optional },
  ];
}

const nameOf = (at) => (typeof at === 'string' ? at : JSON.stringify(at.any[0]));

/** One for each locator whose classes no other one has already. */
function renames(definition, used, readings) {
  const locators = new Map(used.flatMap((at) => chainOf(definition, at)).map((one) => [JSON.stringify(one.any), one]));
  const jobs = new Map();
  for (const locator of locators.values()) {
    const names = classesOf(locator);
    if (names.classes.length + names.parts.length === 0) continue;
    const isNamed = ({ any }) => {
      const own = classesOf({ any });
      return own.classes.some((name) => names.classes.includes(name)) || own.parts.some((part) => names.parts.includes(part));
    };
    const isHit = (at) => at !== null && chainOf(definition, at).some(isNamed);
    const keys = readings.filter((one) => one.optional && [one.at, ...one.lists].some(isHit)).flatMap((one) => one.keys);
    const id = JSON.stringify(names);
    const label = [jobs.get(id)?.label, locator.name].filter(Boolean).join(', ');
    jobs.set(id, { kind: 'rename', label, ...names, keys });
  }
  return [...jobs.values()];
}

function drops(readings) {
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const fields = readings.filter(({ kind, optional }) => kind === 'value' && optional);
  return fields.flatMap(({ keys, lists, at, attr, first }) => {
    const beside = readings.filter((one) => isSame(one.lists, lists));
    const same = beside.filter((one) => isSame(one.at, at) && (at !== null || one.attr === attr));
    if (same.some((one) => !one.optional) || (at === null && attr === undefined)) return [];
    const kept = beside.filter((one) => !one.optional && one.at !== null && one.kind !== 'list').map((one) => one.at);
    return [{ kind: 'drop', label: keys.join(', '), lists, at, attr, first, kept, keys: same.flatMap((one) => one.keys) }];
  });
}

/** Pages that want something of the user in place of those that were read: the package brings them as fixtures. */
async function walls({ definition, fixture, fixtures }, pages, editor) {
  const found = [];
  for (const [signal, outcome] of Object.entries(SIGNALS)) {
    const conditions = definition.signals?.[signal] ?? [];
    if (conditions.length === 0) continue;
    let wall;
    for (const file of fixtures) {
      const html = await fixture(file);
      if (wall === undefined && (await editor.holdsIn({ html, locators: definition.locators ?? {}, conditions }))) wall = { file, html };
    }
    const mutated = wall ? new Map([...pages.keys()].map((url) => [url, wall.html])) : new Map();
    found.push({ kind: signal, label: wall?.file ?? '', pages: mutated, count: mutated.size, outcomes: [outcome, 'withheld'] });
  }
  return found;
}
