/** A static site on loopback. */

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/**
 * Serve a folder. Its file `headers.json` may set headers by path, as in
 * `{ "/strict.html": { "Content-Security-Policy": "…" } }`.
 *
 * @param {string} folder
 * @returns {Promise<Site>}
 */
export async function serve(folder) {
  const headers = JSON.parse(await readFile(path.join(folder, 'headers.json'), 'utf8').catch(() => '{}'));
  const site = new Site(folder, headers);
  await site.listen();
  return site;
}

/** A running site. */
export class Site {
  #server;
  #folder;
  #headers;
  /** @type {Map<string, Promise<void>>} */
  #held = new Map();
  /** The bodies set with `put`, by path. @type {Map<string, { body: string | Uint8Array, headers: Record<string, string> }>} */
  #made = new Map();
  /** The paths that were asked for so far, oldest first. @type {string[]} */
  asked = [];

  /**
   * @param {string} folder
   * @param {Record<string, Record<string, string>>} headers
   */
  constructor(folder, headers) {
    this.#folder = path.resolve(folder);
    this.#headers = headers;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.port = 0;
  }

  /** Begin to listen on a free port of loopback. */
  async listen() {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    this.port = this.#server.address().port;
  }

  /** `http://localhost:PORT`, a secure context. */
  get origin() {
    return `http://localhost:${this.port}`;
  }

  /** The same files under another, also secure, origin. */
  get otherOrigin() {
    return `http://127.0.0.1:${this.port}`;
  }

  /**
   * Address of a file.
   *
   * @param {string} file path without leading slash, query included
   * @param {string} [origin]
   */
  url(file = '', origin = this.origin) {
    return `${origin}/${file}`;
  }

  /**
   * Serve a body made by a test under a path.
   *
   * @param {string} file path without leading slash; its extension decides the content type
   * @param {string | Uint8Array} body
   * @param {Record<string, string>} [headers]
   * @returns {string} its address
   */
  put(file, body, headers = {}) {
    this.#made.set(`/${file}`, { body, headers });
    return this.url(file);
  }

  /**
   * Hold responses for this path until released, for pages that are still loading.
   *
   * @param {string} pathname with leading slash
   * @returns {() => void} releases the held responses and stops holding
   */
  hold(pathname) {
    let release;
    this.#held.set(pathname, new Promise((resolve) => (release = resolve)));
    return () => {
      this.#held.delete(pathname);
      release();
    };
  }

  /** Stop serving. */
  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request, response) {
    const { pathname } = new URL(request.url, this.origin);
    this.asked.push(pathname);
    await this.#held.get(pathname);
    const file = path.join(this.#folder, decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    if (!file.startsWith(this.#folder + path.sep)) {
      response.writeHead(403).end();
      return;
    }
    try {
      const made = this.#made.get(pathname);
      const body = made?.body ?? (await readFile(file));
      response.writeHead(200, {
        'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream',
        'Cache-Control': 'no-store',
        ...(made?.headers ?? this.#headers[pathname]),
      });
      response.end(body);
    } catch {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found');
    }
  }
}

/** A port of this machine on which nothing listens. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
