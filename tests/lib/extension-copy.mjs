/** A copy of the extension in which a test changes files. */

import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { EXTENSION } from './paths.mjs';

export class ExtensionCopy {
  /** @param {(copy: ExtensionCopy) => unknown} [change] changes its files */
  static async make(change) {
    const copy = new ExtensionCopy();
    copy.folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-extension-'));
    try {
      await cp(await realpath(EXTENSION), copy.folder, { recursive: true });
      await change?.(copy);
    } catch (error) {
      await copy.remove();
      throw error;
    }
    return copy;
  }

  /** Put a text before what stands in a script. */
  async prepend(file, text) {
    const script = path.join(this.folder, file);
    await writeFile(script, text + (await readFile(script, 'utf8')));
  }

  /** Take a permission out of the manifest. */
  async withoutPermission(name) {
    const file = path.join(this.folder, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    if (!manifest.permissions.includes(name)) throw new Error(`the manifest has no permission ${name}`);
    manifest.permissions = manifest.permissions.filter((other) => other !== name);
    await writeFile(file, JSON.stringify(manifest));
  }

  remove() {
    return rm(this.folder, { recursive: true, force: true });
  }
}
