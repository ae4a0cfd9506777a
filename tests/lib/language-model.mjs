/** A fake of the browser's own model: Chrome's `LanguageModel`, defined in a page or a worker by a test. */

/**
 * Replace `LanguageModel` by the fake. It calls the tool that the user names (`call NAME {arguments}`), then answers
 * with the tool's result. To be evaluated in the page or worker.
 *
 * @param {'available' | 'downloadable' | 'unavailable'} availability
 */
export function standIn(availability) {
  const state = { availability, conversations: [], destroyed: 0 };
  globalThis.standInState = state;

  const answerTo = (prompt, tools) => {
    const result = /^Result of `([^`]+)`:\n\n([^]*?)(?:\n\nOnce the tool has run and the task is done, .*)?$/.exec(prompt);
    if (result) return { answer: `${result[1]} gave ${result[2]}` };
    const call = /^call (\S+) (\{.*\})$/m.exec(prompt);
    if (call && tools.includes(call[1])) return { name: call[1], arguments: JSON.parse(call[2]) };
    return { answer: `You said "${prompt}".` };
  };

  class LanguageModel {
    #prompts;

    constructor(prompts) {
      this.#prompts = prompts;
    }

    static async availability() {
      return state.availability;
    }

    static async create({ initialPrompts = [], monitor, signal } = {}) {
      signal?.throwIfAborted();
      if (state.availability === 'unavailable') throw new DOMException('The device cannot run it.', 'NotSupportedError');
      if (initialPrompts.findIndex(({ role }) => role === 'system') > 0) throw new TypeError('The system prompt comes first.');
      if (state.availability === 'downloadable') {
        const progress = new EventTarget();
        monitor?.(progress);
        for (const loaded of [0, 0.5, 1]) {
          progress.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded }));
          await new Promise((resolve) => (state.next = resolve));
        }
        state.availability = 'available';
      }
      return new LanguageModel(initialPrompts);
    }

    promptStreaming(prompt, { responseConstraint, signal } = {}) {
      const tools = (responseConstraint?.anyOf ?? []).flatMap(({ properties }) => properties.name?.const ?? []);
      state.conversations.push({ prompts: this.#prompts, prompt, responseConstraint });
      const text = responseConstraint ? JSON.stringify(answerTo(prompt, tools)) : answerTo(prompt, tools).answer;
      const pieces = text.match(/[^]{1,5}/gu);
      return new ReadableStream({
        pull(controller) {
          if (signal?.aborted) controller.error(signal.reason);
          else if (pieces.length === 0) controller.close();
          else controller.enqueue(pieces.shift());
        },
      });
    }

    destroy() {
      state.destroyed += 1;
    }
  }
  globalThis.LanguageModel = LanguageModel;
}
