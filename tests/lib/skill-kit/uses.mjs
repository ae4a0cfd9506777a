/** What a tool of a SKILL looks for in its pages, and under which keys of its value what it reads there stands. */

/** @typedef {string | { any: object[], in?: string }} At a locator or its name */

/**
 * @typedef {object} Reading
 * @property {'value' | 'list' | 'answer' | 'next'} kind `answer`: whether, or how many, there are; `next`: the link to a
 *   further page of a list
 * @property {string[]} keys of the tool's value; empty for the value as a whole
 * @property {boolean} optional whether its absence leaves the rest as it is
 * @property {At[]} lists the rows in which it stands, the outermost first; for a list, its own rows are the last
 * @property {At | null} at null for the row itself
 * @property {string} [attr]
 * @property {boolean} [first] of several elements, the first
 */

/** @returns {Reading[]} */
export function readingsOf(tool) {
  const steps = [...stepsIn(tool.steps)];
  const keysOf = (name) => [
    ...steps.filter((step) => step.do === 'return').flatMap((step) => [...keysWith(step.value, `{{${name}}}`, '')]),
    ...steps.filter((step) => step.do === 'pages' && step.collect === name).flatMap((step) => keysOf(step.as)),
  ];
  return steps.flatMap((step) => {
    const keys = step.as === undefined ? [] : keysOf(step.as);
    const optional = step.optional === true || step.when !== undefined;
    switch (step.do) {
      case 'read': return [{ kind: isAnswer(step) ? 'answer' : 'value', keys, optional, lists: [], at: step.at, attr: step.attr, first: step.first }];
      case 'data': return step.at === undefined ? [] : [{ kind: 'value', keys, optional, lists: [], at: step.at }];
      case 'extract': return [...inRows(step, keys, optional, [])];
      case 'pages': return [{ kind: 'next', keys, optional: true, lists: [], at: step.next }];
      default: return [];
    }
  });
}

const isAnswer = ({ what }) => what === 'count' || what === 'exists';

function* inRows({ each, fields }, keys, optional, around) {
  const lists = [...around, each];
  yield { kind: 'list', keys, optional, lists, at: each };
  for (const [name, field] of Object.entries(fields)) {
    // A row does without the rows in it.
    if (field.each !== undefined) yield* inRows(field, [name], true, lists);
    else yield { kind: isAnswer(field) ? 'answer' : 'value', keys: [name], optional: field.optional === true, lists, at: field.at ?? null, attr: field.attr, first: field.first };
  }
}

/** The steps, and those in them. */
export function* stepsIn(steps) {
  for (const step of steps) {
    yield step;
    yield* stepsIn(step.steps ?? []);
    for (const branch of step.branches ?? []) yield* stepsIn(branch.steps);
  }
}

function* keysWith(value, text, key) {
  if (value === text) yield key;
  if (Array.isArray(value)) for (const one of value) yield* keysWith(one, text, key);
  else if (typeof value === 'object' && value !== null) for (const [name, one] of Object.entries(value)) yield* keysWith(one, text, name);
}

/** Whether a tool leads to another page before it looks at one, so far as it leads anywhere. */
export function navigatesFirst(steps) {
  for (const step of steps) {
    const looks = [step.that, step.when, ...(step.branches ?? []).map((branch) => branch.when)].some((condition) => JSON.stringify(condition ?? {}).includes('"at"'));
    if (looks) return false;
    if (step.do === 'navigate') return true;
    if (step.do === 'either') return step.branches.every((branch) => navigatesFirst(branch.steps));
    if (step.do !== 'expect') return false;
  }
  return false;
}

/** The locators that a tool uses: in its steps, and on the pages where it may start. @returns {At[]} */
export function locatorsOf(definition, tool) {
  const kinds = Object.entries(definition.pages ?? {}).filter(([name]) => (tool.pages ?? []).includes(name));
  const found = new Map();
  const look = (value) => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value) && isLocator(value)) found.set(JSON.stringify(value), value);
    for (const [name, one] of Object.entries(value)) {
      if (['at', 'each', 'next', 'appears', 'gone'].includes(name) && typeof one === 'string' && definition.locators?.[one]) found.set(one, one);
      else if (!['value', 'query', 'form', 'json', 'map'].includes(name)) look(one);
    }
  };
  look(tool.steps);
  look(kinds.map(([, kind]) => kind));
  return [...found.values()];
}

/** Conditions have `any`, too. */
const isLocator = ({ any }) => Array.isArray(any) && any.flat().every((link) => ['css', 'testid', 'role', 'label', 'placeholder', 'text'].some((kind) => link[kind] !== undefined));

/** A locator, and those around it. @returns {{ name: string, any: object[] }[]} */
export function chainOf(definition, at) {
  const locator = typeof at === 'string' ? definition.locators[at] : at;
  return [{ name: typeof at === 'string' ? at : 'at', ...locator }, ...(locator.in ? chainOf(definition, locator.in) : [])];
}

/**
 * The classes that a locator's selectors name.
 *
 * @returns {{ classes: string[], parts: string[] }} `parts`: of `[class*=…]` and the like
 */
export function classesOf({ any }) {
  const classes = new Set();
  const parts = new Set();
  for (const { css = '' } of any.flat()) {
    for (const [, operator, name] of css.matchAll(/\[class([*^$]?)[~|]?=\s*["']?([^"'\]]+)/g)) (operator ? parts : classes).add(name.trim());
    for (const [, name] of css.replace(/\[[^\]]*\]/g, '').matchAll(/\.(-?[A-Za-z_][\w-]*)/g)) classes.add(name);
  }
  return { classes: [...classes], parts: [...parts] };
}
