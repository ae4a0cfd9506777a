/** Leaving pages with frames while native WebMCP is asked for their tools must not crash the browser. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { leaveFrames } from '../chaos/frames.mjs';

test('the browser survives twenty rounds of leaving pages at random moments', async () => {
  const { kinds, failures } = await leaveFrames({ rounds: 20, seed: 21 });
  assert.deepEqual(failures, []);
  assert.ok([...kinds.values()].every(({ rounds }) => rounds > 0), 'every kind of round was met');
  assert.ok([...kinds.values()].every(({ rounds, stuck }) => stuck < rounds), 'navigations commit');
});
