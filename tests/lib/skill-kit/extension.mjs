/** A copy of the extension with SKILLs of one's own, and less patience. */

import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ExtensionCopy } from '../extension-copy.mjs';
import { stepsIn } from './uses.mjs';

/** Steps that wait for what a page without scripts has at once, or never. */
const WAITS = ['expect', 'wait', 'read', 'extract'];

/**
 * @param {object} [options]
 * @param {string} [options.skills] a folder with files of SKILLs (index.json, ID.json, ID.tools.json), in place of those that
 *   ship
 * @param {(definition: object) => void} [options.edit] changes the steps and locators of a SKILL
 * @param {object[]} [options.more] definitions of further SKILLs, whose tools read
 * @returns {Promise<{ folder: string, definitions: Map<string, object>, remove: () => Promise<void> }>}
 */
export async function extensionWith({ skills, edit = () => {}, more = [] } = {}) {
  const copy = await ExtensionCopy.make();
  const { folder } = copy;
  const remove = () => copy.remove();
  try {
    const own = path.join(folder, 'skills');
    if (skills !== undefined) await cp(skills, own, { recursive: true });
    for (const definition of more) await add(own, definition);
    const definitions = new Map();
    for (const { id } of await json(own, 'index.json')) {
      const definition = await json(own, `${id}.json`);
      edit(definition);
      definitions.set(id, structuredClone(definition));
      definition.tools.forEach((tool) => hurry(tool.steps ?? []));
      trust(definition);
      definition.tools.push(...definition.tools.map(patient));
      const tools = await json(own, `${id}.tools.json`);
      tools.push(...tools.map(({ tool, ...one }) => ({ ...one, tool: { ...tool, name: patientName(tool.name), inputSchema: numbered(tool.inputSchema) } })));
      await writeFile(path.join(own, `${id}.json`), JSON.stringify(definition));
      await writeFile(path.join(own, `${id}.tools.json`), JSON.stringify(tools));
    }
    return { folder, definitions, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

const json = async (folder, file) => JSON.parse(await readFile(path.join(folder, file), 'utf8'));

/** What `cargo xtask build` makes of a SKILL, after the manner of one that it made. */
async function add(folder, definition) {
  const { id, version, title, summary, match, exclude = [] } = definition;
  const index = await json(folder, 'index.json');
  const [usual] = await json(folder, 'hacker-news.tools.json');
  const tools = definition.tools.map(({ name, title: called, description, inputSchema, pages = [] }) => ({
    ...usual,
    ...('title' in usual && { title: called, description }),
    pages: pages.flatMap((page) => definition.pages[page].match),
    tool: { ...usual.tool, name, title: called.en, description, inputSchema: JSON.stringify(inputSchema) },
  }));
  index.push({ ...index.find((one) => one.id === 'hacker-news'), id, version, title, summary, match, exclude });
  const files = { 'index.json': index, [`${id}.tools.json`]: tools, [`${id}.json`]: definition };
  for (const [file, content] of Object.entries(files)) await writeFile(path.join(folder, file), JSON.stringify(content));
}

/** Let steps wait for a second only. */
function hurry(steps) {
  for (const step of stepsIn(steps)) {
    if (WAITS.includes(step.do) && step.for !== 'stable' && (step.do === 'wait' || step.timeout !== undefined)) step.timeout = 1;
  }
}

/**
 * Without probes that decide nothing: those of pages that no tool names. The extension looks for seconds whether they come to
 * hold, before a turn goes on.
 */
function trust({ pages = {}, tools }) {
  for (const [name, page] of Object.entries(pages)) if (!tools.some((tool) => tool.pages?.includes(name))) page.probes = [];
}

/** The name of a tool's twin for changed pages. */
export const patientName = (tool) => `${tool.slice(0, 60)}_on`;

/** A turn pauses when one call is made over and over: each may have a number, which the steps do not look at. */
export const NUMBER = 'number_of_call';

function numbered(schema) {
  const parsed = JSON.parse(schema);
  parsed.properties = { ...parsed.properties, [NUMBER]: { type: 'integer' } };
  return JSON.stringify(parsed);
}

/**
 * A tool for pages that are changed on purpose. The same, but that it says `timeout` for `changed`: a SKILL pauses on a site
 * where several calls in a row found the page changed.
 */
function patient(tool) {
  const twin = { ...structuredClone(tool), name: patientName(tool.name) };
  for (const step of stepsIn(twin.steps ?? [])) {
    if (step.outcome === 'changed') step.outcome = 'timeout';
    if (!NO_ELSE.includes(step.do) && (step.else ?? 'changed') === 'changed') step.else = 'timeout';
  }
  return twin;
}

/** Steps that take no `else`, or that do not find a page changed. */
const NO_ELSE = ['pages', 'return', 'fail', 'handOver', 'navigate'];
