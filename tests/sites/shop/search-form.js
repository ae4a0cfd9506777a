/** The search form of the header and of the home page. */

import { element } from './element.js';
import { words } from './words.js';

/** @param {string} [q] what stands in it */
export function searchForm(q = new URLSearchParams(location.search).get('q') ?? '') {
  return element(
    'form',
    { class: 'search', role: 'search', action: 'search.html', 'aria-label': words.searchSite },
    element('label', { class: 'quiet', for: 'q' }, words.searchLabel),
    element('input', { type: 'search', id: 'q', name: 'q', value: q, placeholder: words.searchHint, autocomplete: 'off' }),
    element('button', { class: 'main' }, words.search),
  );
}
