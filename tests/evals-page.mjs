/**
 * A browser with a page whose tools are tried out, for `cargo xtask evals`. Reads questions from standard input and writes an
 * answer to each, one line of JSON each:
 *
 * - `{"open": true}` loads the page anew, in a new tab: `{"opened": {browser, backend, origin}}`
 * - `{"list": true}` waits until the list of tools is quiet: `{"tools": […]}`
 * - `{"call": {name, arguments}}`: `{"changed": true}` for a tool that is not as it was last listed, `{"returned": text or null}`, `{"missing": true}`, `{"failed": text}`, `{"waiting": true}` for
 *   a form that waits for the user, or `{"left": address}` when the tab went to another page
 * - `{"look": [{selector, attribute}]}`: `{"seen": [{count, text, attribute}]}`, where text and attribute are those of the first
 *   such element, or `{wrong: text}` where a selector cannot be used
 *
 * A page that cannot be used answers `{"gone": text}` to any of them.
 */

import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { launch } from './lib/browser.mjs';
import { EvalTab } from './lib/eval-tab.mjs';

const { values } = parseArgs({
  options: { url: { type: 'string' }, native: { type: 'boolean', default: false }, 'with-extension': { type: 'boolean', default: false } },
});
const chromium = await launch({ native: values.native, ...(!values['with-extension'] && { extension: null }) });
const tab = new EvalTab(chromium, values.url);
try {
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await answered(JSON.parse(line)).catch((error) => ({ gone: error.message }));
    console.log(JSON.stringify(answer));
  }
} finally {
  await chromium.close();
}

async function answered({ open, call, look }) {
  if (open) return { opened: await tab.open() };
  if (look) return { seen: await tab.look(look) };
  return call ? tab.call(call) : { tools: await tab.list() };
}
