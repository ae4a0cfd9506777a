/** A line of an outline that is our own note: of what was left out. */

/** A line in place of others. */
export const more = (text, depth, parent) => ({ text: `- … ${text}`, depth, parent, node: { role: 'note', name: '', children: [] }, kind: 'more' });
