/** What comes of a call. */

import * as CAPS from '../shared/caps.js';
import { cut } from './lists.js';

/** What a bridge answers that does not know whether a tool failed or was not there. */
export const UNSURE = 'unsure';

export const FAILURES = ['threw', 'notFound', 'badArguments', 'tooLarge', 'cancelled', 'navigated', 'blocked'];

export const failure = (code, error) => ({ ok: false, code, error: cut(error, CAPS.ERROR) });

export const notFound = () => failure('notFound', 'The page has no tool of this name.');

export const isBlocking = ({ name }) => name === 'NotAllowedError' || name === 'SecurityError';

export const success = (result) =>
  result.length > CAPS.RESULT ? failure('tooLarge', `The result is larger than ${CAPS.RESULT} characters.`) : { ok: true, result };

export const CANCELLED = failure('cancelled', 'The call was cancelled.');
export const NAVIGATED = failure('navigated', 'The page went away during the call.');
