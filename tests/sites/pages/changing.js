'use strict';

/** @type {Map<string, AbortController>} */
const live = new Map();

/**
 * @param {string} name
 * @param {object} [more] of its definition
 */
function addTool(name, more) {
  const controller = new AbortController();
  live.set(name, controller);
  return offer(
    { name, description: `The tool ${name}.`, annotations: { readOnlyHint: true }, execute: () => `this is ${name}`, ...more },
    { signal: controller.signal },
  );
}

/** @param {string} name */
function removeTool(name) {
  live.get(name).abort();
  live.delete(name);
}

document.querySelector('#add').addEventListener('click', () => addTool(`tool${live.size + 1}`));
document.querySelector('#remove').addEventListener('click', () => {
  const last = [...live.keys()].at(-1);
  if (last) removeTool(last);
});

addTool('always');
