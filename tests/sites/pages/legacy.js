'use strict';

const context = navigator.modelContext;
if (!context) {
  document.querySelector('p').textContent = 'This browser has no navigator.modelContext.';
} else {
  const tool = (name) => ({
    name,
    description: `The older tool ${name}.`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    execute: (args) => {
      window.runs.push({ tool: name, args });
      return { content: [{ type: 'text', text: `${name} ran` }] };
    },
  });
  context.provideContext({ tools: [tool('oldOne'), tool('oldTwo')] });
  context.registerTool(tool('oldThree'));
  context.unregisterTool('oldTwo');
}
