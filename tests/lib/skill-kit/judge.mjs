/** Whether what a tool said of a mutated page is right. */

import { isDeepStrictEqual } from 'node:util';

/** What a copied row has more in its words than the row itself. */
export const MARK = ' (again)';

/**
 * @typedef {object} Difference
 * @property {'missing' | 'emptied' | 'cut' | 'repeated' | 'other'} what `missing`: a key; `emptied`, `cut`: a list lacks
 *   all rows, or the last ones; `repeated`: a row is there twice
 * @property {string} key the one that is missing, or that has the list or value
 */

/** In what a value differs from another one. @returns {Difference[]} */
export function differences(wanted, seen, key = '') {
  if (Array.isArray(wanted) && Array.isArray(seen)) return inLists(wanted, seen, key);
  if (isObject(wanted) && isObject(seen)) {
    const more = Object.keys(seen).filter((name) => !(name in wanted));
    const less = Object.entries(wanted).flatMap(([name, value]) => (name in seen ? differences(value, seen[name], name) : [{ what: 'missing', key: name }]));
    return [...less, ...more.map((name) => ({ what: 'other', key: name }))];
  }
  return isDeepStrictEqual(wanted, seen) ? [] : [{ what: 'other', key }];
}

/** Whether a key is in a value; an empty one is the value itself. */
const has = (value, key) => key === '' || (typeof value === 'object' && value !== null && (key in value || Object.values(value).some((one) => has(one, key))));

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function inLists(wanted, seen, key) {
  if (wanted.length === seen.length) return wanted.flatMap((one, at) => differences(one, seen[at], key));
  if (seen.length === 0) return [{ what: 'emptied', key }];
  if (seen.length < wanted.length) return seen.every((one, at) => isDeepStrictEqual(one, wanted[at])) ? [{ what: 'cut', key }] : [{ what: 'other', key }];
  const found = [];
  let at = 0;
  seen.forEach((one, place) => {
    if (at < wanted.length && isDeepStrictEqual(one, wanted[at])) at += 1;
    else if (place > 0 && isDeepStrictEqual(one, seen[place - 1])) found.push({ what: 'repeated', key });
    else found.push({ what: 'other', key });
  });
  return at === wanted.length ? found : [...found, { what: 'other', key }];
}

/**
 * @typedef {object} Verdict
 * @property {'right' | 'worn' | 'less' | 'refused' | 'wrong'} verdict `worn`: right, and said to be worn; `less`: right, but
 *   without what the mutation hides; `refused`: no value
 * @property {string} why
 */

/**
 * @param {import('./plan.mjs').Mutated} mutated
 * @param {{ outcome: string, value?: unknown }} wanted of the page as it was
 * @param {import('./answer.mjs').Answer} answer
 * @returns {Verdict}
 */
export function judge(mutated, wanted, { outcome, value, worn = [] }) {
  const { kind, keys = [], count = 0, touched = [], optional = [], from, to, outcomes, requests = false } = mutated;
  if (outcome !== 'ok') return refusal(mutated, wanted, outcome);
  const wrong = (why) => ({ verdict: 'wrong', why });
  if (wanted.outcome !== 'ok') return wrong(`a value, though the page as it was had the outcome ${wanted.outcome}`);

  const meant = kind === 'language' ? replaced(wanted.value, from, to) : wanted.value;
  const all = differences(meant, kind === 'row' ? unmarked(value) : value);
  const about = all.map(({ what, key }) => `${what} ${key || 'value'}`).join(', ');
  // What is requested has nothing to do with the page.
  if (outcomes) return requests && all.length === 0 ? { verdict: 'right', why: '' } : wrong(`a value, where the outcome is ${outcomes.join(' or ')}`);

  // A text around what was mutated is another one; which, nobody can say here.
  const found = all.filter(({ what, key }) => keys.includes(key) || !touched.includes(key) || !['missing', 'other'].includes(what));
  const meantSo = found.filter(({ what, key }) => keys.includes(key) && ALLOWED[kind]?.includes(what));
  // Other fields may be found by the place of the missing one: then they are not there either.
  const besides = found.filter(({ what, key }) => kind === 'drop' && what === 'missing' && optional.includes(key) && !keys.includes(key));
  if (meantSo.length + besides.length < found.length) return wrong(about);
  // A branch that the call did not take may read the list, too.
  const isThere = keys.some((key) => has(wanted.value, key));
  if (kind === 'row' && isThere && meantSo.length !== count) return wrong(`${count} rows were added, ${meantSo.length} came`);
  if (kind === 'drop' && meantSo.length > count * keys.length) return wrong(`${count} fields were dropped: ${about}`);
  if (besides.length > 0 || (found.length > 0 && HIDING.includes(kind))) return { verdict: 'less', why: about };
  return worn.length > 0 ? { verdict: 'worn', why: worn.join(', ') } : { verdict: 'right', why: about };
}

/** Mutations after which something is in the page that is not found any more. */
const HIDING = ['rename', 'shadow'];

/** The differences that a mutation brings about. */
const ALLOWED = {
  // The page then says nothing of what is not found, and a list without a link to more rows is taken as whole.
  rename: ['missing', 'emptied', 'cut'],
  shadow: ['missing', 'emptied', 'cut'],
  row: ['repeated'],
  drop: ['missing'],
  empty: ['missing', 'emptied'],
};

/** No value is no wrong one. But that there is nothing, the page has to say itself. */
function refusal({ outcomes }, wanted, outcome) {
  if (outcomes && !outcomes.includes(outcome)) return { verdict: 'wrong', why: `${outcome}, where the outcome is ${outcomes.join(' or ')}` };
  if (outcome === 'withheld' && !outcomes) return { verdict: 'wrong', why: 'the tool is not offered, so this shows nothing' };
  if (outcome === 'empty' && wanted.outcome !== 'empty' && !outcomes) return { verdict: 'wrong', why: 'empty, and the page does not say so' };
  return { verdict: 'refused', why: outcome };
}

const mapped = (value, change) => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, change)])) : value;
};

const unmarked = (value) => mapped(value, (text) => text.replaceAll(MARK, ''));
const replaced = (value, from, to) => mapped(value, (text) => (text === from ? to : text));
