/** Registers and unregisters tools, and tells the page and the relays. */

import * as NAMES from '../../shared/names.js';
import { isAborted, postText, reasonOf } from '../captured.js';
import { check, isValidName } from '../definition.js';
import { note } from '../facts.js';
import { paced } from '../pace.js';
import { relays } from '../relays.js';
import { append, each, whenAborted } from '../safe.js';
import { giveUp } from '../skills.js';
import { later } from '../tasks.js';
import { listOf, wireOf } from '../wire.js';
import { demandAccess, demandSecureOrigins, refusal } from './access.js';
import { viewOf } from './captured.js';
import { current, namesOf, toolOf } from './documents.js';
import { heir } from './heir.js';
import { peers } from './peers.js';

/** The list as the last members of a JSON object. */
export function listing() {
  const state = current();
  const names = [];
  each(namesOf(state), (name) => {
    if (!state.tools.get(name).isSkill) append(names, name);
  });
  return listOf('polyfill', names.length, (at) => state.tools.get(names[at]).wire, refusal !== undefined);
}

export const changedText = () => `{"type":"${NAMES.TOOLS_CHANGED}",${listing()}`;
const announce = paced(() => {
  if (heir !== undefined) return 0;
  const text = changedText();
  relays.forEach((_, port) => postText(port, text));
  return text.length;
});

/** Whether a name is taken; by a SKILL it is not, for the page. */
export function isTaken(state, name, isSkill = false) {
  const tool = toolOf(state, name);
  return tool !== undefined && (isSkill || !tool.isSkill);
}

export function register(state, definition, { exposedTo, signal }, resolve, reject, fail) {
  demandAccess(state);
  check(definition, isTaken(state, definition.name, definition.isSkill), fail);
  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
  if (!definition.isSkill) note(definition.name, exposedTo);
  if (exposedTo !== undefined) demandSecureOrigins(exposedTo, 'exposedTo');

  if (!definition.isSkill) giveUp(definition.name);
  const tool = { __proto__: null, ...definition, exposedTo, signal, wire: wireOf(definition) };
  state.tools.set(tool.name, tool);
  if (signal !== undefined) {
    whenAborted(signal, () => {
      if (state.tools.get(tool.name) === tool) state.tools.delete(tool.name);
      reject(reasonOf(signal));
      tellChange(state);
    });
  }
  tellChange(state);
  later(() => resolve(undefined));
}

function tellChange(state) {
  if (viewOf(state.document) === null) return;
  if (relays.size > 0) announce();
  each(peers(), ({ change }) => later(change));
}

/** @param {FormTool} definition */
export function registerForm(definition) {
  const state = current();
  if (refusal !== undefined || !isValidName(definition.name) || isTaken(state, definition.name)) return () => {};
  giveUp(definition.name);
  const tool = { __proto__: null, ...definition, wire: wireOf(definition) };
  state.tools.set(tool.name, tool);
  tellChange(state);
  return () => {
    state.tools.delete(tool.name);
    tellChange(state);
  };
}
