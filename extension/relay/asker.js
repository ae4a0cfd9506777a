import { context } from './own.js';
import { paced } from './pace.js';
import { PLACE, stays } from './place.js';

/**
 * Asks the browser for the tools of this document, and of all of its origin in the tab.
 *
 * Chromium 156 dies as a whole, all its windows, when a document asks while the browser has already put another page into
 * the tab, and the page that left has tools. So only the top document asks, for the frames of its origin as well; what
 * frames of other origins ask never names its tools. It does not ask while it may be left, of which it hears by
 * `beforeunload` first (docs/decisions/0021-asking-native-webmcp.md).
 */
export function askerFor() {
  /** @typedef {{ tools: Map<Window, object[]>, error?: Error }} Answer */
  /** The answer, until it changes. @type {Promise<Answer> | undefined} */
  let current;
  /** Gives the answer to who waits for it; missing when nobody does. @type {((answer: Answer) => void) | undefined} */
  let give;
  /** Windows that had tools. @type {Set<Window>} */
  let before = new Set();

  const ask = paced(async () => {
    await stays();
    const done = give;
    give = undefined;
    if (done === undefined) return 0;
    const { tools, size, error } = await context().getTools().then(byWindow, (reason) => ({ tools: new Map(), size: 0, error: reason }));
    if (error !== undefined) current = undefined;
    done({ tools, error });
    const concerned = new Set([...before, ...tools.keys()]);
    before = new Set(tools.keys());
    concerned.delete(window);
    for (const one of concerned) {
      try {
        one[PLACE]?.listChanged();
      } catch {
        // What is in that frame now is of another origin.
      }
    }
    return size;
  });

  function byWindow(all) {
    const tools = new Map();
    let size = 0;
    for (const tool of all) {
      if (!tools.has(tool.window)) tools.set(tool.window, []);
      tools.get(tool.window).push(tool);
      size += tool.description.length;
    }
    return { tools, size };
  }

  return {
    /** @param {Window} [gone] one whose document goes away: nothing may hold it */
    changed(gone) {
      current = undefined;
      before.delete(gone);
    },

    /** @returns {Promise<Answer>} */
    answer(isUrgent) {
      if (current === undefined) {
        const earlier = give;
        current = new Promise((resolve) => {
          give = (answer) => {
            earlier?.(answer);
            resolve(answer);
          };
        });
      }
      if (give !== undefined) void ask(isUrgent);
      return current;
    },
  };
}
