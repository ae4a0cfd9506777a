import { registerRichText } from '@lexical/rich-text';
import { $createParagraphNode, $createTextNode, $getRoot, createEditor } from 'lexical';

const root = document.getElementById('app');
root.contentEditable = 'true';
const editor = createEditor({ namespace: 'test', onError: console.error });
editor.setRootElement(root);
registerRichText(editor);
editor.update(() => $getRoot().clear().append($createParagraphNode().append($createTextNode('old words'))));
globalThis.model = () => editor.getEditorState().read(() => $getRoot().getTextContent().replaceAll('\n\n', '\n'));
