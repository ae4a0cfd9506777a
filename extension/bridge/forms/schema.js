/** The input schema of a form. */

import { matches, setPrototypeOf, stringify } from '../captured.js';
import { append, each, SafeMap } from '../safe.js';
import {
  checked, childNodes, contains, CONTROLS, elements, fits, formOf, getAttribute, has, labelsOf, localName, nameOf, NativeRegExp,
  nodeType, options, querySelectorAll, textContent, trim, typeOf, valueOf,
} from './dom.js';
import { choosing, put, sanitized, textOf } from './fill.js';

const { abs, max, round } = Math;

/** A list that may become JSON text without running the page's `toJSON`. */
function bareList() {
  const list = [];
  setPrototypeOf(list, null);
  return list;
}

/** To the other types `readonly` means nothing. */
const LOCKED =
  ':disabled:not(fieldset),textarea[readonly],input[readonly]:not([type=hidden],[type=range],[type=color],[type=checkbox],[type=radio])';

/** The controls that can be filled, by name. @returns {Map<string, HTMLElement[]>} */
export function controlsOf(form) {
  const byName = new SafeMap();
  each(elements(form), (control) => {
    if (!fits(control, CONTROLS) || fits(control, LOCKED)) return;
    const name = nameOf(control);
    if (!byName.has(name)) byName.set(name, []);
    append(byName.get(name), control);
  });
  return byName;
}

/** The text of a label without that of the controls in it. */
function wordsOf(node) {
  let words = nodeType(node) === 3 ? textContent(node) : '';
  const isOpen = nodeType(node) === 1 && !fits(node, `${CONTROLS},meter,progress`);
  if (isOpen) each(childNodes(node), (child) => (words += wordsOf(child)));
  return words;
}

function labelOf(control) {
  let text = '';
  each(labelsOf(control) ?? [], (label, at) => (text += (at > 0 ? '; ' : '') + trim(wordsOf(label))));
  return text;
}

function descriptionOf(controls) {
  const first = controls[0];
  if (controls.length === 1) {
    return getAttribute(first, 'toolparamdescription') || labelOf(first) || getAttribute(first, 'aria-description');
  }
  // Several are described by the innermost fieldset around them all.
  let text;
  each(querySelectorAll(formOf(first), 'fieldset'), (fieldset) => {
    if (each(controls, (control) => contains(fieldset, control))) text = getAttribute(fieldset, 'toolparamdescription');
  });
  return text;
}

/** A number, if the browser takes it for one. */
function numberOf(element, attribute) {
  const text = sanitized('number', getAttribute(element, attribute) ?? '');
  return text === '' ? undefined : +text + 0;
}

function describeNumbers(schema, input, isRange) {
  const least = numberOf(input, 'min');
  const most = numberOf(input, 'max') ?? (isRange ? 100 : undefined);
  schema.type = 'number';
  schema.minimum = least ?? (isRange ? 0 : undefined);
  schema.maximum = isRange ? max(schema.minimum, most) : most;
  const given = numberOf(input, 'step');
  const step = given > 0 ? given : 1;
  const steps = (least ?? numberOf(input, 'value') ?? 0) / step;
  if ((isRange || !fits(input, '[step=any i]')) && abs(steps - round(steps)) < 1e-9) schema.multipleOf = step;
}

const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]';
const FORMATS = {
  __proto__: null,
  color: '^#[0-9a-zA-Z]{6}$',
  date: 'date',
  'datetime-local': `^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}T${CLOCK}`,
  month: '^[0-9]{4}-(0[1-9]|1[0-2])$',
  time: `^${CLOCK}`,
  week: '^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$',
};

/** The end of a time's format: as much as its step asks for, to the nearest millisecond. */
function secondsOf(input) {
  const step = numberOf(input, 'step');
  return step > 0 && step < 59.9995 ? `(:[0-5][0-9]${step < 0.9995 ? '(\\.[0-9]{1,3})?' : ''})?$` : '$';
}

function isPattern(text) {
  try {
    return text !== null && new NativeRegExp(text, 'v') !== null;
  } catch {
    return false;
  }
}

/**
 * What controls of one name take: the schema, with Chromium's members in Chromium's order, and what puts a value into
 * them, if they take that value.
 *
 * @returns {{ schema: object, take: (value: unknown) => (() => void) | undefined } | undefined}
 */
export function parameterOf(controls) {
  const first = controls[0];
  const kind = typeOf(first);
  const isMany = controls.length > 1;
  const isBox = kind === 'checkbox' || kind === 'radio';
  const isUnfit = isMany && !(isBox && each(controls, (control) => typeOf(control) === kind));
  const isHidden = kind === 'hidden' && !getAttribute(first, 'toolparamdescription');
  if (isUnfit || isHidden || matches(/^(?:button|fieldset|file|output|reset|submit)$/, kind) !== null) return undefined;

  const schema = { __proto__: null, type: 'string', format: FORMATS[kind] };
  let take;
  if (kind === 'radio' || (isBox && isMany)) {
    take = offer(schema, controls, (box) => labelOf(box) || undefined, kind === 'checkbox');
  } else if (localName(first) === 'select') {
    take = offer(schema, options(first), textContent, kind === 'select-multiple', first);
  } else if (isBox) {
    schema.type = 'boolean';
    take = (value) => {
      const found = matches(/^(?:(true|-?[1-9]\d*)|false|0)$/i, textOf(value));
      return found === null ? undefined : () => put(first, checked, found[1] !== undefined, true);
    };
  } else {
    if (kind === 'number' || kind === 'range') describeNumbers(schema, first, kind === 'range');
    else if (matches(/^(?:time|datetime)/, kind) !== null) schema.format += secondsOf(first);
    const pattern = getAttribute(first, 'pattern');
    const isMatched = schema.format === undefined && kind !== 'range' && kind !== 'textarea';
    if (isMatched && isPattern(pattern)) schema.pattern = pattern;
    take = (value) => {
      const text = textOf(value);
      const isTaken = text === '' ? schema.type === 'string' : kind === 'textarea' || sanitized(kind, text) !== '';
      return text !== undefined && isTaken ? () => put(first, valueOf, text) : undefined;
    };
  }
  const description = descriptionOf(controls) || undefined;
  const hint = "Dates MUST be provided in 'YYYY-MM-DD' format.";
  if (kind !== 'date') schema.description = description;
  else schema.description = description === undefined ? hint : `${description} (${hint})`;
  return { schema, take };
}

/** Let a parameter be one of several texts, or a list of some of them. */
function offer(schema, choices, titleOf, isMany, select) {
  const one = isMany ? { __proto__: null, type: 'string' } : schema;
  if (isMany) {
    schema.type = 'array';
    schema.items = one;
    schema.uniqueItems = true;
  }
  one.anyOf = bareList();
  one.enum = bareList();
  each(choices, (choice) => {
    append(one.anyOf, { __proto__: null, type: 'string', const: valueOf(choice), title: titleOf(choice) });
    append(one.enum, valueOf(choice));
  });
  return (value) => choosing(isMany ? value : [value], choices, isMany, select);
}

/** The schema of all parameters as JSON text, without the members that are `undefined`. */
export function schemaOf(form) {
  const properties = { __proto__: null };
  const required = bareList();
  controlsOf(form).forEach((controls, name) => {
    const parameter = parameterOf(controls);
    if (parameter === undefined) return;
    properties[name] = parameter.schema;
    if (!each(controls, (control) => !has(control, 'required'))) append(required, name);
  });
  return stringify({ __proto__: null, type: 'object', properties, required });
}
