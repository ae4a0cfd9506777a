import { functionText, getOwnPropertyDescriptor, matches } from './captured.js';

export const isNativeCode = (value) => typeof value === 'function' && matches(/\{ \[native code\] \}$/, functionText(value)) !== null;

/** Whether `document.modelContext` is the browser's own, told without having it made. */
export const hasNative = () => isNativeCode(getOwnPropertyDescriptor(Document.prototype, 'modelContext')?.get);
