import { z } from 'zod';
import { inputSchema } from '../protocol/check.ts';
import { type ErrorCode, errorCatalogue, statusOf } from '../protocol/errors.ts';
import { Grant } from '../protocol/grant.ts';
import { Interaction } from '../protocol/interaction.ts';
import { operations, paramsIn } from '../protocol/operation.ts';
import * as replies from '../protocol/reply.ts';
import { type ServerOperation, serverOperations } from '../protocol/server-operation.ts';
import { Agent, AgentCommand, QueuedMessage, Session } from '../protocol/session.ts';

type Json = Record<string, unknown>;

/** The description of the HTTP interface, made from the schemas that check what comes in. */
export function openApi(version: string): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  const described: Readonly<Record<string, ServerOperation>> = { ...operations, ...serverOperations };
  for (const [operationId, operation] of Object.entries(described)) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(operationId, operation, components),
    };
  }
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
      ...refusalsOf(operation),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function repliesOf({ replies: declared, streams }: ServerOperation, components: Components): Json {
  if (streams === 'websocket') return { 101: { description: 'JSON text frames follow' } };
  const contents: Record<number, Json> = {};
  for (const [status, name] of Object.entries(declared))
    contents[Number(status)] = json(components.schemaOf(schemas[name] as z.ZodType));
  if (streams !== undefined) {
    const schema = { type: 'string', ...(streams === 'image/*' ? { format: 'binary' } : {}) };
    contents[200] = { ...contents[200], [streams]: { schema } };
  }
  return Object.fromEntries(
    Object.entries(contents).map(([status, content]) => [status, { description: 'Done', content }]),
  );
}

const schemas: Readonly<Record<string, unknown>> = replies;

/** Its own refusals, by their status. */
function refusalsOf({ refusals = [] }: ServerOperation): Json {
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
  const description = name === 'session' ? { description: "A session's id or key" } : {};
  return { name, in: 'path', required: true, ...description, schema: { type: 'string' } };
}

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
    const shared = { Agent, AgentCommand, Session, Interaction, QueuedMessage, Grant };
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
