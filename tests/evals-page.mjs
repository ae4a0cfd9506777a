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
    await page.goto(values.url);
    return { opened: true };
  } catch (error) {
    return { failed: error.message };
  }
}

function make(page, call) {
  const made = page.evaluate(
    async ({ name, arguments: input }, registered, called) => {
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
      const late = new Promise((resolve) => setTimeout(() => resolve({ failed: `it did not answer within ${called / 1_000} s` }), called));
      const answer = Promise.resolve(context.executeTool(tool, input)).then(
        (text) => ({ text: text ?? null }),
        (error) => ({ failed: String(error?.message ?? error) }),
      );
      return Promise.race([answer, late]);
    },
    call,
    REGISTERED,
    CALLED,
  );
  return made.then(unwrapped, (error) => ({ failed: error.message }));
}

/** A result as webmcp-evals reads it: JSON where it is, the text of the first block of content, an error as such. */
function unwrapped({ text, ...other }) {
  if (text === undefined) return other;
  const value = parsed(text);
  if (value?.isError === true) return { answered: { error: value.content?.[0]?.text ?? value } };
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
