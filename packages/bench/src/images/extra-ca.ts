import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { FaultError, fault } from '@ssebench/contracts/faults';

/** Where Debian and its kin keep the certificates that came with the distribution. */
const DISTRIBUTION = '/usr/share/ca-certificates';
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** How much of a fingerprint the label carries: enough to find it again. */
const SHOWN = 16;

/** Certificate authorities that images shall trust beyond their own. */
export interface ExtraCa {
  /** PEM, one certificate each, in the order of their fingerprints. */
  certificates: readonly string[];
  /** SHA-256, lowercase hex, sorted. */
  fingerprints: readonly string[];
  /** Where they come from, when nobody asked for it by name: a line for the user. */
  notice?: string;
}

const NONE: ExtraCa = { certificates: [], fingerprints: [] };

/**
 * The certificates of the PEM file that the option or setting names, or, without one, of the file that NODE_EXTRA_CA_CERTS
 * or SSL_CERT_FILE name, less those that everybody trusts anyway (Node.js's list and the distribution's own).
 * @throws FaultError when the named file can't be read, holds no certificate or a broken one
 */
export function readExtraCa(setting: string | undefined, env: NodeJS.ProcessEnv = process.env): ExtraCa {
  if (setting === 'none') return NONE;
  if (setting !== undefined) return extraOf(readBlocks(setting, 'extra CA'), setting, 'extra CA');
  const variable = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].find((name) => env[name]);
  const path = variable && env[variable];
  if (!variable || !path) return NONE;
  const found = extraOf(readBlocks(path, variable), path, variable);
  if (found.certificates.length === 0) return NONE;
  const count = found.certificates.length === 1 ? 'one certificate' : `${found.certificates.length} certificates`;
  return {
    ...found,
    notice: `images will trust ${count} more, from ${variable}=${path} (SSEBENCH_EXTRA_CA=none: don't)`,
  };
}

/** The label of an image that trusts them; undefined when there are none. */
export function extraCaLabel({ fingerprints }: ExtraCa): string | undefined {
  return fingerprints.length === 0 ? undefined : fingerprints.map((print) => print.slice(0, SHOWN)).join(',');
}

/** Whether an image with this label trusts nobody but these. */
export function trustsOnly(label: string | undefined, { fingerprints }: ExtraCa): boolean {
  const wanted = fingerprints.map((print) => print.slice(0, SHOWN));
  return label === undefined || label === '' || label.split(',').every((print) => wanted.includes(print));
}

function readBlocks(path: string, what: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (cause) {
    throw refusal(`${what}: ${path} can't be read: ${(cause as Error).message}`, cause);
  }
  const blocks = text.match(BLOCK);
  if (!blocks) throw refusal(`${what}: ${path} holds no PEM certificate (-----BEGIN CERTIFICATE-----)`);
  return blocks;
}

function extraOf(blocks: readonly string[], path: string, what: string): ExtraCa {
  const common = new Set([...rootCertificates, ...distributionBlocks()].map(fingerprintOf));
  const extra = new Map<string, string>();
  for (const [index, block] of blocks.entries()) {
    const print = fingerprintOf(block);
    if (print === undefined) throw refusal(`${what}: certificate ${index + 1} of ${path} can't be read`);
    if (!common.has(print)) extra.set(print, `${block}\n`);
  }
  const sorted = [...extra].sort(([a], [b]) => (a < b ? -1 : 1));
  return { fingerprints: sorted.map(([print]) => print), certificates: sorted.map(([, block]) => block) };
}

/** A bundle of the whole system has them too, and some that Node.js's list has dropped; they are no choice of the user's. */
function distributionBlocks(): string[] {
  try {
    return readdirSync(DISTRIBUTION, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.crt'))
      .flatMap((name) => readFileSync(join(DISTRIBUTION, name), 'latin1').match(BLOCK) ?? []);
  } catch {
    // Not a Debian: Node.js's list decides alone.
    return [];
  }
}

function fingerprintOf(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
  } catch {
    return undefined;
  }
}

function refusal(detail: string, cause?: unknown): FaultError {
  return new FaultError(fault('image_build_failed', detail, { blame: 'user', retryable: false }), { cause });
}
