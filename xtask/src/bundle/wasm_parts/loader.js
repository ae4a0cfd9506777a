/**
 * Loads the parts of a WASM module that its start does not need. The module imports one function for each part. All pages
 * and the worker's script lie at the top of the extension, to which the names of files are relative.
 */
import { initSync } from './module.js';

/** The compiled files: after a trap, the new instance of the module uses them again. @type {Map<string, Promise<WebAssembly.Module>>} */
const compiled = new Map();

/** The files that each instance of the module has, by its exports. @type {WeakMap<object, Map<string, Promise<unknown>>>} */
const loaded = new WeakMap();

/** What a map has under a key, or makes now. A promise that is rejected is forgotten, so that the next use tries again. */
const once = (map, key, make) => {
  if (!map.has(key)) {
    const made = make();
    made.catch(() => map.delete(key));
    map.set(key, made);
  }
  return map.get(key);
};

const compile = (file) =>
  once(compiled, file, () => WebAssembly.compileStreaming(fetch(new URL(file, location.href))));

/** The function that loads these files into the present instance, and then calls the instance back. */
const loader = (files) => async (callback, data) => {
  const exports = initSync();
  if (!loaded.has(exports)) loaded.set(exports, new Map());
  // The parts share memory and table with the module; nothing else of it is imported.
  const load = async (file) => WebAssembly.instantiate(await compile(file), { __wasm_split: exports });
  let isLoaded = true;
  try {
    await Promise.all(files.map((file) => once(loaded.get(exports), file, () => load(file))));
  } catch (error) {
    console.error(error);
    isLoaded = false;
  }
  // Nobody waits in an instance that was replaced meanwhile.
  if (initSync() === exports) exports.__indirect_function_table.get(callback)(data, isLoaded);
};

