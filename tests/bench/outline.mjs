/** What stands in the lines of a snapshot, ours or a peer's. */

/** Roles of what can be used. */
const CONTROLS = new Set(
  'button link textbox searchbox combobox checkbox radio switch slider spinbutton listbox option menuitem menuitemcheckbox menuitemradio tab treeitem'.split(' '),
);
/** Peers differ in which of these a field is. */
const FIELDS = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox']);
/** Roles of words. */
const WORDS = new Set('text statictext inlinetextbox paragraph emphasis strong code time superscript subscript deletion insertion mark generic note'.split(' '));

/** Fields whose inner parts, which the browser draws, a peer lists as if they were the page's. */
const PART = /^(Year|Month|Day|Week|Hours|Minutes|Seconds|Milliseconds|AM\/PM) \1$/;
const COMPOSED = new Set(['date', 'datetime', 'inputtime', 'time']);

/** The options of a closed list, in one line of ours. */
const OPTIONS = /^\s*- \/options:/;

const LINE = /^\s*(?:- |uid=\S+ )(?:(?<property>\/[\w-]+)|(?<text>")|(?<role>[\w-]+))(?:[^"[\]:]*?"(?<name>(?:[^"\\]|\\.)*)")?/;

/**
 * @param {string} outline
 * @returns {{ line: string, role: string, name: string, kind: 'control' | 'structure' | 'words', isPart: boolean }[]} `isPart`: inside a field, drawn by the browser
 */
export function linesIn(outline) {
  const lines = [];
  let field = Infinity;
  for (const line of outline.split('\n')) {
    const { property, text, role = '', name = '' } = LINE.exec(line)?.groups ?? {};
    const small = role.toLowerCase();
    const depth = line.search(/\S/);
    if (depth <= field) field = COMPOSED.has(small) ? depth : Infinity;
    let kind = CONTROLS.has(small) ? 'control' : 'structure';
    // A property belongs to the line above it; a line without a role is words, or says how much was left out.
    if (property) kind = lines.at(-1)?.kind ?? 'words';
    else if (text || role === '' || WORDS.has(small)) kind = 'words';
    lines.push({ line, role: small, name: unquoted(name), kind, isPart: depth > field || (small === 'spinbutton' && PART.test(name)) });
  }
  return lines;
}

function unquoted(name) {
  try {
    return JSON.parse(`"${name}"`);
  } catch {
    return name;
  }
}

/** The lines of controls and structure, without the words that follow a colon on those of structure. */
export const skeletonOf = (outline) =>
  linesIn(outline)
    .filter(({ kind }) => kind !== 'words')
    .map(({ line, kind }) => (kind === 'structure' ? line.replace(/(\]|"|- [\w-]+): .*$/, '$1') : line))
    .join('\n');

const folded = (name) => name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase().slice(0, 60);

/**
 * The named controls of an outline, each as often as it is there.
 * @returns {Map<string, { name: string, count: number }>} by kind and name
 */
export function controlsIn(outline) {
  const found = new Map();
  const add = (role, name) => {
    const key = `${FIELDS.has(role) ? 'field' : role} ${folded(name)}`;
    const known = found.get(key);
    if (known) known.count += 1;
    else found.set(key, { name, count: 1 });
  };
  for (const { role, name, kind, line, isPart } of linesIn(outline)) {
    if (OPTIONS.test(line)) for (const option of optionsIn(line, outline)) add('option', option);
    // Other lines of properties are no controls.
    if (kind !== 'control' || isPart || name === '' || /^\s*- \//.test(line)) continue;
    add(role, name);
  }
  return found;
}

/** The options that a line of ours names, or those of the list that it refers to. */
function optionsIn(line, outline) {
  const [, ref] = /: as (\w+)$/.exec(line) ?? [];
  if (ref === undefined) return line.replace(OPTIONS, '').split(' | ').map((option) => option.trim().replace(/ \[disabled\]$/, '').replace(/^"(.*)"$/, (_, name) => unquoted(name)));
  const lines = outline.split('\n');
  return optionsIn(lines[lines.findIndex((one) => one.includes(`[ref=${ref}]`)) + 1] ?? '', outline);
}

/** The controls of `theirs` that are not, or not as often, in `ours`. */
export const missingIn = (ours, theirs) => [...theirs].filter(([key, { count }]) => (ours.get(key)?.count ?? 0) < count).map(([key, { name }]) => ({ key, name }));
