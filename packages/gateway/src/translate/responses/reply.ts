import { openaiResponses } from '../../protocols/openai-responses.ts';
import type { AssistantPart, Reply, Stop } from '../conversation.ts';
import { type Fields, TranslationError } from '../fields.ts';
import { type Json, jsonText } from '../json-text.ts';
import { UsageReader, writtenOpenaiUsage } from '../usage.ts';
import { replyItem, writtenItem } from './items.ts';

/** @throws TranslationError also for an answer that says itself that it failed */
export function readResponsesReply(reply: Fields): Reply {
  const failed = reply.object('error');
  if (failed !== undefined) throw new TranslationError('malformed', 'error', failed.string('message') ?? 'no reason');
  const usage = new UsageReader(openaiResponses);
  usage.read(JSON.parse(reply.json('usage') ?? 'null'));
  const parts = reply.objects('output').flatMap((item) => replyItem(item.needed('type'), item));
  const called = parts.some(({ kind }) => kind === 'call');
  return {
    id: reply.needed('id'),
    model: reply.string('model') ?? '',
    created: reply.number('created_at') ?? Math.floor(Date.now() / 1000),
    parts,
    stop: responsesStop(reply.object('incomplete_details')?.string('reason'), called),
    usage: usage.usage,
  };
}

/** @param incomplete why an answer is not whole */
export function responsesStop(incomplete: string | undefined, called: boolean): Stop {
  if (incomplete === 'content_filter') return { reason: 'refusal' };
  if (incomplete !== undefined) return { reason: 'limit' };
  return { reason: called ? 'tools' : 'end' };
}

export function writeResponsesReply(reply: Reply): string {
  const output = reply.parts.map((part, index) =>
    writtenItem(part, { id: itemId(reply.id, part, index), status: 'completed' }),
  );
  return jsonText(responseObject(reply, output, reply));
}

const PREFIX = { text: 'msg', refusal: 'msg', reasoning: 'rs', call: 'fc' } as const;

export function itemId(response: string, { kind }: Pick<AssistantPart, 'kind'>, index: number): string {
  return `${PREFIX[kind]}_${response}_${index}`;
}

/** @param ended undefined: the answer is under way */
export function responseObject(
  { id, model, created }: Pick<Reply, 'id' | 'model' | 'created'>,
  output: readonly Json[],
  ended: Pick<Reply, 'stop' | 'usage'> | undefined,
): { readonly [name: string]: Json } {
  const why = ended && { limit: 'max_output_tokens', refusal: 'content_filter' }[String(ended.stop.reason)];
  return {
    id,
    object: 'response',
    created_at: created,
    status: ended === undefined ? 'in_progress' : why === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: why === undefined ? null : { reason: why },
    instructions: null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    usage: ended === undefined ? null : writtenOpenaiUsage(ended.usage, 'input', 'output'),
  };
}
