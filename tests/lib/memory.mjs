/** The memory that a worker or a page uses, as the browser measures it. */

/**
 * All WebAssembly memories of a target, as one remote array.
 *
 * @param {import('puppeteer-core').CDPSession} client
 * @returns {Promise<string>} the ID of the remote object
 */
async function wasmMemories(client) {
  const { result: prototype } = await client.send('Runtime.evaluate', { expression: 'WebAssembly.Memory.prototype' });
  const { objects } = await client.send('Runtime.queryObjects', { prototypeObjectId: prototype.objectId });
  return objects.objectId;
}

/**
 * The memory in use after garbage collection: the JavaScript heap, and the WebAssembly memories, which never shrink.
 *
 * @param {import('puppeteer-core').CDPSession} client
 * @returns {Promise<{ heap: number, wasm: number }>} in bytes
 */
export async function memoryOf(client) {
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  const { result } = await client.send('Runtime.callFunctionOn', {
    objectId: await wasmMemories(client),
    functionDeclaration: 'function () { return this.reduce((sum, { buffer }) => sum + buffer.byteLength, 0); }',
  });
  return { heap: usedSize, wasm: result.value };
}
