/**
 * `npm run bench -- datasets`: how long the checks of a dataset of 60 tasks take: the starter's tasks, again and again under other
 * IDs. Medians of whole commands, in milliseconds; the last line is one JSON object of figures.
 *
 * - `validate_ms`: `dataset validate --strict`; `validate_cpu_ms`: the processor time of its rules alone, in a process that has
 *   not looked at any task yet, which other load changes little.
 * - `manifest_check_ms`: `dataset manifest --check`, which reads and hashes every file of `files`, `mb` together.
 * - `start_ms`: `ssebench --version`, which is in all of these.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTasks } from '@ssebench/bench/config/tasks';
import { validateDataset } from '@ssebench/bench/datasets/validate/validate';
import { CHECKOUT } from '../e2e/support/command.ts';
import { medianOf, report, round } from './support/figures.ts';

const TASKS = 60;
const REPEATS = 7;
const STARTER = join(CHECKOUT, 'datasets/starter');

const folder = mkdtempSync(join(tmpdir(), 'ssebench-datasets-'));
try {
  const dataset = makeDataset(join(folder, 'sixty'));
  const command =
    (...args: string[]) =>
    () => {
      const { status, stderr } = spawnSync(join(CHECKOUT, 'ssebench'), args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`ssebench ${args.join(' ')}: ${stderr}`);
    };
  command('dataset', 'manifest', dataset)();
  const files = readdirSync(dataset, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  const before = process.cpuUsage();
  const { tasks } = validateDataset(dataset);
  const { user, system } = process.cpuUsage(before);
  report({
    tasks: tasks.length,
    files: files.length,
    mb: round(bytes / 2 ** 20),
    validate_ms: await medianOf(REPEATS, command('dataset', 'validate', '--strict', dataset)),
    validate_cpu_ms: Math.round((user + system) / 1000),
    manifest_check_ms: await medianOf(REPEATS, command('dataset', 'manifest', '--check', dataset)),
    start_ms: await medianOf(REPEATS, command('--version')),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function makeDataset(dir: string): string {
  const { tasks } = listTasks(STARTER);
  for (let index = 0; index < TASKS; index++) {
    const task = tasks[index % tasks.length];
    if (!task) throw new Error(`${STARTER} has no tasks`);
    const id = `${task.id}-${index}`;
    cpSync(task.dir, join(dir, id), { recursive: true });
    const config = join(dir, id, 'sse/config.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace(/^id: .*$/m, `id: ${id}`));
  }
  writeFileSync(join(dir, 'dataset.yaml'), 'version: sixty-v1\n');
  return dir;
}
