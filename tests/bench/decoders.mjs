/** How fast answers are decoded: ours as WASM and natively, beside what JavaScript clients use, over the same stream. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { launch } from '../lib/browser.mjs';
import { TESTS } from '../lib/paths.mjs';
import { serve } from '../lib/site.mjs';
import { longStream } from './stream.mjs';

/** Bytes of the stream. */
const LENGTH = 4_000_000;

/** Bytes of a piece: about what a browser hands over when a service sends faster than it is read. */
const PIECE = 16 * 1024;

/**
 * Megabytes (of a million bytes) a second, of a stream of 4 MB that is in memory already. Ours is the decoder alone, built
 * as the worker is (`crates/bench`), because what ships has no hook for this; it looks for leaked calls too, as in a turn.
 * All readers in the browser take turns in one page; the native program is the same code, optimised for speed.
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
