/** By CSS, what may have a role: `roleOf` then judges only these. */

const TAGS = {
  article: 'article', audio: 'audio', banner: 'header', button: 'button,input,label,summary', canvas: 'canvas', cell: 'td', checkbox: 'input,label', columnheader: 'th',
  combobox: 'input,select', complementary: 'aside', contentinfo: 'footer', dialog: 'dialog', embed: 'embed', figure: 'figure', form: 'form', gridcell: 'td',
  group: 'details,fieldset,optgroup', heading: 'h1,h2,h3,h4,h5,h6', iframe: 'iframe,frame,fencedframe', img: 'img,svg', link: 'a,area', list: 'ol,ul,menu', listbox: 'select',
  listitem: 'li', main: 'main', math: 'math', meter: 'meter', navigation: 'nav', object: 'object', option: 'option', progressbar: 'progress', radio: 'input,label',
  region: 'section', row: 'tr', rowheader: 'th', search: 'search', searchbox: 'input', separator: 'hr', slider: 'input', spinbutton: 'input', status: 'output',
  table: 'table', textbox: 'input,textarea,[contenteditable]', video: 'video',
};
/** Roles of two names. */
const ALSO = { img: 'image', list: 'directory' };

/** The role as `roleOf` says it. */
export const usualName = (role) => Object.keys(ALSO).find((usual) => ALSO[usual] === role) ?? role;

/**
 * @param {string} role as `usualName` has it
 * @returns {string} a selector
 */
export function cssOfRole(role) {
  const named = [role, ALSO[role]].filter(Boolean).map((name) => `[role~="${CSS.escape(name)}" i]`);
  return [...(Object.hasOwn(TAGS, role) ? [TAGS[role]] : []), ...named].join(',');
}
