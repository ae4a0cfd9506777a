/** The paths of everything that the tests use. `cargo xtask` sets them in the environment. */

import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder `tests/`. */
export const TESTS = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The repository. */
export const ROOT = path.dirname(TESTS);

/** The unpacked extension. */
export const EXTENSION = process.env.SIDECAR_EXTENSION ?? path.join(ROOT, 'dist', 'extension');

/** Scenario files of the scripted model server. */
export const SCENARIOS = process.env.SIDECAR_SCENARIOS ?? path.join(TESTS, 'scenarios');

/** The flight search of the demo. */
export const FLIGHTS = path.join(TESTS, 'sites', 'flights');

/** The demo shop, which has no tools of its own. */
export const SHOP = path.join(TESTS, 'sites', 'shop');

/** The small pages of the tests. */
export const PAGES = path.join(TESTS, 'sites', 'pages');

/**
 * The browser: `SIDECAR_CHROMIUM`, else the first known name on PATH.
 *
 * @returns {string}
 */
export function chromium() {
  if (process.env.SIDECAR_CHROMIUM) return process.env.SIDECAR_CHROMIUM;
  const names = ['chromium', 'chromium-browser', 'chrome', 'google-chrome-for-testing'];
  const found = onPath(names);
  if (found) return found;
  throw new Error(
    `No browser: none of ${names.join(', ')} is on PATH. Set SIDECAR_CHROMIUM to a Chromium or Chrome for Testing, or run "cargo xtask setup".`,
  );
}

/**
 * The scripted model server: `SIDECAR_SCRIPTED_MODEL`, else what cargo built last.
 *
 * @returns {string}
 */
export function scriptedModel() {
  if (process.env.SIDECAR_SCRIPTED_MODEL) return process.env.SIDECAR_SCRIPTED_MODEL;
  const target = process.env.CARGO_TARGET_DIR ?? path.join(ROOT, 'target');
  const found = ['release', 'debug'].map((profile) => path.join(target, profile, 'scripted-model')).find(isExecutable);
  if (found) return found;
  throw new Error(
    'No scripted model server: set SIDECAR_SCRIPTED_MODEL to its program, or run "cargo build -p sidecar-testkit".',
  );
}

/**
 * The program behind `cargo xtask`: `SIDECAR_XTASK`, else what cargo built last.
 *
 * @returns {string}
 */
export function xtask() {
  if (process.env.SIDECAR_XTASK) return process.env.SIDECAR_XTASK;
  const built = path.join(process.env.CARGO_TARGET_DIR ?? path.join(ROOT, 'target'), 'debug', 'xtask');
  if (isExecutable(built)) return built;
  throw new Error('No xtask: set SIDECAR_XTASK to its program, or run "cargo build -p xtask".');
}

function onPath(names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
