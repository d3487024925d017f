/** What a scripted model thinks and says before it acts. */
export interface Said {
  readonly think?: string;
  readonly say?: string;
}

/** Something to do with one of the tools that a request offers. */
export type Act =
  /** With the shell tool. */
  | { readonly do: 'run'; readonly command: string }
  /** With the tool for reading files, else in the shell. */
  | { readonly do: 'read'; readonly path: string }
  /**
   * With the tool for editing files, else in the shell. `path` is absolute; `old` and `new` are whole lines, without the
   * last line's end; `old` is in the file once.
   */
  | { readonly do: 'edit'; readonly path: string; readonly old: string; readonly new: string }
  /** With the MCP tool of this name, else `sse test` in the shell. */
  | { readonly do: 'test_patch' }
  /** With the tool that has exactly this name. */
  | { readonly do: 'call'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** What a provider does in place of an answer, this many times (1). */
export type Fault =
  | { readonly do: 'fail'; readonly status: number; readonly times?: number }
  /** The connection ends in the middle of the answer. */
  | { readonly do: 'cut'; readonly times?: number }
  /** Nothing is answered until the client goes away. */
  | { readonly do: 'hang'; readonly times?: number };

/** One answer of the model, or what comes in its place. */
export type Step =
  | (Said & Act)
  /** Several tools in one answer. */
  | (Said & { readonly do: 'together'; readonly acts: readonly Act[] })
  /** Text and no tool: an agent ends with that. */
  | (Said & { readonly do: 'finish' })
  | Fault;

/** Tokens of every answer that has no others. `input` are those that no cache held. */
export interface ScriptedUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** What the model does, a step for each request of the agent's conversation; when they are used up, it finishes. */
export interface Scenario {
  readonly steps: readonly Step[];
  /** 800, 200 and 50 unless given. */
  readonly usage?: ScriptedUsage;
  /**
   * The answer to requests that are no part of the conversation (titles, probes: what offers no tool to work with). They
   * use up no step, and cost as much as others.
   */
  readonly aside?: string;
  /** The longest input that the model says it reads, in tokens; it says nothing unless it is given. */
  readonly window?: number;
}

export const DEFAULT_USAGE: ScriptedUsage = { input: 800, cacheRead: 200, output: 50 };
