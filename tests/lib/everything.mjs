/** What the extension keeps. */

/** Everything that the extension keeps for the regular profile, as JSON. Runs in its worker. */
export async function everything() {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const databases = {};
  for (const { name } of await indexedDB.databases()) {
    const open = await done(indexedDB.open(name));
    for (const store of open.objectStoreNames) {
      const from = open.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([done(from.getAllKeys()), done(from.getAll())]);
      databases[`${name}/${store}`] = keys.map((key, at) => [key, values[at]]);
    }
    open.close();
  }
  return JSON.stringify({ databases, local: await chrome.storage.local.get(), session: await chrome.storage.session.get() });
}
