import type { Fault } from '@ssebench/contracts/faults';
import type { GradedCheck } from '@ssebench/contracts/grade';
import { DaemonClient } from '../client/daemon-client.ts';
import { EventPublisher } from '../client/event-publisher.ts';
import { grade } from './grading.ts';
import type { Graded } from './outcome.ts';
import { writeChecks, writeGrade } from './records.ts';
import { evaluatorSettings } from './settings.ts';

const PUBLISH_MS = 2_000;

/**
 * The evaluator: grades over the daemon's admin socket and writes `result.json`.
 * Returns the exit status: 0 when the result was written, whatever the grade.
 */
export async function runEvaluator(env: NodeJS.ProcessEnv = process.env): Promise<number> {
  try {
    const settings = evaluatorSettings(env);
    const daemon = new DaemonClient(settings.adminSocket);
    say(`[evaluator] Grading Start (Timeout: ${settings.gradingTimeout}s)`);
    const graded = await grade(daemon, {
      checkTimeout: settings.checkTimeout,
      gradingTimeout: settings.gradingTimeout,
      async onCheck(checks) {
        sayCheck(checks.at(-1));
        await writeChecks(settings.results, checks);
      },
    });
    say(verdictLine(graded));
    if (graded.fault) await publishFault(daemon, graded.fault);
    const result = await writeGrade(settings.results, graded, settings.agent);
    say(JSON.stringify(result));
    daemon.close();
    return 0;
  } catch (error) {
    process.stderr.write(`[evaluator] ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  }
}

async function publishFault(daemon: DaemonClient, fault: Fault): Promise<void> {
  const events = new EventPublisher(daemon, (type, error) => say(`[evaluator] no ${type} event: ${String(error)}`));
  events.open();
  events.publish({ type: 'fault', fault });
  await events.flush(PUBLISH_MS);
}

function verdictLine({ grade: { status, error_msg } }: Graded): string {
  if (status === 'passed') return '[result] Patch success';
  if (status === 'failed') return '[result] Patch failed';
  return `[result] Not graded: ${error_msg}`;
}

function sayCheck(check: GradedCheck | undefined): void {
  if (!check) return;
  const { check: name, poc, outcome, duration_ms, confirmed } = check.record;
  say(`[check] ${poc ? `${name} ${poc}` : name}: ${outcome}${confirmed ? ' (confirmed)' : ''} in ${duration_ms} ms`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
