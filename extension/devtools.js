/** Adds the workbench to the browser's developer tools, bound to the tab that they inspect. */
chrome.devtools.panels.create('WebMCP', 'icons/32.png', 'workbench.html');
