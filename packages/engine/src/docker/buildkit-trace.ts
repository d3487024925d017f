import protobuf from 'protobufjs/minimal.js';

/** A step of a build. The engine sends it again whenever it changes. */
export interface BuildVertex {
  digest: string;
  name: string;
  cached: boolean;
  started: boolean;
  completed: boolean;
  error: string;
}

/** What a step printed: any bytes, not lines. */
export interface BuildLog {
  vertex: string;
  stream: number;
  message: Uint8Array;
}

type Reader = protobuf.Reader;

/**
 * Reads a `moby.buildkit.trace` message: steps and their output; its progress counters are left out.
 * Source: moby/buildkit, api/services/control/control.proto, `StatusResponse`.
 */
export function decodeTrace(message: Uint8Array): { vertexes: BuildVertex[]; logs: BuildLog[] } {
  const vertexes: BuildVertex[] = [];
  const logs: BuildLog[] = [];
  readFields(protobuf.Reader.create(message), (field, reader) => {
    if (field === 1) vertexes.push(readVertex(protobuf.Reader.create(reader.bytes())));
    else if (field === 3) logs.push(readLog(protobuf.Reader.create(reader.bytes())));
    else return false;
    return true;
  });
  return { vertexes, logs };
}

function readVertex(reader: Reader): BuildVertex {
  const vertex: BuildVertex = { digest: '', name: '', cached: false, started: false, completed: false, error: '' };
  readFields(reader, (field) => {
    if (field === 1) vertex.digest = reader.string();
    else if (field === 3) vertex.name = reader.string();
    else if (field === 4) vertex.cached = reader.bool();
    else if (field === 5) vertex.started = reader.bytes().length > 0;
    else if (field === 6) vertex.completed = reader.bytes().length > 0;
    else if (field === 7) vertex.error = reader.string();
    else return false;
    return true;
  });
  return vertex;
}

function readLog(reader: Reader): BuildLog {
  const log: BuildLog = { vertex: '', stream: 1, message: new Uint8Array() };
  readFields(reader, (field) => {
    if (field === 1) log.vertex = reader.string();
    else if (field === 3) log.stream = reader.int32();
    else if (field === 4) log.message = reader.bytes();
    else return false;
    return true;
  });
  return log;
}

/** Hands each field to `take`, which reads it and says so, and skips the others. */
function readFields(reader: Reader, take: (field: number, reader: Reader) => boolean): void {
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (!take(tag >>> 3, reader)) reader.skipType(tag & 7);
  }
}
