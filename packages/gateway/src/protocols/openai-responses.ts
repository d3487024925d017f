import { insertMember, replaceValue } from '../json/edit.ts';
import { Check } from './allow.ts';
import { RESPONSES_REQUEST } from './openai-allowed.ts';
import { openaiError, openaiModels, openaiRoute, openaiUsage, RESPONSES_USAGE, underV1 } from './openai-shared.ts';
import { nameModel, type Protocol } from './protocol.ts';

/** The least that the API takes as an output limit. */
const LEAST_OUTPUT = 16;
const LAST_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** OpenAI's Responses API without what it stores. Source: developers.openai.com/api/reference, the SDK's types. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',

  route(method, path) {
    if (method === 'POST' && underV1(path) === '/responses') return { operation: 'answer', upstreamPath: '/responses' };
    return openaiRoute(method, path);
  },

  inspect(view, _route, allowance) {
    const check = new Check(view, allowance);
    RESPONSES_REQUEST(check, 0);
    return {
      model: view.string(view.member(0, 'model')),
      stream: view.isTrue(view.member(0, 'stream')),
      outputLimit: view.number(view.member(0, 'max_output_tokens')),
      leastOutput: LEAST_OUTPUT,
      choices: 1,
      size: { bytes: view.bytes.length, images: check.images, documents: check.documents },
    };
  },

  edits(view, _route, { model, outputLimit }) {
    const edits = nameModel(view, model);
    if (outputLimit !== undefined) {
      const limit = view.member(0, 'max_output_tokens');
      const text = String(outputLimit);
      edits.push(limit < 0 ? insertMember(view, 0, 'max_output_tokens', text) : replaceValue(view, limit, text));
    }
    const store = view.member(0, 'store');
    if (store < 0) edits.push(insertMember(view, 0, 'store', 'false'));
    else if (view.kind(store) === 'null') edits.push(replaceValue(view, store, 'false'));
    return edits;
  },

  addsUsageChunk: () => false,
  isUsageChunk: () => false,
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  paths: [
    'type',
    'model',
    'usage',
    'sequence_number',
    'response.model',
    'response.usage',
    'message',
    'response.error.message',
  ],
  finalAtEnd: false,

  read(found, seen) {
    seen.model = found.string('model') ?? found.string('response.model') ?? seen.model;
    seen.sequence = found.number('sequence_number') ?? seen.sequence;
    seen.error = found.string('response.error.message') ?? found.string('message') ?? seen.error;
    const last = LAST_EVENTS.has(found.string('type') ?? '');
    if (last) seen.ended = true;
    const usage = found.object('usage') ?? found.object('response.usage');
    if (usage === undefined) return;
    seen.usage = openaiUsage(usage, RESPONSES_USAGE);
    if (last) seen.final = true;
  },

  errorBody: (error) => JSON.stringify({ error: openaiError(error) }),

  errorEvent(error, { sequence }) {
    const { code, message, param } = openaiError(error);
    const event = { type: 'error', sequence_number: sequence + 1, code, message, param };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  },

  models: openaiModels,
};
