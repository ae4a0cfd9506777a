/**
 * Makes calls of tools in a page with native WebMCP, for `cargo xtask evals --mode smoke`. Reads requests from standard input
 * and writes an answer to each, one line of JSON each: `{"open": true}` loads the page anew, `{"call": {name, arguments}}`
 * calls a tool. The answers are `{"opened": true}`, `{"answered": value}`, `{"missing": true}` and `{"failed": text}`.
 */

import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { launch } from './lib/browser.mjs';

/** How long a tool may take to be registered, in milliseconds. */
const REGISTERED = 5_000;
/** How long a call may take, in milliseconds. */
const CALLED = 30_000;

const { values } = parseArgs({ options: { url: { type: 'string' } } });
const chromium = await launch({ native: true, extension: null });
try {
  const page = await chromium.open('about:blank');
  // A dialog would hold the page for ever.
  page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}));
  for await (const line of createInterface({ input: process.stdin })) {
    const { open, call } = JSON.parse(line);
    const answer = open ? await load(page) : await make(page, call);
    console.log(JSON.stringify(answer));
  }
} finally {
  await chromium.close();
}

async function load(page) {
  try {
    // An address that differs from the last one by its hash alone would not be loaded anew.
    await page.goto('about:blank');
    await page.goto(values.url);
    return { opened: true };
  } catch (error) {
    return { failed: error.message };
  }
}

async function make(page, call) {
  const made = page.evaluate(
    async ({ name, arguments: input }, registered) => {
      const context = document.modelContext;
      const find = async () => (await context.getTools()).find((tool) => tool.name === name);
      const deadline = Date.now() + registered;
      let tool = await find();
      while (!tool && Date.now() < deadline) {
        await new Promise((changed) => {
          context.addEventListener('toolchange', changed, { once: true });
          setTimeout(changed, 100);
        });
        tool = await find();
      }
      if (!tool) return { missing: true };
      return Promise.resolve(context.executeTool(tool, input)).then(
        (text) => ({ text: text ?? null }),
        (error) => ({ failed: String(error?.message ?? error) }),
      );
    },
    call,
    REGISTERED,
  );
  // Here, and not in the page, whose thread a tool can hold.
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ failed: `it did not answer within ${CALLED / 1_000} s` }), REGISTERED + CALLED);
  });
  const answer = await Promise.race([made.then(unwrapped, (error) => ({ failed: error.message })), late]);
  clearTimeout(timer);
  return answer;
}

/** A result as webmcp-evals reads it: JSON where it is, the text of the first block of content, an error as such. */
function unwrapped({ text, ...other }) {
  if (text === undefined) return other;
  const value = parsed(text);
  // It stays as it is: what it says failed.
  if (value?.isError === true) return { answered: value };
  const inner = value?.content?.[0]?.text;
  return { answered: typeof inner === 'string' ? parsed(inner) : value };
}

function parsed(text) {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
