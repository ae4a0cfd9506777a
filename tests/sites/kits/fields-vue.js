import { createApp, h, reactive, vModelCheckbox, vModelSelect, vModelText, withDirectives } from 'vue';

const state = reactive({ text: '', date: '', lazy: '', box: false, pick: '1' });
globalThis.model = () => state;

const bind = (tag, key, directive, props = {}, children, modifiers = {}) =>
  withDirectives(h(tag, { 'data-id': key, 'onUpdate:modelValue': (value) => (state[key] = value), ...props }, children), [[directive, state[key], '', modifiers]]);

createApp({
  render: () => [
    bind('input', 'text', vModelText),
    bind('input', 'date', vModelText, { type: 'date' }),
    bind('input', 'lazy', vModelText, {}, undefined, { lazy: true }),
    bind('input', 'box', vModelCheckbox, { type: 'checkbox' }),
    bind('select', 'pick', vModelSelect, {}, [h('option', { value: '1' }, 'One'), h('option', { value: '2' }, 'Two')]),
  ],
}).mount('#app');
