/**
 * Milliseconds between two lists: the least, also that of a page that changes now and then, and the most, that of one that
 * changes without pause.
 */
export const PACE = 50;
export const MAX_PACE = 5000;

/** Characters of a list that may go at this pace. A longer one has a longer wait after it, in proportion. */
export const LARGE = 262144;
