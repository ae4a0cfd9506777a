/** From the moment at which the page has loaded until the extension is gone. */

import * as NAMES from '../shared/names.js';
import { announce, announceAgain, backend, choose, tellList } from './announce.js';
import { bridge } from './bridge.js';
import { answer, endAll, running } from './calls.js';
import { factsText } from './facts.js';
import { CANCELLED, NAVIGATED } from './outcomes.js';
import { isNative, ofDocument, toolNameOf } from './own.js';
import { PLACE, place } from './place.js';
import { onSkillCalled, onSkillResult, onSkillsShown, showSkills, withdrawSkills } from './skills.js';
import { parseObject, runtime, send, sendText, whenAbandoned } from './worker.js';

/** A message: the worker asks for the list, which comes as a message of its own, or for how the tools came to be. */
function onMessage(text, _sender, respond) {
  const command = commandOf(text);
  switch (command?.type) {
    case NAMES.LIST_TOOLS:
      void tellList(command.requestId);
      respond('ok');
      break;
    case NAMES.LIST_FACTS:
      void factsText(command.toolName).then(respond, () => respond(''));
      // The answer comes later.
      return true;
  }
  return false;
}

/** A port: the worker makes calls, and hears of each over the same port. */
function onConnect(port) {
  if (port.name !== 'relay') return;
  port.onMessage.addListener((text) => {
    const command = commandOf(text);
    switch (command?.type) {
      case NAMES.CALL_TOOL:
        void answer(command).then((result) => reply(port, result));
        break;
      case NAMES.CANCEL_CALL:
        running.get(command.requestId)?.controller.abort(CANCELLED);
        break;
      case NAMES.SHOW_SKILLS:
        void showSkills(command);
        break;
      case NAMES.SKILL_RESULT:
        onSkillResult(command);
        break;
    }
  });
}

function commandOf(text) {
  const command = parseObject(text);
  return typeof command?.requestId === 'string' ? command : undefined;
}

function reply(port, text) {
  try {
    port.postMessage(text);
  } catch {
    // The worker was stopped. It asks again under the same id if it wants the answer.
  }
}

function onSubmit(event) {
  if (!event.isTrusted) return;
  const toolName = toolNameOf(event.target);
  running.forEach((run) => {
    if (run.toolName === toolName) run.sending = event;
  });
}

const PAGE_GONE = `{"type":"${NAMES.PAGE_GONE}"}`;

function onPageHide({ isTrusted }) {
  if (!isTrusted) return;
  // The page may be frozen and come back: it must not go on then with calls that are long given up.
  // A form that was sent took it away. The browser's own word for that may not have come in time.
  endAll(({ sending }) => (sending !== undefined && !sending.defaultPrevented ? { ok: true } : NAVIGATED));
  void sendText(PAGE_GONE);
  void backend.renew?.();
}

function onPageShow({ isTrusted, persisted }) {
  if (!isTrusted || !persisted) return;
  announceAgain();
}

/** Fall silent: nobody listens any more, and a later relay may be at work. */
function retire() {
  endAll(() => CANCELLED);
  withdrawSkills();
  bridge.close();
  place.retire();
  window.removeEventListener('submit', onSubmit, true);
  window.removeEventListener('pagehide', onPageHide);
  window.removeEventListener('pageshow', onPageShow);
  delete globalThis[PLACE];
}

/** What a bridge tells of a tool that waits for its user. */
function onInteraction({ requestId, toolName, phase, kind }) {
  if (typeof toolName !== 'string' || toolName.length > 128 || (phase !== 'started' && phase !== 'ended')) return;
  const ours = running.has(requestId) ? requestId : null;
  void send({ type: NAMES.USER_INTERACTION, requestId: ours, toolName, phase, kind: kind === 'form' ? 'form' : 'callback' });
}

export function begin() {
  whenAbandoned(retire);
  bridge.onToolsChanged = announce;
  bridge.onInteraction = onInteraction;
  bridge.onSkillsShown = onSkillsShown;
  bridge.onSkillCalled = onSkillCalled;
  choose();
  place.announceAgain = announceAgain;
  place.listChanged = () => void announce();
  runtime.onMessage.addListener(onMessage);
  runtime.onConnect.addListener(onConnect);
  window.addEventListener('submit', onSubmit, true);
  window.addEventListener('pagehide', onPageHide);
  window.addEventListener('pageshow', onPageShow);
  // What a page tells while it is prepared in the background is not heard.
  if (ofDocument('prerendering')) {
    ofDocument('addEventListener').call(document, 'prerenderingchange', announceAgain, { once: true });
  }
  // Where this world has native WebMCP the bridge has the words of failing tools; elsewhere it tells of its list as soon as
  // it is found.
  const search = bridge.find();
  if (isNative) void backend.renew().then(() => announce());
  else void search.then((found) => found || announce());
}
