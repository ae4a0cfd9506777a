/** What the user's card shows of an element: our own reading of it, never the words of a model. */

import { attribute, bodyElement, closest, controlOf, deepActive, formOf, getter, hasAttribute, inputTypeOf, isFile, query, tagOf, textContentOf, valueOf } from './dom.js';
import { content, nameOf, nickname } from './name.js';
import { refOf } from './refs.js';
import { roleOf } from './role.js';
import { isSecret } from './secrets.js';
import { topModal } from './shown.js';
import { valueText } from './state.js';
import { controlsOf, defaultButton, formFrom, isEnterForForm, isSubmitButton, isSubmittedByEnter } from './submit.js';
import { box, chooser, field, pressable, resolve } from './target.js';
import { line } from './text.js';
import { unsent } from './unsaved.js';

const PERSONAL = /^(name|given-name|family-name|additional-name|email|tel|tel-.+|street-address|address-.+|postal-code|country|country-name|bday|bday-.+|sex|organization|username|cc-.+)$/;
const PERSONAL_NAMES = /name|e-?mail|phone|mobile|street|address|postcode|postal|zip|city|birth|passport|姓名|邮箱|电话|手机|地址|身份证|生日/i;
const TOTAL = /(total|amount due|to pay|合计|总计|总额|应付)[^\n]{0,40}?([$€£¥￥₹]|\b(usd|eur|gbp|cny|rmb|chf|jpy)\b|元)|([$€£¥￥₹]\s?\d)/i;
const actionOf = getter(HTMLFormElement, 'action');
const baseOf = getter(Node, 'baseURI');

/** The heading of a form: in it, or the last one before it. */
function headingOf(form) {
  const inside = query(form, 'h1, h2, h3, h4, h5, h6, legend, [role=heading]')[0];
  if (inside) return line(content(inside), 100);
  const around = closest(form, (one) => ['section', 'dialog', 'main', 'article'].includes(tagOf(one)) || roleOf(one) === 'dialog');
  const before = around && query(around, 'h1, h2, h3, h4, h5, h6, [role=heading]').findLast((one) => one.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING);
  return before ? line(content(before), 100) : '';
}

/** How a card calls the form of an element. */
export function formWords(element) {
  const form = formOf(element);
  return form ? headingOf(form) || nameOf(form) : '';
}

/** Fields about the user that hold something. */
const isPersonal = (field) => {
  if (valueOf(field) === '' || (field instanceof HTMLInputElement && ['hidden', 'submit', 'button', 'checkbox', 'radio', 'search'].includes(inputTypeOf(field)))) return false;
  const purposes = attribute(field, 'autocomplete').toLowerCase().split(/\s+/);
  if (purposes.some((one) => PERSONAL.test(one)) || isSecret(field)) return true;
  return (field instanceof HTMLInputElement && ['email', 'tel'].includes(inputTypeOf(field))) || PERSONAL_NAMES.test(`${attribute(field, 'name')} ${attribute(field, 'id')} ${nameOf(field)}`);
};

function formFacts(form) {
  const controls = controlsOf(form);
  const files = query(form, 'input[type=file]').filter((one) => one.files.length > 0).length;
  let origin = location.origin;
  try {
    origin = new URL(actionOf(form), location.href).origin;
  } catch {
    // An address that is none leads nowhere.
  }
  return { heading: headingOf(form), name: line(nameOf(form), 100), personal: controls.filter(isPersonal).length, files, total: TOTAL.test(content(form).slice(0, 20_000)), origin };
}

/** Words of a picture where there are no others: its title, its classes. */
function iconOf(element) {
  const inner = query(element, 'svg title')[0];
  const classes = [element, ...query(element, 'svg, i, span, img, use').slice(0, 8)].map((one) => `${attribute(one, 'class')} ${attribute(one, 'href')} ${attribute(one, 'data-icon')}`).join(' ');
  return line([inner ? textContentOf(inner) : '', nickname(element), classes].join(' '), 200);
}

/** What gives way to what is shown at a target: this document, or perhaps another one of the tab; nothing does for a new tab. */
function scopeOf(target) {
  const [base] = query(document, 'base[target]');
  const name = (target || (base ? attribute(base, 'target') : '')).toLowerCase();
  return name === '_blank' ? undefined : name === '' || name === '_self' ? 'frame' : 'tab';
}

const withoutHash = (address) => address.split('#')[0];

/** Where a link leads: of HTML, SVG or a map of a picture. */
function addressOf(link) {
  try {
    return new URL(attribute(link, hasAttribute(link, 'href') ? 'href' : 'xlink:href'), baseOf(link)).href;
  } catch {
    return '';
  }
}

/** What gives way to another document where an element is pressed, or a form sent by it. */
function leads(element, sent) {
  if (sent) {
    const button = isSubmitButton(element) ? element : defaultButton(sent);
    const told = (name) => (button && attribute(button, `form${name}`)) || attribute(sent, name);
    return told('method').toLowerCase() === 'dialog' ? undefined : scopeOf(told('target'));
  }
  const link = closest(element, (one) => ['a', 'area'].includes(tagOf(one)) && (hasAttribute(one, 'href') || hasAttribute(one, 'xlink:href')));
  const address = link && !hasAttribute(link, 'download') ? addressOf(link) : '';
  if (!/^https?:/.test(address)) return undefined;
  const scope = scopeOf(attribute(link, 'target'));
  const isHere = address.includes('#') && withoutHash(address) === withoutHash(location.href);
  return isHere && (scope === 'frame' || top === self) ? undefined : scope;
}

/** What an action on an element is about. */
const MEANT = { click: pressable, check: box, choose: chooser, fill: field };

/** @param {{ target: string, act?: string, key?: string, modifiers?: string[], submit?: boolean }} message without a target, what has the focus */
export function describe(message) {
  const { target, act } = message;
  const found = target === '' ? (deepActive() ?? bodyElement()) : resolve(target);
  return facts(MEANT[act]?.(found) ?? found, message);
}

function facts(element, { act, key: pressed, modifiers, submit }) {
  // With Control, Alt or Meta a key does nothing by itself.
  const key = modifiers?.some((one) => one !== 'Shift') ? '' : pressed;
  const role = roleOf(element);
  const name = nameOf(element, role);
  const form = act === 'submit' ? formFrom(element) : formOf(element);
  const dialog = closest(element, (one) => /^(alert)?dialog$/.test(roleOf(one))) ?? topModal();
  const title = line(attribute(element, 'title'));
  const icon = name === '' ? iconOf(element) : '';
  const isPressed = act === 'click' || key === 'Enter';
  const isSent = act === 'submit' || submit || (isSubmitButton(element) ? isPressed || key === ' ' : key === 'Enter' && form && isEnterForForm(element) && isSubmittedByEnter(form));
  const sent = isSent ? form : null;
  return {
    ref: refOf(element, role, name), role, name,
    value: valueText(element, role) || undefined,
    title: title && title !== name ? title : undefined,
    form: form ? formFacts(form) : undefined,
    dialog: dialog ? line([nameOf(dialog), content(dialog)].join(' '), 300) : undefined,
    icon: icon || undefined,
    submits: Boolean(form && (act === 'submit' || isSubmitButton(element))),
    button: form && defaultButton(form) ? line(nameOf(defaultButton(form))) : undefined,
    leads: isPressed || sent ? leads(element, sent) : undefined,
    unsent: unsent(sent) > 0,
    // As it is compared again when it is acted on.
    approved: { role, name, form: formWords(element) },
    secret: isSecret(element), file: isFile(element) || (tagOf(element) === 'label' && isFile(controlOf(element))),
  };
}
