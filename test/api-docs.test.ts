import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { check, inputSchema } from '../src/protocol/check.ts';
import { errorCatalogue, statusOf } from '../src/protocol/errors.ts';
import { eventDefinitions } from '../src/protocol/event.ts';
import { ClientFrame } from '../src/protocol/frame.ts';
import { operations } from '../src/protocol/operation.ts';
import * as replies from '../src/protocol/reply.ts';
import { type ServerOperation, serverOperations } from '../src/protocol/server-operation.ts';
import { openApi } from '../src/server/openapi.ts';
import { readFrame } from '../src/server/stream/client-frame.ts';
import { startServer } from './server/running-server.ts';
import { codeSpans, plain, rowsOf, tablesOf } from './support/markdown-tables.ts';

const api = readFileSync(join(import.meta.dirname, '../docs/api.md'), 'utf8');
const table: Readonly<Record<string, ServerOperation>> = { ...operations, ...serverOperations };
const named = Object.entries(table);
const replySchemas: Readonly<Record<string, unknown>> = replies;
const routeOf = ({ method, path }: ServerOperation): string => `${method} ${path}`;

/** The rows of the tables of routes. */
const documented = new Map(
  tablesOf(api, 'Routes')
    .flat()
    .map(([route = '', fields = '', reply = '', refusals = '']) => [
      plain(route),
      { fields: fieldsIn(fields), statuses: reply.match(/\b[12]\d\d\b/g) ?? [], reply, refusals },
    ]),
);
const rowOf = (operation: ServerOperation) => {
  const row = documented.get(routeOf(operation));
  if (row === undefined) throw new Error(`${routeOf(operation)} is not documented`);
  return row;
};

describe('[API3] docs/api.md, OpenAPI and the table of operations say the same', () => {
  it('of which routes there are', () => {
    expect([...documented.keys()].sort()).toEqual(named.map(([, operation]) => routeOf(operation)).sort());
    const described = Object.entries(openApi('').paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.sort()).toEqual([...documented.keys()].sort());
  });

  it('and no two operations have a method of the same name', () => {
    const methods = named.flatMap(([, operation]) => Object.keys(operation.calls ?? {}));
    expect(methods).toEqual([...new Set(methods)]);
  });

  it.each(named)('of the fields that %s takes', (name, operation) => {
    const { fields } = rowOf(operation);
    expect(fields).toEqual(namesIn(inputSchema(operation)));
    const { parameters = [], requestBody } = described(operation);
    const inBody = requestBody?.content['application/json'].schema;
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    expect(
      inBody === undefined
        ? inQuery.map((parameter) => (parameter.required ? parameter.name : `${parameter.name}?`)).sort()
        : listed(inBody),
      name,
    ).toEqual(fields);
    if (inBody !== undefined) expect(inBody.additionalProperties).toBe(false);
  });

  it.each(named)('of the statuses and the replies of %s', (_, operation) => {
    const { statuses, reply } = rowOf(operation);
    const real = Object.keys(operation.replies);
    if (operation.streams !== undefined && real.length === 0) {
      real.push(operation.streams === 'websocket' ? '101' : '200');
    }
    expect(statuses).toEqual(real);
    expect(Object.keys(described(operation).responses)).toEqual(expect.arrayContaining(real));
    const shape = codeSpans(reply).find((code) => code.startsWith('{'));
    const [schema] = Object.values(operation.replies);
    // A reply may carry more than is listed, never less.
    if (shape !== undefined && schema !== undefined) {
      expect(namesIn(replySchemas[schema] as z.ZodType)).toEqual(expect.arrayContaining(fieldsIn(shape)));
    }
  });

  it.each(named)('of the refusals of %s', (_, operation) => {
    const real = [...(operation.refusals ?? [])];
    expect(codeSpans(rowOf(operation).refusals).sort()).toEqual(real.sort());
    const { responses } = described(operation);
    for (const code of real) expect(responses[statusOf(code)]?.description).toContain(`\`${code}\``);
  });

  it('of what decides, and when', () => {
    const listed = rowsOf(api, 'Who decides').map(([route, when = '']) => [
      plain(route),
      codeSpans(when).length > 0 ? codeSpans(when) : true,
    ]);
    const real = named.flatMap(([, operation]) =>
      operation.decides === undefined ? [] : [[routeOf(operation), operation.decides]],
    );
    expect(listed.sort()).toEqual(real.sort());
  });

  it('of the error codes and their statuses', () => {
    const listed = rowsOf(api, 'All codes').map(([code, status]) => `${plain(code)} ${status}`);
    const real = Object.entries(errorCatalogue).map(([code, { status }]) => `${code} ${status}`);
    expect(listed.sort()).toEqual(real.sort());
  });

  it('of the types of events, and how they are kept', () => {
    const listed = rowsOf(api, 'Events').map(([type, kept]) => `${plain(type)} ${kept}`);
    const real = Object.entries(eventDefinitions).map(([type, { durability }]) => `${type} ${durability}`);
    expect(listed.sort()).toEqual(real.sort());
  });

  it('of the frames that a WebSocket client may send', () => {
    const [sent = []] = tablesOf(api, 'WebSocket');
    const real = ClientFrame.options.map((option) => option.shape.type.value);
    expect(sent.map(([type]) => plain(type)).sort()).toEqual([...real].sort());
  });
});

describe('[API4] the examples of docs/api.md', () => {
  it('every request of a shell is one that is accepted', () => {
    const requests = [...api.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => requestsIn(block));
    expect(requests.length).toBeGreaterThan(10);
    for (const { method, address, body } of requests) {
      const { operation, query } = find(method, address);
      const input = operation.body === undefined ? query : body;
      expect(check(inputSchema(operation), input ?? {}), `${method} ${address}`).toMatchObject({ ok: true });
    }
  });

  it('every frame is answered as it says', () => {
    const lines = [...api.matchAll(/^([<>]) (\{.*\})$/gm)].map(([, side, text = '']) => ({ side, text }));
    const sent = lines.flatMap(({ side, text }, index) =>
      side === '>' ? [{ text, isRefused: lines[index + 1]?.text.includes('"type":"error"') ?? false }] : [],
    );
    expect(sent.length).toBeGreaterThan(1);
    for (const { text, isRefused } of sent) expect(readFrame(text).request.ok, text).toBe(!isRefused);
  });

  it('what is said to be refused is, with that status, code and sentence', async () => {
    const { call, newSession } = await startServer();
    const { id } = await newSession();
    const rows = rowsOf(api, 'What is malformed');
    expect(rows.length).toBeGreaterThan(10);
    for (const [request = '', answer = ''] of rows) {
      const [, method = '', address = '', body] = /^(\w+) (\S+)(?: (\{.*\}))?$/.exec(plain(request)) ?? [];
      const { status, body: reply } = await call(method, address.replace(':session', id), body);
      const [code, sentence] = codeSpans(answer);
      expect({ request, status, code: reply.error?.code }).toEqual({
        request,
        status: Number(answer.slice(0, 3)),
        code,
      });
      if (sentence !== undefined) expect(reply.error?.message).toBe(sentence);
    }
  });
});

interface Described {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}
type Schema = z.core.JSONSchema.BaseSchema;

const paths = openApi('').paths as Record<string, Record<string, Described>>;

function described({ method, path }: ServerOperation): Described {
  const found = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`${method} ${path} is not described`);
  return found;
}

/** `{a, b?}` or `a, b?` as names. */
function fieldsIn(cell: string): string[] {
  const list = cell.replace(/\(.*/, '').replaceAll(/[`{}]/g, '').trim();
  return list === '' ? [] : list.split(/,\s*/).sort();
}

const namesIn = (schema: z.ZodType): string[] =>
  listed(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

const listed = ({ properties = {}, required = [] }: Schema): string[] =>
  Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .sort();

/** The requests of a block of shell commands: what `curl` would send. */
function requestsIn(block: string): { method: string; address: string; body: unknown }[] {
  return block.split(/\bcurl /).flatMap((command) => {
    const [, address] = /\$B(\/api[^\s"')]*)/.exec(command) ?? [];
    if (address === undefined) return [];
    const [, single, double] = /-d (?:'([^']*)'|"((?:[^"\\]|\\.)*)")/s.exec(command) ?? [];
    const text = single ?? double?.replaceAll(/\\(["\\$])/g, '$1').replaceAll('$ID', 'int_1');
    const [, method] = /-X (\w+)/.exec(command) ?? [];
    return [
      {
        method: method ?? (text === undefined ? 'GET' : 'POST'),
        address,
        body: text === undefined ? undefined : JSON.parse(text),
      },
    ];
  });
}

function find(method: string, address: string): { operation: ServerOperation; query: object } {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  const operation = Object.values(table).find(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
  if (operation === undefined) throw new Error(`${method} ${address} is no route`);
  return { operation, query: Object.fromEntries(searchParams) };
}
