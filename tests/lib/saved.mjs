/** The saved conversations, read and written directly in the database. */

const DATABASE = 'webmcp-sidecar';

/**
 * @typedef {object} Row an entry of a log
 * @property {string} thread
 * @property {number} position
 * @property {string} text JSON
 */

/**
 * Every entry of every log, in the order of threads and positions.
 *
 * @param {import('puppeteer-core').Page} page a page of the extension
 * @returns {Promise<Row[]>}
 */
export async function readLogs(page) {
  return page.evaluate(async (name) => {
    const done = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open(name));
    try {
      const store = database.transaction('log').objectStore('log');
      const [keys, texts] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
      return keys.map(([thread, position], at) => ({ thread, position, text: texts[at] }));
    } finally {
      database.close();
    }
  }, DATABASE);
}

/**
 * Write an entry of a log, replacing one at the same position.
 *
 * @param {import('puppeteer-core').Page} page a page of the extension
 * @param {Row} row
 */
export async function writeRow(page, row) {
  await page.evaluate(
    async (name, { thread, position, text }) => {
      const database = await new Promise((resolve, reject) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      const transaction = database.transaction('log', 'readwrite');
      transaction.objectStore('log').put(text, [thread, position]);
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      database.close();
    },
    DATABASE,
    row,
  );
}

/**
 * The log of the thread that was written to last, as objects.
 *
 * @param {import('puppeteer-core').Page} page a page of the extension
 * @returns {Promise<{ at: number, event: string }[]>}
 */
export async function lastLog(page) {
  const rows = await readLogs(page);
  const entries = rows.map(({ thread, text }) => ({ thread, entry: JSON.parse(text) }));
  const last = entries.reduce((one, other) => (other.entry.at >= (one?.entry.at ?? 0) ? other : one), undefined);
  return entries.filter(({ thread }) => thread === last?.thread).map(({ entry }) => entry);
}
