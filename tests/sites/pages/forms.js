'use strict';

/** Answer a form on the page, and the agent if it was one that sent it. */
function answer(id, respond) {
  const form = document.querySelector(`#${id}`);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const response = respond(Object.fromEntries(new FormData(form)));
    document.querySelector('#answer').textContent = JSON.stringify(response);
    if (event.agentInvoked) event.respondWith(Promise.resolve(response));
  });
}

answer('find', ({ day, guests }) => ({ day, free: Number(guests) <= 4 ? ['18:00', '20:30'] : ['20:30'] }));
answer('book', ({ name, place }) => ({ booked: name, place }));
