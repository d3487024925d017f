import { type Edit, insertMember, replaceValue } from '../json/edit.ts';
import type { JsonView } from '../json/view.ts';
import { Check } from './allow.ts';
import { CHAT_REQUEST } from './openai-allowed.ts';
import { CHAT_USAGE, openaiError, openaiModels, openaiRoute, openaiUsage, underV1 } from './openai-shared.ts';
import { nameModel, type Protocol } from './protocol.ts';

const LIMITS = ['max_completion_tokens', 'max_tokens'] as const;

function outputLimit(view: JsonView): number | undefined {
  const limits = LIMITS.map((name) => view.number(view.member(0, name))).filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/** Whether the client gets the usage because it asked for it. */
function asksForUsage(view: JsonView): boolean {
  return view.isTrue(view.member(view.member(0, 'stream_options'), 'include_usage'));
}

const isStream = (view: JsonView) => view.isTrue(view.member(0, 'stream'));

function usageEdit(view: JsonView): Edit {
  const options = view.member(0, 'stream_options');
  if (options < 0) return insertMember(view, 0, 'stream_options', '{"include_usage":true}');
  if (view.kind(options) !== 'object') return replaceValue(view, options, '{"include_usage":true}');
  const asked = view.member(options, 'include_usage');
  return asked < 0 ? insertMember(view, options, 'include_usage', 'true') : replaceValue(view, asked, 'true');
}

/** OpenAI's Chat Completions, and what is compatible with them. Source: developers.openai.com/api/reference, the SDK's types. */
export const openaiChat: Protocol = {
  name: 'openai-chat',

  route(method, path) {
    if (method === 'POST' && underV1(path) === '/chat/completions') {
      return { operation: 'answer', upstreamPath: '/chat/completions' };
    }
    return openaiRoute(method, path);
  },

  inspect(view, _route, allowance) {
    const check = new Check(view, allowance);
    CHAT_REQUEST(check, 0);
    return {
      model: view.string(view.member(0, 'model')),
      stream: isStream(view),
      outputLimit: outputLimit(view),
      leastOutput: 1,
      choices: view.number(view.member(0, 'n')) ?? 1,
      size: { bytes: view.bytes.length, images: check.images, documents: check.documents },
    };
  },

  edits(view, _route, plan) {
    const edits = nameModel(view, plan.model);
    if (plan.outputLimit !== undefined) {
      const text = String(plan.outputLimit);
      const given = LIMITS.map((name) => view.member(0, name)).filter((node) => node >= 0);
      for (const node of given) {
        const limit = view.number(node);
        if (limit === undefined || limit > plan.outputLimit) edits.push(replaceValue(view, node, text));
      }
      // Servers of others know the older name only.
      const name = plan.model.provider === 'openai' ? LIMITS[0] : LIMITS[1];
      if (given.length === 0) edits.push(insertMember(view, 0, name, text));
    }
    if (isStream(view) && !asksForUsage(view)) edits.push(usageEdit(view));
    if (plan.model.provider === 'openai' && view.member(0, 'store') < 0) {
      edits.push(insertMember(view, 0, 'store', 'false'));
    }
    return edits;
  },

  addsUsageChunk: (view) => isStream(view) && !asksForUsage(view),

  isUsageChunk: (found) => found.isEmptyArray('choices') && found.object('usage') !== undefined,

  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  paths: ['model', 'usage', 'system_fingerprint', 'choices', 'error.message'],
  finalAtEnd: true,

  read(found, seen) {
    seen.model = found.string('model') || seen.model;
    seen.fingerprint = found.string('system_fingerprint') ?? seen.fingerprint;
    seen.error = found.string('error.message') ?? seen.error;
    const usage = found.object('usage');
    if (usage === undefined) return;
    seen.usage = openaiUsage(usage, CHAT_USAGE);
    // Most servers tell it once, with no choices; some tell it with every chunk.
    if (this.isUsageChunk(found)) seen.final = true;
  },

  errorBody: (error) => JSON.stringify({ error: openaiError(error) }),
  errorEvent: (error) => `data: ${JSON.stringify({ error: openaiError(error) })}\n\n`,
  models: openaiModels,
};
