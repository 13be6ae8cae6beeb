import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCatalogue } from '../../src/protocol/errors.ts';
import { operations } from '../../src/protocol/operation.ts';
import { patienceMs } from '../support/patience.ts';
import { times } from '../support/seeded-random.ts';
import { startServer, token } from './running-server.ts';
import { WsClient } from './ws-client.ts';

const seed = 4590;

interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string | undefined;
  readonly body: string | undefined;
  readonly accept: string;
}

/** A field of the right kind with a value that is not allowed: hardly ever made by chance. */
const outOfRange: RandomRequest = {
  method: 'GET',
  path: '/api/search?q=x&limit=5000',
  type: undefined,
  body: undefined,
  accept: '*/*',
};

/** Field names that mean something, so that random values get past the first check. */
const fields = [
  'message',
  'disposition',
  'title',
  'labels',
  'decision',
  'requestId',
  'toolCallId',
  'answers',
  'reason',
  'updatedInput',
  'images',
  'enabled',
  'interactionId',
  'action',
  'input',
  'cwd',
  'key',
  'env',
  'askTimeout',
  'pattern',
  'toolName',
  'position',
  'code',
  '__proto__',
  'constructor',
  'session',
];
const knownValues = [
  'allow',
  'deny',
  'queue',
  'interrupt',
  'submit',
  'cancel',
  'approve',
  'call-1',
  '',
  ' ',
  0,
  -1,
  1e308,
  null,
  true,
  [],
  {},
];

const value = fc.oneof(
  fc.constantFrom(...knownValues),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
);
const bodyObject = fc
  .dictionary(fc.constantFrom(...fields), value, { maxKeys: 6 })
  .map((object) => JSON.stringify(object));
const body = fc.oneof(
  { weight: 6, arbitrary: bodyObject },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
);

const segment = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }).map(safelyEncoded) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('..', '.', '%2e%2e', '%2f', '%00', '%zz', '%', '%ff', '', '__proto__', '*'),
    },
  );

function requests(known: readonly string[]): fc.Arbitrary<RandomRequest> {
  const path = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(...Object.values(operations).map((operation) => operation.path)),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '/api/health',
        '/api/pair',
        '/api/devices/:id',
        '/api/openapi.json',
        '/',
        '/:any',
        '/api/:any',
        '/api/sessions/:session/images/:imageId',
        '/api/sessions/:session/raw',
        '/api/ws',
        '/api/events',
      ),
    },
  );
  const query = fc.dictionary(
    fc.constantFrom(
      'after',
      'before',
      'limit',
      'q',
      'sessions',
      'interaction',
      'token',
      'session',
      '__proto__',
    ),
    fc.oneof(fc.constantFrom('0', '1', '-1', 'x', '', '1e9', ...known), fc.string({ unit: 'binary' })),
    { maxKeys: 3 },
  );
  return fc
    .record({
      method: fc.constantFrom(
        'GET',
        'GET',
        'POST',
        'POST',
        'PATCH',
        'DELETE',
        'PUT',
        'HEAD',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
      ),
      path,
      segments: fc.array(segment(known), { minLength: 3, maxLength: 3 }),
      query,
      type: fc.constantFrom(
        'application/json',
        'application/json',
        'application/json',
        'text/plain',
        'application/json;charset=utf-8',
        'x',
        undefined,
      ),
      body: fc.option(body, { nil: undefined }),
      accept: fc.constantFrom('*/*', 'application/json', 'text/event-stream', 'text/html'),
    })
    .map(({ path, segments, query, ...rest }) => {
      let next = 0;
      const filled = path.replaceAll(/:\w+/g, () => segments[next++] ?? '');
      const pairs = Object.entries(query).map(([name, text]) => `${name}=${safelyEncoded(text)}`);
      return { ...rest, path: pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}` };
    });
}

function safelyEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

describe('random input', () => {
  it('[API4] a thousand random requests never give a 500, hang, or an answer of another shape', async () => {
    const { port, newSession, logged, call } = await startServer();
    const session = await newSession({ key: 'known-key' });
    session.ask({});
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const send = (wanted: RandomRequest): Promise<{ status: number; text: string }> =>
      new Promise((resolve, reject) => {
        const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: wanted.accept };
        if (wanted.type !== undefined) headers['content-type'] = wanted.type;
        if (wanted.body !== undefined) headers['content-length'] = String(Buffer.byteLength(wanted.body));
        const sent = request(
          { port, method: wanted.method, path: wanted.path, headers, agent, timeout: patienceMs },
          (response) => {
            const status = response.statusCode ?? 0;
            if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
              response.destroy();
              return resolve({ status, text: '' });
            }
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (chunk: string) => {
              text += chunk;
            });
            response.on('end', () => resolve({ status, text }));
            response.on('error', reject);
          },
        );
        sent.on('timeout', () => sent.destroy(new Error('no answer within 10 s')));
        sent.on('error', reject);
        sent.end(wanted.body);
      });

    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requests([session.id, 'known-key', 'call-1']), async (wanted) => {
        const { status, text } = await send(wanted);
        seen.add(status);
        expect(status, text).not.toBe(500);
        if (status < 400 || wanted.method === 'HEAD') return;
        const { error } = JSON.parse(text) as { error: { code: ErrorCode; message: string } };
        expect(errorCatalogue[error.code]?.status, text).toBe(status);
        expect(error.message).not.toBe('');
      }),
      { seed, numRuns: times(1_000), examples: [[outOfRange]] },
    );
    agent.destroy();
    expect(logged).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404, 415, 422]));
    expect(await call('GET', '/api/health')).toMatchObject({ status: 200 });
  });

  it('[API4] random frames are answered each, and none ends the socket', async () => {
    const { url, newSession, logged } = await startServer();
    const { id } = await newSession();
    const client = await WsClient.open(url, { authorization: `Bearer ${token}` });
    const type = fc.constantFrom(
      'hello',
      'set_interaction_mode',
      'subscribe',
      'unsubscribe',
      'send_message',
      'approve_tool',
      'answer_question',
      'interrupt',
      'tool_interaction_response',
      'init',
      'x',
    );
    const frame = fc.record(
      { type, sessionId: fc.constantFrom(id, 'none', 7, null) },
      { requiredKeys: ['type'] },
    );
    const more = fc.dictionary(fc.constantFrom(...fields, 'after', 'interaction'), value, { maxKeys: 5 });
    let count = 0;
    for (const [base, added] of fc.sample(fc.tuple(frame, more), { seed, numRuns: times(500) })) {
      count += 1;
      client.send({ ...added, ...base, id: count });
      const reply = await client.reply(count);
      expect(['ack', 'error']).toContain(reply.type);
      if (reply.type === 'error')
        expect(reply.error.code, JSON.stringify({ base, added })).not.toBe('internal_error');
    }
    expect(client.closed).toBeUndefined();
    expect(logged).toEqual([]);
  });
});
