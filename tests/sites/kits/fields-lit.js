import { html, LitElement } from 'lit';
import { live } from 'lit/directives/live.js';

let now;
globalThis.model = () => now.state;

class Fields extends LitElement {
  static properties = { state: { state: true } };

  constructor() {
    super();
    now = this;
    this.state = { text: '', date: '', lazy: '', box: false, pick: '1' };
  }

  to(key) {
    return (event) => (this.state = { ...this.state, [key]: event.target.type === 'checkbox' ? event.target.checked : event.target.value });
  }

  render() {
    const { text, date, lazy, box, pick } = this.state;
    return html`<input data-id="text" .value=${live(text)} @input=${this.to('text')}><input data-id="date" type="date" .value=${live(date)} @input=${this.to('date')}>
      <input data-id="lazy" .value=${lazy} @change=${this.to('lazy')}><input data-id="box" type="checkbox" .checked=${live(box)} @change=${this.to('box')}>
      <select data-id="pick" .value=${pick} @change=${this.to('pick')}><option value="1">One</option><option value="2">Two</option></select>`;
  }
}
customElements.define('lit-fields', Fields);
document.getElementById('app').append(document.createElement('lit-fields'));
