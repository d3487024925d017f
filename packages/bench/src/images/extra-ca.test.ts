import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { FaultError } from '@ssebench/contracts/faults';
import { afterAll, describe, expect, test } from 'vitest';
import { extraCaLabel, readExtraCa, trustsOnly } from './extra-ca.ts';

const COMMON = rootCertificates[0] ?? '';
const dir = mkdtempSync(join(tmpdir(), 'extra-ca-'));
const own = readFileSync(join(import.meta.dirname, 'fixtures/company-ca.pem'), 'utf8');
const fingerprint = new X509Certificate(own).fingerprint256.replaceAll(':', '').toLowerCase();
afterAll(() => rmSync(dir, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof FaultError) return error.fault.detail;
    throw error;
  }
  return 'none';
}

describe('a file that is named', () => {
  test('gives the certificates that are not trusted anyway, once each', () => {
    const ca = readExtraCa(file('bundle.pem', `${COMMON}\nsome text\n${own}${own}${COMMON}`));
    expect(ca.fingerprints).toEqual([fingerprint]);
    expect(ca.certificates).toEqual([own]);
    expect(extraCaLabel(ca)).toBe(fingerprint.slice(0, 16));
    expect(ca.notice).toBeUndefined();
  });

  test('with nothing new adds nothing and gives no label', () => {
    const ca = readExtraCa(file('common.pem', COMMON));
    expect(ca.certificates).toEqual([]);
    expect(extraCaLabel(ca)).toBeUndefined();
  });

  test('that is missing, holds no certificate or a broken one is an error that names it', () => {
    const missing = join(dir, 'missing.pem');
    expect(refusalOf(() => readExtraCa(missing))).toMatch(`extra CA: ${missing} can't be read: ENOENT`);
    const empty = file('empty.pem', 'nothing');
    expect(refusalOf(() => readExtraCa(empty))).toMatch(`${empty} holds no PEM certificate`);
    const broken = file('broken.pem', `${own}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`);
    expect(refusalOf(() => readExtraCa(broken))).toBe(`extra CA: certificate 2 of ${broken} can't be read`);
  });
});

describe('without one', () => {
  test('the file that the environment names is used, and the user told', () => {
    const path = file('env.pem', own);
    for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']) {
      const ca = readExtraCa(undefined, { [name]: path });
      expect(ca.fingerprints).toEqual([fingerprint]);
      expect(ca.notice).toContain(`one certificate more, from ${name}=${path}`);
    }
  });

  test('an environment that adds nothing is not mentioned', () => {
    expect(readExtraCa(undefined, { SSL_CERT_FILE: file('env-common.pem', COMMON) })).toEqual({
      certificates: [],
      fingerprints: [],
    });
    expect(readExtraCa(undefined, {}).certificates).toEqual([]);
  });

  test('"none" keeps the environment out', () => {
    expect(readExtraCa('none', { NODE_EXTRA_CA_CERTS: file('unused.pem', own) }).certificates).toEqual([]);
  });
});

test('an image that trusts somebody who is not wanted is told from one that does not', () => {
  const ca = { certificates: [], fingerprints: ['a'.repeat(64), 'b'.repeat(64)] };
  const none = readExtraCa('none');
  expect([undefined, '', 'a'.repeat(16), extraCaLabel(ca)].map((label) => trustsOnly(label, ca))).toEqual(
    Array(4).fill(true),
  );
  expect(trustsOnly('c'.repeat(16), ca)).toBe(false);
  expect(trustsOnly(undefined, none)).toBe(true);
  expect(trustsOnly('a'.repeat(16), none)).toBe(false);
});
