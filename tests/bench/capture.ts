/**
 * `npm run bench -- capture`: what large trees and large patches cost. Needs root. The last line is one JSON object of figures.
 *
 * - `diff_ms`: `GET /diff` of a project of 50,000 files, of which the agent changed 100; medians, as all times.
 * - `diff_all_new_ms`: the same where the agent added 50,000 files.
 * - `copy_ms`, `tar_ms`, `copy_ratio`: a fresh copy of 50,000 files for the runner, `tar | tar` of the same on the same disk,
 *   taking turns, and the median of their ratios. Nothing is deleted between: a file system is slow to take up again what was
 *   just freed.
 * - `patch_mb`: the size of a large patch; `growth_mb`: how much more memory our own processes took at their peak than with a
 *   small patch, in the container of the agent, in the one that grades, and of the command.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AGENT, type Files, RUNNER, TestDaemon } from '@ssebench/runtime/daemon/test-daemon';
import { copyTree } from '@ssebench/runtime/system/tree-copy';
import { startSsebench } from '../e2e/support/command.ts';
import { NOOP_DATASET, runDirectory, scriptAgent, summaryIn, Workspace } from '../e2e/support/workspace.ts';
import { median, medianOf, report, round, timeOf } from './support/figures.ts';
import { MemoryWatch } from './support/own-memory.ts';

const FILES = 50_000;
const REPEATS = 5;

const diffs = await diffTimes();
const copies = await copyTimes();
report({ ...diffs, ...copies, ...(await patchMemory()) });

/** A project of files of some kilobytes, fifty to a directory. */
function project(): Files {
  const line = 'int answer(void) { return 42; }\n';
  const entries = Array.from({ length: FILES }, (_, index) => {
    const directory = `part-${Math.floor(index / 2500)}/module-${Math.floor(index / 50) % 50}`;
    return [`${directory}/file-${index}.c`, line.repeat(1 + ((index * 7919) % 250))] as const;
  });
  return Object.fromEntries(entries);
}

async function diffTimes(): Promise<Record<string, number>> {
  const source = project();
  const paths = Object.keys(source);
  await using daemon = await TestDaemon.start({ source });
  const ask = async () => {
    const { status, json } = await daemon.agent('/diff');
    if (status !== 200) throw new Error(`GET /diff: ${status} ${JSON.stringify(json)}`);
  };
  for (const path of paths.slice(0, 100)) appendFileSync(daemon.path(`source/${path}`), '// changed\n');
  const diff_ms = await medianOf(REPEATS, ask);
  for (const path of paths) {
    const at = daemon.path(`source/new/${path}`);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, 'new\n');
  }
  execFileSync('chown', ['-R', `${AGENT.uid}:${AGENT.gid}`, daemon.path('source/new')]);
  return { diff_ms, diff_all_new_ms: await medianOf(REPEATS, ask) };
}

async function copyTimes(): Promise<Record<string, number>> {
  const place = mkdtempSync(join(tmpdir(), 'ssebench-bench-'));
  try {
    const source = join(place, 'source');
    for (const [path, content] of Object.entries(project())) {
      mkdirSync(dirname(join(source, path)), { recursive: true });
      writeFileSync(join(source, path), content);
    }
    const times: { tar: number; copy: number }[] = [];
    for (let index = 0; index < REPEATS; index++) {
      const target = join(place, `tar-${index}`);
      mkdirSync(target);
      const pipe = ['-c', 'tar -C "$1" -cf - . | tar -C "$2" -xf -', 'sh', source, target];
      const tar = await timeOf(() => execFileSync('sh', pipe));
      const copy = await timeOf(() => copyTree(source, join(place, `copy-${index}`), RUNNER));
      times.push({ tar, copy });
    }
    return {
      tar_ms: Math.round(median(times.map(({ tar }) => tar))),
      copy_ms: Math.round(median(times.map(({ copy }) => copy))),
      copy_ratio: round(median(times.map(({ tar, copy }) => copy / tar))),
    };
  } finally {
    rmSync(place, { recursive: true });
  }
}

async function patchMemory(): Promise<Record<string, unknown>> {
  await using workspace = await Workspace.create({
    small: scriptAgent('echo x > new; sleep 1'),
    large: scriptAgent('head -c 38M /dev/urandom > new; sleep 1'),
  });
  await peaks(workspace, 'small');
  const small = await peaks(workspace, 'small');
  const large = await peaks(workspace, 'large');
  const grown = (what: 'work' | 'grade' | 'command') => round(large[what] - small[what]);
  return {
    patch_mb: large.patch_mb,
    growth_mb: { work: grown('work'), grade: grown('grade'), command: grown('command') },
    peak_mb: { small, large },
  };
}

async function peaks(workspace: Workspace, agent: string) {
  const args = ['run', '--local', NOOP_DATASET, '--task', 'noop-c', '--agent', agent, '--model', 'claude-sonnet-4-6'];
  const { child, ended } = startSsebench(args, { cwd: workspace.path, env: workspace.environment });
  using watch = new MemoryWatch(child.pid, join(workspace.path, 'results'));
  const { capture, outcome } = await summaryIn(runDirectory(await ended));
  if (outcome.code !== 'graded') throw new Error(`the run of ${agent} ended with ${outcome.code}`);
  return { ...watch.peaks, patch_mb: round((capture?.patch_bytes ?? 0) / 1e6) };
}
