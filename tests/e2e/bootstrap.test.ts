import { existsSync } from 'node:fs';
import { buildBases } from '@ssebench/bench/images/build-bases';
import { type Fault, FaultError } from '@ssebench/contracts/faults';
import { afterEach, expect, test, vi } from 'vitest';
import { imageBench } from './support/image-fixtures.ts';

/** A prefix that has no image, so that Debian has to be made. */
const REGISTRY = 'localhost/ssebench-test-bootstrap';
/** Nobody listens there. */
const MIRROR = 'http://127.0.0.1:9/debian';

afterEach(() => vi.unstubAllEnvs());

async function faultOfBuild(): Promise<Fault> {
  await using bench = await imageBench();
  try {
    await buildBases({ ...bench.context, registry: REGISTRY, debianMirror: MIRROR });
  } catch (error) {
    expect(await bench.engine.inspectImage(`${REGISTRY}/debian:trixie`)).toBeUndefined();
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test.runIf(existsSync('/usr/bin/mmdebstrap'))(
  'a mirror that fails leaves no image, and its words are told',
  async () => {
    const fault = await faultOfBuild();
    expect(fault).toMatchObject({ code: 'image_build_failed', blame: 'infra' });
    expect(fault.detail).toMatch(/^mmdebstrap from http:\/\/127\.0\.0\.1:9\/debian failed:\n/);
    expect(fault.detail).toMatch(/127\.0\.0\.1:9/);
  },
);

test('without the program the ways out are named', async () => {
  vi.stubEnv('PATH', '/nowhere');
  const { detail } = await faultOfBuild();
  expect(detail).toContain(`mmdebstrap is not installed to make one from ${MIRROR}`);
  expect(detail).toContain('apt-get install mmdebstrap');
  expect(detail).toContain('debian:trixie-slim');
});
