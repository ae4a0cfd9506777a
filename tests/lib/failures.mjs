/** A reporter for Node.js's test runner: one line for each failed test and why, for the summary of `cargo xtask test`. */

import path from 'node:path';

/** Characters of a reason that are told. */
const TOLD = 300;

/** Why a test failed, in one line. */
function reason(error) {
  const told = String((error?.cause ?? error)?.message ?? '').replace(/\s+/g, ' ').trim();
  return told.length > TOLD ? `${told.slice(0, TOLD)}…` : told;
}

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* failures(events) {
  /** The names of the current test and the suites around it, by nesting level. */
  const names = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name);
    if (type !== 'test:fail' || data.todo !== undefined || data.details.error?.failureType === 'subtestsFailed') continue;
    const file = data.file === undefined ? [] : [path.basename(data.file)];
    yield `${[...file, ...names.slice(0, data.nesting), data.name].join(' › ')}: ${reason(data.details.error)}\n`;
  }
}
