// Takes the test bridge (test-bridge/) away from a document, when the user has switched it off for the origin.

delete window.__wmcp_bridge;
