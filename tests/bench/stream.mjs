/** A generated Chat Completions stream: reasoning, an answer and one call with large arguments, one token per event. */

const WORDS = [
  'the', ' flight', ' leaves', ' at', ' noon', ',', ' and', ' its', ' price', ' is', ' lower', ' than', ' yesterday', '.', '\n\n', ' **', 'Lisbon', '**',
  ' (', 'LIS', ')', ' `', 'from', '`', ' "', 'direct', '"', ' –', ' 北京', '到', '上海', '的', '航班', '，', ' ✈️', ' a', ' b', ' [', '1', ']', ' <', ' 12', ':', '30', '\n- ',
];

/**
 * Generate a stream.
 *
 * @param {number} bytes its approximate size
 * @returns {{ body: Buffer, lengths: { text: number, reasoning: number, arguments: number } }} `lengths`: bytes of what it says
 */
export function longStream(bytes) {
  const events = [];
  const said = { text: '', reasoning: '', arguments: '' };
  let size = 0;
  const send = (delta, finish = null) => {
    const chunk = {
      id: 'chatcmpl-7f3a9c41d2e84b60',
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: 'bench-1',
      system_fingerprint: 'fp_44709d6fcb',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    };
    const event = `data: ${JSON.stringify(chunk)}\n\n`;
    events.push(event);
    size += Buffer.byteLength(event);
  };
  const word = words();

  send({ role: 'assistant', content: '' });
  while (size < bytes * 0.3) {
    const piece = word();
    said.reasoning += piece;
    send({ reasoning_content: piece });
  }
  while (size < bytes * 0.7) {
    const piece = word();
    said.text += piece;
    send({ content: piece });
  }
  const open = (index, id, name, pieces) => {
    send({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of pieces) {
      said.arguments += piece;
      send({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  };
  open(0, 'call_5c1d', 'write_report', report(word, () => size < bytes));
  send({}, 'tool_calls');
  events.push(
    `data: ${JSON.stringify({ id: 'chatcmpl-7f3a9c41d2e84b60', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'bench-1', choices: [], usage: { prompt_tokens: 900, completion_tokens: events.length, total_tokens: 900 + events.length } })}\n\n`,
    'data: [DONE]\n\n',
  );
  const lengths = Object.fromEntries(Object.entries(said).map(([kind, text]) => [kind, Buffer.byteLength(text)]));
  return { body: Buffer.from(events.join('')), lengths };
}

/** The arguments of the call, piece by piece: JSON with lines as long as `goesOn` returns true. */
function* report(word, goesOn) {
  yield '{"';
  yield 'lines';
  yield '":[';
  for (let line = 0; goesOn(); line += 1) {
    yield line === 0 ? '"' : ',"';
    for (let count = 0; count < 12; count += 1) yield JSON.stringify(word()).slice(1, -1);
    yield '"';
  }
  yield ']}';
}

/** Words in a pseudorandom order that is the same in every run. */
function words() {
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return WORDS[seed % WORDS.length];
  };
}
