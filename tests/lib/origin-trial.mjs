/** An origin trial for tests: a browser started with its public key accepts its tokens. */

import { generateKeyPairSync, sign } from 'node:crypto';

/** The version of the token format. */
const VERSION = 3;

/** A key, and the tokens signed with it. */
export class OriginTrial {
  #privateKey;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#privateKey = privateKey;
    /** The 32 bytes of the key in Base64, for `--origin-trial-public-key`. */
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  }

  /**
   * A token that switches a feature on in the documents of one origin, for an hour.
   *
   * @param {string} origin
   * @param {string} [feature]
   */
  token(origin, feature = 'WebMCP') {
    const expiry = Math.floor(Date.now() / 1_000) + 3_600;
    const payload = Buffer.from(JSON.stringify({ origin, feature, expiry }));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(payload.length);
    const signature = sign(null, Buffer.concat([Buffer.of(VERSION), length, payload]), this.#privateKey);
    return Buffer.concat([Buffer.of(VERSION), signature, length, payload]).toString('base64');
  }
}
