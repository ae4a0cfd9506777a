/** The cost of estimating a thread's context usage during a turn. */

import { execFileSync } from 'node:child_process';

/**
 * Total milliseconds of all estimates in a turn of 20 calls in a thread of 2,000 entries, natively
 * (`crates/agent/benches`).
 *
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: number }} context
 */
export function benchContext({ figure, median, rounds }) {
  const { samples } = JSON.parse(execFileSync(process.env.SIDECAR_BENCH_CONTEXT, [String(rounds)], { encoding: 'utf8' }));
  figure('estimates of the context in a turn of 20 calls', 'ms', { median: median(samples), worst: Math.max(...samples) });
}
