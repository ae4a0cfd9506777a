/** Locators of SKILLs as the worker sends them into a page. */

const link = (one) => (typeof one === 'string' ? { css: one } : one);

/**
 * A locator of these alternatives, the best first: a selector, a link, or a chain of these.
 * @param {...(string | object | (string | object)[])} ways
 */
export const by = (...ways) => ({ any: ways.map((one, n) => ({ n, links: [one].flat().map(link) })), visible: false });

/** One that only finds what can be seen. */
export const seen = (...ways) => ({ ...by(...ways), visible: true });

/** Inside what another one finds. */
export const inside = (outer, inner) => ({ ...inner, in: outer });

/** What an answer says of what was found: [count, n, agrees]. */
export const found = ({ count, n, agrees }) => [count, n, agrees];
