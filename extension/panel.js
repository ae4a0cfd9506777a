/** Loads the side panel: theme first, then the WASM module, which puts its views in place of the painted frame. */
(() => {
  'use strict';

  /** Shown when the module cannot be loaded or has stopped. The panel's own words are in the module. */
  const FAILURE = {
    en: { text: 'The side panel stopped working. Nothing that was shown is lost.', button: 'Reload' },
    zh: { text: '侧边栏停止了工作。已显示的内容不会丢失。', button: '重新加载' },
  };

  const root = document.documentElement;

  /** The theme that the user last chose, otherwise the browser's preference. */
  function firstTheme() {
    const chosen = localStorage.getItem('theme');
    if (chosen === 'light' || chosen === 'dark') return chosen;
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  /** @param {unknown} error */
  function fail(error) {
    console.error(error);
    const words = navigator.language.startsWith('zh') ? FAILURE.zh : FAILURE.en;
    const failure = document.getElementById('failure');
    const button = failure.querySelector('button');
    failure.querySelector('p').textContent = words.text;
    button.textContent = words.button;
    button.onclick = () => location.reload();
    failure.hidden = false;
  }

  async function load() {
    // Both at once; the module's own default would fetch them one after the other.
    const wasm = fetch('wasm/panel_bg.wasm');
    const panel = await import('./wasm/panel.js');
    await panel.default({ module_or_path: wasm });
    if (document.readyState === 'loading') {
      await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
    }
    panel.start();
  }

  /** For the panel's module, loaded when the first picture is read. */
  globalThis.fitPicture = async (...args) => (await import('./picture.js')).fitPicture(...args);

  root.dataset.theme = firstTheme();
  addEventListener('error', ({ error }) => {
    if (error instanceof WebAssembly.RuntimeError) fail(error);
  });
  addEventListener('unhandledrejection', ({ reason }) => {
    if (reason instanceof WebAssembly.RuntimeError) fail(reason);
  });
  load().catch(fail);
})();
