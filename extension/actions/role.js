/** Roles of elements: the explicit one if it is valid, else the element's own. Empty means generic. */

import { attribute, attributeOf, byId, closest, controlOf, hasAttribute, inputTypeOf, isEditingHost, isMultiple, isRendered, namespaceOf, parentOf, SVG, tagOf, tabIndexOf } from './dom.js';

const set = (words) => new Set(words.split(' '));

/** Roles that say nothing to a reader: their text and children stand for themselves. */
const SILENT = set('generic none presentation paragraph strong emphasis code deletion insertion subscript superscript time mark term definition rowgroup blockquote caption legend document text');
const VALID = set(
  'alert alertdialog application article banner button cell checkbox columnheader combobox complementary contentinfo dialog directory feed figure form grid gridcell group heading img image link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option progressbar radio radiogroup region row rowheader scrollbar search searchbox separator slider spinbutton status switch tab table tablist tabpanel textbox timer toolbar tooltip tree treegrid treeitem',
);

/** Roles by element, where nothing else decides. */
const BY_TAG = {
  article: 'article', aside: 'complementary', button: 'button', canvas: 'canvas', details: 'group', dialog: 'dialog', embed: 'embed',
  fencedframe: 'iframe', fieldset: 'group', figure: 'figure', frame: 'iframe', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
  h5: 'heading', h6: 'heading', hr: 'separator', iframe: 'iframe', main: 'main', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation',
  object: 'object', ol: 'list', optgroup: 'group', option: 'option', output: 'status', progress: 'progressbar', search: 'search', summary: 'button',
  table: 'table', textarea: 'textbox', tr: 'row', ul: 'list', video: 'video', audio: 'audio',
};
const BY_TYPE = {
  button: 'button', checkbox: 'checkbox', color: 'button', file: 'button', hidden: '', image: 'button', number: 'spinbutton', radio: 'radio',
  range: 'slider', reset: 'button', search: 'searchbox', submit: 'button',
};
/** Inside these, `header` and `footer` are not the page's. */
const SECTIONS = set('article aside main nav section');
/** Global attributes of ARIA take back a role that hides an element's own. */
const GLOBAL = ['aria-label', 'aria-labelledby', 'aria-describedby', 'aria-live', 'aria-controls', 'aria-haspopup', 'aria-expanded'];

const hasLabel = (element) => attribute(element, 'aria-label').trim() !== '' || hasAttribute(element, 'aria-labelledby') || attribute(element, 'title').trim() !== '';
const isOfPage = (element) => !closest(parentOf(element), (one) => SECTIONS.has(tagOf(one)));

/** Fields that a list of suggestions belongs to. */
const hasSuggestions = (input) => hasAttribute(input, 'list') && byId(input, attribute(input, 'list')) !== null;

/** The role of the table that a cell is in. */
const tableRole = (element) => {
  const table = closest(parentOf(element), (one) => tagOf(one) === 'table' || /\b(table|tree)?grid\b|\btable\b/.test(attribute(one, 'role')));
  return table === null ? '' : roleOf(table);
};

/** The box, button or file field that a label shows in its stead; null if that shows itself, or there is none. */
export function hiddenControl(label) {
  const control = controlOf(label);
  return control instanceof HTMLInputElement && ['checkbox', 'radio', 'file'].includes(inputTypeOf(control)) && !isRendered(control) ? control : null;
}

function ofHeader(cell) {
  const scope = attribute(cell, 'scope').toLowerCase();
  if (scope.startsWith('row')) return 'rowheader';
  if (scope.startsWith('col')) return 'columnheader';
  // Without scope: a header beside data cells is of its row.
  for (let one = cell.nextElementSibling; one; one = one.nextElementSibling) if (tagOf(one) === 'td') return 'rowheader';
  return 'columnheader';
}

function native(element, tag) {
  switch (tag) {
    case 'a':
    case 'area': return hasAttribute(element, 'href') ? 'link' : '';
    case 'input': {
      const type = inputTypeOf(element);
      return BY_TYPE[type] ?? (hasSuggestions(element) ? 'combobox' : 'textbox');
    }
    case 'select': return isMultiple(element) || Number(attribute(element, 'size')) > 1 ? 'listbox' : 'combobox';
    case 'img': return attributeOf(element, 'alt') === '' && !hasLabel(element) ? '' : 'img';
    case 'li': {
      const parent = parentOf(element);
      return parent !== null && roleOf(parent) === 'list' ? 'listitem' : '';
    }
    case 'td': return { table: 'cell', grid: 'gridcell', treegrid: 'gridcell' }[tableRole(element)] ?? '';
    case 'th': return tableRole(element) === '' ? '' : ofHeader(element);
    case 'tr': return tableRole(element) === '' ? '' : 'row';
    case 'label': {
      const control = hiddenControl(element);
      return control === null ? '' : native(control, tagOf(control));
    }
    case 'header': return isOfPage(element) ? 'banner' : '';
    case 'footer': return isOfPage(element) ? 'contentinfo' : '';
    case 'form': return hasLabel(element) ? 'form' : '';
    case 'section': return hasLabel(element) ? 'region' : '';
    default: return Object.hasOwn(BY_TAG, tag) ? BY_TAG[tag] : '';
  }
}

/**
 * The role of an element as it stands in a line; empty for what is generic.
 * @param {Element} element
 * @returns {string}
 */
export function roleOf(element) {
  const tag = tagOf(element);
  const explicit = attributeOf(element, 'role');
  if (explicit !== null) {
    for (const word of explicit.toLowerCase().trim().split(/\s+/)) {
      if (word === 'none' || word === 'presentation') {
        if (tabIndexOf(element) >= 0 || GLOBAL.some((name) => hasAttribute(element, name))) break;
        return '';
      }
      if ((word === 'form' || word === 'region') && !hasLabel(element)) continue;
      if (VALID.has(word)) return word === 'image' ? 'img' : word === 'directory' ? 'list' : word;
      if (SILENT.has(word)) return '';
    }
  }
  const namespace = namespaceOf(element);
  if (namespace === SVG) return tag === 'svg' ? 'img' : tag === 'a' ? 'link' : '';
  const own = native(element, tag);
  return own === '' && hasAttribute(element, 'contenteditable') && isEditingHost(element) ? 'textbox' : own;
}

/** Roles named by what is in them; rows and cells show it themselves. */
const FROM_CONTENT = set('button checkbox heading link menuitem menuitemcheckbox menuitemradio option radio switch tab tooltip treeitem');
export const isNamedByContent = (role) => FROM_CONTENT.has(role);

/** Roles that a hand can do something with. */
const CONTROLS = set('button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem');
export const isControl = (role) => CONTROLS.has(role);

/** Roles whose children are only words: nothing below them is listed, unless it is a control itself. */
const LEAVES = set('button checkbox heading img link menuitem menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider switch tab');
export const isLeaf = (role) => LEAVES.has(role);

/** Roles of fields that take text. */
const FIELDS = set('combobox searchbox spinbutton textbox');
export const isField = (role) => FIELDS.has(role);
