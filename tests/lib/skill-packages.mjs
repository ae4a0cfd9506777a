/** The SKILLs that ship, with the tests that their packages bring. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { ROOT } from './paths.mjs';

const SKILLS = path.join(ROOT, 'skills');

/**
 * @typedef {object} SkillTest
 * @property {string} name
 * @property {string} about
 * @property {string} fixture The page in which the tool begins.
 * @property {string} url Its address.
 * @property {Record<string, string>} [pages] Fixtures of further addresses.
 * @property {string} tool
 * @property {object} input
 * @property {{ path: string, status?: number, type?: string, body: unknown }[]} [mocks] Answers to requests, by path without query.
 * @property {import('./skill-kit/expected.mjs').Expected} expect
 */

/** The folder of a SKILL that ships. */
export const shipped = (skill) => path.join(SKILLS, skill);

/** The names of the SKILLs that ship. Each has to have tests. */
export async function allShipped() {
  const entries = await readdir(SKILLS, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
}

async function filesOf(folder, kind, ending) {
  const files = await readdir(path.join(folder, 'webmcp', kind)).catch(() => []);
  return files.filter((file) => file.endsWith(ending)).sort();
}

/** @returns {Promise<SkillTest[]>} */
async function testsOf(folder) {
  const read = async (file) => ({ name: file.replace(/\.json$/, ''), ...JSON.parse(await readFile(path.join(folder, 'webmcp', 'tests', file), 'utf8')) });
  return Promise.all((await filesOf(folder, 'tests', '.json')).map(read));
}

/**
 * The tests of a package with its fixtures, which have no scripts that run.
 *
 * @param {string} folder
 */
export async function packageIn(folder) {
  const fixtures = (await filesOf(folder, 'fixtures', '.html')).map((file) => `webmcp/fixtures/${file}`);
  return { tests: await testsOf(folder), fixtures, fixture: (file) => readFile(path.join(folder, file), 'utf8') };
}

/**
 * Let a tab see nothing but the fixtures of a test: what it asks for besides is not there.
 *
 * @param {import('puppeteer-core').Page} page
 * @param {(url: URL) => Promise<{ status?: number, type?: string, body: string } | undefined>} answer
 */
export async function offline(page, answer) {
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    const found = await answer(new URL(request.url()), request).catch(() => undefined);
    if (found === undefined) await request.respond({ status: 404, contentType: 'text/plain', body: '' });
    else await request.respond({ status: found.status ?? 200, contentType: found.type ?? 'text/html; charset=utf-8', body: found.body });
  });
}
