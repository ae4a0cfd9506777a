/** Tools of SKILLs that other agents find in this page: the worker says which, the bridge registers them. */

import * as CAPS from '../shared/caps.js';
import * as NAMES from '../shared/names.js';
import { bridge } from './bridge.js';
import { pause } from './pace.js';
import { send } from './worker.js';

/** Milliseconds until an answer that the worker has sent is here. */
const ANSWER_PATIENCE = 1000;

/** What the worker wants shown. @type {{ name: string }[]} */
let wanted = [];

/** Number of what the bridge was last asked for. */
let asked = 0;

/**
 * Names under which the page's tools may be those of SKILLs: until the bridge has answered, all that it was asked for.
 *
 * @type {Set<string>}
 */
let shown = new Set();

/** Those that the bridge had registered, and gave up for the page. @type {Set<string>} */
let given = new Set();

/** Calls without an answer, by id. @type {Map<string, (answer: object) => void>} */
const calls = new Map();

/** Hears that other tools are those of SKILLs now. @type {() => void} */
let onChange = () => {};

export const whenShownChange = (hear) => (onChange = hear);

export const isShown = (name) => shown.has(name);

/** A list, with whether tools of SKILLs are shown: a worker that has just begun does not know. */
export const withSkills = (list) => (wanted.length > 0 ? { ...list, skills: true } : list);

export async function showSkills({ tools }) {
  if (!Array.isArray(tools)) return;
  wanted = tools;
  asked += 1;
  for (const { name } of tools) shown.add(name);
  const number = asked;
  if ((await bridge.find()) && number === asked) tellBridge();
}

const tellBridge = () => bridge.post({ type: NAMES.SHOW_SKILLS, requestId: `${asked}`, tools: wanted });

/** The bridge tells which are registered now. Only the page's own tools have the other names. */
export function onSkillsShown({ requestId, names }) {
  if (requestId !== `${asked}` || !Array.isArray(names)) return;
  const before = shown;
  shown = new Set(wanted.map(({ name }) => name).filter((name) => names.includes(name)));
  given = new Set([...before].filter((name) => !shown.has(name)));
  onChange();
}

/** The page may have had a name for so short a time that the worker never heard of it. */
export function restoreSkills({ tools }) {
  const isFree = ({ name }) => given.delete(name) && !tools.some((tool) => tool.name === name);
  if (wanted.filter(isFree).length > 0) void showSkills({ tools: wanted });
}

/** A script in the page calls one. */
export async function onSkillCalled({ requestId, toolName, args }) {
  const answer = (message) => bridge.post({ type: NAMES.SKILL_RESULT, requestId, ...message });
  if (!shown.has(toolName) || typeof args !== 'string' || args.length > CAPS.ARGUMENTS) {
    answer({ ok: false, text: 'The extension offers no such tool here now.' });
    return;
  }
  const id = crypto.randomUUID();
  const answered = new Promise((resolve) => calls.set(id, resolve));
  // Comes back when the call is over, or the worker died.
  await send({ type: NAMES.SKILL_CALLED, requestId: id, toolName, args });
  const { ok = false, text = 'The extension did not answer. Try again.' } = (await Promise.race([answered, pause(ANSWER_PATIENCE)])) ?? {};
  calls.delete(id);
  answer({ ok, text });
}

/** The worker's answer to a call. */
export const onSkillResult = (message) => calls.get(message.requestId)?.(message);

/** The extension is gone. */
export function withdrawSkills() {
  wanted = [];
  asked += 1;
  tellBridge();
}
