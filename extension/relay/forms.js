/** The forms that declare tools, or would: what of them only the document says. Forms in shadow trees are not looked at. */

import { all, toolNameOf } from './own.js';

/** So many forms are told of, and so many fields of each. */
const FORMS = 100;
const FIELDS = 200;

/** Characters of a field's name. */
const NAME = 128;

/** Controls that are no parameters. */
const OTHERS = ['button', 'fieldset', 'file', 'image', 'output', 'reset', 'submit', undefined];

/** A member of an element, in whose place a page, or a control of that name, can put another. */
const member = (Kind, key, element) => Reflect.get(Kind.prototype, key, element);
const attribute = (element, name) => Element.prototype.getAttribute.call(element, name)?.trim() ?? '';
const has = (element, name) => Element.prototype.hasAttribute.call(element, name);

const hasLabel = (control) => [...(control.labels ?? [])].some((label) => label.textContent.trim() !== '');

/** Whether something says what controls of one name are for, as browsers read it. */
function isDescribed(form, controls) {
  const [first] = controls;
  if (controls.length === 1) {
    return attribute(first, 'toolparamdescription') !== '' || hasLabel(first) || attribute(first, 'aria-description') !== '';
  }
  // Several are described by the fieldset around them all.
  const sets = [...Element.prototype.querySelectorAll.call(form, 'fieldset[toolparamdescription]')];
  return sets.some((set) => attribute(set, 'toolparamdescription') !== '' && controls.every((control) => set.contains(control)));
}

function fieldsOf(form) {
  const byName = new Map();
  for (const control of member(HTMLFormElement, 'elements', form)) {
    const name = attribute(control, 'name');
    const isHidden = control.type === 'hidden' && attribute(control, 'toolparamdescription') === '';
    if (name === '' || isHidden || OTHERS.includes(control.type) || control.matches(':disabled')) continue;
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push(control);
  }
  return [...byName].slice(0, FIELDS).map(([name, controls]) => ({
    name: name.slice(0, NAME),
    kind: controls[0].type,
    isDescribed: isDescribed(form, controls),
  }));
}

/** All forms with a `toolname`, also those that are no tools because nothing describes them. */
export const formsOf = () =>
  all('form[toolname]')
    .slice(0, FORMS)
    .map((form) => ({
      name: toolNameOf(form).slice(0, NAME),
      isDescribed: attribute(form, 'tooldescription') !== '',
      autosubmit: has(form, 'toolautosubmit'),
      fields: fieldsOf(form),
    }));
