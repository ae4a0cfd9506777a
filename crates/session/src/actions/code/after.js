// Runs last: runs the body, and tells what came of it as JSON text.
(async () => {
  const run = globalThis[KEY];
  delete globalThis[KEY];
  removeEventListener('error', run.hear, true);
  const threw = (message, line) => JSON.stringify({ threw: { message: String(message).slice(0, 500), line } });
  if (!run.body) return threw(run.fault?.message ?? 'it cannot be read', run.fault?.line);
  const stop = new AbortController();
  const stopped = {};
  const over = new AbortController();
  const stopping = new Promise((resolve) => {
    const end = () => (stop.abort(), resolve(stopped));
    document.addEventListener(STOP, end, { once: true, signal: over.signal });
  });
  try {
    const value = await Promise.race([run.body(JSON.parse(INPUT), stop.signal), stopping]);
    if (value === stopped) return '{"stopped":true}';
    const told = JSON.stringify({ value });
    return told.length > MOST ? '{"tooLarge":true}' : told;
  } catch (error) {
    const at = String(error?.stack ?? '').split(`${FILE}:`)[1];
    const line = parseInt(at, 10);
    return threw(error, line > 0 ? line : undefined);
  } finally {
    over.abort();
  }
})();
