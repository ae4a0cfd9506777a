/** The event at `performance` by which the test bridge asks the bridge of its window, which puts its answers on the event. */
export const ASK = 'webmcp.ask';
