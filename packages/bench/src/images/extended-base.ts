import { LABEL } from '@ssebench/contracts/labels';
import { packEntries } from '@ssebench/engine/tar';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import type { ImageContext } from './context.ts';
import { type ExtraCa, extraCaLabel } from './extra-ca.ts';

const DIRECTORY = '/usr/local/share/ca-certificates/ssebench/';

/** Where bases of another registry lie when they trust further certificates: under a name of ours, theirs stays theirs. */
export function extendedRegistry(registry: string, { fingerprints }: ExtraCa): string {
  return `localhost/ssebench-ca/${short(buildKey({ registry, fingerprints }))}`;
}

/** A pulled base image that trusts further certificates too, under the same name below `extendedRegistry`. */
export async function extendBase(context: ImageContext, ref: string, ca: ExtraCa): Promise<void> {
  const { engine, registry, progress, signal } = context;
  const extended = `${extendedRegistry(registry, ca)}${ref.slice(registry.length)}`;
  progress.step(`certificates for ${ref}`);
  const [base, known] = await Promise.all([ref, extended].map((name) => engine.inspectImage(name, { signal })));
  const key = buildKey({ base: base?.id ?? '', ca: ca.fingerprints });
  if (known?.labels[LABEL.key] === key) return progress.done(true);
  if (ca.notice) progress.line(ca.notice);
  await buildImage(context, {
    role: 'base',
    context: packEntries([
      { name: 'Dockerfile', content: `FROM ${ref}\nCOPY ca/ ${DIRECTORY}\nRUN update-ca-certificates\n` },
      ...ca.certificates.map((content, index) => ({ name: `ca/${String(index + 1).padStart(2, '0')}.crt`, content })),
    ]),
    dockerfile: `adding certificates to ${ref}`,
    tags: [extended],
    labels: { [LABEL.key]: key, [LABEL.extraCa]: extraCaLabel(ca) },
    blame: 'infra',
  });
  progress.done(false);
}
