import { type Fault, type FaultCode, fault } from '@ssebench/contracts/faults';
import { type DiskShortage, diskShortage } from './disk-shortage.ts';
import type { DiskWatch } from './disk-watch.ts';
import type { RunRecord, Teller } from './record.ts';
import type { RunDirectory } from './run-directory.ts';

/** What a full disk under the results looks like to those that write there. */
const LOOKS_LIKE_A_FULL_DISK: readonly FaultCode[] = [
  'results_unwritable',
  'start_failed',
  'service_lost',
  'capture_failed',
  'runner_unavailable',
  'grading_failed',
  'no_result',
  'internal',
];

/** Where there is too little room on a disk of the host, that is why a container could not go on. */
export async function explainByDisk(
  record: RunRecord,
  told: Fault | null | undefined,
  watch: DiskWatch,
): Promise<void> {
  if (!told || record.fault || !LOOKS_LIKE_A_FULL_DISK.includes(told.code)) return;
  const shortage = await watch.shortage();
  if (shortage) record.fail(shortage);
}

/** Weighs why a run has no verdict by what the host sees now: see `blamed`. */
export async function weighFault(record: RunRecord, directory: RunDirectory): Promise<void> {
  const cause = record.fault;
  if (!cause) return;
  const shortage = LOOKS_LIKE_A_FULL_DISK.includes(cause.code) ? await diskShortage(directory) : undefined;
  record.weigh(blamed(cause, record.teller, shortage));
}

/**
 * Who brought a fault about. `infra` needs evidence from outside the agent's reach (design §5): what a container tells of
 * itself is none, since what runs there can use up its memory, its processes and its disk, and end or starve our services.
 * What counts is what the host found out for itself, and a grade container that fails before any of the patched code ran.
 */
export function blamed(cause: Fault, teller: Teller, shortage: DiskShortage | undefined): Fault {
  if (shortage) {
    const { phase, detail } = cause;
    const why = shortage.own ? "the run's own files fill the disk" : 'the disk of the results is full';
    const known = shortage.own ? ({ phase, blame: 'agent', retryable: false } as const) : { phase };
    return fault('results_unwritable', `${why}: ${detail}`, known);
  }
  if (cause.blame !== 'infra' || teller === 'host' || (teller === 'grade' && cause.phase === 'start')) return cause;
  return { ...cause, blame: 'agent', retryable: false };
}
