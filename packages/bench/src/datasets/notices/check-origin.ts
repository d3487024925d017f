import { posix } from 'node:path';
import type { PackageOrigin } from '@ssebench/contracts/third-party';
import { matching } from '../validate/dockerfile-model.ts';
import { type Complain, type NoticedTask, plainUrl } from './notice.ts';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * That a task's source comes from where `third_party.json` says, and at the version whose licence was read: a clone, a
 * vendored crate, or a package. Source: spec/host §6; a package is ours.
 */
export function checkOrigin(task: NoticedTask, complain: Complain): void {
  const { entry, dockerfile } = task;
  const commands = dockerfile.allRuns.map(({ command }) => command).join('\n');
  const clones = [...commands.matchAll(/\bgit\b[^&|;\n]*?\bclone\b\s+([^&|;\n]*)/g)].map(([, words = '']) => words);
  const kinds = [entry.package && 'package', entry.vendored && 'vendored', clones.length > 0 && 'a git clone'].filter(
    Boolean,
  );
  if (kinds.length > 1) complain([], `its source has more than one origin: ${kinds.join(', ')}`);
  else if (entry.package) checkPackage(task, entry.package, commands, complain);
  else if (entry.vendored) checkVendored(task, entry.vendored, complain);
  else if (clones.length > 0) checkClone(task, clones, commands, complain);
  else complain([], 'the Dockerfile clones no repository, so it needs "package" or "vendored"');
}

function checkClone({ entry }: NoticedTask, clones: readonly string[], commands: string, complain: Complain): void {
  const urls = clones.map(
    (words) => words.split(/\s+/).find((word) => /^(?:https?|git|ssh):/.test(word)) ?? words.trim(),
  );
  const [url] = urls;
  if (urls.length > 1 || url === undefined || plainUrl(url) !== plainUrl(entry.upstream)) {
    complain(
      ['upstream'],
      `the Dockerfile must clone ${entry.upstream} once and nothing else, found ${urls.join(', ')}`,
    );
  }
  const commits = [...commands.matchAll(/\bgit\b[^&|;\n]*?\bcheckout\s+(?:-\S+\s+)*([0-9a-f]{40})\b/g)].map(
    ([, commit]) => commit,
  );
  if (commits.length !== 1) {
    complain([], `the Dockerfile must check out one commit of 40 hexadecimal digits, found ${commits.length}`);
  } else if (commits[0] !== entry.license_checked_at) {
    complain(
      ['license_checked_at'],
      `must be the commit that the Dockerfile checks out, ${commits[0]}, found "${entry.license_checked_at}"`,
    );
  }
}

function checkPackage(task: NoticedTask, origin: PackageOrigin, commands: string, complain: Complain): void {
  const { kind, version, checksum } = origin;
  if (task.entry.license_checked_at !== version) {
    complain(
      ['license_checked_at'],
      `must be the package's version "${version}", found "${task.entry.license_checked_at}"`,
    );
  }
  const form = kind === 'go-module' ? 'h1:' : 'sha256:';
  if (!checksum.startsWith(form)) {
    complain(['package', 'checksum'], `of a ${kind} must begin with ${form}, found "${checksum.slice(0, 12)}…"`);
    return;
  }
  const problem = kind === 'go-module' ? goModuleProblem(task, origin) : archiveProblem(task, origin, commands);
  if (problem) complain(['package'], problem);
}

/** The archive's name and checksum must both stand in the Dockerfile; a crate's may stand in a `Cargo.lock` that it copies. */
function archiveProblem(task: NoticedTask, { kind, name, version, checksum }: PackageOrigin, commands: string) {
  const digits = checksum.slice('sha256:'.length);
  const file =
    kind === 'debian-source'
      ? new RegExp(
          `\\b${escaped(name)}_${escaped(version)}(?:\\.orig)?\\.tar\\.|\\b${escaped(name)}_${escaped(version)}\\.dsc\\b`,
        )
      : new RegExp(`\\b${escaped(name)}(?:-|/)${escaped(version)}(?:\\.crate|/download|\\b)`);
  if (file.test(commands)) {
    return commands.includes(digits)
      ? undefined
      : `the Dockerfile does not check ${name} ${version} against ${checksum}`;
  }
  if (kind === 'crate' && copiedTexts(task, 'Cargo.lock').some((lock) => locksCrate(lock, { name, version, digits })))
    return undefined;
  return `the Dockerfile does not fetch the ${kind} ${name} ${version}`;
}

function locksCrate(
  lock: string,
  { name, version, digits }: { name: string; version: string; digits: string },
): boolean {
  return lock
    .split('[[package]]')
    .some((part) =>
      [`name = "${name}"`, `version = "${version}"`, `checksum = "${digits}"`].every((line) =>
        part.split(/\r?\n/).includes(line),
      ),
    );
}

function goModuleProblem(task: NoticedTask, { name, version, checksum }: PackageOrigin): string | undefined {
  const sums = copiedTexts(task, 'go.sum').flatMap((text) => text.split(/\r?\n/));
  if (sums.includes(`${name} ${version} ${checksum}`)) return undefined;
  const other = sums.find((line) => line.startsWith(`${name} `) && !line.includes('/go.mod '));
  const found = other === undefined ? 'none names the module' : `found "${other}"`;
  return `no go.sum that the Dockerfile copies has "${name} ${version} ${checksum}"; ${found}`;
}

/** The files of this name that a COPY of any stage brings into the image. */
function copiedTexts({ dockerfile, tree }: NoticedTask, name: string): string[] {
  const sources = dockerfile.copies.flatMap(({ sources }) => sources.flatMap((source) => matching(tree, source)));
  const files = [...tree.files].filter((file) => posix.basename(file) === name);
  const copied = files.filter((file) =>
    sources.some((source) => source === '' || source === file || file.startsWith(`${source}/`)),
  );
  return copied.flatMap((file) => tree.text(file) ?? []);
}

function checkVendored(
  { dockerfile, tree, entry, upstream }: NoticedTask,
  vendored: NonNullable<NoticedTask['entry']['vendored']>,
  complain: Complain,
): void {
  const dir = posix.normalize(vendored.dir).replace(/\/$/, '');
  const isCopied = dockerfile.copies.some(
    ({ sources, destination }) =>
      sources.some((source) => matching(tree, source).includes(dir)) && `${destination ?? ''}/`.startsWith('/src/'),
  );
  if (!isCopied) complain(['vendored', 'dir'], `the Dockerfile must copy ./${dir} to /src/`);
  const cargo = tree.text(`${dir}/Cargo.toml`);
  if (cargo === undefined) complain(['vendored', 'dir'], `${dir}/Cargo.toml: no such file`);
  for (const [key, wanted] of [
    ['name', vendored.name],
    ['version', vendored.version],
    ['license', upstream.license],
  ] as const) {
    const found = cargo === undefined ? undefined : cargoValue(cargo, key);
    if (cargo === undefined || sameLicense(found, wanted)) continue;
    complain(
      key === 'license' ? [] : ['vendored', key],
      `${dir}/Cargo.toml says ${key} "${found ?? ''}", found "${wanted}" here`,
    );
  }
  for (const file of vendored.license_files) {
    if (!tree.files.has(`${dir}/${file}`)) complain(['vendored', 'license_files'], `${dir}/${file}: no such file`);
  }
  if (![vendored.revision, vendored.version].includes(entry.license_checked_at)) {
    complain(['license_checked_at'], `must be the vendored revision or version, found "${entry.license_checked_at}"`);
  }
}

function cargoValue(cargo: string, key: string): string | undefined {
  const section = /^\[package\]\s*$([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(cargo)?.[1] ?? '';
  return new RegExp(`^${key}\\s*=\\s*"([^"]*)"`, 'm').exec(section)?.[1];
}

/** Cargo once wrote `A/B` for `A OR B`. */
function sameLicense(found: string | undefined, wanted: string): boolean {
  return found?.replaceAll('/', ' OR ').replace(/\s+/g, ' ') === wanted;
}
