/** What lies over an element, or over a frame, as a person would call it. */

import { contains, getter, hitAt, parentOf, rectOf, scrollIntoView, styleOf } from './dom.js';
import { frameOfToken } from './frames.js';
import { content, nameOf } from './name.js';
import { refOf } from './refs.js';
import { roleOf } from './role.js';
import { line } from './text.js';

/** Roles by which a person would call what lies over something. */
const NAMED = /^(dialog|alertdialog|banner|region|complementary|navigation|form|alert|status|menu|listbox|tooltip|iframe|contentinfo|toolbar)$/;

/** What covers an element, as a person would call it. */
export function coverOf(hit, element) {
  const over = [];
  for (let one = hit; one && !contains(one, element); one = parentOf(one)) over.push(one);
  const who = over.findLast((one) => NAMED.test(roleOf(one))) ?? over.find((one) => roleOf(one) !== '' && nameOf(one) !== '') ?? over.at(-1) ?? hit;
  const role = roleOf(who);
  const name = nameOf(who, role);
  return { role: role || 'generic', name: name || line(content(who), 80), ref: refOf(who, role, name) };
}

const clientLeft = getter(Element, 'clientLeft');
const clientTop = getter(Element, 'clientTop');

/**
 * A child's question: is its frame what lies at this point of it? Scrolls the frame into view where it has to.
 * @param {{ token: string, x: number, y: number }} message
 */
export function probe({ token, x, y }) {
  const frame = frameOfToken(token);
  if (!frame) return {};
  const place = () => {
    const { left, top: up, width, height } = rectOf(frame);
    const style = styleOf(frame);
    const scale = { x: width / (frame.offsetWidth || width || 1), y: height / (frame.offsetHeight || height || 1) };
    return { x: left + (clientLeft(frame) + parseFloat(style.paddingLeft) + x) * scale.x, y: up + (clientTop(frame) + parseFloat(style.paddingTop) + y) * scale.y };
  };
  const isIn = (at) => at.x >= 0 && at.y >= 0 && at.x < innerWidth && at.y < innerHeight;
  const hits = (at) => {
    const hit = isIn(at) ? hitAt(at.x, at.y) : null;
    return { hit, isFrame: hit !== null && contains(frame, hit) };
  };
  let at = place();
  let seen = hits(at);
  for (const block of ['nearest', 'center', 'end', 'start']) {
    if (seen.isFrame) return at;
    scrollIntoView(frame, { block, inline: 'nearest', behavior: 'instant' });
    at = place();
    // A frame taller than the viewport: its point, not its edge, has to be in view.
    if (!isIn(at)) scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' });
    at = place();
    seen = hits(at);
  }
  if (seen.isFrame) return at;
  return { ...at, covered: seen.hit ? coverOf(seen.hit, frame) : { role: '', name: '', ref: '' } };
}
