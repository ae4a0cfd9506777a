'use strict';

offer({
  name: 'add_item',
  description: 'Adds an item to the shopping list.',
  inputSchema: strings('item'),
  execute: ({ item }) => {
    const line = document.createElement('li');
    line.textContent = item;
    document.querySelector('#list').append(line);
    return `${item} is on the list.`;
  },
});
