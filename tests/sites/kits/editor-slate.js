import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createEditor, Node } from 'slate';
import { Editable, Slate, withReact } from 'slate-react';

const editor = withReact(createEditor());
globalThis.model = () => editor.children.map((one) => Node.string(one)).join('\n');

function App() {
  const [value] = useState([{ type: 'paragraph', children: [{ text: 'old words' }] }]);
  return h(Slate, { editor, initialValue: value }, h(Editable, { 'aria-label': 'Slate' }));
}
createRoot(document.getElementById('app')).render(h(App));
