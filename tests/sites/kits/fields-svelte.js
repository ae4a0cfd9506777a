import { mount } from 'svelte';

import App from './fields-svelte.svelte';

mount(App, { target: document.getElementById('app') });
