/** What the steps of a tool's last run did, as the worker tells the panel. */

import { LINK_VERSION } from '../agent.mjs';
import { within } from '../wait.mjs';

/**
 * @typedef {object} TracedStep
 * @property {string} step
 * @property {string} locator its name; may be empty
 * @property {number | null} alternative the one that found something, from 1
 * @property {string} outcome
 */

/**
 * The steps of the last run of a SKILL; nothing if it was one of another tool.
 *
 * @param {import('puppeteer-core').Page} page of the panel
 * @param {{ skill: string, tool: string }} call
 * @returns {Promise<TracedStep[] | undefined>}
 */
export async function lastRun(page, { skill, tool }) {
  const ask = async (version, id) => {
    const { id: windowId } = await chrome.windows.getCurrent();
    const port = chrome.runtime.connect({ name: 'panel' });
    const answered = new Promise((resolve, reject) => {
      port.onDisconnect.addListener(() => reject(new Error('The worker has gone.')));
      port.onMessage.addListener((text) => {
        const { reply } = JSON.parse(text);
        if (reply?.id === 2) resolve(reply.result.Ok?.skills?.traced.trace);
      });
    });
    const bodies = [{ hello: { version, windowId, browserLanguage: 'en' } }, { skills: { trace: { id } } }];
    bodies.forEach((body, at) => port.postMessage(JSON.stringify({ id: at + 1, body })));
    return answered.finally(() => port.disconnect());
  };
  const trace = await within(page.evaluate(ask, LINK_VERSION, skill), { what: `the last run of ${skill}` });
  return trace?.tool === tool ? trace.steps : undefined;
}
