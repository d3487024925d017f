import { z } from 'zod';

/** Tokens of a turn or of a session. */
export const DialogTokens = z.object({ in: z.int().nonnegative(), out: z.int().nonnegative() });
export type DialogTokens = z.infer<typeof DialogTokens>;

const text = z.string();

/** The entries of `dialog.jsonl`, without their number and their time. Source: spec/runtime §11. */
export const DialogInit = z.object({
  type: z.literal('init'),
  data: z.object({ task: text, cwd: text, model: text, agent: text }),
});
export const DialogPrompt = z.object({ type: z.literal('prompt'), content: text });
export const DialogMessage = z.object({
  type: z.literal('message'),
  role: z.literal('assistant').default('assistant'),
  content: text.describe('Markdown is allowed.'),
  tokens: DialogTokens.optional(),
});
export const DialogThinking = z.object({ type: z.literal('thinking'), content: text });
export const DialogTool = z.object({
  type: z.literal('tool'),
  tool_id: text.min(1),
  name: text,
  status: z.enum(['running', 'success', 'error']),
  args: z.record(text, z.unknown()).optional().describe('Of a start.'),
  result: text.optional().describe('Of a success.'),
  error: text.optional().describe('Of an error.'),
});
export const DialogComplete = z.object({
  type: z.literal('complete'),
  status: z.enum(['success', 'error', 'timeout']),
  turns: z.int().nonnegative(),
  duration_ms: z.int().nonnegative(),
  total_tokens: DialogTokens,
  message: text.optional(),
});

const DialogEvent = z.discriminatedUnion('type', [
  DialogInit,
  DialogPrompt,
  DialogMessage,
  DialogThinking,
  DialogTool,
  DialogComplete,
]);
export type DialogEvent = z.infer<typeof DialogEvent>;

/** One line of `dialog.jsonl`: what happened, its number from 0 and when, ISO 8601 in UTC. */
export const DialogEntry = z
  .intersection(z.object({ seq: z.int().nonnegative(), ts: z.iso.datetime() }), DialogEvent)
  .meta({ title: 'A line of dialog.jsonl' });
