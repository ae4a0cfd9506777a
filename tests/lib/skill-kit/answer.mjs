/** What a model is told of the call of a SKILL's tool, read back. */

const NOT_OFFERED = /There is no tool named|no longer has this tool/;

/**
 * @typedef {object} Answer
 * @property {string} outcome `withheld`: the tool is not offered on this page
 * @property {unknown} [value]
 * @property {string[]} [worn] names of locators
 * @property {string} text
 */

/** @param {string} text @returns {Answer} */
export function answerOf(text) {
  if (NOT_OFFERED.test(text)) return { outcome: 'withheld', text };
  const failed = text.match(/\[[^\]\n]* [^\]\n]*, \w+(?:, .*)?: (\w+)\]/);
  if (text.startsWith('Error') || failed) return { outcome: failed?.[1] ?? text, text };
  const worn = text.match(/changed a little since the SKILL was made \(([^)]*)\)/)?.[1].split(', ') ?? [];
  const line = text.split('\n').find((one) => /^[[{"\d]/.test(one) && !one.startsWith('[there') && isJson(one));
  return { outcome: 'ok', value: line === undefined ? undefined : JSON.parse(line), worn, text };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
