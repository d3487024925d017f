import type { RecordedExchange, RecordedPart } from '@ssebench/contracts/model-calls';
import type { RecordingFile } from './recording-file.ts';
import { recordedBytes, type Secrets } from './secrets.ts';

/** More of a body is not kept in memory until its end. Bytes; a request is in memory as a whole all the while. */
const PART = { request: 1024 * 1024, answer: 16 * 1024 } as const;
const DIGITS = 1000;

/** What is known of an exchange when its request is whole. */
export interface Begun {
  readonly protocol: string;
  /** Without a key in it. */
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
}

/** Takes an exchange as it comes, and writes it into its run's recording: its line when it is over, what is long in parts before. */
export class ExchangeRecorder {
  /** Of the call in the ledger. */
  callId: string | null = null;
  /** In a replay, what the answer was made from. */
  replay: RecordedExchange['replay'] = null;
  readonly #file: RecordingFile;
  readonly #secrets: Secrets;
  readonly #begun: Begun;
  readonly #number: number;
  readonly #at = new Date();
  readonly #started = performance.now();
  #firstByte: number | null = null;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #answer: Buffer[] = [];
  #answerBytes = 0;
  #answerParts = 0;
  #ended = false;

  constructor(file: RecordingFile, secrets: Secrets, begun: Begun) {
    this.#file = file;
    this.#secrets = secrets;
    this.#begun = begun;
    this.#number = file.nextNumber();
  }

  head(status: number, headers: Record<string, string | string[]>): void {
    this.#status = status;
    this.#headers = headers;
  }

  /** Takes the next bytes of the answer. */
  data(bytes: Buffer): void {
    this.#firstByte ??= performance.now() - this.#started;
    this.#answer.push(bytes);
    this.#answerBytes += bytes.length;
    if (this.#answerBytes <= PART.answer + this.#secrets.carry) return;
    const whole = this.#secrets.cleanBytes(Buffer.concat(this.#answer));
    const cut = whole.length - this.#secrets.carry;
    for (let from = 0; from < cut; from += PART.answer) {
      this.#answerParts += 1;
      this.#part('answer', whole.subarray(from, Math.min(cut, from + PART.answer)));
    }
    this.#answer = [whole.subarray(cut)];
    this.#answerBytes = this.#secrets.carry;
  }

  /** The exchange is in the recording, or can't be, when this returns. Only the first end counts. */
  end(end: RecordedExchange['answer']['end']): void {
    if (this.#ended) return;
    this.#ended = true;
    const { protocol, path, headers } = this.#begun;
    const body = this.#secrets.cleanBytes(this.#begun.body);
    const parts = Math.ceil(body.length / PART.request) - 1;
    for (let part = 0; part < parts; part += 1)
      this.#part('request', body.subarray(part * PART.request, (part + 1) * PART.request));
    const rest = parts > 0 ? body.subarray(parts * PART.request) : body;
    this.#file.append({
      kind: 'exchange',
      exchange: this.#number,
      at: this.#at.toISOString(),
      protocol,
      path,
      request: { headers, parts: Math.max(0, parts), body: recordedBytes(rest) },
      answer: {
        status: this.#status,
        headers: this.#headers,
        parts: this.#answerParts,
        body: recordedBytes(this.#secrets.cleanBytes(Buffer.concat(this.#answer))),
        end,
      },
      first_byte_ms: this.#firstByte === null ? null : rounded(this.#firstByte),
      total_ms: rounded(performance.now() - this.#started),
      call_id: this.callId,
      replay: this.replay,
    });
  }

  #part(of: RecordedPart['of'], body: Buffer): void {
    this.#file.append({ kind: 'part', exchange: this.#number, of, body: recordedBytes(body) });
  }
}

function rounded(ms: number): number {
  return Math.round(ms * DIGITS) / DIGITS;
}
