/**
 * The overlay's style. `!important` in a shadow root wins over the page's, also over its `!important`.
 * The colours are those of the panel (styles/tokens.css), in which they are checked for contrast.
 */
export const LIGHT_CSS = `
:host {
  all: initial !important; position: fixed !important; inset: 0 !important; display: block !important;
  width: auto !important; height: auto !important; max-width: none !important; max-height: none !important; margin: 0 !important;
  padding: 0 !important; border: 0 !important; overflow: hidden !important; background: none !important;
  pointer-events: none !important; z-index: 2147483647 !important; visibility: visible !important; opacity: 1 !important;
  --accent: oklch(49% 0.095 205); --surface: oklch(99.2% 0.002 220); --text: oklch(25% 0.012 230); --on-accent: oklch(99% 0.005 205);
}
@media (prefers-color-scheme: dark) {
  :host { --accent: oklch(78% 0.1 195); --surface: oklch(19.5% 0.008 230); --text: oklch(93% 0.006 220); --on-accent: oklch(20% 0.03 205); }
}
.frame { position: fixed; inset: 0; border: 3px solid var(--accent); }
.ring { position: fixed; border-radius: 4px; outline: 3px solid var(--accent); outline-offset: 2px; box-shadow: 0 0 0 2px var(--surface); opacity: 0; transition: opacity 120ms; }
.ring.lit { opacity: 1; }
div.panel:not([hidden]) {
  position: fixed; inset-block-end: 14px; inset-inline: 0; inline-size: fit-content; max-inline-size: calc(100vw - 32px); margin-inline: auto;
  display: flex; align-items: center; gap: 12px; padding: 5px 6px 5px 14px; box-sizing: border-box;
  border: 1px solid var(--accent); border-radius: 999px; background: var(--surface); color: var(--text);
  font: 13px/1.4 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
}
button {
  all: unset; pointer-events: auto; cursor: pointer; box-sizing: border-box; min-height: 28px; padding: 4px 14px; border: 1px solid transparent;
  border-radius: 999px; background: var(--accent); color: var(--on-accent); font-weight: 600; white-space: nowrap;
}
button:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
[hidden] { display: none; }
@media (prefers-reduced-motion: reduce) { .ring { transition: none; } }
@media (forced-colors: active) {
  .frame { border-color: Highlight; }
  .ring { outline-color: Highlight; box-shadow: none; }
  button { border-color: ButtonText; }
}
@media print { :host { display: none !important; } }
`;
