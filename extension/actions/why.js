/** Why an action was not done, or not in the way it was meant. */

import { line } from './text.js';

/** The closed list of reasons. The side panel and the model's results have words for each. */
export const CODES = [
  'gone', 'replaced', 'several', 'hidden', 'notEditable', 'readOnly', 'keepsMoving', 'coveredBy', 'outOfView', 'secretField', 'fileField', 'noReaction',
  'reverted', 'otherValue', 'malformed', 'outOfRange', 'optionMissing', 'optionDisabled', 'invalidFields', 'popup', 'scriptLink', 'canvas', 'frontOnly',
  'background', 'userActed', 'notApproved', 'atEnd', 'tooLong', 'crossFrame', 'unsupported',
];

/** Characters of what a page's words add to a reason. */
const MOST = 300;
const MAX_OPTIONS = 20;

/** An action that ends otherwise than `ok`. */
export class ActionError extends Error {
  /**
   * @param {string} outcome one of the closed list
   * @param {string} [code] one of `CODES`
   * @param {{ text?: string, options?: string[], by?: { role: string, name: string, ref: string }, value?: string }} [more]
   *   `text`: the page's words, `by`: what covers the target, `value`: what stands in the field now
   */
  constructor(outcome, code, { text, options, by, value } = {}) {
    super(code ?? outcome);
    this.outcome = outcome;
    this.why = code && {
      code,
      ...(text && { text: line(text, MOST) }),
      ...(options && { options: options.slice(0, MAX_OPTIONS).map((one) => line(one, 100)) }),
      ...(by && { by }),
    };
    this.value = value;
  }
}
