import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../cli/errors.ts';
import { type CliFolder, cliFolder } from '../cli/test-cli.ts';
import { startedRun } from '../testing/started-run.ts';
import { RunRecord } from './record.ts';
import { completeOptions } from './replay-options.ts';
import { endRun } from './write-results.ts';

/** A run that has ended, with a recording. */
async function recordedRun(folder: CliFolder) {
  const { directory, facts, owner } = await startedRun(folder);
  await owner.release();
  writeFileSync(join(directory.live, 'model-calls.jsonl.zst'), '');
  await endRun(directory, facts, new RunRecord());
  return { path: directory.path, facts };
}

function refusal(folder: CliFolder, replay: string): unknown {
  try {
    return completeOptions({ replay }, folder.dir);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.lines.join().replaceAll(folder.dir, '<dir>');
  }
}

test('a replay takes its agent, its task and its limits from the recorded run, unless they are given', async () => {
  using folder = cliFolder();
  const { path, facts } = await recordedRun(folder);
  const { settings, runId, task } = facts;
  for (const replay of [runId, path, join(path, '../latest')]) {
    expect(completeOptions({ replay, timeout: '77' }, folder.dir)).toEqual({
      options: {
        replay,
        agent: settings.agent,
        task: task.id,
        model: settings.model,
        timeout: '77',
        difficulty: String(settings.difficulty),
        egress: settings.egress,
        grading: settings.grading,
        checkTimeout: String(settings.check_timeout),
        gradingTimeout: String(settings.grading_timeout),
      },
      replayed: { runId, recording: join(path, 'model-calls.jsonl.zst'), taskDigest: task.filesDigest },
    });
  }
});

test('what can’t be replayed is refused by name', async () => {
  using folder = cliFolder();
  const { path, facts } = await recordedRun(folder);
  folder.remove(join(path.slice(folder.dir.length + 1), 'model-calls.jsonl.zst'));
  expect(refusal(folder, facts.runId)).toMatch(
    /^--replay: <dir>\/results.* has no recording \(model-calls\.jsonl\.zst\)/,
  );
  expect(refusal(folder, './none')).toBe('<dir>/none: is no directory of a run');
  const other = await startedRun(folder, 'goes-on');
  expect(refusal(folder, other.directory.path)).toMatch(/the run has not ended$/);
  await other.owner.release();
});
