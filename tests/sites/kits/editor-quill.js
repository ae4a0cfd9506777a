import Quill from 'quill';

const quill = new Quill('#app', {});
quill.setText('old words');
globalThis.model = () => quill.getText().replace(/\n$/, '');
