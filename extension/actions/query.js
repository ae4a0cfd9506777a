/** Lines that match a question, with the lines above them. */

import { optionsText } from './outline.js';
import { folded } from './text.js';

/** With a line that matches come those below it, if they are few. */
const BELOW = 12;

/**
 * Words of a line's role, name, value, text and placeholder, all of them, without case, width and accents; or a role.
 * @param {import('./outline.js').Line[]} lines
 * @param {string} question
 * @returns {{ lines: import('./outline.js').Line[], count: number }}
 */
export function matching(lines, question) {
  const words = folded(question).split(/\s+/).filter(Boolean).slice(0, 20);
  const has = (text) => {
    const one = folded(text);
    return words.every((word) => one.includes(word));
  };
  const shown = new Set();
  /** Lines of options of which some match: only those are named. */
  const narrowed = new Map();
  let count = 0;
  lines.forEach((line, at) => {
    const { node, kind } = line;
    if (kind === 'more') return;
    if (kind === 'options') {
      const options = node.options.filter(({ name }) => has(`option ${name}`));
      if (options.length === 0) return;
      narrowed.set(at, { ...line, text: optionsText(options) });
    } else if (!has(`${node.role} ${line.text.replace(/\[(?:ref|cursor)=\w+\]/g, '')}`)) return;
    count += 1;
    for (let above = at; above >= 0; above = lines[above].parent) shown.add(above);
    let end = at + 1;
    while (end < lines.length && lines[end].depth > line.depth) end += 1;
    if (end - at - 1 <= BELOW) for (let below = at + 1; below < end; below += 1) shown.add(below);
  });
  return { lines: lines.map((line, at) => narrowed.get(at) ?? line).filter((_, at) => shown.has(at)), count };
}
