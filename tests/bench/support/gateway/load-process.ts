/** A load generator that costs next to no time: HTTP by hand on `node:net`, each connection asks again when it has its answer. */
import { connect, type Socket } from 'node:net';
import { serveOrders } from './worker.ts';

export interface Load {
  port: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  parallel: number;
  /** It ends after this many requests, or begins none after this many milliseconds. */
  requests?: number;
  ms?: number;
  /** Reads a piece of an answer, then waits this long. Milliseconds. */
  readEvery?: number;
  /** One connection of so many is cut when the first byte of its answer is there. */
  cutOneOf?: number;
}

export interface LoadResult {
  /** Answers that came whole. */
  answers: number;
  /** Of those, by status. */
  statuses: Record<string, number>;
  broken: number;
  cut: number;
  ms: number;
  /** Milliseconds from asking to the first byte of the body, and to the answer's end, of every success. */
  firstByte: Spread;
  whole: Spread;
}

export interface Spread {
  p50: number;
  p99: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const BODY_END = Buffer.from('0\r\n\r\n');

class Client {
  readonly #run: Run;
  readonly #done: () => void;
  #socket: Socket;
  #askedAt = 0;
  #head: Buffer | undefined = Buffer.alloc(0);
  #status = '';
  /** Bytes to come; -1: it ends with the last chunk. */
  #left = 0;
  #tail: Buffer = Buffer.alloc(0);
  #firstAt: number | undefined;
  #cut = false;
  #over = false;

  constructor(run: Run, done: () => void) {
    this.#run = run;
    this.#done = done;
    this.#socket = this.#connect();
    this.#ask();
  }

  #connect(): Socket {
    const socket = connect({ port: this.#run.load.port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (chunk) => this.#data(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#over) return;
      if (this.#cut) this.#run.cut++;
      else this.#run.broken++;
      this.#socket = this.#connect();
      this.#next();
    });
    return socket;
  }

  #next(): void {
    if (this.#run.takeTurn()) this.#ask();
    else {
      this.#over = true;
      this.#socket.destroy();
      this.#done();
    }
  }

  #ask(): void {
    this.#head = Buffer.alloc(0);
    this.#tail = Buffer.alloc(0);
    this.#firstAt = undefined;
    this.#cut = this.#run.isToCut();
    this.#askedAt = performance.now();
    this.#socket.write(this.#run.bytes);
  }

  #data(chunk: Buffer): void {
    if (this.#head === undefined) this.#body(chunk);
    else {
      const held = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = held.indexOf(HEAD_END);
      this.#head = held;
      if (end < 0) return;
      const head = held.toString('latin1', 0, end);
      this.#head = undefined;
      this.#status = head.slice(9, 12);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      this.#left = length === undefined ? -1 : Number(length);
      if (held.length > end + 4 || this.#left === 0) this.#body(held.subarray(end + 4));
    }
    const { readEvery } = this.#run.load;
    if (readEvery === undefined || this.#head !== undefined) return;
    const socket = this.#socket;
    socket.pause();
    setTimeout(() => socket.resume(), readEvery);
  }

  #body(chunk: Buffer): void {
    this.#firstAt ??= performance.now();
    if (this.#cut) {
      this.#socket.destroy();
      return;
    }
    if (this.#left >= 0) {
      this.#left -= chunk.length;
      if (this.#left <= 0) this.#ended();
      return;
    }
    const tail = chunk.length >= BODY_END.length ? chunk : Buffer.concat([this.#tail, chunk]);
    this.#tail = tail.subarray(-BODY_END.length);
    if (this.#tail.equals(BODY_END)) this.#ended();
  }

  #ended(): void {
    this.#run.answered(this.#status, (this.#firstAt ?? 0) - this.#askedAt, performance.now() - this.#askedAt);
    this.#next();
  }
}

class Run {
  readonly load: Load;
  readonly bytes: Buffer;
  broken = 0;
  cut = 0;
  readonly #statuses: Record<string, number> = {};
  readonly #firstBytes: number[] = [];
  readonly #wholes: number[] = [];
  readonly #startedAt = performance.now();
  #begun = 0;

  constructor(load: Load) {
    this.load = load;
    const { path, headers, body } = load;
    const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': String(Buffer.byteLength(body)) });
    this.bytes = Buffer.from(
      `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
  }

  takeTurn(): boolean {
    const { requests = Number.POSITIVE_INFINITY, ms = Number.POSITIVE_INFINITY } = this.load;
    if (this.#begun >= requests || performance.now() - this.#startedAt >= ms) return false;
    this.#begun++;
    return true;
  }

  isToCut(): boolean {
    const { cutOneOf } = this.load;
    return cutOneOf !== undefined && this.#begun % cutOneOf === 0;
  }

  answered(status: string, firstByte: number, whole: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (!status.startsWith('2')) return;
    this.#firstBytes.push(firstByte);
    this.#wholes.push(whole);
  }

  result(): LoadResult {
    return {
      answers: Object.values(this.#statuses).reduce((sum, count) => sum + count, 0),
      statuses: this.#statuses,
      broken: this.broken,
      cut: this.cut,
      ms: performance.now() - this.#startedAt,
      firstByte: spread(this.#firstBytes),
      whole: spread(this.#wholes),
    };
  }
}

function spread(times: number[]): Spread {
  const sorted = Float64Array.from(times).sort();
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

serveOrders<Load, LoadResult>(async (load) => {
  const run = new Run(load);
  const clients: Promise<void>[] = [];
  while (clients.length < load.parallel && run.takeTurn()) {
    clients.push(new Promise((resolve) => void new Client(run, resolve)));
  }
  await Promise.all(clients);
  return run.result();
});
