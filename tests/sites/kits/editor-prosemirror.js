import { baseKeymap } from 'prosemirror-commands';
import { keymap } from 'prosemirror-keymap';
import { DOMParser } from 'prosemirror-model';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';

const start = document.createElement('div');
start.innerHTML = '<p>old words</p>';
const view = new EditorView(document.getElementById('app'), {
  state: EditorState.create({ doc: DOMParser.fromSchema(schema).parse(start), plugins: [keymap(baseKeymap)] }),
});
globalThis.model = () => view.state.doc.textBetween(0, view.state.doc.content.size, '\n');
