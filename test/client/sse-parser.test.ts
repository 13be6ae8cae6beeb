import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type ServerSentEvent } from '../../src/client/sse-parser.ts';

function parse(...chunks: string[]): { events: ServerSentEvent[]; retries: number[] } {
  const events: ServerSentEvent[] = [];
  const retries: number[] = [];
  const parser = createSseParser(
    (event) => events.push(event),
    (ms) => retries.push(ms),
  );
  for (const chunk of chunks) parser.push(chunk);
  return { events, retries };
}

describe('the parser of server-sent events', () => {
  it('[API2] takes name, data and id; an event without a name is a message', () => {
    expect(parse('id: 7\nevent: delta\ndata: {"a":1}\n\ndata: plain\n\n').events).toEqual([
      { event: 'delta', data: '{"a":1}', id: '7' },
      { event: 'message', data: 'plain', id: '7' },
    ]);
  });

  it('[API2] joins several lines of data, and takes off one blank after the colon only', () => {
    expect(parse('data: one\ndata:  two\ndata:three\ndata\n\n').events).toEqual([
      { event: 'message', data: 'one\n two\nthree\n', id: '' },
    ]);
  });

  it('[API2] passes over comments, unknown fields, events without data, and ids with a zero byte', () => {
    const { events } = parse(': alive\n\nfoo: bar\nevent: lost\n\nid: a\0b\ndata: x\n\n');
    expect(events).toEqual([{ event: 'message', data: 'x', id: '' }]);
  });

  it('[API2] tells the retry time only if it is a number', () => {
    expect(parse('retry: 1500\nretry: soon\n').retries).toEqual([1500]);
  });

  it('[API2] drops an event that was not finished when the stream ended', () => {
    expect(parse('data: whole\n\ndata: half').events.map(({ data }) => data)).toEqual(['whole']);
  });

  it('[API2] gives the same events wherever the text is cut and however its lines end', () => {
    const word = fc.stringMatching(/^[a-z0-9 :{}"ü✓]{0,12}$/);
    const message = fc.record({
      event: fc.constantFrom('', 'event', 'delta'),
      data: fc.array(word, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.constantFrom('\n', '\r', '\r\n'),
        fc.boolean(),
        fc.array(fc.nat(200)),
        (messages, end, hasMark, cuts) => {
          const lines = messages.flatMap(({ event, data }) => [
            ...(event === '' ? [] : [`event: ${event}`]),
            ...data.map((line) => `data: ${line}`),
            '',
          ]);
          const text = (hasMark ? '\uFEFF' : '') + lines.map((line) => line + end).join('');
          const places = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
          const chunks = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
          expect(parse(...chunks).events).toEqual(
            messages.map(({ event, data }) => ({ event: event || 'message', data: data.join('\n'), id: '' })),
          );
        },
      ),
    );
  });
});
