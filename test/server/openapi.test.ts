import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/protocol/errors.ts';
import { type OperationDefinition, operations } from '../../src/protocol/operation.ts';
import { serverOperations } from '../../src/protocol/server-operation.ts';
import { openApi } from '../../src/server/openapi.ts';
import { startServer } from './running-server.ts';

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Record<string, unknown> }> };
  readonly responses: Record<string, unknown>;
}

const description = openApi('1.2.3') as {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: { readonly schemas: Record<string, unknown> };
};

describe('OpenAPI', () => {
  it('[API3] the server serves it, of version 3.1', async () => {
    const { call } = await startServer();
    const { body } = await call('GET', '/api/openapi.json');
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Beckon', version: '1.2.3' } });
    expect(body).toEqual(JSON.parse(JSON.stringify(description)));
  });

  it('[API3] every operation is there with its parameters, body, replies and errors', () => {
    const table: Record<string, OperationDefinition> = { ...operations, ...serverOperations };
    for (const [name, operation] of Object.entries(table)) {
      const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
      const described = description.paths[path]?.[operation.method.toLowerCase()];
      expect(described?.operationId).toBe(name);
      const inPath = described?.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
      expect(inPath.map((parameter) => `{${parameter.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every((parameter) => parameter.required)).toBe(true);
      const streamed = operation.streams === undefined ? [] : [operation.streams === 'websocket' ? 101 : 200];
      const statuses = [
        ...Object.keys(operation.replies).map(Number),
        ...streamed,
        ...(operation.refusals ?? []).map(statusOf),
      ];
      expect(Object.keys(described?.responses ?? {}), name).toEqual([
        ...[...new Set(statuses)].sort((a, b) => a - b).map(String),
        'default',
      ]);
      expect(described?.requestBody !== undefined, name).toBe('body' in operation);
    }
    const send =
      description.paths['/api/sessions/{session}/message']?.post?.requestBody?.content['application/json'];
    expect(send?.schema).toMatchObject({ type: 'object', required: ['message'] });
    const page = description.paths['/api/sessions/{session}/events']?.get?.parameters ?? [];
    expect(page.map(({ name }) => name)).toEqual([
      'session',
      'after',
      'before',
      'limit',
      'interaction',
      'Last-Event-ID',
    ]);
  });

  it('[API3] operation ids are unique, and every reference leads somewhere', () => {
    const ids = Object.values(description.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target ?? '',
    );
    expect(references.length).toBeGreaterThan(10);
    for (const target of references) {
      const found = target
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], description);
      expect(found, target).toBeDefined();
    }
    expect(Object.keys(description.components.schemas)).toEqual(
      expect.arrayContaining([
        'Session',
        'Interaction',
        'QueuedMessage',
        'Grant',
        'Agent',
        'AgentCommand',
        'Error',
      ]),
    );
  });

  it('[API3] every path that is described has its route', async () => {
    const { call } = await startServer();
    for (const [path, methods] of Object.entries(description.paths)) {
      if (path === '/api/ws' || path === '/api/events') continue;
      for (const method of Object.keys(methods)) {
        const { body } = await call(
          method.toUpperCase(),
          path.replaceAll(/\{\w+\}/g, 'none'),
          method === 'get' ? undefined : {},
        );
        expect(body.error?.code, `${method} ${path}`).not.toBe('route_not_found');
      }
    }
  });
});
