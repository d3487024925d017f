import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import type { ImageInfo } from '@ssebench/engine/image';
import { packEntries } from '@ssebench/engine/tar';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import type { ImageContext } from './context.ts';
import { type ExtraCa, extraCaLabel } from './extra-ca.ts';

const WITHOUT = 'SSEBENCH_EXTRA_CA=none uses it as it is';
const DIRECTORY = '/usr/local/share/ca-certificates/ssebench/';

/** Where bases of another registry lie when they trust further certificates: under a name of ours, theirs stays theirs. */
export function extendedRegistry(registry: string, { fingerprints }: ExtraCa): string {
  return `localhost/ssebench-ca/${short(buildKey({ registry, fingerprints }))}`;
}

/**
 * A pulled base image that trusts further certificates too, under the same name below `extendedRegistry`; all else of it stays.
 * @throws FaultError when it can't be extended, or a step fails
 */
export async function extendBase(context: ImageContext, ref: string, ca: ExtraCa): Promise<void> {
  const { engine, registry, progress, signal } = context;
  const extended = `${extendedRegistry(registry, ca)}${ref.slice(registry.length)}`;
  progress.step(`certificates for ${ref}`);
  const base = await engine.inspectImage(ref, { signal });
  refuseUnextendable(ref, base);
  const known = await engine.inspectImage(extended, { signal });
  const key = buildKey({ base: base?.id ?? '', ca: ca.fingerprints });
  if (known?.labels[LABEL.key] === key) return progress.done(true);
  if (ca.notice) progress.notice(ca.notice);
  await buildImage(context, {
    role: 'base',
    context: packEntries([
      { name: 'Dockerfile', content: dockerfile(ref, base?.user || 'root') },
      ...ca.certificates.map((content, index) => ({ name: `ca/${String(index + 1).padStart(2, '0')}.crt`, content })),
    ]),
    dockerfile: `adding certificates to ${ref}`,
    tags: [extended],
    labels: { [LABEL.key]: key, [LABEL.extraCa]: extraCaLabel(ca) },
    blame: 'infra',
  });
  progress.done(false);
}

/** Whoever the image's user and shell are. */
function dockerfile(ref: string, user: string): string {
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const lacking = `echo "${ref} has no update-ca-certificates; ${WITHOUT}" >&2; exit 1`;
  const script = `PATH=${path}; command -v update-ca-certificates >/dev/null || { ${lacking}; }; exec update-ca-certificates`;
  const run = JSON.stringify(['/bin/sh', '-c', script]);
  return `FROM ${ref}\nUSER root\nCOPY ca/ ${DIRECTORY}\nRUN ${run}\nUSER ${user}\n`;
}

function refuseUnextendable(ref: string, base: ImageInfo | undefined): void {
  const refusal = (why: string) => {
    const detail = `${ref}: certificates can't be added, ${why}; ${WITHOUT}`;
    return new FaultError(fault('image_build_failed', detail, { blame: 'infra', retryable: false }));
  };
  if (ref.includes('@')) throw refusal('since the task wants exactly the image of this digest');
  if (base?.onBuild.length) throw refusal(`since its ONBUILD would take effect too soon (${base.onBuild[0]})`);
}
