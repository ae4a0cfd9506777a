import * as NAMES from '../shared/names.js';
import { askerFor } from './asker.js';
import { bridge } from './bridge.js';
import { tidyList } from './lists.js';
import { failure, isBlocking, notFound, success } from './outcomes.js';
import { context } from './own.js';
import { pause } from './pace.js';
import { place, topPlace, unlessLeft } from './place.js';
import { isShown } from './skills.js';

/** Milliseconds to wait for a failure's own words. */
const WORDS_PATIENCE = 200;

/**
 * Through the browser's own WebMCP.
 *
 * @param {() => void} onChange hears of each change of the list
 * @returns {Backend}
 */
export function nativeBackend(onChange) {
  /** Handles of this window's tools as last listed, by name. @type {Map<string, object>} */
  let handles = new Map();
  /** A top document whose own world has no WebMCP cannot ask. */
  const asker = topPlace() === place ? Promise.resolve(own()) : topPlace().asker.then((its) => its ?? own());

  function own() {
    const ours = askerFor();
    context().addEventListener('toolchange', () => {
      ours.changed();
      onChange();
    });
    return ours;
  }

  async function refresh(isUrgent) {
    const { tools, error } = await (await asker).answer(isUrgent);
    if (error !== undefined) throw error;
    const mine = (tools.get(window) ?? []).filter(({ name }) => !isShown(name));
    handles = new Map(mine.map((tool) => [tool.name, tool]));
    return mine;
  }

  const anew = async () => {
    (await asker).changed();
    return refresh(true);
  };

  return {
    asker,

    // What was in this frame before may still be in the list, or what is here now when it goes.
    renew: async () => void (await asker).changed(window),

    list: (isUrgent) =>
      refresh(isUrgent).then(
        (tools) => tidyList('native', tools, tools.length),
        (error) => tidyList('native', [], 0, isBlocking(error)),
      ),

    async call(requestId, toolName, args, signal) {
      const words = await announceCall(requestId, toolName, args, signal);
      try {
        if (!handles.has(toolName)) await anew();
        const tool = handles.get(toolName);
        if (tool === undefined) return notFound();
        const result = await execute(tool, args, signal);
        return result === null ? { ok: true } : success(result);
      } catch (error) {
        if (signal.aborted) return signal.reason;
        if (isBlocking(error)) return failure('blocked', error.message);
        const said = await Promise.race([words.said, pause(WORDS_PATIENCE)]);
        if (said === undefined && (await isGone(toolName, error))) return notFound();
        return failure('threw', said ?? error.message);
      } finally {
        words.forget();
      }
    },
  };

  async function execute(tool, args, signal) {
    const options = { signal };
    try {
      return await context().executeTool(tool, JSON.parse(args), options);
    } catch (error) {
      // Chrome before 154 and some polyfills want JSON text. Neither error can come after the tool has run.
      const wantsText = error instanceof TypeError || error.message?.startsWith('Failed to parse input');
      if (signal.aborted || !wantsText) throw error;
      return context().executeTool(tool, args, options);
    }
  }

  /** Whether a call failed because there was no tool to run. A tool that ran says so, and may have removed itself. */
  async function isGone(toolName, error) {
    if (error.message?.startsWith('Tool was executed')) return false;
    const isListed = anew().then(() => handles.has(toolName), () => handles.has(toolName));
    return !(await unlessLeft(isListed));
  }

  /** Have the bridge keep the words of the coming call's failure, of which the browser tells nothing. */
  async function announceCall(requestId, toolName, args, signal) {
    await bridge.search;
    if (bridge.backend !== 'native') return { said: new Promise(() => {}), forget() {} };
    let heard;
    const said = new Promise((resolve) => (heard = resolve));
    await new Promise((resolve) => {
      bridge.waiting.set(requestId, ({ phase, error }) => {
        if (phase === 'failed' && typeof error === 'string') heard(error);
        resolve();
      });
      bridge.post({ type: NAMES.EXPECT_CALL, requestId, toolName, args });
      signal.addEventListener('abort', resolve);
      void pause(WORDS_PATIENCE).then(resolve);
    });
    return {
      said,
      forget() {
        bridge.waiting.delete(requestId);
        bridge.post({ type: NAMES.CANCEL_CALL, requestId });
      },
    };
  }
}
