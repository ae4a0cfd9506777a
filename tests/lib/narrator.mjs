/** Prints what happens in the side panel on a terminal, while it happens. */

import { until } from './wait.mjs';
import { testId } from './panel.mjs';

const COLOURS = { dim: '2', bold: '1', red: '31', green: '32', yellow: '33', cyan: '36' };

/** @param {NodeJS.WriteStream} stream */
function painter(stream) {
  const coloured = stream.isTTY && !process.env.NO_COLOR;
  return (colour, text) => (coloured ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text);
}

/** Prints a conversation. */
export class Narrator {
  #stream;
  #paint;
  /** The parts already printed of each entry, by position. */
  #told = new Map();

  /** @param {NodeJS.WriteStream} [stream] */
  constructor(stream = process.stdout) {
    this.#stream = stream;
    this.#paint = painter(stream);
  }

  /** @param {string} text */
  say(text = '') {
    this.#stream.write(`${text}\n`);
  }

  /** @param {string} text */
  step(text) {
    this.say(this.#paint('dim', `· ${text}`));
  }

  /** @param {import('./verdict.mjs').Finding} finding */
  finding({ ok, text }) {
    this.say(`${ok ? this.#paint('green', '✓') : this.#paint('red', '✗')} ${text}`);
  }

  /**
   * Print a turn until the agent rests. Unfolds its reasoning and tool calls.
   *
   * @param {import('./panel.mjs').Panel} panel
   * @param {{ timeout: number }} options in milliseconds
   */
  async follow(panel, { timeout }) {
    await until(
      async () => {
        await panel.unfold();
        const entries = await panel.transcript();
        // In order: an entry is printed only after all earlier ones are complete.
        const open = entries.findIndex((entry, at) => !this.#tell(entry, at));
        return open === -1 && entries.at(-1)?.kind === 'rest';
      },
      { what: 'the agent to finish', timeout, every: 60 },
    );
  }

  /**
   * Print the new parts of one entry.
   *
   * @param {import('./panel.mjs').Entry} entry
   * @param {number} at its position
   * @returns {boolean} whether it is complete
   */
  #tell(entry, at) {
    const told = this.#told.get(at) ?? new Set();
    this.#told.set(at, told);
    const once = (part, tell) => {
      if (told.has(part)) return;
      told.add(part);
      tell();
    };
    const over = !['waiting', 'streaming', 'queued', 'asking', 'running'].includes(entry.state);
    switch (entry.kind) {
      case 'user':
        once('text', () => this.#block('you', 'bold', entry.text));
        return true;
      case 'assistant':
        // An answer is printed when it is complete: during streaming, its Markdown may still change.
        if (entry.reasoning && (entry.answer || over)) once('reasoning', () => this.#block('thinks', 'dim', entry.reasoning, 'dim'));
        if (entry.answer && over) once('answer', () => this.#block('says', 'cyan', entry.answer));
        return over && (told.has('reasoning') || !entry.thought);
      case 'tool': {
        if (entry.arguments === undefined) return false;
        once('call', () => this.#block('calls', 'yellow', `${entry.name} ${oneLine(entry.arguments)}`));
        if (!over || entry.result === undefined) return false;
        const ok = entry.state === 'ok';
        once('result', () =>
          this.#block(ok ? '✓' : `✗ ${entry.state}`, ok ? 'green' : 'red', `${entry.duration ?? ''} ${short(oneLine(entry.result))}`.trim(), 'dim'),
        );
        return true;
      }
      case 'retry':
        once('text', () => this.#block('waits', 'yellow', oneLine(entry.text)));
        return true;
      case 'rest':
        once('text', () => this.#block('rests', entry.why === 'done' ? 'dim' : 'red', oneLine(entry.text) || entry.why, 'dim'));
        return true;
      default:
        throw new Error(`The panel shows an item of an unknown kind: ${entry.kind}`);
    }
  }

  #block(label, colour, text, textColour) {
    const lines = text.split('\n').map((line) => (textColour ? this.#paint(textColour, line) : line));
    this.say(`${this.#paint(colour, label.padStart(9))}  ${lines.join(`\n${' '.repeat(11)}`)}`);
  }
}

/** Save a screenshot of the panel, scrolled to the end of the conversation. */
export async function screenshotPanel(panel, file) {
  await panel.page.evaluate((selector) => {
    const transcript = document.querySelector(selector);
    if (transcript) transcript.scrollTop = transcript.scrollHeight;
  }, testId('transcript'));
  await panel.page.screenshot({ path: file });
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}

function short(text) {
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}
