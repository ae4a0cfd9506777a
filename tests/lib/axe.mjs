/** Accessibility checks of axe-core on the current state of a page. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The violations, one line for each element.
 *
 * @param {import('puppeteer-core').Page} page
 * @returns {Promise<string[]>}
 */
export async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await source);
  return page.evaluate(async () => {
    const result = await window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return result.violations.flatMap((rule) =>
      rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary.replace(/\s+/g, ' ')}`),
    );
  });
}
