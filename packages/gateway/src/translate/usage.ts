import { FoundValues } from '../json/found.ts';
import { nothingSeen, type Protocol } from '../protocols/protocol.ts';
import type { Usage } from '../server/ports.ts';
import { NO_USAGE } from './conversation.ts';
import type { Json } from './json-text.ts';

/** Reads usage as the gateway's books do, also where one answer tells it in several pieces. */
export class UsageReader {
  readonly #protocol: Protocol;
  readonly #seen = nothingSeen();

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  /** @param usage the object, if it is one; else nothing was said */
  read(usage: unknown): void {
    this.#protocol.read(new FoundValues({ usage }), this.#seen);
  }

  get usage(): Usage {
    return this.#seen.usage ?? NO_USAGE;
  }
}

/** As OpenAI tells usage: its input holds the cached part. @param input,output first part of the counts' names */
export function writtenOpenaiUsage(usage: Usage, input: string, output: string): { readonly [name: string]: Json } {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  const all = usage.input + usage.cacheRead + written;
  return {
    [`${input}_tokens`]: all,
    [`${output}_tokens`]: usage.output,
    total_tokens: all + usage.output,
    [`${input}_tokens_details`]: { cached_tokens: usage.cacheRead, cache_write_tokens: written || undefined },
    [`${output}_tokens_details`]: { reasoning_tokens: usage.reasoning },
  };
}

export function writtenAnthropicUsage(usage: Usage): { readonly [name: string]: Json } {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: output,
    output_tokens_details: reasoning > 0 ? { thinking_tokens: reasoning } : undefined,
  };
}
