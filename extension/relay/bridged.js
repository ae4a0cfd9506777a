/**
 * One way to a document's tools.
 *
 * @typedef {object} Backend
 * @property {(isUrgent?: boolean) => Promise<List>} list
 * @property {Promise<object>} [asker] who asks the browser for the list
 * @property {() => Promise<void>} [renew] the document comes or goes, and the list is another
 * @property {(requestId: string, toolName: string, args: string, signal: AbortSignal) => Promise<object>} call
 *   gives a `ToolResult` without type and id; what it gives after an abort is not used
 */

import * as NAMES from '../shared/names.js';
import { bridge } from './bridge.js';
import { tidyList } from './lists.js';
import { failure, FAILURES, notFound, success, UNSURE } from './outcomes.js';
import { unlessLeft } from './place.js';

/** Through the bridge. @type {Backend} */
export const bridged = {
  async list() {
    if (!(await bridge.find())) return tidyList('polyfill', [], 0);
    await bridge.isSafe();
    const requestId = crypto.randomUUID();
    const answer = await bridge.ask({ type: NAMES.LIST_TOOLS, requestId });
    return bridge.tidy({ ...answer, tools: Array.isArray(answer.tools) ? answer.tools : [] });
  },

  async call(requestId, toolName, args, signal) {
    if (!(await bridge.find())) return notFound();
    await bridge.isSafe();
    signal.addEventListener('abort', () => bridge.post({ type: NAMES.CANCEL_CALL, requestId }));
    const { ok, result, error, code } = await bridge.ask({ type: NAMES.CALL_TOOL, requestId, toolName, args }, signal);
    if (ok === true) return typeof result === 'string' ? success(result) : { ok: true };
    if (code === UNSURE) {
      const isListed = bridged.list().then(({ tools }) => tools.some(({ name }) => name === toolName));
      if (!(await unlessLeft(isListed))) return notFound();
    }
    return failure(FAILURES.includes(code) ? code : 'threw', typeof error === 'string' ? error : '');
  },
};
