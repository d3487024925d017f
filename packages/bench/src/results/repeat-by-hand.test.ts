import { spawnSync } from 'node:child_process';
import { TaskConfig } from '@ssebench/contracts/task-config';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CONFIG } from '../cli/test-cli.ts';
import { repeatByHand } from './repeat-by-hand.ts';

const config = TaskConfig.parse({
  ...parse(CONFIG),
  files: { poc: ["pocs/it's a.ini"], future_test: 'diffs/test.diff' },
});
const run = { config, image: 'sha256:aa', dir: '/results/leak-1', patchBytes: 10 };

/** The words that a shell makes of a command. */
function words(command: string): string[] {
  return spawnSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .stdout.split('\0')
    .slice(0, -1);
}

test('a PoC runs after a build of the patched source, whatever is in its name', () => {
  const command = repeatByHand({ check: 'poc', poc: "/ssebench/pocs/it's a.ini" }, run);
  const [script, ...start] = words(command).reverse();
  expect(start.reverse()).toEqual([
    ...['docker', 'run', '--rm', '-it', '--network', 'none'],
    ...['-v', '/results/leak-1/final.patch:/final.patch:ro', '--entrypoint', 'sh', 'sha256:aa', '-c'],
  ]);
  expect(script).toBe(
    "cd /src/leak && git apply -p1 --binary /final.patch && /ssebench/scripts/build.sh && /ssebench/scripts/run.sh '/ssebench/pocs/it'\\''s a.ini'",
  );
});

test('hidden tests are applied after the patch; an empty patch is neither mounted nor applied', () => {
  const script = (patchBytes: number) =>
    words(repeatByHand({ check: 'intent_test', poc: null }, { ...run, patchBytes })).at(-1);
  expect(script(1)).toBe(
    'cd /src/leak && git apply -p1 --binary /final.patch && git apply -p1 /ssebench/diffs/test.diff && /ssebench/scripts/test.sh',
  );
  expect(script(0)).toBe('cd /src/leak && git apply -p1 /ssebench/diffs/test.diff && /ssebench/scripts/test.sh');
  expect(words(repeatByHand({ check: 'build', poc: null }, { ...run, patchBytes: 0 }))).not.toContain('-v');
});
