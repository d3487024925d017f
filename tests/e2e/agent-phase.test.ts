import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSsebench } from './support/command.ts';
import { containersOf } from './support/leftovers.ts';
import { NOOP_DATASET, runDirectory, scriptAgent, summaryIn, Workspace } from './support/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    editor: scriptAgent(
      "printf 'a\\r\\nb\\0c\\377' > bytes.bin; echo more >> README.md; ln -s /etc/passwd link; exit 7",
    ),
    sleeper: scriptAgent(
      'trap "echo asked to stop; date +%s > late.txt; exit 0" TERM; echo begun; sse limits > limits.json; sleep 600 & wait',
    ),
    stubborn: scriptAgent('trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & while :; do sleep 1; done'),
    words: {
      dockerfile:
        'FROM ssebench-agent\nCMD ["/bin/sh", "-c", "printf \'[%s]\' \\"$@\\"", "sh", "two words", "a;b", "$HOME", ""]\n',
    },
    missing: { dockerfile: 'FROM ssebench-agent\nCMD ["/no/such/program"]\n' },
    background: scriptAgent('setsid sh -c "while :; do date > still-here.txt; done" & sleep 0.5'),
    committer: scriptAgent(
      'echo fixed > fix.txt; git add -A; git commit -qm "Fix it"; rm -rf .git; echo new > untracked.txt',
    ),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

test('what an agent leaves is captured byte for byte, and its exit status is recorded', async () => {
  const { end, directory, summary } = await workspace.runOnNoop('editor');
  expect(end.status).toBe(0);
  expect(summary.runtime_result.agent_exit_code).toBe(7);
  expect(summary.patch_result.status).toBe('passed');
  const patch = await readFile(join(directory, 'final.patch'), 'latin1');
  expect(patch).toContain('+more\n');
  expect(patch).toContain('new file mode 120000');
  expect(patch).toContain('GIT binary patch');
  expect(summary.capture).toMatchObject({ patch_bytes: patch.length, skipped: [] });
});

test('at its limit an agent is asked to stop, and what it left by then is graded', async () => {
  const { directory, summary } = await workspace.runOnNoop('sleeper', '--timeout', '3');
  expect(summary.runtime_result).toMatchObject({ agent_timeout: true, agent_exit_code: 124, agent_duration: 3 });
  expect(summary.patch_result.status).toBe('passed');
  expect(await readFile(join(directory, 'agent.log'), 'utf8')).toBe('begun\nasked to stop\n');
  const patch = await readFile(join(directory, 'final.patch'), 'utf8');
  const found = (pattern: RegExp) => Number(pattern.exec(patch)?.[1]);
  const deadline = found(/^\+ {2}"deadline": (\d+),$/m);
  expect(found(/^\+(\d+)$/m)).toBeGreaterThanOrEqual(deadline);
  expect(found(/^\+(\d+)$/m)).toBeLessThan(deadline + 3);
  expect([0, 1, 2]).toContain(found(/"seconds_left": (\d+)/));
  expect(patch).toContain('"budget_usd": null');
});

test('an agent that ignores the request is killed after the grace, with all that it started', async () => {
  const { summary } = await workspace.runOnNoop('stubborn', '--timeout', '1');
  expect(summary.runtime_result).toMatchObject({ agent_timeout: true, agent_exit_code: 124 });
  expect(summary.outcome.code).toBe('graded');
}, 120_000);

test("the words of an agent's command arrive as they stand", async () => {
  const { directory } = await workspace.runOnNoop('words');
  expect(await readFile(join(directory, 'agent.log'), 'utf8')).toBe('[two words][a;b][$HOME][]');
});

test('a command that is not there is an error, not a failed patch', async () => {
  const { summary } = await workspace.runOnNoop('missing');
  expect(summary.patch_result.status).toBe('error');
  expect(summary.outcome.fault).toMatchObject({ code: 'agent_not_started', phase: 'agent' });
  expect(summary.patch_result.error_msg).toContain('/no/such/program');
});

test('a process that an agent leaves behind is ended before the capture', async () => {
  const { summary } = await workspace.runOnNoop('background');
  expect(summary.outcome.code).toBe('graded');
});

test('neither commits nor a deleted history change what is captured', async () => {
  const { directory } = await workspace.runOnNoop('committer');
  const patch = await readFile(join(directory, 'final.patch'), 'utf8');
  expect(patch).toContain('+fixed\n');
  expect(patch).toContain('+new\n');
});

test('a run that is interrupted grades nothing, says so and leaves nothing on the engine', async () => {
  const args = [
    'run',
    '--local',
    NOOP_DATASET,
    '--task',
    'noop-c',
    '--agent',
    'sleeper',
    '--model',
    'claude-sonnet-4-6',
    '--run-id',
    'interrupted',
  ];
  const { child, ended } = startSsebench(args, { cwd: workspace.path, env: workspace.environment });
  await seen(child.stderr, /s {2}agent$/m);
  child.kill('SIGINT');
  const end = await ended;
  expect(end.status).toBe(130);
  const { patch_result, outcome } = await summaryIn(runDirectory(end));
  expect(patch_result).toMatchObject({ status: 'error', build_success: null });
  expect(outcome.fault).toMatchObject({ code: 'interrupted', blame: 'user', detail: 'stopped by SIGINT' });
  expect(await containersOf('interrupted')).toEqual([]);
});

/** Resolves when the stream has said what `pattern` matches. */
function seen(stream: NodeJS.ReadableStream | null, pattern: RegExp): Promise<void> {
  return new Promise((resolve) => {
    let said = '';
    stream?.on('data', (chunk: unknown) => {
      said += String(chunk);
      if (pattern.test(said)) resolve();
    });
  });
}
