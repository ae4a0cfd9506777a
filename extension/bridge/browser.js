/** Finds out whether the browser provides WebMCP. */

import { natively } from './captured.js';
import { find } from './safe.js';

/** Whether this API tells which permissions policies the browser knows. It may be replaced one day. */
const canTell = 'featurePolicy' in Document.prototype;

/** The policies of a document, and their names. */
const { featurePolicy: policiesOf } = canTell ? natively(Document) : {};
const { features: featuresOf } = canTell ? natively(FeaturePolicy) : {};

/**
 * Whether the browser provides WebMCP in this document: then it knows the permissions policy `tools`, also where that policy
 * refuses it, and from the moment on at which a page's origin-trial token counts. What a page puts in the place of
 * `document.modelContext`, and how its functions look, is no matter.
 */
export const isProvided = () =>
  canTell && find(featuresOf(policiesOf(document)), (name) => name === 'tools') !== undefined;
