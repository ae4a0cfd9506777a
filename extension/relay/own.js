/** What the browser has in this document. A page can put an element of its own in the place of any member of `document`. */

export const ofDocument = (member) => Reflect.get(Document.prototype, member, document);

export const all = (selector) => [...ofDocument('querySelectorAll').call(document, selector)];

/** The tool that a form is, if it is one. A form's own members are hidden by controls of their names. */
export const toolNameOf = (form) => Element.prototype.getAttribute.call(form, 'toolname');

/** The document's native WebMCP, as this world has it. */
export const context = () => ofDocument('modelContext');

/** Whether this world has native WebMCP. One that exists before a page's origin-trial token is parsed never gets it. */
export const isNative = 'modelContext' in Document.prototype;

/**
 * Whether the browser provides WebMCP in this document, perhaps not in this world: then it knows the permissions policy `tools`.
 * The page's own word on that is not asked for.
 */
export const isProvided = () => isNative || (ofDocument('featurePolicy')?.features().includes('tools') ?? false);
