import fc from 'fast-check';
import type { ProtocolName, Usage } from '../../server/ports.ts';
import type {
  AssistantPart,
  Call,
  Content,
  Conversation,
  Format,
  Hints,
  Reasoning,
  Reply,
  Result,
  Settings,
  Stop,
  Text,
  Tool,
  Turn,
} from '../conversation.ts';

/** Any conversation that a protocol can say: what it has no words for is told apart here, once. */

export type Translated = Exclude<ProtocolName, 'gemini'>;

const said = fc.string({ minLength: 1, unit: 'grapheme', maxLength: 12 });
const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,20}$/);
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
const base64 = fc.base64String({ minLength: 4, maxLength: 12 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const none = fc.constant(undefined);
/** JSON as a model may write it: numbers that a parser would round stay as they are. */
const object = fc.oneof(
  fc.dictionary(said, fc.jsonValue(), { maxKeys: 3 }).map((value) => JSON.stringify(value)),
  fc.constant('{ "a": 12345678901234567890, "b": 1.0 }'),
);

const text: fc.Arbitrary<Text> = said.map((text) => ({ kind: 'text', text }));
const url = (type: string) => base64.map((data) => `data:${type};base64,${data}`);

function content(protocol: Translated): fc.Arbitrary<Content> {
  const detail = protocol === 'anthropic-messages' ? none : fc.constantFrom('auto', 'low', 'high');
  const fileName = protocol === 'anthropic-messages' ? maybe(said) : said;
  const file = fc.record({ kind: fc.constant('file' as const), url: url('application/pdf'), name: fileName });
  const image = fc.record({ kind: fc.constant('image' as const), url: url('image/png'), detail });
  return fc.oneof(text, image, file);
}

function reasoning(protocol: Translated): fc.Arbitrary<Reasoning> {
  const kind = fc.constant('reasoning' as const);
  const sealed = (form: string, data: fc.Arbitrary<string>) =>
    fc.record({ by: fc.constant(protocol), form: fc.constant(form), data });
  switch (protocol) {
    case 'openai-chat':
      return fc.record({ kind, text: said, seal: sealed('reasoning_content', fc.constant('')) });
    case 'openai-responses':
      return fc.record({ kind, text: fc.oneof(said, fc.constant('')), seal: sealed('encrypted', base64) });
    case 'anthropic-messages':
      return fc.record({ kind, text: fc.oneof(said, fc.constant('')), seal: sealed('signature', base64) });
  }
}

const redacted: fc.Arbitrary<Reasoning> = base64.map((data) => ({
  kind: 'reasoning',
  text: '',
  seal: { by: 'anthropic-messages', form: 'redacted', data },
}));

function call(protocol: Translated): fc.Arbitrary<Call> {
  const kind = fc.constant('call' as const);
  const plain = fc.record({ kind, id, name, namespace: none, custom: fc.constant(false), input: object });
  if (protocol !== 'openai-responses') return plain.map(({ namespace, ...rest }) => rest);
  const custom = fc.record({ kind, id, name, namespace: none, custom: fc.constant(true), input: said });
  const spaced = fc.record({ kind, id, name, namespace: name, custom: fc.constant(false), input: object });
  return fc.oneof(plain, custom, spaced);
}

/** What Google's server says with a call and wants back with it. */
const extra: fc.Arbitrary<Reasoning> = object.map((data) => ({
  kind: 'reasoning',
  text: '',
  seal: { by: 'openai-chat', form: 'extra_content', data },
}));

/** @param asked of a request; an answer for a client has less */
function assistantParts(protocol: Translated, asked: boolean): fc.Arbitrary<AssistantPart[]> {
  const refusal = said.map((text): AssistantPart => ({ kind: 'refusal', text }));
  if (protocol === 'openai-chat') {
    const few = (one: fc.Arbitrary<AssistantPart>) => fc.array(one, { maxLength: 1 });
    const signed = fc.tuple(few(extra), call(protocol)).map((all) => all.flat());
    const parts = fc.tuple(
      few(reasoning(protocol)),
      few(text),
      few(refusal),
      fc.array(asked ? signed : fc.tuple(call(protocol)), { maxLength: 3 }).map((all) => all.flat()),
    );
    return parts.map((all) => all.flat());
  }
  const other = protocol === 'openai-responses' ? refusal : text;
  return fc.array(fc.oneof(text, reasoning(protocol), call(protocol), other), { minLength: 1, maxLength: 5 });
}

function result(protocol: Translated): fc.Arbitrary<Result> {
  const anthropic = protocol === 'anthropic-messages';
  return fc.record({
    kind: fc.constant('result' as const),
    callId: id,
    content:
      protocol === 'openai-chat'
        ? fc.tuple(text)
        : fc.array(content(protocol), { minLength: anthropic ? 0 : 1, maxLength: 3 }),
    failed: anthropic ? fc.boolean() : fc.constant(false),
    custom: protocol === 'openai-responses' ? fc.boolean() : fc.constant(false),
  });
}

function turns(protocol: Translated): fc.Arbitrary<Turn[]> {
  const system = (
    protocol === 'anthropic-messages' ? fc.array(text, { minLength: 1, maxLength: 2 }) : fc.tuple(text)
  ).map((content): Turn => ({ role: 'system', content }));
  const results = fc.array(result(protocol), { minLength: 1, maxLength: 3 });
  const spoken = fc.array(content(protocol), { minLength: 1, maxLength: 3 });
  const both = fc.tuple(results, spoken).map((all) => all.flat());
  const asked = fc.oneof(spoken, results, ...(protocol === 'anthropic-messages' ? [both] : []));
  const history =
    protocol === 'anthropic-messages'
      ? fc.oneof(
          redacted.map((part) => [part]),
          assistantParts(protocol, true),
        )
      : assistantParts(protocol, true);
  const pair = fc.tuple(asked, history).map(([user, assistant]): Turn[] => [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ]);
  return fc
    .tuple(fc.array(system, { maxLength: 1 }), fc.array(pair, { maxLength: 3 }), asked)
    .map(([first, pairs, last]): Turn[] => [...first, ...pairs.flat(), { role: 'user', content: last }]);
}

function tools(protocol: Translated): fc.Arbitrary<Tool[]> {
  const responses = protocol === 'openai-responses';
  const strict = responses ? fc.boolean() : maybe(fc.constant(true));
  const common = { name, description: maybe(said) };
  const plain = fc.record({ ...common, namespace: none, schema: object, custom: fc.constant(false as const), strict });
  if (!responses)
    return fc.array(
      plain.map(({ namespace, ...rest }) => rest),
      { maxLength: 3 },
    );
  const grammar = maybe(fc.constant('{"type":"grammar","syntax":"lark","definition":"start: x"}'));
  const custom = fc.record({ ...common, namespace: none, schema: none, custom: fc.record({ grammar }), strict: none });
  const spaced = fc.record({
    ...common,
    namespace: fc.constant('space'),
    schema: object,
    custom: fc.constant(false as const),
    strict,
  });
  return fc
    .tuple(fc.array(fc.oneof(plain, custom), { maxLength: 3 }), fc.array(spaced, { maxLength: 2 }))
    .map((all) => all.flat());
}

function format(protocol: Translated): fc.Arbitrary<Format | undefined> {
  const kind = fc.constant('json_schema' as const);
  if (protocol === 'anthropic-messages') {
    return maybe(
      fc.record({ kind, name: fc.constant('answer'), description: none, schema: object, strict: fc.constant(true) }),
    );
  }
  const schema = fc.record({ kind, name, description: maybe(said), schema: object, strict: maybe(fc.boolean()) });
  return maybe(fc.oneof(schema, fc.constant({ kind: 'json_object' } as const)));
}

function settings(protocol: Translated, tools: readonly Tool[]): fc.Arbitrary<Settings> {
  const anthropic = protocol === 'anthropic-messages';
  const responses = protocol === 'openai-responses';
  const tool = tools[0];
  const one = tool && {
    name: tool.name,
    custom: tool.custom !== false,
    ...(responses ? { namespace: tool.namespace } : {}),
  };
  const words = fc.constantFrom('auto' as const, 'required' as const, ...(one ? [one] : []));
  return fc.record({
    toolChoice: tool === undefined ? none : anthropic ? words : maybe(fc.oneof(words, fc.constant('none' as const))),
    parallel: tool === undefined ? none : anthropic ? maybe(fc.constant(false)) : maybe(fc.boolean()),
    limit: maybe(fc.integer({ min: 16, max: 64_000 })),
    temperature: maybe(fc.constantFrom(0, 0.5)),
    topP: maybe(fc.constantFrom(0.1, 0.9)),
    topK: responses ? none : maybe(fc.integer({ min: 1, max: 100 })),
    stops: responses ? fc.constant([]) : fc.array(said, { maxLength: 2 }),
    format: format(protocol),
  });
}

function hints(protocol: Translated): fc.Arbitrary<Hints> {
  const nothing = {
    effort: undefined,
    showReasoning: protocol === 'openai-chat',
    verbosity: undefined,
    cacheKey: undefined,
  };
  if (protocol !== 'openai-responses') return fc.constant(nothing);
  return fc.record({
    effort: maybe(fc.constantFrom('low', 'medium', 'high')),
    showReasoning: fc.boolean(),
    verbosity: maybe(fc.constantFrom('low', 'high')),
    cacheKey: maybe(said),
  });
}

export function conversations(protocol: Translated): fc.Arbitrary<Conversation> {
  return tools(protocol).chain((tools) =>
    fc.record({
      model: name,
      turns: turns(protocol),
      tools: fc.constant(tools),
      stream: fc.boolean(),
      streamUsage: fc.constant(protocol !== 'openai-chat'),
      settings: settings(protocol, tools),
      hints: hints(protocol),
    }),
  );
}

function usage(protocol: Translated): fc.Arbitrary<Usage> {
  const tokens = fc.nat(100_000);
  const anthropic = protocol === 'anthropic-messages';
  return fc
    .record({
      input: tokens,
      cacheRead: tokens,
      cacheWrite5m: tokens,
      cacheWrite1h: anthropic ? tokens : fc.constant(0),
      output: tokens,
      reasoning: tokens,
    })
    .map((all) => ({ ...all, reasoning: Math.min(all.reasoning, all.output) }));
}

function stop(protocol: Translated, parts: readonly AssistantPart[]): fc.Arbitrary<Stop> {
  if (parts.some(({ kind }) => kind === 'call')) return fc.constant({ reason: 'tools' });
  const reasons = fc.constantFrom<Stop>({ reason: 'end' }, { reason: 'limit' }, { reason: 'refusal' });
  if (protocol !== 'anthropic-messages') return reasons;
  return fc.oneof(
    reasons,
    said.map((sequence): Stop => ({ reason: 'stop_sequence', sequence })),
  );
}

export function replies(protocol: Translated): fc.Arbitrary<Reply> {
  return assistantParts(protocol, false).chain((parts) =>
    fc.record({
      id,
      model: name,
      created: fc.nat(),
      parts: fc.constant(parts),
      stop: stop(protocol, parts),
      usage: usage(protocol),
    }),
  );
}
