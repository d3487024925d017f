import {
  DialogComplete,
  DialogInit,
  DialogMessage,
  DialogPrompt,
  DialogThinking,
  DialogTool,
} from '@ssebench/contracts/dialog';
import { z } from 'zod';

/**
 * What a writer takes: an entry without its number and its time, and without what the entries before it say. A tool's end
 * has the name of its start, or `unknown`; the end of a session its messages as turns, their tokens, and the time since
 * the first entry.
 */
export const DialogInput = z.discriminatedUnion('type', [
  DialogInit.strict(),
  DialogPrompt.strict(),
  DialogMessage.strict(),
  DialogThinking.strict(),
  DialogTool.partial({ name: true }).strict(),
  DialogComplete.partial({ turns: true, duration_ms: true, total_tokens: true }).strict(),
]);
export type DialogInput = z.input<typeof DialogInput>;
