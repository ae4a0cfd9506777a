/** A drawing of each kind of product. */

import { drawing, element } from './element.js';

const LINES = {
  kettle: 'M18 28h26l4 22a3 3 0 0 1-3 3H17a3 3 0 0 1-3-3zM45 34l8-7M21 28c0-15 20-15 20 0M31 13v4',
  mug: 'M15 20h28v27a5 5 0 0 1-5 5H20a5 5 0 0 1-5-5zM43 27h5a7 7 0 0 1 0 14h-5',
  lamp: 'M25 12h14l8 18H17zM32 30v22M21 52h22',
  backpack: 'M17 28a15 15 0 0 1 30 0v25H17zM26 14v-4h12v4M23 37h18v9H23z',
  headphones: 'M14 38v-4a18 18 0 0 1 36 0v4M14 37h8v15h-8zM42 37h8v15h-8z',
  notebook: 'M18 10h28v44H18zM25 10v44M31 21h9M31 28h9',
  umbrella: 'M32 12a22 22 0 0 1 22 21H10a22 22 0 0 1 22-21zM32 33v15a4 4 0 0 0 8 0M32 8v4',
  keyboard: 'M8 22h48v22H8zM14 29h4M22 29h4M30 29h4M38 29h4M46 29h4M14 37h4M23 37h18M46 37h4',
  blanket: 'M12 16h40v30H12zM12 24h40M12 38h40M18 46v6M25 46v6M32 46v6M39 46v6M46 46v6',
  bottle: 'M26 10h12v8H26zM24 18h16v33a4 4 0 0 1-4 4h-8a4 4 0 0 1-4-4zM24 31h16',
  chair: 'M21 10h22v24H21zM16 34h32M20 34v20M44 34v20',
  clock: 'M32 12a20 20 0 1 0 .1 0zM32 22v11l8 5',
};

/** @param {import('./products.js').Product} product */
export function picture({ kind, color }) {
  const lines = drawing('path', { d: LINES[kind] });
  return element('div', { class: 'picture', 'data-color': color, 'aria-hidden': 'true' }, drawing('svg', { viewBox: '0 0 64 64' }, lines));
}
