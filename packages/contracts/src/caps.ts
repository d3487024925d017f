import { bytes } from './units.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Limits that are the same in every run, by their names in `EffectiveLimits`. Without a schema: an entrypoint loads this first. */
export const CAPS = {
  archive_bytes: 2 * GIB,
  archive_files: 50_000,
  patch_bytes: 256 * MIB,
  patch_file_bytes: GIB,
  agent_log_bytes: 64 * MIB,
  output_bytes: MIB,
  source_archive_bytes: 2 * GIB,
} as const;

/** What files take of a disk: bytes, and entries of directories. */
export interface DiskUse {
  bytes: number;
  files: number;
}

/** How far over its disk limit a container is that wrote this to its own files and to the agent's archive; undefined when it is not. */
export function diskExcess(own: number, archive: number, limit: number): string | undefined {
  if (own + archive <= limit) return undefined;
  const and = archive > 0 ? ` and ${bytes(archive)} of archive` : '';
  return `the container wrote ${bytes(own)}${and}: more than ${bytes(limit)}, the limit (--disk)`;
}

/** Which of its limits the agent's archive is over, for messages; undefined when it is over none. */
export function archiveExcess({ bytes, files }: DiskUse): string | undefined {
  if (bytes > CAPS.archive_bytes) return `${bytes} bytes, allowed are ${CAPS.archive_bytes}`;
  if (files > CAPS.archive_files) return `more than ${CAPS.archive_files} files and directories`;
  return undefined;
}
