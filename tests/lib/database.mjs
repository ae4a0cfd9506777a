/** The extension's IndexedDB database, read and written from inside its worker. */

/** The name of the database. */
const NAME = 'webmcp-sidecar';

/** The extension's database. */
export class Kept {
  #chromium;

  /** @param {import('./browser.mjs').Chromium} chromium */
  constructor(chromium) {
    this.#chromium = chromium;
  }

  /**
   * Everything in a store, as `[key, value]`.
   *
   * @param {'threads' | 'log' | 'drafts' | 'calls'} store
   * @returns {Promise<[unknown, object][]>}
   */
  async all(store) {
    const pairs = await this.#chromium.inWorker(
      async (database, from) => {
        const done = (request) =>
          new Promise((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
          });
        const open = await done(indexedDB.open(database));
        const one = open.transaction(from).objectStore(from);
        const [keys, values] = await Promise.all([done(one.getAllKeys()), done(one.getAll())]);
        open.close();
        return keys.map((key, at) => [key, values[at]]);
      },
      NAME,
      store,
    );
    return pairs.map(([key, value]) => [key, JSON.parse(value)]);
  }

  /**
   * Block the database: everything that the extension reads or writes waits until it is released.
   *
   * @returns {Promise<() => Promise<void>>} releases it
   */
  async hold() {
    await this.#chromium.inWorker(async (database) => {
      const open = await new Promise((resolve, reject) => {
        const request = indexedDB.open(database);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      const transaction = open.transaction([...open.objectStoreNames], 'readwrite');
      globalThis.holdsDisk = true;
      globalThis.diskIsFree = new Promise((resolve) => (transaction.oncomplete = resolve)).then(() => open.close());
      await new Promise((resolve) => {
        const goOn = () => {
          resolve();
          if (globalThis.holdsDisk) transaction.objectStore('threads').count().onsuccess = goOn;
        };
        transaction.objectStore('threads').count().onsuccess = goOn;
      });
    }, NAME);
    return () =>
      this.#chromium.inWorker(() => {
        globalThis.holdsDisk = false;
        return globalThis.diskIsFree;
      });
  }

  /** All stores as one JSON text. */
  async text() {
    const stores = await Promise.all(['threads', 'log', 'drafts', 'calls'].map((store) => this.all(store)));
    return JSON.stringify(stores);
  }

  /**
   * Write threads as the extension does, with one record for each entry.
   *
   * @param {{ summary: object, log: object[] }[]} threads
   */
  async write(threads) {
    await this.#chromium.inWorker(
      async (database, all) => {
        const open = await new Promise((resolve, reject) => {
          const request = indexedDB.open(database);
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
        const transaction = open.transaction(['threads', 'log'], 'readwrite');
        for (const { summary, log } of all) {
          transaction.objectStore('threads').put(JSON.stringify(summary), summary.id);
          log.forEach((entry, at) => transaction.objectStore('log').put(JSON.stringify(entry), [summary.id, at]));
        }
        await new Promise((resolve, reject) => {
          transaction.oncomplete = resolve;
          transaction.onabort = () => reject(transaction.error);
        });
        open.close();
      },
      NAME,
      threads,
    );
  }

  /**
   * Append lines to the log of calls.
   *
   * @param {object[]} lines
   */
  async writeCalls(lines) {
    await this.#chromium.inWorker(
      async (database, all) => {
        const open = await new Promise((resolve, reject) => {
          const request = indexedDB.open(database);
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
        const transaction = open.transaction('calls', 'readwrite');
        for (const line of all) transaction.objectStore('calls').add(JSON.stringify(line));
        await new Promise((resolve, reject) => {
          transaction.oncomplete = resolve;
          transaction.onabort = () => reject(transaction.error);
        });
        open.close();
      },
      NAME,
      lines,
    );
  }
}

/**
 * A thread of `turns` turns, each with a message of the user and an answer of the model.
 *
 * @param {string} id
 * @param {{ title: string, said?: (turn: number) => string, answered?: (turn: number) => string, turns?: number, updated?: number }} facts
 */
export function thread(id, { title, said = () => title, answered = () => 'Yes.', turns = 1, updated = 1_700_000_000_000 }) {
  const at = updated;
  const log = Array.from({ length: turns }, (_, turn) => [
    { at, event: 'turnStarted', turn: `${id}.${turn}`, text: said(turn), page: {} },
    { at, event: 'modelAsked', provider: 'custom', model: 'call-tool', tools: 0 },
    { at, event: 'modelAnswered', reasoning: '', text: answered(turn), calls: [], ending: 'natural' },
    { at, event: 'turnRested', rest: 'done' },
  ]).flat();
  return { summary: { id, title, site: 'flights.example', created: at, updated: at }, log };
}
