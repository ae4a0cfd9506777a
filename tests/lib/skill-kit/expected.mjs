/** What a test says in `expect`: its form, and what is not in the value. */

/** Most texts in `never`, and characters of each. */
const MOST_NEVER = 20;
const LONGEST_NEVER = 200;

const KEYS = ['outcome', 'value', 'worn', 'alternative', 'never'];

/**
 * @typedef {object} Expected
 * @property {string} outcome
 * @property {unknown} [value]
 * @property {string[]} [worn] names of the locators of which a later alternative was used
 * @property {Record<string, number>} [alternative] by names of locators, the alternative by which they were found, from 1, as
 *   in the last run that the panel shows
 * @property {string[]} [never] texts that are in nothing that the tool gives
 */

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is wrong with the form. @param {Expected} expected @param {{ locators?: Record<string, object> }} definition */
export function formProblem(expected, { locators = {} }) {
  if (!isObject(expected) || typeof expected.outcome !== 'string') return 'expect has no outcome';
  const unknown = Object.keys(expected).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `expect has ${unknown}, which means nothing: it may have ${KEYS.join(', ')}`;
  const { alternative = {}, never = [] } = expected;
  if (!isObject(alternative)) return 'expect.alternative has to be an object, as {"rows": 1}';
  for (const [name, number] of Object.entries(alternative)) {
    const most = Object.hasOwn(locators, name) ? locators[name].any.length : 0;
    if (most === 0) return `expect.alternative has ${name}, which is no name in locators`;
    if (!Number.isInteger(number) || number < 1 || number > most) return `expect.alternative.${name} has to be a number from 1 to ${most}`;
  }
  const isText = (text) => typeof text === 'string' && text.length > 0 && [...text].length <= LONGEST_NEVER;
  if (!Array.isArray(never) || never.length > MOST_NEVER || !never.every(isText)) {
    return `expect.never has to be at most ${MOST_NEVER} texts of 1 to ${LONGEST_NEVER} characters`;
  }
  return undefined;
}

const textsIn = (value) => (typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []);

/** Which text of `never` there is. @param {Expected} expected @param {import('./answer.mjs').Answer} answer */
export function forbiddenIn({ never = [] }, { value, text }) {
  // In JSON some characters are written otherwise.
  const given = [text, ...textsIn(value)];
  const found = never.find((one) => given.some((all) => all.includes(one)));
  return found === undefined ? undefined : `${JSON.stringify(found)} is never to be given: ${text}`;
}

/** Which locator was found by another alternative, or not at all. @param {Expected} expected */
export function otherAlternative({ alternative }, { steps, text }) {
  if (alternative === undefined) return undefined;
  if (steps instanceof Error) return `which alternatives were used could not be asked: ${steps.message}`;
  if (steps === undefined) return `there is no run to say which alternatives were used: ${text}`;
  for (const [name, wanted] of Object.entries(alternative)) {
    const used = [...new Set(steps.flatMap((step) => (step.locator === name && step.alternative !== null ? [step.alternative] : [])))];
    if (used.length === 0) return `no step found ${name}, of those that the last run shows: fields of rows are not among them`;
    if (used.length > 1 || used[0] !== wanted) return `${name} was found by alternative ${used.join(' and ')}, not ${wanted}`;
  }
  return undefined;
}
