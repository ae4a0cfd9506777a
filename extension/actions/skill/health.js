/**
 * A second port, over which the worker looks whether the page is as SKILLs expect: what a turn does over the first one goes
 * on meanwhile.
 */

import { conditions } from './conditions.js';

const MOST = 262_144;

export function listenForHealth() {
  chrome.runtime.onConnect.addListener((port) => {
    if (port.name !== 'health') return;
    port.onMessage.addListener((text) => {
      if (typeof text !== 'string' || text.length > MOST) return;
      const message = JSON.parse(text);
      if (message?.do !== 'conditions') return;
      let answer;
      try {
        answer = { id: message.id, result: conditions(message) };
      } catch (error) {
        answer = { id: message.id, error: String(error?.message ?? error).slice(0, 1000) };
      }
      port.postMessage(JSON.stringify(answer, (key, value) => (typeof value === 'string' ? value.toWellFormed() : value)));
    });
  });
}
