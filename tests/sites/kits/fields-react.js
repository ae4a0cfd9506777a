import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

let now = {};
globalThis.model = () => now;

function App() {
  const [state, set] = useState({ text: '', date: '', lazy: '', box: false, pick: '1' });
  const [draft, setDraft] = useState('');
  now = state;
  const to = (key) => (event) => set((old) => ({ ...old, [key]: event.target.type === 'checkbox' ? event.target.checked : event.target.value }));
  return h('form', null,
    h('input', { 'data-id': 'text', value: state.text, onChange: to('text') }),
    h('input', { 'data-id': 'date', type: 'date', value: state.date, onChange: to('date') }),
    h('input', { 'data-id': 'lazy', value: draft, onChange: (event) => setDraft(event.target.value), onBlur: () => set((old) => ({ ...old, lazy: draft })) }),
    h('input', { 'data-id': 'box', type: 'checkbox', checked: state.box, onChange: to('box') }),
    h('select', { 'data-id': 'pick', value: state.pick, onChange: to('pick') }, h('option', { value: '1' }, 'One'), h('option', { value: '2' }, 'Two')));
}
createRoot(document.getElementById('app')).render(h(App));
