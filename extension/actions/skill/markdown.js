/** The content of an element as Markdown: headings, lists, tables, links, code. Small, because fields of rows are short. */

import { attribute, dataOf, ELEMENT, styleOf, tagOf, TEXT, textContentOf, typeOf } from '../dom.js';
import { fold, seen } from '../text.js';
import { openChildrenOf } from './open-tree.js';
import { isMute, judges, lookOf } from './visible-text.js';

const MOST_NODES = 20_000;
const MOST_DEPTH = 200;
const MARKS = { b: '**', strong: '**', em: '_', i: '_', code: '`' };

/**
 * @param {Element} element
 * @param {import('./place.js').Place} place
 * @returns {string}
 */
export function markdownOf(element, place) {
  const isJudged = judges(element, place.isLive);
  if (isMute(element, isJudged)) return '';
  const isSeen = !isJudged || styleOf(element).visibility === 'visible';
  const text = new Writer(place, isJudged).element(element, { isSeen, isApart: true }, 0, '- ');
  return text.replace(/[ \t]*\n[ \t]*(?=\n)/g, '\n').replace(/[ \t]+$/gm, '').replace(/\n{3,}/g, '\n\n').trim();
}

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

class Writer {
  #nodes = 0;
  #place;
  #isJudged;

  constructor(place, isJudged) {
    this.#place = place;
    this.#isJudged = isJudged;
  }

  /** What is in an element. */
  #inside(element, isSeen, depth) {
    let text = '';
    let number = tagOf(element) === 'ol' ? Number(attribute(element, 'start')) || 1 : null;
    for (const node of openChildrenOf(element)) {
      if ((this.#nodes += 1) > MOST_NODES) break;
      if (typeOf(node) === TEXT) text += isSeen ? fold(dataOf(node)) : '';
      else if (typeOf(node) === ELEMENT) {
        const look = depth < MOST_DEPTH ? lookOf(node, this.#isJudged) : null;
        if (look === null) continue;
        text += this.element(node, look, depth + 1, number === null ? '- ' : `${number}. `);
        if (number !== null && tagOf(node) === 'li') number += 1;
      }
    }
    return text;
  }

  /** An element with what is in it; `mark` stands before it if it is the row of a list. */
  element(element, { isSeen, isApart }, depth, mark) {
    const tag = tagOf(element);
    if (tag === 'br') return '\n';
    if (tag === 'hr') return '\n\n---\n\n';
    if (tag === 'pre') return isSeen ? `\n\n\`\`\`\n${seen(textContentOf(element)).replace(/^\n|\n$/g, '')}\n\`\`\`\n\n` : '';
    if (tag === 'tr') return `\n${this.#cells(element, depth)}\n`;
    const text = this.#inside(element, isSeen, depth);
    if (text.trim() === '') return isApart ? '\n\n' : text;
    if (/^h[1-6]$/.test(tag)) return `\n\n${'#'.repeat(Number(tag[1]))} ${oneLine(text)}\n\n`;
    if (tag === 'a') return this.#link(element, text);
    if (Object.hasOwn(MARKS, tag)) return text.replace(/^(\s*)([^]*?)(\s*)$/, (whole, before, words, after) => before + MARKS[tag] + words + MARKS[tag] + after);
    if (tag === 'li') return `\n${mark}${text.trim().replace(/\n+/g, '\n  ')}\n`;
    if (tag === 'blockquote') return `\n\n${text.trim().replace(/^/gm, '> ')}\n\n`;
    if (tag === 'ol' || tag === 'ul') return `\n\n${text.trim().replace(/\n{2,}/g, '\n')}\n\n`;
    if (tag === 'table') return `\n\n${text.trim().replace(/\n\s*\n/g, '\n')}\n\n`;
    return isApart ? `\n\n${text}\n\n` : text;
  }

  #link(element, text) {
    const address = this.#place.address(attribute(element, 'href'));
    return address !== null && /^(https?|mailto|tel):/.test(address) && attribute(element, 'href') !== '' ? `[${oneLine(text)}](${address})` : text;
  }

  #cells(row, depth) {
    if (depth >= MOST_DEPTH) return '';
    const cells = openChildrenOf(row).filter((node) => typeOf(node) === ELEMENT);
    const texts = cells.map((cell) => {
      const look = lookOf(cell, this.#isJudged);
      return look === null ? '' : oneLine(this.#inside(cell, look.isSeen, depth + 1)).replaceAll('|', '\\|');
    });
    const line = `| ${texts.join(' | ')} |`;
    return cells.length && cells.every((cell) => tagOf(cell) === 'th') ? `${line}\n|${' --- |'.repeat(cells.length)}` : line;
  }
}
