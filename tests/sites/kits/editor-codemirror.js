import { EditorView, minimalSetup } from 'codemirror';

const view = new EditorView({ doc: 'old words', extensions: [minimalSetup], parent: document.getElementById('app') });
globalThis.model = () => view.state.doc.toString();
