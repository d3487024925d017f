import type { ScriptedUsage } from './scenario.ts';

/** A call of a tool as the scripted model makes it. */
export interface ScriptedCall {
  readonly name: string;
  /** The namespace that the tool was offered in (Responses). */
  readonly namespace: string | undefined;
  /** Free text in place of an object: for a tool of the kind `custom` (Responses). */
  readonly kind: 'function' | 'custom' | 'local_shell';
  readonly input: Readonly<Record<string, unknown>> | string;
}

/** An answer before it is written in a protocol. */
export interface ScriptedReply {
  /** Of this server, from 1; answers' and calls' IDs are made of it. */
  readonly number: number;
  readonly model: string;
  readonly think: string | undefined;
  readonly say: string | undefined;
  readonly calls: readonly ScriptedCall[];
  readonly usage: ScriptedUsage;
}
