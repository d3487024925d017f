import type { RecordedExchange, RecordedLine, ReplayDifference, ReplayState } from '@ssebench/contracts/model-calls';
import { type LinesAt, RecordingReader } from '../recording/read-recording.ts';
import { bytesOf } from '../recording/secrets.ts';
import { firstDifference } from './first-difference.ts';
import { digest, normalForm } from './normal-form.ts';

/** A recorded exchange, but for what is large of it: that stays in the file. */
export interface Entry {
  readonly number: number;
  readonly protocol: string;
  readonly path: string;
  readonly digest: string;
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  /** Of the answer's body; undefined for one that stands in parts. */
  readonly length: number | undefined;
  readonly end: RecordedExchange['answer']['end'];
  readonly places: readonly LinesAt[];
}

/** What a client of a replay asks. */
export interface Question {
  readonly protocol: string;
  readonly path: string;
  readonly body: Buffer;
  /** Of this run; in the recording a mark stands in its place. */
  readonly key: string;
}

/**
 * The answers of a recorded run, for the same requests once more. A request is answered by the first exchange of its protocol
 * and path that has an equal request (`normalForm`) and was no answer yet: in the recorded order, but calls that are made at
 * the same time may come in another one.
 */
export class Replay implements AsyncDisposable {
  readonly #reader: RecordingReader;
  readonly #entries: readonly Entry[];
  readonly #served = new Set<number>();
  #difference: ReplayDifference | null = null;

  private constructor(reader: RecordingReader, entries: readonly Entry[]) {
    this.#reader = reader;
    this.#entries = entries;
  }

  /** @throws Error for a file that can't be read, or is no recording */
  static async open(path: string): Promise<Replay> {
    const reader = await RecordingReader.open(path);
    try {
      const entries = await index(reader);
      return new Replay(reader, entries);
    } catch (error) {
      await reader[Symbol.asyncDispose]();
      throw error;
    }
  }

  get state(): ReplayState {
    return { of: this.#entries.length, served: this.#served.size, first_difference: this.#difference };
  }

  /** Takes up a replay where an earlier process of the same run stood, by what that recorded. */
  async goOnAfter(path: string): Promise<void> {
    await using reader = await RecordingReader.open(path);
    for await (const { line } of reader.lines()) {
      if (line.kind !== 'exchange' || line.replay === null) continue;
      if (line.replay.of !== null) this.#served.add(line.replay.of);
      this.#difference ??= line.replay.difference;
    }
  }

  /** The exchange that answers the request, from now on taken; or in what the request differs from the one that was due. */
  async take({ protocol, path, body, key }: Question): Promise<{ entry: Entry } | { difference: ReplayDifference }> {
    const form = normalForm(body, key);
    const asked = digest(form);
    const due = this.#entries.filter(
      (entry) => entry.protocol === protocol && entry.path === path && !this.#served.has(entry.number),
    );
    const entry = due.find((candidate) => candidate.digest === asked);
    if (entry !== undefined) {
      this.#served.add(entry.number);
      return { entry };
    }
    const place = { exchange: due[0]?.number ?? null, protocol, path };
    const differs = due[0] && firstDifference(normalForm(await this.#request(due[0])), form);
    const difference = { ...place, ...(differs ?? { field: '', recorded: 'no more calls', found: 'one more' }) };
    this.#difference ??= difference;
    return { difference };
  }

  /** The bytes of an exchange's answer, in pieces. */
  async *answer(entry: Entry): AsyncGenerator<Buffer> {
    for await (const line of this.#linesOf(entry)) {
      if (line.kind === 'exchange') yield bytesOf(line.answer.body);
      else if (line.of === 'answer') yield bytesOf(line.body);
    }
  }

  async #request(entry: Entry): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const line of this.#linesOf(entry)) {
      if (line.kind === 'exchange') pieces.push(bytesOf(line.request.body));
      else if (line.of === 'request') pieces.push(bytesOf(line.body));
    }
    return Buffer.concat(pieces);
  }

  async *#linesOf({ number, places }: Entry): AsyncGenerator<RecordedLine> {
    for (const at of places)
      for (const line of await this.#reader.linesAt(at)) if (line.exchange === number) yield line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }
}

interface Parts {
  request: Buffer[];
  answers: number;
  places: LinesAt[];
}

/** All exchanges that are whole in a recording, in the order in which they began. */
async function index(reader: RecordingReader): Promise<Entry[]> {
  const open = new Map<number, Parts>();
  const entries: Entry[] = [];
  for await (const { line, at } of reader.lines()) {
    const parts = open.get(line.exchange) ?? { request: [], answers: 0, places: [] };
    if (parts.places.at(-1) !== at) parts.places.push(at);
    if (line.kind === 'part') {
      open.set(line.exchange, parts);
      if (line.of === 'request') parts.request.push(bytesOf(line.body));
      else parts.answers += 1;
      continue;
    }
    open.delete(line.exchange);
    const entry = entryOf(line, parts);
    if (entry !== undefined) entries.push(entry);
  }
  return entries.sort((a, b) => a.number - b.number);
}

/** Undefined for one of which a part could not be written. */
function entryOf(line: RecordedExchange, { request, answers, places }: Parts): Entry | undefined {
  if (line.request.parts !== request.length || line.answer.parts !== answers) return undefined;
  const { status, headers, end } = line.answer;
  return {
    number: line.exchange,
    protocol: line.protocol,
    path: line.path,
    digest: digest(normalForm(Buffer.concat([...request, bytesOf(line.request.body)]))),
    status,
    headers,
    length: answers === 0 ? bytesOf(line.answer.body).length : undefined,
    end,
    places,
  };
}
