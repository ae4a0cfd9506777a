'use strict';

const question = document.querySelector('#question');

/** Ask the person on the page, and give the answer or refuse. */
const ask = () =>
  new Promise((resolve, reject) => {
    question.hidden = false;
    question.onclick = ({ target }) => {
      if (target.id !== 'yes' && target.id !== 'no') return;
      question.hidden = true;
      if (target.id === 'yes') resolve('The user said yes.');
      else reject(new Error('The user said no.'));
    };
  });

navigator.modelContext.registerTool({
  name: 'askFirst',
  description: 'Asks the user on the page before it does anything.',
  inputSchema: { type: 'object', properties: {} },
  execute: (_args, client) => client.requestUserInteraction(ask),
});

document.querySelector('#order').addEventListener('submit', (event) => {
  event.preventDefault();
  event.respondWith?.(Promise.resolve(`Ordered ${new FormData(event.target).get('seats')} seats.`));
});
