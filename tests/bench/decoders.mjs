/** Decoding speed: our decoder as WASM and natively, compared with JavaScript clients on the same stream. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { launch } from '../lib/browser.mjs';
import { TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { longStream } from './stream.mjs';

/** The approximate size of the stream, in bytes. */
const LENGTH = 4_000_000;

/** The size of a piece in bytes: about what a browser delivers when a service sends faster than it is read. */
const PIECE = 16 * 1024;

/**
 * Megabytes (10⁶ bytes) per second for a stream of 4 MB in memory. Ours is the decoder alone, built like the worker
 * (`crates/bench`), because the worker has no hook for this; it also looks for inline tool calls, as in a turn. All
 * readers in the browser take turns in one page; the native program is the same code, optimized for speed.
 *
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: number }} context
 */
export async function benchDecoders({ figure, median, rounds }) {
  const { body, lengths } = longStream(LENGTH);
  const expected = [lengths.text, lengths.reasoning, lengths.arguments];
  const speed = (samples) => body.length / 1000 / median(samples);

  const native = await decodeNatively(body, rounds);
  assert.deepEqual(native.lengths, expected, 'the native decoder reads what was said');
  const readers = await decodeInBrowser(body, rounds);
  assert.deepEqual(readers.sidecar.lengths, expected, 'the decoder in WASM reads what was said');
  assert.deepEqual(readers.openai.lengths, readers['eventsource-parser'].lengths, 'both clients read the same');
  figure('decoding a Chat Completions stream', 'MB/s', {
    ours: speed(readers.sidecar.samples),
    'ours natively': speed(native.samples),
    'npm openai': speed(readers.openai.samples),
    'npm eventsource-parser and JSON.parse': speed(readers['eventsource-parser'].samples),
  });
}

async function decodeNatively(body, rounds) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-stream-'));
  try {
    const file = path.join(folder, 'stream.txt');
    await writeFile(file, body);
    return JSON.parse(execFileSync(process.env.SIDECAR_BENCH_PROGRAM, [file, String(PIECE), String(rounds)], { encoding: 'utf8' }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function decodeInBrowser(body, rounds) {
  const built = process.env.SIDECAR_BENCH_MODULE;
  const site = await serve(TESTS);
  const chromium = await launch({ extension: null });
  try {
    site.put('bench/decoder.js', await readFile(path.join(built, 'decoder.js')));
    site.put('bench/decoder_bg.wasm', await readFile(path.join(built, 'decoder_bg.wasm')), { 'Content-Type': 'application/wasm' });
    const stream = site.put('bench/stream.txt', body);
    const page = await chromium.open(site.put('bench/index.html', '<!doctype html>'));
    const times = { warmUps: Math.ceil(rounds / 2), rounds };
    return await page.evaluate(async (...race) => (await import('/bench/readers.mjs')).race(...race), stream, PIECE, times);
  } finally {
    await chromium.close();
    await site.close();
  }
}
