import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from '../json/scan.ts';
import type { Codec } from './codec.ts';
import { CODECS } from './codecs.ts';
import type { AssistantPart, Reply, ReplyEvent, ReplyPart } from './conversation.ts';
import { Fields } from './fields.ts';
import { eventObject, SseCutter } from './sse.ts';
import { conversations, replies, type Translated } from './testing/arbitrary.ts';
import { testModel } from './testing/models.ts';

const RUNS = { numRuns: 150 };
const PROTOCOLS = ['anthropic-messages', 'openai-chat', 'openai-responses'] as const;

const fields = (text: string) => Fields.ofRequest(scanJson(Buffer.from(text)));

function codec(name: Translated): Codec {
  const found = CODECS[name];
  if (found === undefined) throw new Error('no codec');
  return found;
}

/** The reply as a stream would bring it, its texts in two pieces. */
function eventsOf(reply: Reply): ReplyEvent[] {
  const { id, model, created, stop, usage } = reply;
  const parts = reply.parts.flatMap((part): ReplyEvent[] => {
    const text = part.kind === 'call' ? part.input : part.text;
    const deltas = [text.slice(0, 2), text.slice(2)].filter((piece) => piece !== '');
    return [
      { event: 'open', part: opened(part) },
      ...deltas.map((text): ReplyEvent => ({ event: 'delta', text })),
      part.kind === 'reasoning' && part.seal ? { event: 'close', seal: part.seal } : { event: 'close' },
    ];
  });
  return [{ event: 'start', id, model, created }, ...parts, { event: 'end', stop, usage }];
}

function opened(part: AssistantPart) {
  if (part.kind !== 'call') return { kind: part.kind };
  const { input, ...rest } = part;
  return rest;
}

/** The reply that a stream brought. */
function folded(events: readonly ReplyEvent[]): Reply {
  let reply: Partial<Reply> = {};
  const parts: AssistantPart[] = [];
  let text = '';
  for (const event of events) {
    if (event.event === 'start') reply = { id: event.id, model: event.model, created: event.created };
    if (event.event === 'end') reply = { ...reply, stop: event.stop, usage: event.usage };
    if (event.event === 'open') {
      text = '';
      parts.push(begun(event.part));
    }
    if (event.event === 'delta') text += event.text;
    if (event.event !== 'close') continue;
    const part = parts.pop();
    if (part?.kind === 'call') parts.push({ ...part, input: text });
    else if (part?.kind === 'reasoning') parts.push({ kind: part.kind, text, seal: event.seal });
    else if (part) parts.push({ kind: part.kind, text });
  }
  return { ...reply, parts } as Reply;
}

function begun(part: ReplyPart): AssistantPart {
  if (part.kind === 'call') return { ...part, input: '' };
  return part.kind === 'reasoning' ? { kind: part.kind, text: '', seal: undefined } : { kind: part.kind, text: '' };
}

/** Anthropic's protocol does not say when an answer was made. */
const comparable = ({ created, ...reply }: Reply) => reply;

describe.each(PROTOCOLS)('%s', (name) => {
  const { readRequest, writeRequest, readReply, writeReply, eventReader, eventWriter } = codec(name);

  test('any conversation that is written and read again is the same', () => {
    fc.assert(
      fc.property(conversations(name), (conversation) => {
        expect(readRequest(fields(writeRequest(conversation, testModel(name))))).toEqual(conversation);
      }),
      RUNS,
    );
  });

  test('any answer that is written and read again is the same', () => {
    fc.assert(
      fc.property(replies(name), (reply) => {
        expect(comparable(readReply(fields(writeReply(reply))))).toEqual(comparable(reply));
      }),
      RUNS,
    );
  });

  test('any answer that is written as a stream and read again, in whatever pieces it comes, is the same', () => {
    fc.assert(
      fc.property(replies(name), conversations(name), fc.array(fc.nat(), { maxLength: 8 }), (reply, asked, cuts) => {
        const writer = eventWriter({ ...asked, streamUsage: true });
        const bytes = Buffer.from(
          eventsOf(reply)
            .map((event) => writer.write(event))
            .join(''),
        );
        const reader = eventReader();
        const cutter = new SseCutter();
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const events = at.flatMap((from, index) =>
          cutter
            .write(bytes.subarray(from, at[index + 1]))
            .flatMap((data) => (data === '[DONE]' ? reader.end() : reader.read(eventObject(data)))),
        );
        expect(comparable(folded([...events, ...reader.end()]))).toEqual(comparable(reply));
      }),
      RUNS,
    );
  });
});
