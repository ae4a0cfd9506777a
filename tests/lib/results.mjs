/** A reporter for Node.js's test runner: one line of JSON for each test, for documents that a run writes. */

import path from 'node:path';

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* results(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite' || data.skip !== undefined || data.file === undefined) continue;
    const file = path.basename(data.file, '.test.mjs');
    yield `${JSON.stringify({ file, name: data.name, ok: type === 'test:pass' })}\n`;
  }
}
