/** A forward proxy on loopback that records a browser's requests, and forwards those to this machine. */

import { createServer, request as ask } from 'node:http';

/** @returns {Promise<Proxy>} */
export async function startProxy() {
  const proxy = new Proxy();
  await proxy.listen();
  return proxy;
}

/** A running proxy. */
export class Proxy {
  #server;

  constructor() {
    /** The requests in order: `host` with its port, `method`, and `path` where it was visible. */
    this.wanted = [];
    this.#server = createServer((request, response) => this.#pass(request, response));
    // An encrypted connection, which no test uses.
    this.#server.on('connect', ({ url }, socket) => {
      this.wanted.push({ host: url, method: 'CONNECT' });
      socket.on('error', () => {});
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
  }

  /** Begin to listen on a free port of loopback. */
  async listen() {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  /** Switches for a Chromium that uses this proxy for everything, loopback included. */
  get switches() {
    return [`--proxy-server=http://127.0.0.1:${this.#server.address().port}`, '--proxy-bypass-list=<-loopback>'];
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(request, response) {
    const { host, hostname, port, pathname, search } = new URL(request.url);
    const { method } = request;
    this.wanted.push({ host, method, path: pathname });
    if (!['localhost', '127.0.0.1'].includes(hostname)) {
      response.writeHead(403).end();
      return;
    }
    const options = { host: '127.0.0.1', port, path: pathname + search, method, headers: request.headers };
    const onward = ask(options, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }
}
