import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/protocol/errors.ts';
import { eventDefinitions } from '../../src/protocol/event.ts';
import { type OperationDefinition, operations } from '../../src/protocol/operation.ts';
import { serverOperations } from '../../src/protocol/server-operation.ts';
import { openApi } from '../../src/server/openapi.ts';
import { parsePublicUrl } from '../../src/server/public-url.ts';
import { request, startServer, token } from './running-server.ts';

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
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
      const told = Object.keys(described?.responses ?? {});
      expect(told, name).toEqual(expect.arrayContaining([...statuses.map(String), 'default']));
      expect(told.filter((status) => Number(status) < 300).map(Number), name).toEqual([
        ...new Set([...Object.keys(operation.replies).map(Number), ...streamed]),
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

  it('[API19] every route tells why it may be refused: for its own reasons, and for those of all that are like it', () => {
    const at = (path: string, method: string): Record<string, { description?: string }> =>
      (description.paths[path]?.[method]?.responses ?? {}) as Record<string, { description?: string }>;
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const method of Object.keys(methods)) {
        const responses = at(path, method);
        expect(responses[403]?.description, path).toContain('`host_not_allowed`');
        const isOpen = ['/api/health', '/api/pair'].includes(path);
        expect(responses[401]?.description?.includes('`unauthorized`') ?? false, path).toBe(!isOpen);
        if (path.includes('{session}')) expect(responses[404]?.description).toContain('`session_not_found`');
        for (const [status, { description: words = '' }] of Object.entries(responses))
          if (status !== 'default') expect(words.length, `${method} ${path} ${status}`).toBeGreaterThan(3);
      }
    }
    expect(at('/api/sessions/{session}/approve', 'post')[403]?.description).toContain('`device_required`');
    expect(at('/api/sessions/{session}/stop', 'post')[403]?.description).not.toContain('`device_required`');
  });

  it('[API19] events are described with their fields, by their type', () => {
    const { schemas } = description.components;
    expect(schemas.Event).toMatchObject({ discriminator: { propertyName: 'type' } });
    for (const [type, { schema }] of Object.entries(eventDefinitions)) {
      const described = schemas[`Event.${type}`] as {
        properties: Record<string, unknown>;
        required: string[];
      };
      expect(Object.keys(described.properties).sort(), type).toEqual(
        ['type', 'seq', 'at', ...Object.keys(schema.shape)].sort(),
      );
      expect(described.required).toEqual(expect.arrayContaining(['type', 'seq', 'at']));
    }
  });

  it('[API19] it is what tools for such descriptions want: a server, a licence, words for every parameter, nothing unused', async () => {
    expect(description).toMatchObject({ servers: [{ url: '/' }], info: { license: { identifier: 'MIT' } } });
    for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path)))
      for (const { name, in: place, description: words } of operation.parameters ?? [])
        if (place !== 'query') expect(words, `${operation.operationId} ${name}`).toBeTruthy();
    const used = new Set(JSON.stringify(description).match(/#\/components\/schemas\/[\w.-]+/g));
    const unused = Object.keys(description.components.schemas).filter(
      (name) => !used.has(`#/components/schemas/${name}`),
    );
    expect(unused).toEqual([]);
    // Below a path its addresses lead there.
    const publicUrl = parsePublicUrl('https://example.org/beckon');
    if ('problem' in publicUrl) throw new Error(publicUrl.problem);
    const { url } = await startServer({ publicUrl });
    const below = await request(`${url}/beckon/api/openapi.json`, 'GET', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(below.body).toMatchObject({ servers: [{ url: '/beckon' }] });
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
