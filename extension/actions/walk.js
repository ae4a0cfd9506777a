/**
 * Walks the flat tree and builds the tree of what a person could perceive. Iterative and in slices: a page can be as deep
 * and as large as it likes.
 */

import { slices } from './clock.js';
import {
  attribute, attributeOf, byId, childrenOf, controlOf, dataOf, deepActive, ELEMENT, getter, hasAttribute, hasAttributes,
  isHtml, isOwn, isRendered, isSelected, labelOfOption, matches, namespaceOf, query, rectOf, rootElement, scroller, styleOf, SVG, tabIndexOf, tagOf, TEXT,
  typeOf,
} from './dom.js';
import { isFrame, tokenOf } from './frames.js';
import { nameOf, nickname } from './name.js';
import { hiddenControl, isControl, isField, roleOf } from './role.js';
import { animated, canJudgeLooks, isCamouflaged, isModal, TRANSPARENT } from './shown.js';
import { statesOf, valueText } from './state.js';
import { fold, line } from './text.js';
import { BREAK, leave, textNode } from './tree.js';

const MAX_NODES = 200_000;
const MAX_DEPTH = 2_000;
const MAX_MILLISECONDS = 3_000;
/** A text that could say something to a reader who does not see it. */
const LONG = 60;

const set = (words) => new Set(words.split(' '));
/** Elements without a box of their own that say nothing to a reader. */
const SILENT = set('script style noscript template head meta link title base param source track datalist colgroup col defs symbol clipPath mask pattern linearGradient radialGradient filter desc metadata');
/** Nothing of the page is below these that shows. */
const CLOSED = set('input textarea canvas video audio object embed iframe frame fencedframe progress meter img');
const NAMED = set('h1 h2 h3 h4 h5 h6 fieldset table figure svg progress meter');
const AREAS = set('navigation contentinfo');
const DIALOGS = set('dialog alertdialog');
/** Roles whose elements may lie above a dialog without being in it. */
const FLOATING = set('listbox menu tree grid tooltip alert status dialog alertdialog log');
const FRAMES = set('iframe frame fencedframe object embed');
const SCROLLS = /auto|scroll/;
const scrollHeightOf = getter(Element, 'scrollHeight');
const clientHeightOf = getter(Element, 'clientHeight');
const scrollWidthOf = getter(Element, 'scrollWidth');
const clientWidthOf = getter(Element, 'clientWidth');
/** Rendered, visible, and with nothing transparent from it up. */
const SHOWS = { checkOpacity: true, checkVisibilityCSS: true };
const INTERACTIVE_SVG = 'text, a, foreignObject, [tabindex], [role], [onclick]';

/**
 * @typedef {object} Around what holds for all below an element
 * @property {boolean} isFaint nothing of it is opaque
 * @property {boolean} isClipped it is smaller than two pixels, or off the page
 * @property {boolean} isPointed something above takes the click
 * @property {boolean} isAriaHidden
 * @property {boolean} isOff
 * @property {boolean} isCovered the words are already in a name
 * @property {boolean} isInArea in navigation or footer
 * @property {boolean} isInDialog
 * @property {string} ground the colour behind it
 */

/**
 * @param {Element} start
 * @param {AbortSignal} signal
 */
export async function walk(start, signal) {
  const slice = slices();
  const end = performance.now() + MAX_MILLISECONDS;
  const scene = look();
  /** @type {import('./tree.js').Node} */
  const root = { role: '', name: '', children: [], element: start };
  const around = {
    isFaint: false, isClipped: false, isPointed: false, isAriaHidden: false, isOff: false, isCovered: false, isInArea: false, isInDialog: false, ground: 'rgb(255, 255, 255)',
  };
  const seen = new Set();
  const stack = [{ node: root, children: [start], at: 0, around, style: null, element: null, isDark: undefined }];
  let count = 0;
  let isCut = false;
  while (stack.length) {
    const level = stack.at(-1);
    if (level.at >= level.children.length) {
      stack.pop();
      if (stack.length) leave(level.node, stack.at(-1).node);
      continue;
    }
    const child = level.children[level.at];
    level.at += 1;
    count += 1;
    if ((count & 15) === 0 && slice.isOver()) {
      await slice.rest();
      signal.throwIfAborted();
      if (performance.now() > end) isCut = true;
    }
    if (count > MAX_NODES) isCut = true;
    // What is open is closed in order, so that what was read so far stands in its place.
    if (isCut) {
      for (const each of stack) each.children = [];
      continue;
    }
    const type = typeOf(child);
    if (type === TEXT) addText(scene, level, child);
    else if (type === ELEMENT) {
      if (stack.length > MAX_DEPTH) {
        scene.tooDeep = true;
        continue;
      }
      // Shown once, wherever `aria-owns` or a slot puts it.
      if (seen.has(child)) continue;
      if (scene.owned.has(child) && !level.isOwner) continue;
      seen.add(child);
      const next = enter(scene, child, level);
      if (next) stack.push(next);
    }
  }
  return { root, isCut: isCut || scene.tooDeep, invisible: scene.invisible, modals: scene.modals, floating: scene.floating, frames: scene.frames };
}

/** What holds for the whole page while it is walked. */
function look() {
  const canJudge = canJudgeLooks();
  const page = scroller() ?? rootElement();
  const isRightToLeft = page !== null && styleOf(rootElement()).direction === 'rtl';
  const owned = new Set();
  for (const owner of query(document, '[aria-owns]')) for (const one of ownedBy(owner)) owned.add(one);
  return {
    canJudge,
    moving: canJudge ? new Set(animated()) : new Set(),
    left: isRightToLeft ? clientWidthOf(page) - scrollWidthOf(page) : 0,
    origin: location.origin, path: location.pathname,
    x: scrollX, y: scrollY, width: innerWidth, height: innerHeight,
    active: deepActive(),
    owned,
    invisible: 0, tooDeep: false, modals: [], floating: [], frames: [],
  };
}

function ownedBy(owner) {
  const list = [];
  for (const id of attribute(owner, 'aria-owns').split(/\s+/).slice(0, 200)) {
    const one = id && byId(owner, id);
    if (one && one !== owner && !one.contains(owner)) list.push(one);
  }
  return list;
}

/** @returns {object | null} the level of what is below the element; null if nothing of it is read */
function enter(scene, element, parent) {
  const tag = tagOf(element);
  if (SILENT.has(tag) || isOwn(element)) return null;
  const style = styleOf(element);
  // By this method a value takes half the time that it takes as a member.
  const styled = (property) => style.getPropertyValue(property);
  const display = styled('display');
  if (display === 'none') return null;
  let { around } = parent;
  const isBoxless = display === 'contents';
  // One look tells that an element shows; only of the others is it asked why not.
  const isPlain = !isBoxless && isRendered(element, SHOWS);
  if (!isBoxless && !isPlain && !isRendered(element)) return null;
  const has = hasAttributes(element);
  if (has && hasAttribute(element, 'inert')) return null;
  const overflowY = styled('overflow-y');
  const position = styled('position');
  // With one axis visible the other is, too, or clipped: that one look is enough. A box is asked for only where it decides.
  const isClipping = overflowY !== 'visible';
  const isClosed = CLOSED.has(tag);
  let isEmpty = false;
  let rect = null;
  if (!isBoxless && (isClipping || position !== 'static' || isClosed)) {
    rect = rectOf(element);
    isEmpty = rect.width === 0 || rect.height === 0;
    if (isEmpty && isClipping && !isHeldOpen(tag)) return null;
  }

  const role = has || tag !== 'div' && tag !== 'span' ? roleOf(element) : '';
  /** @type {import('./tree.js').Node} */
  const node = { role, name: '', children: [], element, isInline: display.startsWith('inline') || isBoxless, canGroup: display !== 'inline' && !isBoxless };
  const isVisible = isPlain || styled('visibility') === 'visible';
  const isControlRole = isControl(role);

  const change = (more) => (around = { ...around, ...more });
  if (has && attributeOf(element, 'aria-hidden') === 'true' && !around.isAriaHidden) change({ isAriaHidden: true });
  if (has && attributeOf(element, 'aria-disabled') === 'true' && !around.isOff) change({ isOff: true });
  if (scene.canJudge) {
    if (!isPlain && !around.isFaint && styled('opacity') === '0' && !scene.moving.has(element)) change({ isFaint: true });
    const isTiny = isClipping && !isEmpty && rect !== null && rect.width < 2 && rect.height < 2;
    const isGone = rect !== null && !isEmpty && isAway(scene, rect);
    if ((isTiny || isGone) && !around.isClipped) change({ isClipped: true });
    else if (around.isClipped && !isGone && !isTiny && position === 'fixed') change({ isClipped: false });
    const ground = styled('background-color');
    const hasPicture = styled('background-image') !== 'none';
    if (ground !== TRANSPARENT || hasPicture) {
      const known = hasPicture ? '' : ground;
      if (known !== around.ground) change({ ground: known });
    }
  }

  const isHand = !around.isPointed && styled('cursor') === 'pointer';
  const canScroll = isClipping && !isBoxless && SCROLLS.test(overflowY + style.overflowX) && tag !== 'body' && tag !== 'html' && tag !== 'textarea' && tag !== 'input' && tag !== 'select'
    && ((SCROLLS.test(overflowY) && scrollHeightOf(element) > clientHeightOf(element) + 2) || (SCROLLS.test(style.overflowX) && scrollWidthOf(element) > clientWidthOf(element) + 2));
  if (isVisible && !isBoxless && (role !== '' || isHand || canScroll || has)) {
    describe(scene, node, { tag, role, isHand, canScroll, has, around, isControlRole });
    if (around.isAriaHidden && node.isKept) {
      // What is hidden from assistive technology but takes the focus stays; what only shows does not.
      if (isControlRole || node.isTarget) node.states.push('aria-hidden');
      else Object.assign(node, { isKept: false, role: '', name: '', value: '' });
    }
    if (node.isTarget && isEmptyBox(rect ?? rectOf(element))) node.isHollow = true;
    if (isEmpty && isControlRole && isClosed) return null;
  } else node.role = '';
  if (node.isKept && (isControlRole || node.isTarget) && !around.isPointed) change({ isPointed: true });
  if (AREAS.has(role) && !around.isInArea) change({ isInArea: true });
  if (node.isKept && (DIALOGS.has(role) || node.isModal) && !around.isInDialog) change({ isInDialog: true });
  if (isCoveredByName(tag, element) && !around.isCovered) change({ isCovered: true });

  if (FRAMES.has(tag) && isFrame(element)) {
    node.token = isVisible && rect !== null && rect.width > 1 && rect.height > 1 ? tokenOf(element) : '';
    if (node.token) scene.frames.push(node);
    else node.isKept = false;
  }
  return { node, children: has && style.contentVisibility === 'hidden' ? [] : below(element, tag, node, has), at: 0, around, style, element, isDark: undefined, isUnseen: !isVisible, isOwner: has && hasAttribute(element, 'aria-owns') };
}

const isEmptyBox = ({ width, height }) => width === 0 || height === 0;

/** Whether a box lies where nobody can scroll to. */
const isAway = (scene, rect) => rect.right + scene.x <= scene.left || rect.bottom + scene.y <= 0;

/** The parts of a table and a page are there without a box of their own. */
const isHeldOpen = (tag) => tag === 'html' || tag === 'body' || tag === 'tr' || tag === 'tbody' || tag === 'frameset';

/** Words of a label, legend or caption are the name of what they belong to. */
function isCoveredByName(tag, element) {
  if (tag === 'legend' || tag === 'caption') return true;
  if (tag !== 'label') return false;
  const control = controlOf(element);
  return control !== null && hiddenControl(element) === null && isRendered(control);
}

/** Fill in what a line says. */
function describe(scene, node, { tag, role, isHand, canScroll, has, around, isControlRole }) {
  const { element } = node;
  const isSpecial = has && (hasAttribute(element, 'onclick') || attributeOf(element, 'draggable') === 'true' || (hasAttribute(element, 'tabindex') && (tabIndexOf(element) >= 0 || role === 'gridcell')));
  const isModalHere = has && (tag === 'dialog' || hasAttribute(element, 'aria-modal')) && isModal(element);
  const isLabel = tag === 'label' && controlOf(element) !== null && isCoveredByName(tag, element);
  node.isTarget = !isControlRole && ((isHand && !isLabel) || isSpecial) && tag !== 'body' && tag !== 'html';
  node.isModal = isModalHere;
  node.canScroll = canScroll;
  node.isKept = role !== '' || node.isTarget || canScroll || isModalHere;
  if (!node.isKept) return;
  if (isModalHere && role === '') node.role = 'dialog';
  // Without attributes few have a name.
  node.name = role === '' || has || isControlRole || NAMED.has(tag) ? nameOf(element, role) : '';
  node.label = node.name || (node.isTarget && !isControlRole ? nickname(element) : '');
  const isOff = isControlRole && (around.isOff || (has && isHtml(element) && matches(element, ':disabled')));
  node.states = isControlRole || has || role === 'heading' ? statesOf(element, role, { active: scene.active, isOff }) : [];
  if (canScroll) node.states.push('scrollable');
  node.value = isControlRole || role === 'progressbar' || role === 'meter' ? valueText(element, role) : '';
  node.isInArea = around.isInArea;
  node.isInDialog = around.isInDialog;
  node.isActive = element === scene.active;
  if (role === 'link' && element instanceof HTMLAnchorElement) node.url = addressOf(scene, element, node.name);
  if (isField(role)) {
    const hint = line(attribute(element, 'placeholder'), 100);
    if (hint && hint !== node.name && !node.value) node.placeholder = hint;
  }
  if (isModalHere) scene.modals.push(node);
  else if (FLOATING.has(role)) scene.floating.push(node);
}

/** What is to be walked below an element. */
function below(element, tag, node, has) {
  if (CLOSED.has(tag) || (node.role === 'textbox' && node.isKept)) return [];
  if (tag === 'select') {
    if (node.role === 'listbox') node.children = optionNodes(element);
    else putOptions(node, element);
    return [];
  }
  if (namespaceOf(element) === SVG && tag === 'svg' && query(element, INTERACTIVE_SVG).length === 0) return [];
  const children = childrenOf(element);
  // The words of a closed one have no element of their own that could tell.
  if (tag === 'details' && !hasAttribute(element, 'open')) return children.filter((child) => typeOf(child) === ELEMENT && tagOf(child) === 'summary').slice(0, 1);
  return has && hasAttribute(element, 'aria-owns') ? [...children, ...ownedBy(element)] : children;
}

const optionName = (element) => line(labelOfOption(element), 100);

/** The options of an element, by their groups; those of none have no group. */
function* groupsOf(select) {
  let options = [];
  let above = null;
  const close = () => (options.length ? [{ group: above !== null && tagOf(above) === 'optgroup' ? above : null, options }] : []);
  for (const option of query(select, 'option')) {
    if (option.parentElement !== above) {
      yield* close();
      options = [];
      above = option.parentElement;
    }
    options.push(option);
  }
  yield* close();
}

const groupNode = (group, more) => ({ role: 'group', name: line(attribute(group, 'label')), states: matches(group, ':disabled') ? ['disabled'] : [], children: [], isKept: true, ...more });

/** The options of a list that is always open. */
function optionNodes(select) {
  const nodes = [];
  for (const { group, options } of groupsOf(select)) {
    const children = options.map((option) => {
      const states = [];
      if (matches(option, ':disabled')) states.push('disabled');
      if (isSelected(option)) states.push('selected');
      return { role: 'option', name: optionName(option), states, children: [], isKept: true };
    });
    if (group) nodes.push(groupNode(group, { children }));
    else nodes.push(...children);
  }
  return nodes;
}

/** The options of a list that is closed: names alone, since the value tells which is chosen, and the list if all are disabled. */
function putOptions(node, select) {
  const isOff = matches(select, ':disabled');
  for (const { group, options } of groupsOf(select)) {
    const names = options.map((option) => ({ name: optionName(option), isOff: !isOff && matches(option, ':disabled') }));
    if (group) node.children.push(groupNode(group, { options: names }));
    else node.options = [...(node.options ?? []), ...names];
  }
}

const hrefOf = getter(HTMLAnchorElement, 'href');
const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Where a link leads: the path, with the origin if that is another; empty if it says no more than the name. */
function addressOf(scene, element, name) {
  const href = hrefOf(element);
  const parts = typeof href === 'string' ? /^(https?:\/\/([^/?#]*))([^?#]*)/.exec(href) : null;
  if (parts === null) return typeof href !== 'string' || href === '' ? '' : /^(mailto|tel):/.test(href) ? line(href.split('?')[0], 120) : href.split(':', 1)[0].slice(0, 20) + ':';
  const [, origin, host, path] = parts;
  if (origin === scene.origin) {
    if (path === scene.path) return '';
    const words = letters(decodable(path.replace(/\.\w+$/, '')));
    return words === '' || letters(name).includes(words) ? '' : line(decodable(path), 120);
  }
  return letters(name).includes(letters(host)) && path.length < 2 ? '' : line(origin + decodable(path === '/' ? '' : path), 120);
}

function decodable(text) {
  if (!text.includes('%')) return text;
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

/** Text as it is read: what nobody can see is only counted. */
function addText(scene, level, text) {
  const data = dataOf(text);
  const { node, around, style } = level;
  const isBlank = /^\s*$/.test(data);
  if (isBlank) {
    // Space between two inline elements keeps their words apart.
    if (data !== '' && node.children.length && node.children.at(-1) !== BREAK) node.children.push(textNode(' '));
    return;
  }
  if (around.isCovered || around.isAriaHidden || level.isUnseen) return;
  if (scene.canJudge && style) {
    level.isDark ??= around.isFaint || around.isClipped || (data.length > LONG && isAway(scene, rectOf(level.element))) || Number.parseFloat(style.getPropertyValue('font-size')) < 2 || isCamouflaged(level.element, style, around.ground);
    if (level.isDark) {
      // Short labels for screen readers are clipped everywhere: only what is long enough to say something is told of.
      // What names a control is in its name.
      if (!around.isPointed && (!around.isClipped || data.trim().length > LONG)) scene.invisible += 1;
      return;
    }
  }
  const piece = textNode(fold(data.length > 20_000 ? data.slice(0, 20_000) : data));
  piece.parent = level.element;
  piece.isInDialog = around.isInDialog;
  node.children.push(piece);
}

