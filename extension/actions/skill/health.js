/**
 * Further ports, over which the worker only reads: it looks whether the page is as SKILLs expect, or answers a call that the
 * page itself makes. What a turn does over the first port goes on meanwhile.
 */

const MOST = 262_144;

/** @param {Record<string, (message: any, life: AbortSignal) => any>} handlers by what is asked for */
export function listenForHealth(handlers) {
  chrome.runtime.onConnect.addListener((port) => {
    if (port.name !== 'health') return;
    const life = new AbortController();
    const post = (answer) => {
      const text = JSON.stringify(answer, (key, value) => (typeof value === 'string' ? value.toWellFormed() : value));
      if (!life.signal.aborted) port.postMessage(text.length > MOST ? JSON.stringify({ id: answer.id, result: { outcome: 'tooLarge' } }) : text);
    };
    port.onDisconnect.addListener(() => life.abort());
    port.onMessage.addListener(async (text) => {
      if (typeof text !== 'string' || text.length > MOST) return;
      const message = JSON.parse(text);
      if (!Object.hasOwn(handlers, message?.do) || (message.method ?? 'GET') !== 'GET') return;
      try {
        post({ id: message.id, result: await handlers[message.do](message, life.signal) });
      } catch (error) {
        post({ id: message.id, error: String(error?.message ?? error).slice(0, 1000) });
      }
    });
  });
}
