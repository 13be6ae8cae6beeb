import { z } from 'zod';
import { Pair } from '../protocol/command.ts';
import { errorCatalogue } from '../protocol/errors.ts';
import { Grant } from '../protocol/grant.ts';
import { Interaction } from '../protocol/interaction.ts';
import type { OperationDefinition } from '../protocol/operation.ts';
import { Agent, AgentCommand, QueuedMessage, Session } from '../protocol/session.ts';
import { StorageState } from '../protocol/storage.ts';
import { AllowUnlock, AskUnlock, Unlock } from '../protocol/unlock.ts';
import { Device } from './auth/devices.ts';
import { namedOperations } from './routes.ts';

type Json = Record<string, unknown>;

/** The description of the HTTP interface, made from the schemas that check what comes in. */
export function openApi(version: string): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const [operationId, operation] of [...namedOperations(), ...accessOperations]) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(operationId, operation, components),
    };
  }
  for (const [path, described] of Object.entries(streamsAndFiles))
    paths[path] = { ...paths[path], ...described };
  describeSessionStream(paths['/api/sessions/{session}/events']);
  return {
    openapi: '3.1.0',
    info: { title: 'Beckon', version, description: 'A control room for coding agents.' },
    security: [{ token: [] }, { cookie: [], key: [] }],
    paths,
    components: {
      schemas: { ...components.schemas, Error: errorSchema },
      responses: { Error: { description: 'Refused; the code says why', content: json(ref('Error')) } },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'beckon' },
        key: { type: 'apiKey', in: 'header', name: 'X-Beckon-Key' },
      },
    },
  };
}

type Described = OperationDefinition & { readonly open?: boolean };

function describe(operationId: string, operation: Described, components: Components): Json {
  const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const parameters = [...names.map(pathParameter), ...queryParameters(operation.query, components)];
  const replies = Object.entries(operation.replies).map(([status, schema]) => [
    status,
    { description: 'Done', content: json(components.schemaOf(schema)) },
  ]);
  return {
    operationId,
    summary: operation.summary,
    ...(operation.open === true ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(components.schemaOf(operation.body)) } }),
    responses: { ...Object.fromEntries(replies), default: { $ref: '#/components/responses/Error' } },
  };
}

function pathParameter(name: string): Json {
  const description = name === 'session' ? { description: "A session's id or key" } : {};
  return { name, in: 'path', required: true, ...description, schema: { type: 'string' } };
}

function queryParameters(query: z.ZodType | undefined, components: Components): Json[] {
  if (query === undefined) return [];
  const schema = components.schemaOf(query);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema: property,
  }));
}

/** Schemas that occur in many places are described once and referred to by name. */
class Components {
  readonly schemas: Record<string, unknown> = {};
  readonly #names = z.registry<{ id: string }>();

  constructor() {
    const shared = { Agent, AgentCommand, Session, Interaction, QueuedMessage, Grant };
    for (const [id, schema] of Object.entries(shared)) this.#names.add(schema, { id });
  }

  /** As what may be sent: of replies, which may carry more, nothing is said about further fields. */
  schemaOf(schema: z.ZodType): Json {
    const made = z.toJSONSchema(schema, { io: 'input', metadata: this.#names, unrepresentable: 'any' });
    const {
      $schema: _,
      $defs,
      ...rest
    } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
    for (const [name, definition] of Object.entries($defs ?? {})) this.schemas[name] = withoutId(definition);
    return rest;
  }
}

/** An id inside a schema would change what its references are relative to. */
function withoutId(definition: unknown): unknown {
  const { id: _id, $id: _$id, ...rest } = definition as Json;
  return rest;
}

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ 'application/json': { schema } });

const errorSchema: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(errorCatalogue) },
        message: { type: 'string' },
        details: { type: 'object', additionalProperties: true },
      },
    },
  },
};

const ok = z.object({ status: z.literal('ok') });
const unlocked = z.object({ unlock: Unlock });

const accessOperations: readonly [string, Described][] = [
  [
    'health',
    {
      method: 'GET',
      path: '/api/health',
      summary: 'Whether the server runs, and whether anything can be stored',
      open: true,
      replies: { 200: ok.extend({ version: z.string(), storage: StorageState }) },
    },
  ],
  [
    'pair',
    {
      method: 'POST',
      path: '/api/pair',
      summary: 'Exchange a one-time code for a cookie and the key that it works with',
      open: true,
      body: Pair,
      replies: { 200: ok.extend({ device: Device, key: z.string(), stored: z.boolean().optional() }) },
    },
  ],
  [
    'createPairingCode',
    {
      method: 'POST',
      path: '/api/pairing-code',
      summary: 'Make a one-time code for one more device',
      replies: { 201: z.object({ code: z.string(), expiresAt: z.string(), url: z.string() }) },
    },
  ],
  [
    'listDevices',
    {
      method: 'GET',
      path: '/api/devices',
      summary: 'The paired devices',
      replies: { 200: z.object({ devices: z.array(Device.extend({ current: z.boolean() })) }) },
    },
  ],
  [
    'removeDevice',
    {
      method: 'DELETE',
      path: '/api/devices/:id',
      summary: 'Unpair a device and end its connections',
      replies: { 200: ok },
    },
  ],
  [
    'listUnlocks',
    {
      method: 'GET',
      path: '/api/unlocks',
      summary: 'Who decides here, and the terminals that do for a time, or want to',
      replies: { 200: z.object({ decide: z.enum(['anyone', 'devices']), unlocks: z.array(Unlock) }) },
    },
  ],
  [
    'askUnlock',
    {
      method: 'POST',
      path: '/api/unlocks',
      summary: 'Ask, for a terminal, to decide for a time',
      body: AskUnlock,
      replies: { 201: unlocked.extend({ code: z.string(), secret: z.string() }) },
    },
  ],
  [
    'getUnlock',
    {
      method: 'GET',
      path: '/api/unlocks/:id',
      summary: 'Whether a terminal was unlocked',
      replies: { 200: unlocked },
    },
  ],
  [
    'allowUnlock',
    {
      method: 'POST',
      path: '/api/unlocks/:id/allow',
      summary: 'Unlock a terminal by the code that it shows; for devices alone',
      body: AllowUnlock,
      replies: { 200: unlocked },
    },
  ],
  [
    'endUnlock',
    {
      method: 'DELETE',
      path: '/api/unlocks/:id',
      summary: 'Lock a terminal again, or refuse to unlock it',
      replies: { 200: ok },
    },
  ],
];

const answers = (content: Json): Json => ({
  200: { description: 'Done', content },
  default: { $ref: '#/components/responses/Error' },
});
const eventStream: Json = { 'text/event-stream': { schema: { type: 'string' } } };
const text = (name: string, description: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
});
const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Go on after this position',
  schema: { type: 'string' },
};

const streamsAndFiles: Record<string, Json> = {
  '/api/events': {
    get: {
      operationId: 'streamEvents',
      summary: 'Server-sent events of all sessions',
      parameters: [
        text('sessions', 'Ids or keys, separated by commas, whose events and deltas are added'),
        {
          name: 'interaction',
          in: 'query',
          description: 'Whether this client can answer, and wants to',
          schema: { type: 'string', enum: ['enabled', 'disabled', 'none'] },
        },
        lastEventId,
      ],
      responses: answers(eventStream),
    },
  },
  '/api/ws': {
    get: {
      operationId: 'webSocket',
      summary: 'The same over a WebSocket, in both directions',
      responses: {
        101: { description: 'JSON text frames follow' },
        default: { $ref: '#/components/responses/Error' },
      },
    },
  },
  '/api/sessions/{session}/images/{imageId}': {
    get: {
      operationId: 'getImage',
      summary: 'A picture of a conversation',
      parameters: [pathParameter('session'), pathParameter('imageId')],
      responses: answers({ 'image/*': { schema: { type: 'string', format: 'binary' } } }),
    },
  },
  '/api/sessions/{session}/raw': {
    get: {
      operationId: 'getRawLog',
      summary: 'What the agent printed, line by line',
      parameters: [pathParameter('session')],
      responses: answers({ 'text/plain': { schema: { type: 'string' } } }),
    },
  },
  '/api/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      summary: 'This description',
      responses: answers(json({ type: 'object' })),
    },
  },
};

function describeSessionStream(path: Json | undefined): void {
  const page = path?.get as { parameters: Json[]; responses: { 200: { content: Json } } } | undefined;
  if (page === undefined) return;
  page.parameters.push(lastEventId);
  Object.assign(page.responses[200].content, eventStream);
}
