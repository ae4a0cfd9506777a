/** What all pages share: language, header, footer, and the walls that can stand in place of the content. */

import { count, onChange } from './basket.js';
import { element } from './element.js';
import { challenge, signIn } from './gate.js';
import { searchForm } from './search-form.js';
import { part } from './structure.js';
import { isChallenged, isSignedOut, offersTools } from './switches.js';
import { language, tag, words } from './words.js';

/**
 * Fill the page.
 *
 * @param {string} title
 * @param {(main: HTMLElement) => void} show puts the content into `main`
 * @param {{ hasSearch?: boolean }} [options] whether the header has a search form
 */
export function begin(title, show, { hasSearch = true } = {}) {
  document.documentElement.lang = tag;
  setTitle(title);
  document.body.prepend(element('a', { class: 'skip', href: '#main' }, words.skip));
  document.querySelector('#top').append(
    element('a', { class: 'brand', href: './' }, element('img', { src: 'icon.svg', alt: '', width: 32, height: 32 }), words.brand),
    hasSearch ? searchForm() : '',
    languages(),
    basketLink(),
  );
  document.querySelector('#foot').append(element('p', {}, words.madeUp));
  const main = document.querySelector('#main');
  if (isChallenged) main.append(challenge());
  else if (isSignedOut) main.append(signIn());
  else show(main);
  if (offersTools) import('./tools.js');
}

export function setTitle(title) {
  document.title = title ? `${title} – ${words.brand}` : words.brand;
}

function languages() {
  const link = (code, text) => {
    const address = new URL(location.href);
    address.searchParams.set('lang', code.slice(0, 2));
    const isCurrent = code.startsWith(language);
    return element('a', { href: address.href, lang: code, hreflang: code, 'aria-current': isCurrent ? 'true' : null }, text);
  };
  const nav = element('nav', { class: 'languages', 'aria-label': words.language }, link('en', 'English'), link('zh-CN', '中文'));
  // Filters change the address without a new document.
  nav.addEventListener('click', (event) => {
    const code = event.target.closest('a')?.lang;
    if (!code) return;
    const address = new URL(location.href);
    address.searchParams.set('lang', code.slice(0, 2));
    event.target.closest('a').href = address.href;
  });
  return nav;
}

function basketLink() {
  const number = element('data', part('basketCount'));
  const unit = element('span', { class: 'quiet' });
  const show = () => {
    number.value = String(count());
    number.textContent = String(count());
    unit.textContent = words.pieces(count());
  };
  show();
  onChange(show);
  return element('a', { class: 'basket-link', href: 'basket.html' }, words.basketLink, ' ', number, unit);
}
