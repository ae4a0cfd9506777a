/**
 * Calls tools of SKILLs, each on pages of its own, in several tabs at once. This plays the model's part: in a long turn of
 * each tab it calls one tool after another, and prepares the tab before each call.
 */

import { launch } from '../browser.mjs';
import { Panel } from '../panel.mjs';
import { DONE, said, startService } from '../service.mjs';
import { offline } from '../skill-packages.mjs';
import { FixtureEditor } from './editor.mjs';
import { Lane } from './lane.mjs';
import { lastRun } from './trace.mjs';

/** Calls in a turn, and characters of its messages: more would have to be sent again with each call. */
const MOST_CALLS = 40;
const MOST_CHARACTERS = 100_000;
/**
 * @typedef {object} SkillCall
 * @property {string} url where the tool begins
 * @property {Map<string, string>} pages HTML by address
 * @property {{ path: string, status?: number, type?: string, body: unknown }[]} [mocks]
 * @property {string} tool
 * @property {object} [input]
 * @property {boolean} [isAnywhere] whether it may begin on any page of the site: it does not look at the first one
 * @property {string} [skill] the SKILL whose tool it is
 * @property {boolean} [isTraced] whether its steps are asked for: then nothing else of its SKILL runs meanwhile, because
 *   the extension keeps the last run only
 *
 * @typedef {import('./answer.mjs').Answer & { read: string[], steps?: import('./trace.mjs').TracedStep[] | Error }} CallAnswer
 *   `read`: addresses of the pages that the tool was on, of those in `pages`; `steps`: if it was traced
 */

export class SkillCalls {
  /** @type {{ call: SkillCall, resolve: (answer: CallAnswer) => void, reject: (error: Error) => void }[]} */
  #queue = [];
  /** @type {Lane[]} */
  #lanes = [];
  /** One after the other: there is one panel. */
  #panelTask = Promise.resolve();

  /** @param {{ extension?: string, lanes?: number }} [options] */
  static async start({ extension, lanes = 8 } = {}) {
    const calls = new SkillCalls();
    calls.service = await startService(({ body }) => calls.#answer(body));
    try {
      // Nobody looks at it, and drawing the browser's own bar of tabs that load takes a third of the processor's time.
      calls.chromium = await launch({ extension, args: ['--start-fullscreen'] });
      const [first] = await calls.chromium.browser.pages();
      await offline(first, async () => ({ body: '<!doctype html><title>Empty</title>' }));
      await first.goto('https://panel.example/');
      calls.panel = await Panel.beside(calls.chromium, first);
      const settings = { provider: 'custom', 'base-url': calls.service.url, model: 'by-hand', 'limit-calls': 100, 'limit-turn-seconds': 3_600, 'limit-tool-seconds': 120 };
      for (const [name, value] of Object.entries(settings)) await calls.panel.fill(name, String(value));
      await calls.panel.view('chat');
      calls.editor = await FixtureEditor.in(await calls.chromium.open('about:blank'));
      for (let number = 1; number <= lanes; number += 1) calls.#lanes.push(await Lane.open(calls.chromium, number));
    } catch (error) {
      await calls.close();
      throw error;
    }
    return calls;
  }

  async close() {
    await Promise.all([this.chromium?.close(), this.service?.close()]);
  }

  /** @param {SkillCall} call @returns {Promise<CallAnswer>} */
  call(call) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, resolve, reject });
      this.#wake();
    });
  }

  /** The calls that may begin now, in their order. */
  #free() {
    const running = this.#lanes.flatMap(({ work }) => (work === undefined ? [] : [work]));
    const before = new Map();
    const note = ({ call: { skill, isTraced = false } }) => before.set(skill, isTraced || before.get(skill) === true);
    running.forEach(note);
    return this.#queue.filter((work) => {
      const { skill, isTraced } = work.call;
      const isFree = skill === undefined || (isTraced ? !before.has(skill) : before.get(skill) !== true);
      note(work);
      return isFree;
    });
  }

  /** Let tabs begin that have nothing to do, as many as there are calls that may. */
  #wake() {
    const idle = this.#lanes.filter(({ isBusy }) => !isBusy);
    // Those that have begun take one each.
    const begun = this.#lanes.filter(({ isBusy, work }) => isBusy && work === undefined).length;
    idle.slice(0, Math.max(0, this.#free().length - begun)).forEach((lane) => this.#begin(lane));
  }

  /** Let a tab's turn begin. */
  #begin(lane) {
    lane.isBusy = true;
    lane.hasFailed = false;
    lane.origin = undefined;
    lane.taken = new Set();
    this.#panelTask = this.#panelTask
      .then(async () => {
        await lane.rest(this.panel);
        await this.panel.newChat();
        await this.panel.say(`lane ${lane.number}`);
      })
      .catch((error) => {
        lane.isBusy = false;
        this.#queue.splice(0).forEach(({ reject }) => reject(error));
      });
  }

  /**
   * A turn stays on one site: the user is asked before what was read on one goes to another. And it makes no call twice: the
   * result of the first would be given back, and a turn that repeats itself is ended.
   */
  #next(lane) {
    const fits = (work) => (lane.origin === undefined || originOf(work) === lane.origin) && !lane.taken.has(nameOf(work));
    const work = this.#free().find(fits);
    if (work === undefined) return undefined;
    this.#queue.splice(this.#queue.indexOf(work), 1);
    lane.origin = originOf(work);
    lane.taken.add(nameOf(work));
    return work;
  }

  /** The model's answer to a request. */
  async #answer(body) {
    const spoken = body.messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content).match(/lane (\d+)/)?.[1]).findLast(Boolean);
    const lane = this.#lanes.find(({ number }) => String(number) === spoken);
    if (lane === undefined) return [said('ok'), DONE];
    const last = body.messages.findLast(({ role }) => role === 'tool');
    // A request that is made again is answered again.
    if (lane.work === undefined || last?.tool_call_id === lane.callId) lane.answer = this.#goOn(lane, body, last?.content);
    return lane.answer;
  }

  /** Hear what came of the last call, if there was one, and make the next. */
  async #goOn(lane, body, last) {
    let steps;
    if (lane.work?.call.isTraced) {
      // The request may be made again meanwhile.
      lane.callId = undefined;
      steps = await lastRun(this.panel.page, lane.work.call).catch((error) => error);
    }
    if (lane.work !== undefined && !lane.settle(last, steps)) return (await lane.retry()) ?? this.#end(lane);
    const isLong = lane.taken.size >= MOST_CALLS || lane.hasFailed || JSON.stringify(body.messages).length > MOST_CHARACTERS;
    const work = isLong ? undefined : this.#next(lane);
    const begun = work && lane.take(work);
    // What had to wait for the call that has ended.
    this.#wake();
    return (await begun) ?? this.#end(lane);
  }

  /** Let a tab's turn end. */
  #end(lane) {
    lane.isBusy = false;
    this.#wake();
    return [said('Done.'), DONE];
  }
}

const originOf = ({ call }) => new URL(call.url).origin;
const nameOf = ({ call }) => JSON.stringify([call.tool, call.input ?? {}]);
