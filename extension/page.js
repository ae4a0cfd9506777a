/**
 * Loads a page of ours, the side panel or the workbench: theme first, then the WASM module that the page's script element
 * names, which puts its views in place of the painted frame.
 */
(() => {
  'use strict';

  /** Shown when the module cannot be loaded or has stopped. The page's own words are in the module. */
  const FAILURE = {
    en: { text: 'This page of WebMCP Sidecar stopped working. Reload it to go on.', button: 'Reload' },
    zh: { text: 'WebMCP Sidecar 的此页面停止了工作。请重新加载以继续。', button: '重新加载' },
  };

  const root = document.documentElement;
  /** The name of the page's module. */
  const { module } = document.currentScript.dataset;

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
    const wasm = fetch(`wasm/${module}_bg.wasm`);
    const page = await import(`./wasm/${module}.js`);
    await page.default({ module_or_path: wasm });
    if (document.readyState === 'loading') {
      await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
    }
    // Only a page in the browser's developer tools inspects a tab.
    page.start(globalThis.chrome?.devtools?.inspectedWindow?.tabId);
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
