/**
 * The names of the values that the worker's module reads when it starts, by storage area. A native test holds this list
 * to what it reads. `null` is what the browser answers for a name that has no value.
 */
const FIRST = {
  local: {
    grants: null, hiddenSites: null, keys: null, queue: null, refusedFields: null, sees: null, settings: null,
    takesTools: null, windows: null,
  },
  session: { evalUnderWay: null, openThreads: null, pageAccess: null, pinnedTabs: null, unfinishedThreads: null },
};

/**
 * Reads them, while the browser still compiles the module. An area that cannot be read is left out: the module then reads
 * each value itself, and says what failed. So it does in private windows, where it reads few of these, and others first.
 * @returns {Promise<Record<string, Record<string, unknown>>>} the values by area and name
 */
export const readFirst = async () => {
  if (chrome.extension.inIncognitoContext) return {};
  const read = async ([area, names]) => [area, await chrome.storage[area].get(names).catch(() => ({}))];
  return Object.fromEntries(await Promise.all(Object.entries(FIRST).map(read)));
};
