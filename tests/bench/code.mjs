/** The code size of a WASM module by crate module, taken from its function names. */

import { readFile } from 'node:fs/promises';

const CODE_SECTION = 10;
const FUNCTION_NAMES = 1;

/**
 * The code size of the providers' protocols in the worker: the functions of `sidecar-llm`, by module, in the release
 * module built with function names. Code inlined into other functions or shared with other crates (above all serde's),
 * tables and texts are not counted.
 *
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void }} context
 */
export async function benchProtocolCode({ figure }) {
  const sizes = { 'chat completions': 0, responses: 0, messages: 0, generateContent: 0, ollama: 0, 'shared by them': 0, 'inline and broken calls': 0 };
  const parts = {
    'protocols chat': 'chat completions',
    'protocols responses': 'responses',
    'protocols anthropic': 'messages',
    'protocols gemini': 'generateContent',
    'protocols ollama': 'ollama',
    'decode thoughts': 'inline and broken calls',
    inline_calls: 'inline and broken calls',
    prompted: 'inline and broken calls',
    tools: 'inline and broken calls',
  };
  let all = 0;
  for (const { name, size } of await functions(process.env.SIDECAR_BENCH_WORKER)) {
    all += size;
    // Demangled as in Rust, or mangled: `11sidecar_llm9protocols4chat6stream`, `sidecar_llm..protocols..chat..stream`.
    const [, outer, inner] = /sidecar_llm(?:::|\.\.|\d+)([a-z_]+)(?:(?:::|\.\.|\d+)([a-z_]+))?/.exec(name) ?? [];
    if (outer) sizes[parts[`${outer} ${inner}`] ?? parts[outer] ?? 'shared by them'] += size;
  }
  const kibibytes = Object.fromEntries(Object.entries(sizes).map(([what, size]) => [what, size / 1024]));
  const sum = Object.values(kibibytes).reduce((one, other) => one + other, 0);
  figure('protocols of models in the code of the worker', 'KiB', { 'in all': sum, ...kibibytes, 'of code in all': all / 1024 });
}

/**
 * The functions of a module, with their code sizes in bytes.
 *
 * @param {string} file a module with a name section
 * @returns {Promise<{ name: string, size: number }[]>}
 */
async function functions(file) {
  const bytes = await readFile(file);
  const module = await WebAssembly.compile(bytes);
  const imported = WebAssembly.Module.imports(module).filter(({ kind }) => kind === 'function').length;
  const names = functionNames(WebAssembly.Module.customSections(module, 'name')[0]);
  return bodies(bytes).map((size, index) => ({ name: names.get(imported + index) ?? '', size }));
}

/** The sizes of the functions in the code section. */
function bodies(bytes) {
  const reader = new Reader(bytes, 8);
  while (!reader.atEnd) {
    const section = reader.byte();
    const size = reader.number();
    if (section !== CODE_SECTION) {
      reader.skip(size);
      continue;
    }
    return Array.from({ length: reader.number() }, () => {
      const size = reader.number();
      reader.skip(size);
      return size;
    });
  }
  throw new Error('The module has no code.');
}

/** The names of functions by their index. */
function functionNames(section) {
  if (!section) throw new Error('The module has no names.');
  const reader = new Reader(new Uint8Array(section));
  while (!reader.atEnd) {
    const kind = reader.byte();
    const size = reader.number();
    if (kind === FUNCTION_NAMES) return new Map(Array.from({ length: reader.number() }, () => [reader.number(), reader.text()]));
    reader.skip(size);
  }
  throw new Error('The module names no functions.');
}

/** Reads the binary format of WebAssembly. https://webassembly.github.io/spec/core/binary/ */
class Reader {
  #bytes;
  #at;

  constructor(bytes, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get atEnd() {
    return this.#at >= this.#bytes.length;
  }

  byte() {
    return this.#bytes[this.#at++];
  }

  /** An unsigned number in LEB128. */
  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  text() {
    const length = this.number();
    this.skip(length);
    return new TextDecoder().decode(this.#bytes.subarray(this.#at - length, this.#at));
  }

  skip(length) {
    this.#at += length;
  }
}
