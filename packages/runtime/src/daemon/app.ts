import { API_ERROR_CODES, type ApiErrorCode, ROUTES, type Route } from '@ssebench/contracts/daemon-api';
import { FaultError } from '@ssebench/contracts/faults';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { agentExited, capture, prepareGrading, publishEvent } from './api/admin.ts';
import { MAX_BODY_BYTES } from './api/body.ts';
import { streamEvents } from './api/events.ts';
import type { Handler } from './api/handler.ts';
import { capabilities, dialog, diff, files, finalDiff, project, referencePatch, result, version } from './api/reads.ts';
import { callTool } from './api/tools.ts';
import { DaemonError, messageOf } from './daemon-error.ts';
import { admit } from './gate.ts';
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
export function createApp(services: Services, listener: ListenerKind): Hono {
  const app = new Hono();
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new DaemonError('invalid_request', `the body is larger than ${MAX_BODY_BYTES} bytes`);
      },
    }),
  );
  for (const route of ROUTES) {
    const handler = handlerOf(route);
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (context) => {
      admit(route.access, listener);
      return handler(context, services, listener);
    });
  }
  app.notFound(({ req, json }) => json(errorBody('not_found', `no such endpoint: ${req.method} ${req.path}`), 404));
  app.onError((error, context) => {
    if (error instanceof DaemonError) return context.json(errorBody(error.code, error.message), error.status);
    if (error instanceof FaultError) return context.json(errorBody(codeOf(error), error.fault.detail), 500);
    if (!context.req.raw.signal.aborted) log('error', 'A call failed', { path: context.req.path, error: error.stack });
    return context.json(errorBody('internal', `internal error: ${messageOf(error)}`), 500);
  });
  return app;
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
