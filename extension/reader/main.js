/**
 * Reads the text of a document (ISOLATED world). It is put into a document at its first reading; what it defines stays for
 * the next ones. The last value of the file, which the build adds, is that of `texts()`.
 */

import { read } from './read.js';
import { texts } from './texts.js';

globalThis.webmcpSidecarReader ??= { read, texts };
