/** The memory that a worker or a page uses, as the browser measures it. */

import { ExtensionCopy } from './extension-copy.mjs';

/**
 * Keeps the memory of each WebAssembly module that is made. The debugger's own search for them crashes Chromium where a
 * module has parts.
 */
const KEEP = `{
  const memories = (globalThis.memories = []);
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (...given) => {
    const made = await instantiateStreaming(...given);
    const { memory } = made.instance.exports;
    if (memory) memories.push(memory);
    return made;
  };
}
`;

/**
 * A copy of the extension whose worker and panel keep their memories, for `memoryOf`.
 *
 * @returns {Promise<ExtensionCopy>} for the caller to remove
 */
export function keepingMemories() {
  return ExtensionCopy.make((copy) => Promise.all(['background.js', 'page.js'].map((script) => copy.prepend(script, KEEP))));
}

/**
 * The memory in use after garbage collection: the JavaScript heap, and the WebAssembly memories, which never shrink.
 *
 * @param {import('puppeteer-core').CDPSession} client of a target of an extension that keeps its memories
 * @returns {Promise<{ heap: number, wasm: number }>} in bytes
 */
export async function memoryOf(client) {
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  const expression = 'memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)';
  const { result } = await client.send('Runtime.evaluate', { expression });
  return { heap: usedSize, wasm: result.value };
}
