/** What the test pages share: registering a tool, and a record of every run that tests can read. */
'use strict';

/** Runs of each tool on this page, with what each was given. */
window.runs = [];

/** Tools whose signal was aborted while they ran. */
window.aborted = [];

/**
 * Register a tool with whatever WebMCP this browser has.
 *
 * @param {{ name: string, description: string, inputSchema?: object, annotations?: object, execute: Function }} tool
 * @param {{ signal?: AbortSignal }} [options]
 */
function offer(tool, options) {
  const context = document.modelContext ?? navigator.modelContext;
  if (!context) throw new Error('This browser has no WebMCP.');
  const execute = (args, extra) => {
    const run = { tool: tool.name, args };
    window.runs.push(run);
    show(run);
    return tool.execute(args, extra, run);
  };
  return context.registerTool({ ...tool, execute }, options);
}

/** Show a run on the page, for people: the last few, so that a page with a thousand runs is no slower. */
function show({ tool, args }) {
  let list = document.querySelector('#runs');
  if (!list) {
    list = document.createElement('ol');
    list.id = 'runs';
    document.body.append(list);
  }
  const line = document.createElement('li');
  line.value = window.runs.length;
  line.textContent = `${tool} ${JSON.stringify(args)}`.slice(0, 200);
  list.append(line);
  if (list.childElementCount > 20) list.firstElementChild.remove();
}

/** A schema of an object whose members are all strings. */
function strings(...names) {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
    additionalProperties: false,
  };
}
