/** The flight page, instrumented to count the runs of each tool and to hold a tool before or after its effect. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { FLIGHTS } from '../lib/paths.mjs';

/** Runs before the page's own scripts: every tool reports when it begins and when it has had its effect. */
const WATCH = `<script>
  {
    const context = document.modelContext ?? navigator.modelContext;
    const register = context.registerTool.bind(context);
    const watched = (tool, options) =>
      register(
        {
          ...tool,
          async execute(...args) {
            await window.witnessReached('begins', tool.name);
            const result = await tool.execute(...args);
            await window.witnessReached('ends', tool.name);
            return result;
          },
        },
        options,
      );
    Object.defineProperty(context, 'registerTool', { value: watched, configurable: true });
  }
</script>`;

/**
 * Serve the instrumented page.
 *
 * @param {import('../lib/site.mjs').Site} flights
 * @returns {Promise<string>} its address
 */
export async function serveWatched(flights) {
  const page = await readFile(path.join(FLIGHTS, 'index.html'), 'utf8');
  return `${flights.put('watched.html', page.replace('<head>', `<head>${WATCH}`))}?lang=en`;
}

/** Records the runs of the tools, and holds them. */
export class Witness {
  /** The number of runs begun and ended, by tool, since `forget`. */
  begun = new Map();
  ended = new Map();
  /** @type {{ point: string, reached: (tool: string) => void, released: Promise<void> } | undefined} */
  #hold;

  /**
   * Watch a tab, across navigations.
   *
   * @param {import('puppeteer-core').Page} page
   */
  static async of(page) {
    const witness = new Witness();
    await page.exposeFunction('witnessReached', (point, tool) => witness.#reached(point, tool));
    return witness;
  }

  /** Reset the counts for a new turn. */
  forget() {
    this.begun.clear();
    this.ended.clear();
  }

  /** The number of runs. */
  get runs() {
    return [...this.begun.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Whether a tool runs now. */
  get isRunning() {
    return [...this.begun].some(([tool, count]) => count > (this.ended.get(tool) ?? 0));
  }

  /**
   * Hold the next tool that reaches a point.
   *
   * @param {'begins' | 'ends'} point
   * @returns {{ reached: Promise<string>, release: () => void }} `reached` gives the tool's name
   */
  hold(point) {
    let reached;
    let release;
    const there = new Promise((resolve) => (reached = resolve));
    this.#hold = { point, reached, released: new Promise((resolve) => (release = resolve)) };
    return { reached: there, release };
  }

  async #reached(point, tool) {
    const count = point === 'begins' ? this.begun : this.ended;
    count.set(tool, (count.get(tool) ?? 0) + 1);
    const hold = this.#hold;
    if (hold?.point !== point) return;
    this.#hold = undefined;
    hold.reached(tool);
    await hold.released;
  }
}
