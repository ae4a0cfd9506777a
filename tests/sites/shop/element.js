/** Makes elements. */

/**
 * @param {string} name
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] true is an empty one; false, null
 *   and undefined are none
 * @param {...(Node | string | null | undefined)} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The same for SVG. */
export function drawing(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

function setAttributes(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
}
