/** `shop-tile`: a product in a list of the new layout, in an open shadow root. */

import sheet from './shop.css' with { type: 'css' };

import { element } from './element.js';
import { part } from './structure.js';

customElements.define('shop-tile', class extends HTMLElement {});

/**
 * @param {import('./products.js').Product} product
 * @param {Node[]} content
 */
export function tile(product, content) {
  const host = element('shop-tile');
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  root.append(element('div', part('result', { role: 'listitem', 'data-id': product.id }), ...content));
  return host;
}
