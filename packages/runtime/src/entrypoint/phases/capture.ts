import { type FaultCode, FaultError, fault } from '@ssebench/contracts/faults';
import { DaemonError, type DaemonErrorCode } from '@ssebench/sdk/daemon/daemon-error';
import { log } from '../log.ts';
import { recordOutcome } from '../work-record.ts';
import type { Phase } from './phase.ts';

/** More than what the daemon allows itself, so that its code says what was wrong. Milliseconds. */
const CAPTURE_MS = 900_000;

/** Captures the agent's tree as `final.patch`, and writes `work.json`: from then on a patch can be graded. */
export const capture: Phase = {
  step: 'capture',
  async run(run) {
    try {
      run.capture = await run.daemonClient.captureTree({ timeoutMs: CAPTURE_MS, signal: run.stopped });
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      const code = captureFault(error.code);
      throw new FaultError(fault(code, error.message, { phase: 'capture' }), { cause: error });
    }
    await recordOutcome(run);
    const { patch_bytes, skipped } = run.capture;
    log('INFO', 'Patch captured', { bytes: patch_bytes, skipped: skipped.length });
    run.events.publish({ type: 'captured', patch_bytes });
  },
};

function captureFault(code: DaemonErrorCode): FaultCode {
  if (code === 'unreachable') return 'service_lost';
  if (code === 'baseline_missing' || code === 'patch_too_large' || code === 'processes_survived') return code;
  return 'capture_failed';
}
