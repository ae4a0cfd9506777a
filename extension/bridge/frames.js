/** How the bridges in frames of one origin find each other. */

import { dispatch, getOwnPropertyDescriptor, NativeEvent, performanceOf } from './captured.js';

/** The event by which bridges in frames of one origin find each other. */
export const MEET = 'webmcp.meet';

/**
 * The bridge in a window, as far as the bridges of other windows need it. A page that gets hold of it has nothing that it
 * cannot have from a window of its origin anyway, and no way to a relay.
 *
 * @typedef {object} Peer
 * @property {Window} view
 * @property {() => void} hear listens to the window again
 * @property {() => boolean} isOpen whether its document takes part in WebMCP, by its polyfill
 * @property {() => Definition[]} tools
 * @property {() => void} change fires `toolchange`
 * @property {(name: string, input: string, finish: (outcome: Outcome | undefined) => void) => (() => void) | undefined} run
 *   gives what cancels the run, or nothing if there is no such tool; finishes without an outcome if its window goes away
 * @property {(view: Window) => () => void} adopt takes note of a child in a shadow tree, which no list of frames has; gives
 *   what undoes it
 * @property {(visit: (view: Window) => void) => void} adopted visits these
 * @property {(context: object) => boolean} owns
 * @property {(name: string, context: object, args: unknown[]) => Promise<unknown>} invoke a method of a context that it owns
 */

/**
 * The bridge in a window of this origin, if it is a polyfill. Its first listener on an object that pages hardly use hears
 * of it alone, and answers on the event itself.
 *
 * @param {Window} view throws if it is of another origin
 * @returns {Peer | undefined}
 */
export function reach(view) {
  const event = new NativeEvent(MEET);
  dispatch(performanceOf(view), event);
  return getOwnPropertyDescriptor(event, 'bridge')?.value;
}
