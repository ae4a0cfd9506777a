/** The main text of the document as Markdown: Readability's choice, or ours where it leaves out too much. */

import Readability from '@mozilla/readability/Readability.js';

import { copyOfDocument } from './copy.js';
import { markdownOf } from './markdown.js';

/** Elements of a page up to which Readability looks at it: it goes over a page several times. */
const MOST_ELEMENTS = 15_000;
/** An article is at least this long, in characters. */
const LEAST_ARTICLE = 250;
/** What an article must have of the text that the page itself calls its main part, else of all but its furniture. */
const SHARE_OF_MAIN = 0.5;
const SHARE_OF_ALL = 0.3;
/** What stands around a page's own text. */
const FURNITURE = 'nav, aside, footer, [role=banner], [role=search], [role=alertdialog], [role=dialog]';

/** @returns {{ markdown: string, invisible: number, isWhole: boolean }} */
export function mainText() {
  const { copy, invisible, isWhole } = copyOfDocument();
  const { element, share } = ours(copy.body.cloneNode(true));
  const article = articleIn(copy);
  const isEnough = article !== undefined && lengthOf(article) >= LEAST_ARTICLE && lengthOf(article) >= lengthOf(element) * share;
  return { markdown: markdownOf(isEnough ? article : element), invisible, isWhole };
}

const lengthOf = (element) => element.textContent.replace(/\s+/g, ' ').length;

/** What the page says is its main part, else all but what stands around it. */
function ours(body) {
  const mains = [...body.querySelectorAll('main')];
  if (mains.length === 1 && lengthOf(mains[0]) >= LEAST_ARTICLE) return { element: mains[0], share: SHARE_OF_MAIN };
  const furniture = [...body.querySelectorAll(FURNITURE)];
  const words = lengthOf(body);
  const around = furniture.reduce((sum, one) => sum + (furniture.some((other) => other !== one && other.contains(one)) ? 0 : lengthOf(one)), 0);
  // A page that is nothing else, as a list of links is, has no furniture.
  if (around < words * 0.8) for (const one of furniture) one.remove();
  return { element: body, share: SHARE_OF_ALL };
}

/** Changes the copy. */
function articleIn(copy) {
  try {
    const reader = new Readability(copy, { maxElemsToParse: MOST_ELEMENTS, disableJSONLD: true, keepClasses: true, serializer: (element) => element });
    return reader.parse()?.content ?? undefined;
  } catch {
    // Too many elements, or a page on which it fails.
    return undefined;
  }
}
