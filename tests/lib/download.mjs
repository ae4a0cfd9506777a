/** Downloads. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { until } from './wait.mjs';

/**
 * Do something that starts a download, and return the downloaded file.
 *
 * @param {import('puppeteer-core').Browser} browser
 * @param {() => Promise<void>} act
 * @returns {Promise<{ name: string, text: string }>}
 */
export async function downloaded(browser, act) {
  const { name, bytes } = await downloadedBytes(browser, act);
  return { name, text: bytes.toString('utf8') };
}

/**
 * The same, of a file that is no text.
 *
 * @param {import('puppeteer-core').Browser} browser
 * @param {() => Promise<void>} act
 * @returns {Promise<{ name: string, bytes: Buffer }>}
 */
export async function downloadedBytes(browser, act) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-downloads-'));
  const session = await browser.target().createCDPSession();
  try {
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await act();
    const [name] = await until(
      async () => {
        const names = await readdir(folder);
        return names.length > 0 && names.every((one) => !one.endsWith('.crdownload')) && names;
      },
      { what: 'a file to be saved' },
    );
    return { name, bytes: await readFile(path.join(folder, name)) };
  } finally {
    await session.detach();
    await rm(folder, { recursive: true, force: true });
  }
}
