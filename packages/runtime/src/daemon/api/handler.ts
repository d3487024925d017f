import type { Context } from 'hono';
import type { ListenerKind } from '../listener.ts';
import type { Services } from '../services.ts';

/** Answers a call that was let through to a route. */
export type Handler = (context: Context, services: Services, listener: ListenerKind) => Response | Promise<Response>;
