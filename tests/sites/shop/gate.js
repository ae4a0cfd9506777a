/** What stands in place of the content when the visitor is signed out, or has to prove to be a person. */

import { element } from './element.js';
import { part } from './structure.js';
import { switchOff } from './switches.js';
import { words } from './words.js';

export function signIn() {
  return gate(
    'signIn',
    words.signInTitle,
    words.signInHint,
    element('label', {}, words.email, element('input', { type: 'email', name: 'email', autocomplete: 'username', required: true })),
    element('label', {}, words.password, element('input', { type: 'password', name: 'password', autocomplete: 'current-password', required: true })),
    element('button', { class: 'main' }, words.signIn),
  );
}

export function challenge() {
  return gate(
    'challenge',
    words.challengeTitle,
    words.challengeHint,
    element('label', { class: 'check' }, element('input', { type: 'checkbox', name: 'person', required: true }), words.person),
    element('button', { class: 'main' }, words.goOn),
  );
}

/**
 * @param {'signIn' | 'challenge'} name
 * @param {string} title
 * @param {string} hint
 * @param {...Node} fields
 */
function gate(name, title, hint, ...fields) {
  const switchName = name === 'signIn' ? 'signedOut' : name;
  const form = element('form', { class: 'card' }, ...fields);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    switchOff(switchName);
  });
  return element(
    'section',
    part(name, { 'aria-labelledby': 'gate-title' }),
    element('h1', { id: 'gate-title' }, title),
    element('p', { class: 'hint' }, hint),
    form,
  );
}
