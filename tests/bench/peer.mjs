/** Programs that give models a page's snapshot by MCP: started from `tests/bench/peers`, spoken to over their standard streams. */

import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { chromium, TESTS } from '../lib/paths.mjs';

const MODULES = path.join(TESTS, 'bench', 'peers', 'node_modules');
const ROOT_USER = process.getuid?.() === 0;

/** @type {{ name: string, program: string, args: string[], open: string, opening: (url: string) => object, snapshot: string, outline: (text: string) => string }[]} */
const PEERS = [
  {
    name: 'chrome-devtools-mcp',
    program: 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js',
    args: [
      '--headless', '--isolated', '--viewport=1280x713', `--executablePath=${chromium()}`, '--no-usage-statistics', '--no-performance-crux', '--no-page-id-routing',
      ...(ROOT_USER ? ['--chromeArg=--no-sandbox'] : []),
    ],
    open: 'navigate_page',
    opening: (url) => ({ type: 'url', url }),
    snapshot: 'take_snapshot',
    outline: (text) => text.split('\n').filter((line) => /^\s*uid=/.test(line)).join('\n'),
  },
  {
    name: '@playwright/mcp',
    program: '@playwright/mcp/cli.js',
    args: ['--headless', '--isolated', '--viewport-size=1280x713', `--executable-path=${chromium()}`, ...(ROOT_USER ? ['--no-sandbox'] : [])],
    open: 'browser_navigate',
    opening: (url) => ({ url }),
    snapshot: 'browser_snapshot',
    outline: (text) => /```yaml\n([^]*)\n```/.exec(text)?.[1] ?? '',
  },
];

/** Start all of them. @param {string} folder where they may write */
export const startPeers = (folder) => Promise.all(PEERS.map((peer) => Peer.start(peer, folder)));

export class Peer {
  #process;
  #asked = 0;
  /** @type {Map<number, (message: any) => void>} */
  #waiting = new Map();

  static async start(facts, folder) {
    const peer = new Peer(facts, folder);
    await peer.#ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
    peer.#write({ method: 'notifications/initialized' });
    return peer;
  }

  constructor(facts, folder) {
    this.facts = facts;
    this.name = facts.name;
    this.#process = spawn(process.execPath, [path.join(MODULES, facts.program), ...facts.args], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
    this.#process.on('exit', () => {
      for (const done of this.#waiting.values()) done({ error: { message: 'it ended' } });
    });
  }

  async open(url) {
    await this.#call(this.facts.open, this.facts.opening(url));
  }

  /** @returns {Promise<string>} the outline alone */
  async snapshot() {
    return this.facts.outline(await this.#call(this.facts.snapshot, {}));
  }

  async stop() {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin.end();
    const timer = setTimeout(() => this.#process.kill(), 5_000);
    await ended;
    clearTimeout(timer);
  }

  async #call(name, args) {
    const { result, error } = await this.#ask('tools/call', { name, arguments: args });
    const text = (result?.content ?? []).map((block) => block.text ?? '').join('\n');
    if (error || result.isError) throw new Error(`${this.name}: ${error?.message ?? text}`);
    return text;
  }

  #ask(method, params) {
    return new Promise((resolve) => {
      const id = (this.#asked += 1);
      this.#waiting.set(id, resolve);
      this.#write({ id, method, params });
    });
  }

  #write(message) {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
