/** Keys of a keyboard: `key`, `code` and `keyCode`, on which libraries match. */

/** [code, keyCode] of keys with a name. */
const NAMED = {
  Enter: ['Enter', 13], Tab: ['Tab', 9], Escape: ['Escape', 27], Backspace: ['Backspace', 8], Delete: ['Delete', 46], Insert: ['Insert', 45], ' ': ['Space', 32],
  ArrowLeft: ['ArrowLeft', 37], ArrowUp: ['ArrowUp', 38], ArrowRight: ['ArrowRight', 39], ArrowDown: ['ArrowDown', 40],
  Home: ['Home', 36], End: ['End', 35], PageUp: ['PageUp', 33], PageDown: ['PageDown', 34], ContextMenu: ['ContextMenu', 93],
  Shift: ['ShiftLeft', 16], Control: ['ControlLeft', 17], Alt: ['AltLeft', 18], Meta: ['MetaLeft', 91],
};
for (let number = 1; number <= 12; number += 1) NAMED[`F${number}`] = [`F${number}`, 111 + number];

/** [characters without and with Shift, code, keyCode] of a US keyboard. */
const SIGNS = [
  ['-_', 'Minus', 189], ['=+', 'Equal', 187], ['[{', 'BracketLeft', 219], [']}', 'BracketRight', 221], ['\\|', 'Backslash', 220], [';:', 'Semicolon', 186],
  ['\'"', 'Quote', 222], [',<', 'Comma', 188], ['.>', 'Period', 190], ['/?', 'Slash', 191], ['`~', 'Backquote', 192],
];
const SHIFTED_DIGITS = ')!@#$%^&*(';
const ALIASES = { Space: ' ', Spacebar: ' ', Esc: 'Escape', Return: 'Enter', Del: 'Delete', Up: 'ArrowUp', Down: 'ArrowDown', Left: 'ArrowLeft', Right: 'ArrowRight', Ctrl: 'Control', Cmd: 'Meta', Command: 'Meta', Option: 'Alt' };
export const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta'];
const LEFT = 1;

/** @typedef {{ key: string, code: string, keyCode: number, isShifted: boolean }} Key */

/**
 * A key by its name or the character on it; undefined if there is none.
 * @param {string} name
 * @returns {Key | undefined}
 */
export function keyOf(name) {
  const key = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  if (Object.hasOwn(NAMED, key)) return { key, code: NAMED[key][0], keyCode: NAMED[key][1], isShifted: false };
  if (/^[a-z]$/i.test(key)) return { key, code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0), isShifted: key !== key.toLowerCase() };
  if (/^\d$/.test(key)) return { key, code: `Digit${key}`, keyCode: 48 + Number(key), isShifted: false };
  const digit = key === '' ? -1 : SHIFTED_DIGITS.indexOf(key);
  if (digit >= 0 && key.length === 1) return { key, code: `Digit${digit}`, keyCode: 48 + digit, isShifted: true };
  const sign = key.length === 1 && SIGNS.find(([both]) => both.includes(key));
  if (sign) return { key, code: sign[1], keyCode: sign[2], isShifted: sign[0][1] === key };
  // Characters of other keyboards: libraries see the key alone.
  return key.length > 0 && [...new Intl.Segmenter().segment(key)].length === 1 ? { key, code: '', keyCode: 0, isShifted: false } : undefined;
}

/** `Control+Shift+a` in parts. @returns {{ key: Key, modifiers: string[] } | undefined} */
export function parseKey(text, more = []) {
  const parts = text === '+' || text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'].filter(Boolean) : text.split('+');
  const modifiers = [...more, ...parts.slice(0, -1)].map((one) => ALIASES[one] ?? one);
  const key = keyOf(parts.at(-1));
  return key && modifiers.every((one) => MODIFIERS.includes(one)) ? { key, modifiers: MODIFIERS.filter((one) => modifiers.includes(one)) } : undefined;
}

/** How events tell which modifiers are down. */
export const flags = (modifiers) => ({ ctrlKey: modifiers.includes('Control'), shiftKey: modifiers.includes('Shift'), altKey: modifiers.includes('Alt'), metaKey: modifiers.includes('Meta') });

/** A keyboard event. */
export function keyEvent(type, { key, code, keyCode }, modifiers = []) {
  const charCode = type === 'keypress' ? (key === 'Enter' ? 13 : (key.codePointAt(0) ?? 0)) : 0;
  return new KeyboardEvent(type, {
    bubbles: true, cancelable: true, composed: true, view: window, key, code, keyCode: charCode || keyCode, which: charCode || keyCode, charCode,
    location: MODIFIERS.includes(key) ? LEFT : 0, ...flags(modifiers),
  });
}

/** Whether a key writes a character. */
export const isPrinting = ({ key }) => !Object.hasOwn(NAMED, key) || key === ' ';

/** The events of one character being typed. */
export function keyEvents(character) {
  const key = keyOf(character) ?? { key: character, code: '', keyCode: 0, isShifted: false };
  const modifiers = key.isShifted ? ['Shift'] : [];
  return { down: () => keyEvent('keydown', key, modifiers), press: () => keyEvent('keypress', key, modifiers), up: () => keyEvent('keyup', key, modifiers) };
}
