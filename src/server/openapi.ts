import { z } from 'zod';
import { wireNames } from '../protocol/announcement.ts';
import { inputSchema } from '../protocol/check.ts';
import { type ErrorCode, errorCatalogue, statusOf } from '../protocol/errors.ts';
import { Delta, eventDefinitions } from '../protocol/event.ts';
import { Grant } from '../protocol/grant.ts';
import { Interaction } from '../protocol/interaction.ts';
import { operations, paramsIn } from '../protocol/operation.ts';
import * as replies from '../protocol/reply.ts';
import { commonRefusals, type ServerOperation, serverOperations } from '../protocol/server-operation.ts';
import { Agent, AgentCommand, QueuedMessage, Session } from '../protocol/session.ts';

type Json = Record<string, unknown>;

/** The description of the HTTP interface, made from the schemas that check what comes in. `path` is where the server is: empty at the root. */
export function openApi(version: string, path = ''): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  const described: Readonly<Record<string, ServerOperation>> = { ...operations, ...serverOperations };
  for (const [operationId, operation] of Object.entries(described)) {
    const route = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[route] = {
      ...paths[route],
      [operation.method.toLowerCase()]: describe(operationId, operation, components),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Beckon',
      version,
      description:
        'A control room for coding agents. A field that is not known is refused; replies may carry more fields than are listed.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: path === '' ? '/' : path, description: 'The server that this was read from' }],
    security: [{ token: [] }, { cookie: [], key: [] }],
    paths,
    components: {
      schemas: { ...components.schemas, ...eventSchemas(components), Error: errorSchema },
      responses: { Error: { description: 'Refused; the code says why', content: json(ref('Error')) } },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'For programs: the content of the file `token`',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'beckon',
          description: 'Of a paired browser, with its key',
        },
        key: { type: 'apiKey', in: 'header', name: 'X-Beckon-Key', description: 'What a paired page keeps' },
      },
    },
  };
}

function describe(operationId: string, operation: ServerOperation, components: Components): Json {
  const parameters = [
    ...paramsIn(operation.path).map(pathParameter),
    ...(operation.query === undefined ? [] : queryParameters(components.schemaOf(inputSchema(operation)))),
    ...(operation.streams === 'text/event-stream' ? [lastEventId] : []),
  ];
  return {
    operationId,
    summary: operation.summary,
    ...(operation.open === true ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(components.schemaOf(inputSchema(operation))) } }),
    responses: {
      ...repliesOf(operation, components),
      ...refusalsOf([...(operation.refusals ?? []), ...commonTo(operation)]),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function repliesOf({ replies: declared, streams, summary }: ServerOperation, components: Components): Json {
  if (streams === 'websocket')
    return { 101: { description: `JSON text frames follow: ${told('webSocket')}` } };
  const contents: Record<number, Json> = {};
  for (const [status, name] of Object.entries(declared))
    contents[Number(status)] = json(components.schemaOf(schemas[name] as z.ZodType));
  if (streams !== undefined) {
    const schema = {
      type: 'string',
      ...(streams === 'image/*' && { format: 'binary' }),
      ...(streams === 'text/event-stream' && {
        description: `Server-sent events: ${told('events')}`,
        contentMediaType: 'application/json',
        contentSchema: { anyOf: ['Event', 'Delta', 'Session', 'Interaction', 'QueuedMessage'].map(ref) },
      }),
    };
    contents[200] = { ...contents[200], [streams]: { schema } };
  }
  return Object.fromEntries(
    Object.entries(contents).map(([status, content]) => [status, { description: summary, content }]),
  );
}

const schemas: Readonly<Record<string, unknown>> = replies;

/** The names of what is told, and where the payloads are described. */
function told(stream: 'events' | 'webSocket'): string {
  const names = Object.values(wireNames).flatMap((names) => names[stream] ?? []);
  const event = wireNames.event[stream];
  return `\`${names.join('`, `')}\`. The payload of \`${event}\` is an \`Event\` with its \`sessionId\`, of \`${wireNames.delta[stream]}\` a \`Delta\`; of sessions, asks and queues it is a \`Session\`, an \`Interaction\` or a \`QueuedMessage\`.`;
}

/** Each kind of event with its fields, and all of them as one that is told apart by its type. */
function eventSchemas(components: Components): Json {
  const nameOf = (type: string): string => `Event.${type}`;
  const kinds = Object.entries(eventDefinitions).map(([type, { schema, durability }]) => {
    const stored = z.object({
      type: z.literal(type),
      seq: z.number().int(),
      at: z.string(),
      ...schema.shape,
    });
    const kept =
      durability === 'decision'
        ? 'On the disk before anyone hears of it.'
        : 'Written at once; survives the death of the server.';
    return [nameOf(type), { ...components.schemaOf(stored), description: kept }] as const;
  });
  const types = Object.keys(eventDefinitions);
  components.schemaOf(Delta);
  return {
    ...components.schemas,
    ...Object.fromEntries(kinds),
    Event: {
      description: "A stored fact: numbered from 1 without gaps in its session's log",
      oneOf: types.map((type) => ref(nameOf(type))),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(types.map((type) => [type, ref(nameOf(type)).$ref])),
      },
    },
  };
}

/** Why any request of this kind may be refused; what is left of these is a matter of the server, not of the request. */
function commonTo(operation: ServerOperation): readonly ErrorCode[] {
  const hasBody = operation.body !== undefined;
  const applies: Partial<Record<ErrorCode, boolean>> = {
    malformed_request: true,
    invalid_value: hasBody || operation.query !== undefined,
    unauthorized: operation.open !== true,
    key_missing: operation.open !== true,
    host_not_allowed: true,
    origin_not_allowed: true,
    device_required: operation.decides !== undefined || operation.devicesOnly === true,
    session_not_found: operation.path.includes(':session'),
    payload_too_large: hasBody,
    unsupported_media_type: hasBody,
    storage_unavailable: operation.method !== 'GET',
    shutting_down: true,
  };
  const own: readonly ErrorCode[] = operation.refusals ?? [];
  return commonRefusals.filter((code) => applies[code] === true && !own.includes(code));
}

/** Refusals by their status. */
function refusalsOf(refusals: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy<number, ErrorCode>(refusals, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join(' '),
        content: json(ref('Error')),
      },
    ]),
  );
}

function pathParameter(name: string): Json {
  const description = paramWords[name] ?? 'An id, as the lists have it';
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

const paramWords: Readonly<Record<string, string>> = {
  session: "A session's id or key",
  name: 'The name it is kept under',
};

function queryParameters(schema: Json): Json[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema: property,
  }));
}

const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Go on after this position',
  schema: { type: 'string' },
};

/** Schemas that occur in many places are described once and referred to by name. */
class Components {
  readonly schemas: Record<string, unknown> = {};
  readonly #names = z.registry<{ id: string }>();

  constructor() {
    const shared = {
      Agent,
      AgentCommand,
      Session,
      Interaction,
      QueuedMessage,
      Grant,
      Delta,
      Event: replies.StoredEvent,
    };
    for (const [id, schema] of Object.entries(shared)) this.#names.add(schema, { id });
  }

  /** As what may be sent: of replies, which may carry more, nothing is said about further fields. */
  schemaOf(schema: z.ZodType): Json {
    const made = z.toJSONSchema(schema, {
      io: 'input',
      metadata: this.#names,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const description = z.globalRegistry.get(zodSchema)?.description;
        if (description !== undefined) jsonSchema.description = description;
      },
    });
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
