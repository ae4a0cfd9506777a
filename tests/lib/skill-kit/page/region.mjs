/** The part of a page that a tool is about. */

const NAMED = 'main, [role="main"], #content, #main, #app, article';

/**
 * @param {import('./find.mjs').Finder} finder
 * @param {(string | object)[]} used the locators that the tool uses
 * @returns {{ region: Element, forms: Element[] }} `region`: the body, if there is no smaller part; `forms`: those outside
 *   of it
 */
export function regionOf(finder, used) {
  const { document } = finder;
  const found = used.flatMap((at) => finder.find(at)).map(outermost).filter((one) => document.body.contains(one) && one !== document.body);
  const region = document.querySelector(NAMED) ?? commonOf(found) ?? document.body;
  const forms = new Set(found.map((one) => one.closest('form')).filter((form) => form && !region.contains(form) && !form.contains(region)));
  return { region, forms: [...forms] };
}

/** What of the document itself holds an element. */
function outermost(element) {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? outermost(root.host) : element;
}

function commonOf(elements) {
  if (elements.length === 0) return undefined;
  let common = elements[0];
  while (!elements.every((one) => common.contains(one))) common = common.parentElement;
  // A part of a table stands nowhere else.
  const whole = common.closest('table') ?? common;
  return whole.localName === 'html' ? undefined : whole;
}
