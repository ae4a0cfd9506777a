/** Native WebMCP, once it has come: it then answers for what pages still hold of the polyfill. @type {Backend | undefined} */
export let heir;

/** @param {Backend} native */
export function inherit(native) {
  heir = native;
}
