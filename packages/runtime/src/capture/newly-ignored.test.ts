import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captureTree } from './capture.ts';
import { TreeFixture } from './tree-fixture.ts';

test("what only the agent's rules ignore is said, wherever they stand, and what the project's rules ignore is not", async () => {
  await using fixture = await TreeFixture.make((write) => {
    write.file('.gitignore', '*.o\nbuild/\n');
    write.file('docs/.gitignore', '!*.o\n');
    write.file('main.c', 'x\n');
  });
  const skippedNow = async () => {
    const { report } = await captureTree(fixture.capture);
    return Object.fromEntries(report.skipped.map(({ path, reason }) => [path, reason]));
  };
  fixture.edit((write) => {
    for (const path of ['a.o', 'build/x', 'sub/only.o', 'sub/build/deep/x']) write.file(path, 'built');
  });
  expect(await skippedNow()).toEqual({});
  fixture.edit((write) => {
    write.file('.gitignore', '*.o\nbuild/\n*.log\n/out/\nmain.c\nnested\n');
    write.file('hidden/.gitignore', '*\n');
    write.remove('docs/.gitignore');
    for (const path of [
      'docs/read.o',
      'sub/"a\n\xff.log',
      '-x.log',
      'out/deep/x',
      'out/a.o',
      'hidden/x',
      'mixed/y.log',
    ])
      write.file(path, 'x');
    write.file('mixed/y.c', 'y');
  });
  mkdirSync(join(fixture.tree, 'nested'));
  execFileSync('git', ['init', '-q'], { cwd: join(fixture.tree, 'nested') });
  fixture.giveToAgent();
  const ignored = [
    'docs/read.o',
    'sub/"a\n\ufffd.log',
    '-x.log',
    'out/',
    'hidden/.gitignore',
    'hidden/x',
    'mixed/y.log',
    'nested/',
  ];
  expect(await skippedNow()).toEqual(Object.fromEntries(ignored.map((path) => [path, 'newly_ignored'])));
});
