import protobuf from 'protobufjs/minimal.js';
import { expect, test } from 'vitest';
import { BuildLogWriter } from './build-log.ts';
import { type BuildVertex, decodeTrace } from './buildkit-trace.ts';

const STEP: BuildVertex = {
  digest: 'sha256:a',
  name: '[2/2] RUN make',
  cached: false,
  started: true,
  completed: false,
  error: '',
};

function print(vertex: string, text: string, stream = 1) {
  return { vertexes: [], logs: [{ vertex, stream, message: Buffer.from(text) }] };
}

test('a trace is read, and fields that are not known are passed over', () => {
  const vertex = protobuf.Writer.create()
    .uint32(10)
    .string('sha256:a')
    .uint32(26)
    .string('[1/1] RUN x')
    .uint32(32)
    .bool(true)
    .uint32(42)
    .bytes(Uint8Array.of(8, 1))
    .uint32(58)
    .string('failed')
    .uint32(98)
    .string('of a later version')
    .finish();
  const log = protobuf.Writer.create()
    .uint32(10)
    .string('sha256:a')
    .uint32(24)
    .int32(2)
    .uint32(34)
    .bytes(Buffer.from('hi\n'))
    .finish();
  const trace = protobuf.Writer.create()
    .uint32(10)
    .bytes(vertex)
    .uint32(18)
    .bytes(vertex)
    .uint32(26)
    .bytes(log)
    .finish();
  expect(decodeTrace(trace)).toEqual({
    vertexes: [
      { digest: 'sha256:a', name: '[1/1] RUN x', cached: true, started: true, completed: false, error: 'failed' },
    ],
    logs: [{ vertex: 'sha256:a', stream: 2, message: Buffer.from('hi\n') }],
  });
});

test('lines are told whole, numbered by step, each step once', () => {
  const lines: string[] = [];
  const log = new BuildLogWriter((line) => lines.push(line));
  log.add({ vertexes: [STEP], logs: [] });
  log.add({ vertexes: [STEP, { ...STEP, digest: 'sha256:b', name: '[1/2] FROM x', cached: true }], logs: [] });
  log.add(print('sha256:a', 'one\ntw'));
  log.add(print('sha256:a', 'warning\n', 2));
  log.add(print('sha256:a', 'o\r\n10%\r20%\rlast'));
  log.add({ vertexes: [{ ...STEP, completed: true }], logs: [] });
  expect(lines).toEqual([
    '#1 [2/2] RUN make',
    '#2 [1/2] FROM x',
    '#2 CACHED',
    '#1 one',
    '#1 warning',
    '#1 two',
    '#1 10%',
    '#1 20%',
    '#1 last',
  ]);
  expect(log.failure).toBeUndefined();
});

test('a character that is cut in two is put together', () => {
  const lines: string[] = [];
  const log = new BuildLogWriter((line) => lines.push(line));
  const bytes = Buffer.from('ü\n');
  for (const byte of bytes) log.add({ vertexes: [], logs: [{ vertex: 'v', stream: 1, message: Uint8Array.of(byte) }] });
  expect(lines).toEqual(['#1 ü']);
});

test('the failure is the first step’s that failed by itself, with the end of its output', () => {
  const log = new BuildLogWriter(() => undefined);
  log.add({ vertexes: [{ ...STEP, digest: 'sha256:b', error: 'context canceled' }, STEP], logs: [] });
  for (let line = 1; line <= 100; line++) log.add(print('sha256:a', `line ${line}\n`));
  log.add({ vertexes: [{ ...STEP, completed: true, error: 'exit code: 2' }], logs: [] });
  const told = log.failure?.split('\n') ?? [];
  expect([told[0], told[1], told.at(-2), told.at(-1)]).toEqual([
    '[2/2] RUN make',
    '  line 61',
    '  line 100',
    'exit code: 2',
  ]);
});
