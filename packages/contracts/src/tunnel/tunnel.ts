import { Duplex } from 'node:stream';
import { encodeFrame, FRAME, type Frame, FrameReader, type FrameType, MAX_PAYLOAD } from './frames.ts';

/** Bytes of one connection that may be on their way and not yet taken: what one that is not read takes of memory. */
const WINDOW = 256 * 1024;
/** Room is told of in pieces of this size at the least. */
const WINDOW_STEP = WINDOW / 4;
const NOTHING = Buffer.alloc(0);

interface TunnelOptions {
  /** Sends bytes to the other side, in order. */
  send(bytes: Buffer): void;
  /** A connection that the other side opened. */
  onOpen?(connection: Duplex): void;
}

/** One end of a tunnel. What its transport brings is given to `receive`; the transport is the caller's. */
export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #reader = new FrameReader();
  readonly #connections = new Map<number, TunnelConnection>();
  #next = 1;

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  /** A new connection to the other side. Only one of the two may open any. */
  open(): Duplex {
    const id = this.#next;
    this.#next = (this.#next + 1) >>> 0;
    const connection = this.#add(id);
    this.#send(FRAME.open, id, NOTHING);
    return connection;
  }

  /** @throws RangeError for what is no tunnel's */
  receive(bytes: Buffer): void {
    for (const frame of this.#reader.read(bytes)) this.#take(frame);
  }

  /** The transport is gone: so is every connection. */
  close(): void {
    for (const connection of [...this.#connections.values()]) connection.lost();
  }

  #take({ type, connection: id, payload }: Frame): void {
    if (type === FRAME.open) {
      if (this.#connections.has(id) || !this.#options.onOpen)
        throw new RangeError('a connection that can not be opened');
      this.#options.onOpen(this.#add(id));
      return;
    }
    const connection = this.#connections.get(id);
    // One that we have given up may still be spoken of.
    if (!connection) return;
    if (type === FRAME.data) connection.arrived(payload);
    else if (type === FRAME.end) connection.arrived(null);
    else if (type === FRAME.reset) connection.lost();
    else connection.grant(payload.length === 4 ? payload.readUInt32BE(0) : 0);
  }

  #add(id: number): TunnelConnection {
    const connection = new TunnelConnection({
      send: (type, payload = NOTHING) => this.#send(type, id, payload),
      forget: () => this.#connections.delete(id),
    });
    this.#connections.set(id, connection);
    return connection;
  }

  #send(type: FrameType, connection: number, payload: Buffer): void {
    this.#options.send(encodeFrame({ type, connection, payload }));
  }
}

interface Line {
  send(type: FrameType, payload?: Buffer): void;
  forget(): void;
}

/** One connection: as a socket, it ends in each direction by itself, and reading it slowly slows the other side down. */
class TunnelConnection extends Duplex {
  readonly #line: Line;
  #window = WINDOW;
  /** Received and not yet told to the other side as taken. */
  #taken = 0;
  #waiting: { rest: Buffer; done: (error?: Error | null) => void } | undefined;
  #lost = false;

  constructor(line: Line) {
    super({ allowHalfOpen: true });
    this.#line = line;
  }

  /** Bytes of the other side; null: its end. */
  arrived(bytes: Buffer | null): void {
    if (bytes) this.#taken += bytes.length;
    if (this.push(bytes) && bytes) this.#tell();
  }

  grant(bytes: number): void {
    this.#window += bytes;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#write(waiting.rest, waiting.done);
  }

  lost(): void {
    this.#lost = true;
    this.destroy(this.readableEnded && this.writableFinished ? undefined : new Error('the other side is gone'));
  }

  override _read(): void {
    this.#tell();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#line.send(FRAME.end);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#line.forget();
    if (!this.#lost && !(this.readableEnded && this.writableFinished)) this.#line.send(FRAME.reset);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.done(error ?? new Error('closed'));
    done(error);
  }

  #write(chunk: Buffer, done: (error?: Error | null) => void): void {
    let rest = chunk;
    while (rest.length > 0 && this.#window > 0) {
      const part = rest.subarray(0, Math.min(this.#window, MAX_PAYLOAD));
      this.#window -= part.length;
      this.#line.send(FRAME.data, part);
      rest = rest.subarray(part.length);
    }
    if (rest.length > 0) this.#waiting = { rest, done };
    else done();
  }

  #tell(): void {
    if (this.#taken < WINDOW_STEP) return;
    const count = Buffer.allocUnsafe(4);
    count.writeUInt32BE(this.#taken);
    this.#taken = 0;
    this.#line.send(FRAME.window, count);
  }
}
