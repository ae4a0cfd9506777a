/** Pages with frames that are left while native WebMCP is asked for their tools: the browser lives. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { leaveFrames } from '../chaos/frames.mjs';

test('the browser lives through twenty rounds of pages that are left at random moments', async () => {
  const { kinds, failures } = await leaveFrames({ rounds: 20, seed: 21 });
  assert.deepEqual(failures, []);
  assert.ok([...kinds.values()].every(({ rounds }) => rounds > 0), 'every kind of round was met');
});
