/**
 * The document as the browser has it. The page's patches do not reach this world, its named elements do:
 * `<input name="tagName">` hides `form.tagName` here too. So members are read through the getters of the prototypes.
 *
 * Parents and children are those of the flat tree: what is rendered, with shadow roots (open or closed) and slots.
 */

const { call } = Function.prototype;
const uncurried = (fn) => call.bind(fn);

/**
 * The getter of a prototype as a function of the object.
 * @param {Function} Interface
 * @param {string} name
 * @returns {(object: object) => any}
 */
export const getter = (Interface, name) => uncurried(Object.getOwnPropertyDescriptor(Interface.prototype, name).get);

/**
 * A method of a prototype as a function of the object and the arguments.
 * @param {Function} Interface
 * @param {string} name
 * @returns {(object: object, ...args: any[]) => any}
 */
export const method = (Interface, name) => uncurried(Interface.prototype[name]);

export const typeOf = getter(Node, 'nodeType');
export const parentNodeOf = getter(Node, 'parentNode');
export const firstChildOf = getter(Node, 'firstChild');
export const nextOf = getter(Node, 'nextSibling');
export const textContentOf = getter(Node, 'textContent');
export const isConnected = getter(Node, 'isConnected');
export const rootNodeOf = method(Node, 'getRootNode');
export const dataOf = getter(CharacterData, 'data');
export const tagOf = getter(Element, 'localName');
export const namespaceOf = getter(Element, 'namespaceURI');
export const attributeOf = method(Element, 'getAttribute');
export const hasAttribute = method(Element, 'hasAttribute');
export const hasAttributes = method(Element, 'hasAttributes');
export const setAttribute = method(Element, 'setAttribute');
export const removeAttribute = method(Element, 'removeAttribute');
export const matches = method(Element, 'matches');
export const slotOf = getter(Element, 'assignedSlot');
export const rectOf = method(Element, 'getBoundingClientRect');
export const rectsOf = method(Element, 'getClientRects');
export const scrollIntoView = method(Element, 'scrollIntoView');
export const isRendered = method(Element, 'checkVisibility');
const queryIn = method(Element, 'querySelectorAll');
const queryDocument = method(Document, 'querySelectorAll');
const queryFragment = method(DocumentFragment, 'querySelectorAll');
const byIdInDocument = method(Document, 'getElementById');
const byIdInFragment = method(DocumentFragment, 'getElementById');
const hostOf = getter(ShadowRoot, 'host');
const assignedTo = method(HTMLSlotElement, 'assignedNodes');

export const ELEMENT = 1;
export const TEXT = 3;
const DOCUMENT = 9;
const FRAGMENT = 11;
export const HTML = 'http://www.w3.org/1999/xhtml';
export const SVG = 'http://www.w3.org/2000/svg';

/** What belongs to the document itself; a page can name an element `body` or `title`. */
const ofDocument = (name) => getter(Document, name).bind(null, document);
export const rootElement = ofDocument('documentElement');
export const bodyElement = ofDocument('body');
export const titleOfDocument = ofDocument('title');
export const isHiddenTab = ofDocument('hidden');
export const scroller = ofDocument('scrollingElement');
const activeInDocument = ofDocument('activeElement');
const activeInRoot = getter(ShadowRoot, 'activeElement');
export const animations = method(Document, 'getAnimations').bind(null, document);
const hitInDocument = method(Document, 'elementFromPoint').bind(null, document);
const hitsInDocument = method(Document, 'elementsFromPoint').bind(null, document);
const hitInRoot = uncurried(ShadowRoot.prototype.elementFromPoint);
const hitsInRoot = uncurried(ShadowRoot.prototype.elementsFromPoint);

export const styleOf = getComputedStyle;

/** @param {Node} node */
export const isElement = (node) => typeOf(node) === ELEMENT;

/** Elements of HTML only; a form's `instanceof` cannot be hidden by its fields. */
export const isHtml = (node) => node instanceof HTMLElement;

/** Attribute as text, empty if missing. */
export const attribute = (element, name) => attributeOf(element, name) ?? '';

/** The elements of HTML besides custom ones that may have a shadow root. */
const HOSTS = new Set('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '));
const openRoot = getter(Element, 'shadowRoot');
/** Answers for closed roots too; user-agent roots are null. Missing outside extensions. */
const anyRoot = globalThis.chrome?.dom?.openOrClosedShadowRoot;

/**
 * The shadow root that a page's script or markup gave an element, open or closed; not the extension's own.
 * @param {Element} element
 * @returns {ShadowRoot | null}
 */
export function shadowOf(element) {
  const tag = tagOf(element);
  if (!HOSTS.has(tag) && !(tag.includes('-') && isHtml(element))) return null;
  if (isOwn(element)) return null;
  return anyRoot && namespaceOf(element) === HTML ? anyRoot(element) : openRoot(element);
}

/** The nodes below an element as they are rendered. @returns {Node[]} */
export function childrenOf(element) {
  const list = [];
  const root = shadowOf(element);
  if (root === null && element instanceof HTMLSlotElement) {
    const assigned = assignedTo(element, { flatten: true });
    if (assigned.length) return assigned;
  }
  for (let node = firstChildOf(root ?? element); node; node = nextOf(node)) list.push(node);
  return list;
}

/** The element above a node as rendered: slot, host or parent. @returns {Element | null} */
export function parentOf(node) {
  const parent = parentNodeOf(node);
  if (parent === null) return null;
  if (typeOf(parent) === FRAGMENT) return parent instanceof ShadowRoot ? hostOf(parent) : null;
  if (typeOf(parent) !== ELEMENT) return null;
  const root = shadowOf(parent);
  if (root === null) return parent;
  const slot = typeOf(node) === ELEMENT ? slotOf(node) : null;
  if (slot) return slot;
  // The slots of closed roots do not show themselves.
  const name = typeOf(node) === ELEMENT ? attribute(node, 'slot') : '';
  for (const one of queryFragment(root, 'slot')) if (attribute(one, 'name') === name) return one;
  return parent;
}

/** The nearest of an element and those above it in the flat tree that `fits`. */
export function closest(element, fits) {
  for (let one = element; one; one = parentOf(one)) if (fits(one)) return one;
  return null;
}

/** Whether `outer` is `inner` or above it in the flat tree. */
export const contains = (outer, inner) => closest(inner, (one) => one === outer) !== null;

/** Elements in one root (document, shadow root or element) by CSS; a wrong selector throws. @returns {Element[]} */
export function query(root, css) {
  const type = typeOf(root);
  const ask = type === DOCUMENT ? queryDocument : type === FRAGMENT ? queryFragment : queryIn;
  return [...ask(root, css)];
}

/** The element of an ID in the tree that `node` is in. */
export function byId(node, id) {
  const root = rootNodeOf(node);
  if (typeOf(root) === DOCUMENT) return byIdInDocument(root, id);
  return typeOf(root) === FRAGMENT ? byIdInFragment(root, id) : null;
}

/**
 * The document and all shadow roots in it, in document order.
 * @returns {(Document | ShadowRoot)[]}
 */
export function rootsOf(start = document) {
  const roots = [start];
  for (let at = 0; at < roots.length && at < 10_000; at += 1) {
    for (const element of query(roots[at], HOSTS_SELECTOR)) {
      const root = shadowOf(element);
      if (root) roots.push(root);
    }
  }
  return roots;
}

/** Custom elements have no selector of their own: `:defined` leaves the others to be filtered by name. */
const HOSTS_SELECTOR = '*';

/** The focused element, through shadow roots; null if it is the body. */
export function deepActive() {
  let active = activeInDocument();
  for (let root = active && shadowOf(active); root; root = shadowOf(active)) {
    const inner = activeInRoot(root);
    if (!inner) break;
    active = inner;
  }
  return active === bodyElement() || active === rootElement() ? null : active;
}

/** Our own overlay: what the page's visitor sees of us is no part of the page. */
const own = new WeakSet();
export const setOwn = (element) => own.add(element);
export const isOwn = (element) => own.has(element);

/** The element at a point of the viewport, through shadow roots, without our own. @returns {Element | null} */
export function hitAt(x, y) {
  let hit = hitInDocument(x, y);
  if (hit && own.has(hit)) hit = hitsInDocument(x, y).find((one) => !own.has(one)) ?? null;
  for (let root = hit && shadowOf(hit); root; root = shadowOf(hit)) {
    const inner = hitInRoot(root, x, y);
    // A root answers with its host, or what is outside, where nothing of it is.
    if (!inner || inner === hit || rootNodeOf(inner) !== root) break;
    hit = inner;
  }
  return hit;
}

/** All elements at a point, the top one first, each through shadow roots, without our own. @returns {Element[]} */
export function hitsAt(x, y) {
  const list = [];
  const add = (hits, root) => {
    for (const hit of hits) {
      if (own.has(hit) || (root && rootNodeOf(hit) !== root)) continue;
      const inner = shadowOf(hit);
      if (inner) add(hitsInRoot(inner, x, y), inner);
      if (!list.includes(hit)) list.push(hit);
    }
  };
  add(hitsInDocument(x, y));
  return list;
}

// Members of form controls.
export const inputTypeOf = getter(HTMLInputElement, 'type');
const inputValue = getter(HTMLInputElement, 'value');
const areaValue = getter(HTMLTextAreaElement, 'value');
export const isChecked = getter(HTMLInputElement, 'checked');
export const isMixed = getter(HTMLInputElement, 'indeterminate');
export const selectedOf = (select) => [...getter(HTMLSelectElement, 'selectedOptions')(select)];
export const optionsOf = (select) => [...getter(HTMLSelectElement, 'options')(select)];
export const isMultiple = getter(HTMLSelectElement, 'multiple');
export const isSelected = getter(HTMLOptionElement, 'selected');
export const isFile = (element) => element instanceof HTMLInputElement && inputTypeOf(element) === 'file';

/** What a text field, text area or select holds. */
export function valueOf(element) {
  if (element instanceof HTMLInputElement) return inputValue(element);
  if (element instanceof HTMLTextAreaElement) return areaValue(element);
  if (element instanceof HTMLSelectElement) return selectedOf(element).map(labelOfOption).join(', ');
  return '';
}

const optionLabel = getter(HTMLOptionElement, 'label');
/** The words of an option. */
export const labelOfOption = (option) => optionLabel(option).trim();

const optionValue = getter(HTMLOptionElement, 'value');
/** What a form sends for what is selected. */
export const sentBy = (select) => selectedOf(select).map(optionValue).join(', ');

const byTagName = method(Document, 'getElementsByTagName');
const LABELABLE = new Set(['input', 'textarea', 'select', 'button', 'meter', 'progress', 'output']);
/** The labels of each root by their controls: a control's own list is looked for in the whole document each time. */
let labels = new Map();

/** The labels of a control. @returns {HTMLLabelElement[]} */
export function labelsOf(element) {
  const tag = tagOf(element);
  if (!LABELABLE.has(tag) && !tag.includes('-')) return [];
  const root = rootNodeOf(element);
  if (typeOf(root) === ELEMENT) return [];
  if (!labels.has(root)) {
    // True as long as nobody else has the turn.
    if (labels.size === 0) queueMicrotask(() => (labels = new Map()));
    const byControl = new Map();
    // The browser keeps this list while the document stays as it is.
    for (const label of typeOf(root) === DOCUMENT ? [...byTagName(root, 'label')] : query(root, 'label')) {
      const control = label instanceof HTMLLabelElement ? controlOf(label) : null;
      if (control === null) continue;
      if (byControl.has(control)) byControl.get(control).push(label);
      else byControl.set(control, [label]);
    }
    labels.set(root, byControl);
  }
  return labels.get(root).get(element) ?? [];
}

/** The control of a label. */
export const controlOf = getter(HTMLLabelElement, 'control');
/** The form of a control, also one named by its attribute; null for others. */
export function formOf(element) {
  for (const { Interface, get } of FORM_OWNED) if (element instanceof Interface) return get(element);
  return closest(element, (one) => one instanceof HTMLFormElement);
}
const FORM_OWNED = [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement, HTMLButtonElement, HTMLFieldSetElement, HTMLOutputElement]
  .map((Interface) => ({ Interface, get: getter(Interface, 'form') }));

/** Whether its text can be edited in place. */
export const isEditable = (element) => isHtml(element) && editable(element);
const editable = getter(HTMLElement, 'isContentEditable');
/** Whether editing begins at this element: the one above is not editable. */
export function isEditingHost(element) {
  if (!isEditable(element)) return false;
  const parent = parentOf(element);
  return parent === null || !isEditable(parent) || tagOf(element) === 'body';
}
export const tabIndexOf = (element) => (isHtml(element) ? htmlTabIndex(element) : attributeOf(element, 'tabindex') === null ? -1 : Number(attributeOf(element, 'tabindex')));
const htmlTabIndex = getter(HTMLElement, 'tabIndex');
/** Whether a hand or the Tab key can focus it. */
export const isFocusable = (element) => tabIndexOf(element) >= 0 || attributeOf(element, 'tabindex') !== null;
