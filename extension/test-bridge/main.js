/**
 * `window.__wmcp_bridge`, for tests and the console of a site's developer: lists and calls the page's own tools
 * (docs/test-bridge.md). In the page's own world, where the user switched it on for the origin. It uses the page's WebMCP,
 * and has no way to the extension.
 */

import { callTool, listTools, waitForTool } from './tools.js';

const NAME = '__wmcp_bridge';

/** Whether the document around this one has it, and has said so. */
function isSaid() {
  try {
    return parent !== window && NAME in parent;
  } catch {
    // It is of another origin.
    return false;
  }
}

// Sandboxed documents are none of the origin, whatever their address.
if (self.origin !== 'null' && !(NAME in window)) {
  Object.defineProperty(window, NAME, { value: Object.freeze({ listTools, callTool, waitForTool }), configurable: true });
  if (!isSaid()) {
    console.info(
      `WebMCP Sidecar: ${NAME} lists and calls this page’s own tools. You switched it on for ${self.origin} in the Tools view of the extension’s side panel.`,
    );
  }
}
