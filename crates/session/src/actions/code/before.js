// Runs first: hears why the body cannot be read.
{
  const run = { body: undefined, fault: undefined };
  run.hear = (event) => {
    run.fault ??= { message: event.message, line: event.lineno };
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  Object.defineProperty(globalThis, KEY, { value: run, configurable: true });
  addEventListener('error', run.hear, true);
}
