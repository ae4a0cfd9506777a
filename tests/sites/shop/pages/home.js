/** The home page. */

import { element } from '../element.js';
import { addressOf, find, wishOf } from '../finder.js';
import { begin } from '../layout.js';
import { KINDS } from '../products.js';
import { results } from '../result.js';
import { searchForm } from '../search-form.js';
import { wrapped } from '../structure.js';
import { language, words } from '../words.js';

const POPULAR = 4;

begin('', show, { hasSearch: false });

function show(main) {
  const wish = wishOf(new URLSearchParams());
  const kinds = KINDS.map((kind) => {
    const name = kind[language];
    const link = element('a', { href: addressOf({ ...wish, q: name }) }, name[0].toUpperCase() + name.slice(1));
    return element('li', {}, link);
  });
  const popular = find({ ...wish, sort: 'reviews' }).products.slice(0, POPULAR);
  main.append(
    wrapped(
      element('section', { class: 'hero' }, element('h1', {}, words.homeTitle), element('p', { class: 'hint' }, words.tagline), searchForm()),
    ),
    element('h2', {}, words.kindsTitle),
    element('ul', { class: 'kinds' }, ...kinds),
    element('h2', {}, words.popularTitle),
    results(words.popularTitle, popular),
  );
}
