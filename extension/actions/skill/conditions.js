/** What holds on a page: states of elements, its address and language. */

import { attribute, getter, rootElement, titleOfDocument } from '../dom.js';
import { isDisabled } from '../state.js';
import { fold, line } from '../text.js';
import { Finder, told } from './locate.js';
import { textOf } from './visible-text.js';

const MOST_ADDRESS = 8_000;
const MOST_LANGUAGE = 35;
const MOST_TITLE = 300;
const NOTHING = { count: 0, n: null, agrees: true, visible: false, enabled: false, text: false };

const addressOf = getter(Document, 'URL').bind(null, document);

/** @param {{ conditions?: { locator?: import('./locate.js').Locator, is?: string, text?: string[] }[] }} message */
export function conditions({ conditions: asked = [] }) {
  const finder = new Finder();
  const root = rootElement();
  return {
    url: addressOf().slice(0, MOST_ADDRESS),
    lang: root === null ? '' : attribute(root, 'lang').trim().slice(0, MOST_LANGUAGE),
    title: line(titleOfDocument(), MOST_TITLE),
    found: asked.map((one) => (one.locator ? holdsOf(one, finder) : NOTHING)),
  };
}

function holdsOf({ locator, text }, finder) {
  const found = finder.find(locator);
  const words = text?.map((one) => fold(one).trim()) ?? [];
  return {
    ...told(found),
    visible: found.elements.some((one) => finder.place.shows(one)),
    enabled: found.elements.some((one) => !isDisabled(one) && finder.place.hiddenBecause(one) !== 'inert'),
    text: words.length > 0 && found.elements.some((one) => includesOneOf(textOf(one, true), words)),
  };
}

const includesOneOf = (text, words) => words.some((word) => text.includes(word));
