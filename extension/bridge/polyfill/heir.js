/** Native WebMCP, once it has appeared: it then serves the polyfill's objects that pages still hold. @type {Backend | undefined} */
export let heir;

/** @param {Backend} native */
export function inherit(native) {
  heir = native;
}
