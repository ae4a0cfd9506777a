/** The page's own tools, through its WebMCP. */

import { ASK } from '../shared/in-page.js';

/** Milliseconds that a tool is waited for. */
const PATIENCE = 10_000;

/** The most that a timer takes. */
const LONGEST = 2 ** 31 - 1;

// A test may put timers of its own into the page.
const { setTimeout, clearTimeout } = window;

/** The document's WebMCP, which may appear late. */
function context() {
  const found = document.modelContext;
  if (found === undefined) {
    throw new Error('This document has no WebMCP (document.modelContext). Open the page over HTTPS or on localhost.');
  }
  return found;
}

/**
 * What only bridge.js knows: names of tools that SKILLs have in this page, and what a tool threw. Without it, it is as if
 * there were none.
 *
 * @returns {{ skillTools: () => string[], expect: (name: string, args: object, failed: (words: string) => void) => () => void }}
 */
function bridge() {
  const event = new Event(ASK);
  performance.dispatchEvent(event);
  return event.answers ?? { skillTools: () => [], expect: () => () => {} };
}

/** This document's tools as its WebMCP lists them, without those of SKILLs. */
async function ownTools() {
  const { skillTools } = bridge();
  // Those that come or go meanwhile are no tools of the page either.
  const before = skillTools();
  const tools = await context().getTools();
  const skills = new Set([...before, ...skillTools()]);
  return tools.filter((tool) => (tool.window ?? window) === window && !skills.has(tool.name));
}

/** A tool as plain data. */
function describe({ name, title, description, inputSchema, annotations }) {
  // Some polyfills give it as text.
  const schema = typeof inputSchema === 'string' && inputSchema !== '' ? JSON.parse(inputSchema) : inputSchema || null;
  return { name, ...(title && { title }), description, inputSchema: schema, ...(annotations && { annotations: { ...annotations } }) };
}

const listed = (tools) => (tools.length === 0 ? 'The page has no tools.' : `The page has: ${tools.map(({ name }) => name).join(', ')}.`);

function demandName(name) {
  if (typeof name !== 'string') throw new TypeError('The name of a tool must be a string.');
}

/** The arguments as JSON text. */
function textOf(args) {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new TypeError('The arguments of a tool must be an object. Give {} for none.');
  }
  try {
    return JSON.stringify(args);
  } catch (cause) {
    throw new TypeError(`The arguments of a tool must be JSON. They are not: ${cause.message}`, { cause });
  }
}

export async function listTools() {
  return (await ownTools()).map(describe);
}

/** Gives the text that the page's WebMCP gives for the result. */
export async function callTool(name, args = {}) {
  demandName(name);
  const text = textOf(args);
  const tools = await ownTools();
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) {
    throw new Error(`The page has no tool “${name}”. ${listed(tools)} Await one that is registered later with waitForTool.`);
  }
  let words;
  const forget = bridge().expect(name, JSON.parse(text), (said) => (words = said));
  const run = (input) => context().executeTool(tool, input);
  try {
    return await run(JSON.parse(text)).catch((error) => {
      // Chrome before 154 and some polyfills want JSON text. The tool has not run then.
      if (words === undefined && error?.message?.startsWith('Failed to parse input')) return run(text);
      throw error;
    });
  } catch (cause) {
    const why = words === undefined ? `could not be run: ${cause?.message ?? cause}` : `failed: ${words}`;
    throw new Error(`The tool “${name}” ${why}`, { cause });
  } finally {
    forget();
  }
}

export async function waitForTool(name, { timeout = PATIENCE } = {}) {
  demandName(name);
  if (!(timeout > 0 && timeout <= LONGEST)) {
    throw new TypeError(`The timeout must be a number of milliseconds, more than 0 and at most ${LONGEST}.`);
  }
  const here = context();
  const over = new AbortController();
  let tools = [];
  let timer;
  const late = new Promise((_, reject) => {
    const tell = () => reject(new Error(`The tool “${name}” was not registered within ${timeout} ms. ${listed(tools)}`));
    timer = setTimeout(tell, timeout);
  });
  try {
    for (;;) {
      // From before the question on, so that no change is missed.
      const change = new Promise((resolve) => here.addEventListener('toolchange', resolve, { once: true, signal: over.signal }));
      tools = await Promise.race([ownTools(), late]);
      const tool = tools.find((one) => one.name === name);
      if (tool !== undefined) return describe(tool);
      await Promise.race([change, late]);
    }
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
