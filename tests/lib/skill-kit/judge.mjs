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
export function judge({ kind, keys = [], count = 0, from, to, outcomes }, wanted, { outcome, value, worn = [] }) {
  if (outcome !== 'ok') return refusal({ outcomes }, wanted, outcome);
  if (wanted.outcome !== 'ok') return { verdict: 'wrong', why: `a value, though the page as it was had the outcome ${wanted.outcome}` };
  const meant = kind === 'language' ? replaced(wanted.value, from, to) : wanted.value;
  const found = differences(meant, kind === 'row' ? unmarked(value) : value);
  const about = found.map(({ what, key }) => `${what} ${key || 'value'}`).join(', ');
  const allowed = ALLOWED[kind] ?? [];
  if (outcomes) return { verdict: 'wrong', why: `a value, where the outcome is ${outcomes.join(' or ')}` };
  if (found.some(({ what, key }) => !allowed.includes(what) || !keys.includes(key))) return { verdict: 'wrong', why: about };
  if (kind === 'row' && keys.length > 0 && found.length !== count) return { verdict: 'wrong', why: `${count} rows were added, ${found.length} came` };
  if (kind === 'drop' && found.length > count) return { verdict: 'wrong', why: `${count} fields were dropped: ${about}` };
  if (found.length > 0 && (kind === 'rename' || kind === 'shadow')) return { verdict: 'less', why: about };
  return worn.length > 0 ? { verdict: 'worn', why: worn.join(', ') } : { verdict: 'right', why: about };
}

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
