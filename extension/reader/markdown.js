/** Markdown of a copy: tables and lists as rows, addresses no longer than needed. */

import { gfm } from '@joplin/turndown-plugin-gfm';
import TurndownService from 'turndown';

/** Characters of an address. */
const MOST_ADDRESS = 300;

const service = new TurndownService({ headingStyle: 'atx', hr: '---', bulletListMarker: '-', codeBlockStyle: 'fenced' });
service.use(gfm);
// The text is read, not rendered: backslashes before each star and bracket would only cost tokens.
service.escape = (text) => text;

service.addRule('link', {
  filter: (node) => node.nodeName === 'A' && node.getAttribute('href'),
  replacement(content, node) {
    // A card can be one link around a heading and paragraphs.
    const words = content.trim().replace(/\s*\n+\s*(#+ )?/g, ' ').replace(/^#+ /, '');
    const address = shortened(node.getAttribute('href'));
    return words === '' || address === '' ? words : `[${words}](${address})`;
  },
});

service.addRule('image', {
  filter: 'img',
  replacement: (content, node) => `![${(node.getAttribute('alt') ?? '').replace(/\s+/g, ' ')}]`,
});

service.addRule('row of a list', {
  filter: 'li',
  replacement(content, node, { bulletListMarker }) {
    const list = node.parentNode;
    const isNumbered = list.nodeName === 'OL';
    const at = isNumbered ? [...list.children].indexOf(node) + (Number(list.getAttribute('start')) || 1) : 0;
    const mark = isNumbered ? `${at}. ` : `${bulletListMarker} `;
    return `${mark}${content.trim().replace(/\n{2,}/g, '\n').replace(/\n/g, `\n${' '.repeat(mark.length)}`)}${node.nextSibling ? '\n' : ''}`;
  },
});

/** An address on the page's own site is its path; empty if it leads nowhere else. */
function shortened(href) {
  if (!URL.canParse(href)) return '';
  const { protocol, origin, pathname, search, hash } = new URL(href);
  if (protocol === 'mailto:' || protocol === 'tel:') return href.slice(0, MOST_ADDRESS);
  if (protocol !== 'http:' && protocol !== 'https:') return '';
  if (origin !== self.origin) return `${origin}${pathname}${search}`.slice(0, MOST_ADDRESS);
  const isHere = pathname === location.pathname && search === location.search;
  return isHere && hash !== '' ? '' : `${pathname}${search}`.slice(0, MOST_ADDRESS);
}

/**
 * @param {Element} element of the copy
 * @returns {string}
 */
export function markdownOf(element) {
  const text = service.turndown(element);
  // Paragraphs in a cell are lines of it.
  return text.replace(/(?:<br>){2,}/g, '<br>').replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n').trim();
}
