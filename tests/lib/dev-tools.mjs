/** The browser's own developer tools, and what the extension adds to them. */

import { until } from './wait.mjs';
import { Workbench } from './workbench.mjs';

/** The title of the panel that `devtools.js` adds. */
const TITLE = 'WebMCP';

/**
 * Open the developer tools for a page, and the extension's panel in them.
 *
 * @param {import('puppeteer-core').Page} page the page that they inspect
 * @returns {Promise<Workbench>}
 */
export async function inspect(page) {
  const tools = await page.openDevTools();
  await until(() => tools.evaluate(showPanel, TITLE), { what: `the panel ${TITLE} of the developer tools` });
  const frame = await tools.waitForFrame((frame) => frame.url().includes('/workbench.html'));
  const bench = new Workbench(frame);
  await bench.ready();
  return bench;
}

/** Show the panel of this title, which stands behind "More tabs" where the window is small. False as long as there is none. */
async function showPanel(title) {
  const { InspectorView } = await import('devtools://devtools/bundled/ui/legacy/legacy.js');
  const view = InspectorView.InspectorView.instance();
  const tab = view.tabbedPane.tabs.find((tab) => tab.title === title);
  if (tab) await view.showPanel(tab.id);
  return Boolean(tab);
}
