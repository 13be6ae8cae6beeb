import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { IncomingRequest, TypedMessage } from '../../src/drivers/claude/incoming.ts';
import { type CloseReason, type PeerOptions, ProtocolPeer } from '../../src/drivers/claude/peer.ts';
import type { Diagnostic } from '../../src/drivers/diagnostics.ts';
import { InputPipe } from '../../src/drivers/process/input-pipe.ts';
import type { OutputReader } from '../../src/runner/ports/process-host.ts';

function connect(
  options: Partial<PeerOptions> = {},
  stdin = new PassThrough(),
  onWrite: (writeId: string | undefined) => void = () => {},
) {
  const input = new InputPipe(stdin);
  let reader: OutputReader | undefined;
  let offset = 0;
  const seen = {
    messages: [] as TypedMessage[],
    requests: [] as IncomingRequest[],
    cancelled: [] as string[],
    diagnostics: [] as Diagnostic[],
    closes: [] as CloseReason[],
    reads: 0,
  };
  const peer = new ProtocolPeer(
    {
      write: (data, writeId) => {
        onWrite(writeId);
        return input.write(data);
      },
      readOutput(given) {
        reader = given;
        return () => {
          reader = undefined;
        };
      },
    },
    {
      handledSubtypes: new Set(['can_use_tool', 'hook_callback']),
      onMessage: (message) => seen.messages.push(message),
      onRequest: (request) => seen.requests.push(request),
      onCancel: (requestId) => seen.cancelled.push(requestId),
      onDiagnostic: (diagnostic) => seen.diagnostics.push(diagnostic),
      onClose: (reason) => seen.closes.push(reason),
      onReadEnd: () => {
        seen.reads += 1;
      },
      ...options,
    },
  );
  return {
    peer,
    seen,
    stdin,
    /** The agent prints these lines in one go. */
    print(...lines: (object | string)[]) {
      const text = lines
        .map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
        .join('');
      const bytes = Buffer.from(text);
      reader?.chunk(bytes, offset);
      offset += bytes.length;
    },
    endOutput: () => reader?.end(),
    isRead: () => reader !== undefined,
    /** The lines that reached the agent since the last call. */
    async received(): Promise<Record<string, unknown>[]> {
      await nextTurn();
      const bytes: Buffer | null = stdin.read();
      const lines = (bytes?.toString() ?? '').split('\n');
      expect(lines.pop()).toBe('');
      return lines.map((line) => JSON.parse(line));
    },
  };
}

const ask = (requestId: string, subtype = 'can_use_tool') => ({
  type: 'control_request',
  request_id: requestId,
  request: { subtype, tool_name: 'Bash' },
});

const reply = (requestId: unknown, response: object = {}) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: requestId, response },
});

test('[PEER2] a user message is one line with our uuid', async () => {
  const { peer, received } = connect();
  expect(
    await peer.sendUserMessage({ content: [{ type: 'text', text: 'hello\nworld' }], uuid: 'u1' }),
  ).toEqual({ ok: true });
  expect(await received()).toEqual([
    {
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: 'hello\nworld' }] },
      parent_tool_use_id: null,
      uuid: 'u1',
    },
  ]);
});

test('[PEER2] requests are matched to their responses, whatever the order', async () => {
  const { peer, print, received } = connect();
  const mode = peer.request('set_permission_mode', { mode: 'plan' });
  const model = peer.request('set_model', { model: 'opus' });
  const interrupt = peer.request('interrupt');
  const sent = await received();
  expect(sent.map((line) => line.request)).toEqual([
    { subtype: 'set_permission_mode', mode: 'plan' },
    { subtype: 'set_model', model: 'opus' },
    { subtype: 'interrupt' },
  ]);
  const [first, second, third] = sent.map((line) => line.request_id);
  print(
    reply(third, { still_queued: [] }),
    { type: 'control_response', response: { subtype: 'error', request_id: second, error: 'no such model' } },
    reply(first),
  );
  expect(await mode).toEqual({ ok: true, response: {} });
  expect(await model).toEqual({ ok: false, code: 'refused', message: 'no such model' });
  expect(await interrupt).toEqual({ ok: true, response: { still_queued: [] } });
});

test('[PEER2] a request without a reply ends at its time limit, and a late reply is ignored', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { peer, print, seen } = connect();
    const interrupted = peer.request('interrupt', {}, { timeoutMs: 3_000, requestId: 'r1' });
    vi.advanceTimersByTime(3_000);
    expect(await interrupted).toMatchObject({ ok: false, code: 'timed-out' });
    print(reply('r1'));
    expect(seen).toMatchObject({ messages: [], diagnostics: [], closes: [] });
  } finally {
    vi.useRealTimers();
  }
});

test('[PEER3] lines leave whole and in order while the pipe is full, and each write is awaited', async () => {
  const stdin = new PassThrough({ highWaterMark: 10 });
  const { peer } = connect({}, stdin);
  const settled: number[] = [];
  const writes = Array.from({ length: 50 }, (_, index) =>
    peer
      .sendUserMessage({ content: [{ type: 'text', text: `message ${index}` }], uuid: String(index) })
      .then((outcome) => {
        expect(outcome).toEqual({ ok: true });
        settled.push(index);
      }),
  );
  await nextTurn();
  expect(settled).toEqual([]);
  let text = '';
  stdin.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  await Promise.all(writes);
  const uuids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).uuid);
  expect(uuids).toEqual(Array.from({ length: 50 }, (_, index) => String(index)));
  expect(settled).toEqual([...settled].sort((a, b) => a - b));
});

test('[PEER3] separators that some readers take for a line end are escaped', async () => {
  const { peer, stdin } = connect();
  await peer.sendUserMessage({ content: [{ type: 'text', text: 'a\u2028b\u2029c' }] });
  const line = String(stdin.read());
  expect(line).toContain('a\\u2028b\\u2029c');
  expect(JSON.parse(line).message.content[0].text).toBe('a\u2028b\u2029c');
});

test('[PEER3] a failed write closes the peer with its reason and settles what waits', async () => {
  const { peer, stdin, seen, isRead } = connect();
  const open = peer.request('initialize');
  await nextTurn();
  stdin.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  const outcome = await peer.sendUserMessage({ content: [{ type: 'text', text: 'too late' }] });
  expect(outcome).toMatchObject({ ok: false, code: 'EPIPE' });
  expect(seen.closes).toEqual([{ kind: 'write-failed', code: 'EPIPE', message: 'write EPIPE' }]);
  expect(await open).toMatchObject({ ok: false, code: 'closed' });
  expect(await peer.request('set_model', { model: 'opus' })).toMatchObject({ ok: false, code: 'closed' });
  expect(isRead()).toBe(false);
});

test('[PEER5] many requests are open at once, lines go on, and answers go out in any order', async () => {
  const { peer, print, seen, received } = connect();
  print(ask('r1'), ask('r2'), { type: 'assistant' }, ask('r3'));
  const [first = '', , third = ''] = seen.requests.map(({ requestId }) => requestId);
  expect(seen.requests).toHaveLength(3);
  expect(seen.messages).toEqual([{ type: 'assistant' }]);
  expect(seen.reads).toBe(1);
  await peer.respond(third, { behavior: 'deny', message: 'no' });
  await peer.respond(first, { behavior: 'allow', updatedInput: {} });
  expect(await received()).toEqual([
    reply('r3', { behavior: 'deny', message: 'no' }),
    reply('r1', { behavior: 'allow', updatedInput: {} }),
  ]);
});

test('[PEER5] a request is answered once, and never after it was withdrawn', async () => {
  const { peer, print, seen, received } = connect();
  print(ask('r1'), ask('r2'), { type: 'control_cancel_request', request_id: 'r2' });
  const [first = '', second = ''] = seen.requests.map(({ requestId }) => requestId);
  expect(seen.cancelled).toEqual([second]);
  expect(await peer.respond(first, {})).toEqual({ ok: true });
  expect(await peer.respond(first, {})).toMatchObject({ ok: false, code: 'not-open' });
  expect(await peer.respond(second, {})).toMatchObject({ ok: false, code: 'not-open' });
  expect(await received()).toHaveLength(1);
  print({ type: 'control_cancel_request', request_id: 'r1' });
  expect(seen.cancelled).toEqual([second]);
});

test('[PEER5] an id that is used again after its answer is another request, with an answer of its own', async () => {
  const writeIds: (string | undefined)[] = [];
  const { peer, print, seen, received } = connect({}, new PassThrough(), (writeId) => writeIds.push(writeId));
  print(ask('r1'));
  await peer.respond(seen.requests[0]?.requestId ?? '', { behavior: 'allow' });
  print(ask('r1'), ask('future', 'unknown'), ask('future', 'unknown'));
  await peer.respond(seen.requests[1]?.requestId ?? '', { behavior: 'deny' });
  expect(await received()).toMatchObject([
    { response: { request_id: 'r1', response: { behavior: 'allow' } } },
    { response: { request_id: 'future', subtype: 'error' } },
    { response: { request_id: 'future', subtype: 'error' } },
    { response: { request_id: 'r1', response: { behavior: 'deny' } } },
  ]);
  // Whoever keeps the process passes on the first write of each id alone.
  expect(new Set(writeIds).size).toBe(4);
});

test('[PEER5] whoever reads the same line again, from the place where the last stopped, answers under the same id', async () => {
  const writeIds: (string | undefined)[] = [];
  const note = (writeId: string | undefined) => writeIds.push(writeId);
  const first = connect({}, new PassThrough(), note);
  first.print(ask('r1'), ask('r2'));
  await first.peer.respond(first.seen.requests[1]?.requestId ?? '', {});
  const readFrom = Buffer.byteLength(`${JSON.stringify(ask('r1'))}\n`);
  const second = connect(
    { readFrom, openRequests: [first.seen.requests[0]?.requestId ?? ''] },
    new PassThrough(),
    note,
  );
  second.print(ask('r2'));
  await second.peer.respond(second.seen.requests[0]?.requestId ?? '', {});
  await second.peer.respond(first.seen.requests[0]?.requestId ?? '', {});
  expect(writeIds[1]).toBe(writeIds[0]);
  expect(await second.received()).toMatchObject([
    { response: { request_id: 'r2' } },
    { response: { request_id: 'r1' } },
  ]);
});

test('[ASK13] [PEER6] of two requests that are open under one id only the newer can be answered', async () => {
  const { peer, print, seen, received } = connect();
  print(ask('r1'), ask('r1', 'hook_callback'));
  const [first = '', second = ''] = seen.requests.map(({ requestId }) => requestId);
  expect(seen.cancelled).toEqual([first]);
  expect(seen.diagnostics).toMatchObject([{ code: 'reused-request-id' }]);
  expect(await peer.respond(first, {})).toMatchObject({ ok: false, code: 'not-open' });
  await peer.respond(second, { async: true });
  expect(await received()).toEqual([reply('r1', { async: true })]);
});

test('[ASK5] a line that is being written when the peer is closed is told what became of it, those behind it that they never left', async () => {
  let finish: ((outcome: { ok: true }) => void) | undefined;
  const peer = new ProtocolPeer(
    {
      write: () => new Promise((resolve) => (finish = resolve)),
      readOutput: () => () => {},
    },
    {
      handledSubtypes: new Set(),
      openRequests: ['r1', 'r2'],
      onMessage() {},
      onRequest() {},
      onCancel() {},
      onDiagnostic() {},
      onClose() {},
    },
  );
  const first = peer.respond('r1', {});
  const second = peer.respond('r2', {});
  peer.close();
  expect(await second).toMatchObject({ ok: false, code: 'closed' });
  finish?.({ ok: true });
  expect(await first).toEqual({ ok: true });
});

test('[PEER6] lines that cannot be understood are reported and do not stop the stream', () => {
  const { print, seen } = connect();
  print(
    'not json at all',
    '[1,2]',
    '"text"',
    { hello: 1 },
    { type: 7 },
    '',
    { type: 'control_request' },
    { type: 'control_response', response: 5 },
    { type: 'something_new', field: true },
  );
  expect(seen.diagnostics.map(({ code }) => code)).toEqual([
    'not-json',
    'not-an-object',
    'not-an-object',
    'no-type',
    'no-type',
    'malformed-request',
    'malformed-response',
  ]);
  expect(seen.diagnostics[0]?.sample).toBe('not json at all');
  expect(seen.messages).toEqual([{ type: 'something_new', field: true }]);
});

test('[PEER6] [PEER10] of a flood of rubbish each line is reported: whoever stores them counts', () => {
  const { print, seen } = connect();
  print(...Array.from({ length: 1_000 }, () => 'rubbish'));
  expect(seen.diagnostics.map(({ code }) => code)).toEqual(Array.from({ length: 1_000 }, () => 'not-json'));
});

test('[PEER6] an unknown request gets an error response, and so does one that makes no sense', async () => {
  const { print, seen, received } = connect();
  print(ask('r1', 'fly_to_the_moon'), { type: 'control_request', request_id: 'r2', request: 'what' });
  expect(seen.requests).toEqual([]);
  expect((await received()).map((line) => line.response)).toEqual([
    { subtype: 'error', request_id: 'r1', error: 'Unsupported request: fly_to_the_moon' },
    { subtype: 'error', request_id: 'r2', error: 'The request was not understood' },
  ]);
  expect(seen.diagnostics.map(({ code }) => code)).toEqual(['unknown-request', 'malformed-request']);
});

test('[PEER4] a line that is too long is reported with its length, and the next one is read', () => {
  const { print, seen } = connect({ maxLineBytes: 100 });
  print({ type: 'big', text: 'x'.repeat(200) }, { type: 'small' });
  expect(seen.diagnostics).toMatchObject([
    { code: 'overlong-line', text: expect.stringContaining('(224 bytes)') },
  ]);
  expect(seen.messages).toEqual([{ type: 'small' }]);
});

test('[PEER6] a fault in a handler is reported, the agent is not left waiting, and the next line is read', async () => {
  const { print, seen, received } = connect({
    onRequest: () => {
      throw new Error('a bug');
    },
  });
  print(ask('r1'), { type: 'assistant' });
  expect(seen.diagnostics).toMatchObject([
    { code: 'handler-failed', text: expect.stringContaining('a bug') },
  ]);
  expect((await received()).map((line) => line.response)).toMatchObject([
    { subtype: 'error', request_id: 'r1' },
  ]);
  expect(seen.messages).toEqual([{ type: 'assistant' }]);
});

test('[PEER7] the echo of our own response is ignored', async () => {
  const { peer, print, seen } = connect();
  print(ask('r1', 'hook_callback'));
  await peer.respond('r1', {});
  print(reply('r1'));
  expect(seen).toMatchObject({ messages: [], diagnostics: [], closes: [] });
});

test('[PEER8] close settles everything, is idempotent, and nothing is dispatched after it', async () => {
  const { peer, print, seen, isRead } = connect({}, new PassThrough({ highWaterMark: 1 }));
  const waiting = [peer.request('interrupt'), peer.request('initialize', {}, { timeoutMs: 60_000 })];
  const writes = [
    peer.sendUserMessage({ content: [{ type: 'text', text: 'one' }] }),
    peer.sendUserMessage({ content: [{ type: 'text', text: 'two' }] }),
  ];
  print(ask('r1'));
  peer.close({ kind: 'closed', message: 'stopped by a person' });
  peer.close();
  for (const settled of await Promise.all(waiting)) {
    expect(settled).toEqual({ ok: false, code: 'closed', message: 'stopped by a person' });
  }
  for (const settled of await Promise.all(writes))
    expect(settled).toMatchObject({ ok: false, code: 'closed' });
  expect(await peer.respond('r1', {})).toMatchObject({ ok: false, code: 'closed' });
  print({ type: 'assistant' });
  expect(seen.messages).toEqual([]);
  expect(seen.closes).toHaveLength(1);
  expect(isRead()).toBe(false);
});

test('[PEER8] a peer closed while it reads a chunk passes on nothing more of it', () => {
  const { peer, print, seen } = connect({
    onMessage(message) {
      seen.messages.push(message);
      peer.close();
    },
  });
  print({ type: 'first' }, { type: 'second' }, ask('r1'));
  expect(seen.messages).toEqual([{ type: 'first' }]);
  expect(seen.requests).toEqual([]);
  expect(seen.reads).toBe(0);
});

test('[PEER8] the end of the output closes the peer after the last line', async () => {
  const { peer, seen, endOutput, print } = connect();
  const open = peer.request('interrupt');
  print({ type: 'result' });
  endOutput();
  expect(seen.messages).toEqual([{ type: 'result' }]);
  expect(seen.closes).toEqual([{ kind: 'output-ended' }]);
  expect(await open).toMatchObject({ ok: false, code: 'closed' });
});
