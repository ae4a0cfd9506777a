/** What the tests ask of the empty page in which fixtures are mutated. */

import { Finder } from './find.mjs';
import { MUTATIONS } from './kinds.mjs';
import { read, write } from './tree.mjs';

/**
 * @param {{ html: string, locators: object, input: object, jobs: { kind: string }[] }} wanted
 * @returns {({ html: string, count: number } | null)[]} null where a mutation does not apply
 */
export function mutate({ html, locators, input, jobs }) {
  const usual = write(read(html), html);
  return jobs.map((job) => {
    const document = read(html);
    const count = MUTATIONS[job.kind](new Finder(document, locators, input), job);
    const mutated = write(document, html);
    return count > 0 && mutated !== usual ? { html: mutated, count } : null;
  });
}

/** Whether one of these conditions holds in a document. */
export function holdsIn({ html, locators, conditions }) {
  const finder = new Finder(read(html), locators, {});
  return conditions.some((condition) => condition.at !== undefined && finder.holds(condition));
}

/** The language that a document says it is in. */
export const languageOf = ({ html }) => read(html).documentElement.lang;
