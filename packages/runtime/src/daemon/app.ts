import type { Server } from 'node:http';
import { API_ERROR_CODES, type ApiErrorCode, ROUTES, type Route } from '@ssebench/contracts/daemon-api';
import { FaultError } from '@ssebench/contracts/faults';
import { agentExited, capture, prepareGrading, publishEvent } from './api/admin.ts';
import { streamEvents } from './api/events.ts';
import type { Handler } from './api/handler.ts';
import { capabilities, dialog, diff, files, finalDiff, project, referencePatch, result, version } from './api/reads.ts';
import { callTool } from './api/tools.ts';
import { DaemonError, messageOf } from './daemon-error.ts';
import { admit } from './gate.ts';
import { type Answer, json } from './http/answer.ts';
import type { Call } from './http/call.ts';
import { httpServer } from './http/server.ts';
import type { ListenerKind } from './listener.ts';
import { log } from './log.ts';
import type { Services } from './services.ts';

const HANDLERS: Record<string, Handler> = {
  'GET /version': version,
  'GET /project': project,
  'GET /capabilities': capabilities,
  'POST /tool/{name}': callTool,
  'GET /diff': diff,
  'GET /files': files,
  'GET /agent/dialog': dialog,
  'GET /result': result,
  'GET /final_diff': finalDiff,
  'GET /events': streamEvents,
  'POST /admin/capture': capture,
  'POST /prepare_grading': prepareGrading,
  'POST /admin/agent_exited': agentExited,
  'POST /admin/events': publishEvent,
  'GET /reference/patch': referencePatch,
};

/** The daemon's API as one listener serves it: every route of the contract, each with the answer that its caller may have. */
export function createApp(services: Services, listener: ListenerKind): Server {
  return httpServer({
    routes: ROUTES.map((route) => {
      const handler = handlerOf(route);
      const handle = (call: Call) => {
        admit(route.access, listener);
        return handler(call, services, listener);
      };
      return { method: route.method, path: route.path, handle };
    }),
    notFound: (method, path) => json(errorBody('not_found', `no such endpoint: ${method} ${path}`), 404),
    failed,
  });
}

function failed(error: unknown, { path, signal }: Call): Answer {
  if (error instanceof DaemonError) return json(errorBody(error.code, error.message), error.status);
  if (error instanceof FaultError) return json(errorBody(codeOf(error), error.fault.detail), 500);
  const stack = error instanceof Error ? error.stack : undefined;
  if (!signal.aborted) log('error', 'A call failed', { path, error: stack });
  return json(errorBody('internal', `internal error: ${messageOf(error)}`), 500);
}

function handlerOf({ method, path }: Route): Handler {
  const handler = HANDLERS[`${method} ${path}`];
  if (!handler) throw new Error(`no handler serves ${method} ${path}`);
  return handler;
}

/** A fault that clients know travels under its own code. */
function codeOf({ fault }: FaultError): ApiErrorCode {
  return API_ERROR_CODES.find((code) => code === fault.code) ?? 'internal';
}

function errorBody(code: ApiErrorCode, error: string): { error: string; code: ApiErrorCode } {
  return { error, code };
}
