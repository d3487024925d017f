import type { ProtocolName } from '../server/ports.ts';

/** A tool that a request offers. */
export interface OfferedTool {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly kind: 'function' | 'custom' | 'local_shell';
  /** Its JSON Schema, in whichever spelling the protocol has; empty where the client names a tool that the model knows. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a request asks for, whichever protocol it is in. */
export interface Asked {
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly OfferedTool[];
  /** All that the system and the user say, without tools' results. */
  readonly text: string;
  /** Tools' results in the conversation so far, oldest first. */
  readonly results: readonly string[];
  /** The JSON Schema that the answer has to fit. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** The client wants to be told usage in a stream (Chat Completions). */
  readonly streamUsage: boolean;
}
