export interface ServerSent {
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
  readonly data: string;
}

/** The events of a stream, as they come. Ends when the stream does, and throws when it breaks. */
export async function* serverSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true }).replaceAll('\r\n', '\n');
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield eventIn(block);
  }
}

function eventIn(block: string): ServerSent {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
  const valuesOf = (name: string): string[] =>
    fields.flatMap(([, field, value]) => (field === name ? [value ?? ''] : []));
  const retry = valuesOf('retry').at(-1);
  return {
    id: valuesOf('id').at(-1),
    retryMs: retry === undefined ? undefined : Number(retry),
    data: valuesOf('data').join('\n'),
  };
}
