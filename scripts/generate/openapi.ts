import * as daemonApi from '@ssebench/contracts/daemon-api';
import { RunEvent } from '@ssebench/contracts/events';
import { z } from 'zod';

type Json = Record<string, unknown>;

const ACCESS: Readonly<Record<daemonApi.Access, string>> = {
  every: 'Every listener, at all times.',
  'agent-phase': 'Agent-facing listeners until the agent phase ends; the admin socket always.',
  admin: 'The admin socket alone.',
  'admin-and-host': 'The admin socket and the host socket.',
};

const STATUS: Readonly<Record<number, string>> = {
  400: 'The request is not what the route takes.',
  403: 'Not for this caller, or not now; the code says which.',
  500: 'The daemon could not do it; the code says why.',
};

/** The named schemas of the contract: those that the document's `components` hold. */
const NAMED = new Map<z.ZodType, string>([
  ...Object.entries(daemonApi).flatMap(([name, value]): [z.ZodType, string][] =>
    value instanceof z.ZodType ? [[value, name]] : [],
  ),
  [RunEvent, 'RunEvent'],
]);

const registry = z.registry<{ id: string }>();
for (const [schema, id] of NAMED) registry.add(schema, { id });

/** Names of the schemas that are bodies of requests. */
const REQUESTS = new Set(daemonApi.ROUTES.flatMap(({ body }) => (body ? namesIn(body) : [])));

function namesIn(schema: z.ZodType): string[] {
  const name = NAMED.get(schema);
  if (name) return [name];
  return schema instanceof z.ZodUnion ? schema.options.flatMap((option) => namesIn(option as z.ZodType)) : [];
}

function reference(schema: z.ZodType): Json {
  const name = NAMED.get(schema);
  if (name) return { $ref: `#/components/schemas/${name}` };
  if (schema instanceof z.ZodUnion) return { anyOf: schema.options.map((option) => reference(option as z.ZodType)) };
  throw new Error('a route names a schema that the contract does not export');
}

function jsonBody(schema: z.ZodType): Json {
  return { content: { 'application/json': { schema: reference(schema) } } };
}

/** Parameters of a route. Source: spec/runtime §2.2. */
function parameters(path: string): Json[] {
  if (path === '/agent/dialog') {
    const description = 'Only entries with a greater `seq`.';
    return [{ name: 'since', in: 'query', required: false, description, schema: { type: 'integer' } }];
  }
  if (path !== '/tool/{name}') return [];
  return [
    { name: 'name', in: 'path', required: true, schema: { type: 'string', enum: ['bencher', 'bash'] } },
    {
      name: 'action',
      in: 'query',
      required: true,
      description: 'An action of `bencher`: build, run_poc, function_test or intent_test. `bash` ignores it.',
      schema: { type: 'string' },
    },
  ];
}

function operation({ path, summary, access, body, answer, statuses }: daemonApi.Route): Json {
  const stream = { content: { 'text/event-stream': { schema: { type: 'string' } } } };
  const eventNote = "Each event is one `RunEvent` as JSON in its `data`; the list starts at the container's start.";
  return {
    summary,
    description: answer === null ? `${ACCESS[access]} ${eventNote}` : ACCESS[access],
    'x-access': access,
    ...(path.includes('{') || path === '/agent/dialog' ? { parameters: parameters(path) } : {}),
    ...(body ? { requestBody: { required: true, ...jsonBody(body) } } : {}),
    responses: {
      200: { description: 'Done.', ...(answer === null ? stream : jsonBody(answer)) },
      ...Object.fromEntries(
        statuses.map((status) => [status, { description: STATUS[status] ?? '', ...jsonBody(daemonApi.ApiError) }]),
      ),
    },
  };
}

/** Requests may leave out what has a default; answers have every key. */
function components(): Json {
  const uri = (id: string) => `#/components/schemas/${id}`;
  const sent = z.toJSONSchema(registry, { io: 'input', uri }).schemas;
  const answered = z.toJSONSchema(registry, { io: 'output', uri }).schemas;
  const names = [...NAMED.values()].sort();
  return Object.fromEntries(
    names.map((name) => {
      const { $schema: _schema, $id: _id, ...schema } = (REQUESTS.has(name) ? sent : answered)[name] ?? {};
      return [name, schema];
    }),
  );
}

/** The OpenAPI 3.1 document of the daemon's HTTP API, from the contract's routes. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of daemonApi.ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'SSEBench daemon',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'What runs in the container beside the agent. Every error body has a text and a code.',
    },
    servers: [{ url: 'http://127.0.0.1:4263', description: 'In the work container; the same over its Unix sockets.' }],
    paths,
    components: { schemas: components() },
  };
}
