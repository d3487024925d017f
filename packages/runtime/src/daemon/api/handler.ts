import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { ListenerKind } from '../listener.ts';
import type { Services } from '../services.ts';

/** Answers a call that was let through to a route. */
export type Handler = (call: Call, services: Services, listener: ListenerKind) => Answer | Promise<Answer>;
