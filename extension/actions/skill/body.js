/** The body of an answer: read as it comes, and no more of it than may be. */

/** Bytes. */
const MOST = 2 * 1024 * 1024;
/** Bytes in which a document says how it is written. */
const HEAD = 1024;

/**
 * @param {Response} response
 * @returns {Promise<Uint8Array | undefined>} undefined if it is too large; the rest is not loaded then
 */
export async function bytesOf(response) {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MOST) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The text of JSON. */
export const textOfJson = (bytes) => new TextDecoder().decode(bytes);

/** The text of a document, in the writing that its header or its beginning names. */
export function textOfDocument(bytes, type) {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD));
  const named = /charset\s*=\s*["']?([\w-]+)/i.exec(type ?? '') ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head);
  try {
    return new TextDecoder(named?.[1]).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
