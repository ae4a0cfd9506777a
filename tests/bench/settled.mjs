/** The time that the agent waits after a call for tools that the call registers, before the next request. */

import { Kept } from '../lib/database.mjs';
import { Stage } from '../lib/stage.mjs';

/** One tool with `readOnlyHint`, and one without. */
const PAGE = `<!doctype html><title>Settled</title><script>
  for (const name of ['reads', 'acts']) {
    document.modelContext.registerTool({ name, description: 'Shows a colour.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: name === 'reads' }, execute: () => 'blue' });
  }
</script>`;

/**
 * @param {{ figure: (what: string, unit: string, values: Record<string, number>) => void, median: (samples: number[]) => number, rounds: number }} bench
 */
export async function benchSettled({ figure, median, rounds }) {
  const stage = await Stage.set();
  try {
    const url = stage.site.put('settled.html', PAGE);
    for (const name of ['reads', 'acts']) {
      await stage.begin(url, { tools: 2 });
      await stage.panel.ask(Array.from({ length: rounds }, (_, at) => `call ${name} {"at":${at}}`).join('\nthen '));
      const waits = waitsIn(await new Kept(stage.chromium).all('log'), rounds);
      figure(`from the end of a call that ${name} to the next request`, 'ms', { median: median(waits), worst: Math.max(...waits) });
    }
  } finally {
    await stage.strike();
  }
}

/** The times between a result and the next request, for the last calls of a log. */
function waitsIn(entries, count) {
  const log = entries.map(([, entry]) => entry);
  const waits = log.flatMap(({ event, at }, place) => {
    const next = log[place + 1];
    return event === 'toolFinished' && next?.event === 'modelAsked' ? [next.at - at] : [];
  });
  if (waits.length < count) throw new Error(`only ${waits.length} of ${count} calls were followed by a request`);
  return waits.slice(-count);
}
