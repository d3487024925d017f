import { createReadStream } from 'node:fs';
import type { CheckName } from '@ssebench/contracts/difficulty';
import type { GradedCheck } from '@ssebench/contracts/grade';
import type { Integrity } from '@ssebench/contracts/integrity';
import { ENV } from '@ssebench/contracts/layout';
import { AdminClient } from '../client/admin-client.ts';
import { EventPublisher } from '../client/event-publisher.ts';
import type { NewEvent } from '../daemon/events.ts';
import { grade } from './grading.ts';
import type { Graded } from './outcome.ts';
import { writeChecks, writeGrade, writeIntegrity } from './records.ts';
import { type EvaluatorSettings, evaluatorSettings } from './settings.ts';
import { runStrictChecks, strictStart } from './strict.ts';

const PUBLISH_MS = 2_000;

/**
 * The evaluator: grades over the daemon's admin socket and writes `result.json`.
 * Returns the exit status: 0 when the result was written, whatever the grade.
 */
export async function runEvaluator(env: NodeJS.ProcessEnv = process.env): Promise<number> {
  try {
    const settings = evaluatorSettings(env);
    await told(env[ENV.beginFd]);
    const daemon = new AdminClient(settings.adminSocket);
    const began = performance.now();
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
    if (graded.fault) await publish(daemon, { type: 'fault', fault: graded.fault });
    const { integrity, due } = strictStart(graded);
    if (integrity) await writeIntegrity(settings.results, integrity);
    const result = await writeGrade(settings.results, graded, settings.agent);
    say(JSON.stringify(result));
    if (integrity) await gradeStrictly(daemon, settings, integrity, due, began);
    daemon.close();
    return 0;
  } catch (error) {
    process.stderr.write(`[evaluator] ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  }
}

/** Waits for the word to begin, where there will be one. @throws Error when it can't come any more */
async function told(fd: string | undefined): Promise<void> {
  if (fd === undefined) return;
  for await (const _ of createReadStream('', { fd: Number(fd) })) return;
  throw new Error('ended before it was told to begin');
}

/** The strict checks, after the grade: whatever becomes of them, that stands. */
async function gradeStrictly(
  daemon: AdminClient,
  { results, checkTimeout, gradingTimeout }: EvaluatorSettings,
  integrity: Integrity,
  due: readonly CheckName[],
  began: number,
): Promise<void> {
  if (integrity.touched_tests_total > 0) {
    say(`[strict] The patch touches ${integrity.touched_tests_total} tests, build scripts or test configuration files`);
  }
  if (due.length === 0) return;
  const left = gradingTimeout * 1000 - (performance.now() - began);
  const strict = await runStrictChecks(daemon, due, {
    checkTimeout,
    gradingTimeout,
    signal: AbortSignal.timeout(Math.max(0, Math.round(left))),
    async onCheck(check, soFar) {
      sayCheck(check, 'strict');
      await writeIntegrity(results, { ...integrity, strict: soFar });
    },
  });
  await writeIntegrity(results, { ...integrity, strict });
  say(`[strict] ${strict.status}${strict.detail === null ? '' : `: ${strict.detail}`}`);
  await publish(daemon, { type: 'strict_ended', status: strict.status });
}

async function publish(daemon: AdminClient, event: NewEvent): Promise<void> {
  const events = new EventPublisher(daemon, (type, error) => say(`[evaluator] no ${type} event: ${String(error)}`));
  events.open();
  events.publish(event);
  await events.flush(PUBLISH_MS);
}

function verdictLine({ grade: { status, error_msg } }: Graded): string {
  if (status === 'passed') return '[result] Patch success';
  if (status === 'failed') return '[result] Patch failed';
  return `[result] Not graded: ${error_msg}`;
}

function sayCheck(check: GradedCheck | undefined, kind: 'check' | 'strict' = 'check'): void {
  if (!check) return;
  const { check: name, poc, outcome, duration_ms, confirmed } = check.record;
  say(`[${kind}] ${poc ? `${name} ${poc}` : name}: ${outcome}${confirmed ? ' (confirmed)' : ''} in ${duration_ms} ms`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
