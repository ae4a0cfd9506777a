/** The worker's module, asked for before anything else: the browser reads it while the rest of the script is evaluated. */
export const workerModule = fetch(chrome.runtime.getURL('wasm/worker_bg.wasm'));
