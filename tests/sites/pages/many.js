'use strict';

const count = Number(new URLSearchParams(location.search).get('count') ?? 200);

for (let number = 1; number <= count; number += 1) {
  offer({
    name: `tool${String(number).padStart(4, '0')}`,
    description: `Tool number ${number}.`,
    inputSchema: strings('text'),
    annotations: { readOnlyHint: number % 2 === 0 },
    execute: ({ text }) => `${number}: ${text}`,
  });
}
