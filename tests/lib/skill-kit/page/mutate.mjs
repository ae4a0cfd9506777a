/** What the tests ask of the empty page in which fixtures are mutated. */

import { Finder } from './find.mjs';
import { MUTATIONS } from './kinds.mjs';
import { read, write } from './tree.mjs';

/**
 * @param {{ html: string, locators: object, input: object, jobs: { kind: string }[], texts: import('../uses.mjs').Reading[] }} wanted
 *   `texts`: what the tool reads that may have parts which it reads as well
 * @returns {({ html: string, count: number, touched: string[] } | null)[]} null where a mutation does not apply; `touched`:
 *   under which keys stands what has the mutated elements in it, or is in them
 */
export function mutate({ html, locators, input, jobs, texts }) {
  const usual = write(read(html), html);
  return jobs.map((job) => {
    const document = read(html);
    const finder = new Finder(document, locators, input);
    const known = texts.flatMap(({ keys, lists, at }) => finder.all(lists, at).map((element) => ({ keys, element })));
    const touched = new Set();
    const touch = (mutated) => {
      for (const { keys, element } of known) if (element.contains(mutated) || mutated.contains(element)) keys.forEach((key) => touched.add(key));
    };
    const count = MUTATIONS[job.kind](finder, job, touch);
    const mutated = write(document, html);
    return count > 0 && mutated !== usual ? { html: mutated, count, touched: [...touched] } : null;
  });
}

/** Whether one of these conditions holds in a document. */
export function holdsIn({ html, locators, conditions }) {
  const finder = new Finder(read(html), locators, {});
  return conditions.some((condition) => condition.at !== undefined && finder.holds(condition));
}

/** The language that a document says it is in. */
export const languageOf = ({ html }) => read(html).documentElement.lang;
