/** A Chat Completions service whose responses a test writes itself, for what no scenario covers. */

import { createServer } from 'node:http';

/** A piece of an answer's text. */
export const said = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** A tool call. */
export const called = (name, args, id = 'a') => {
  const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`;
};

/** The end of an answer. */
export const DONE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

/**
 * @typedef {object} Asked
 * @property {any} body
 * @property {string} key as received
 */

/**
 * Start the service.
 *
 * @param {(asked: Asked) => string[] | Promise<string[]>} answer the pieces of the response
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startService(answer) {
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    if (request.method !== 'POST') return response.writeHead(request.method === 'OPTIONS' ? 204 : 404).end();
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of await answer({ body: JSON.parse(Buffer.concat(pieces).toString()), key })) response.write(piece);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve(undefined));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
