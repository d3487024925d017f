import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { captureTree } from './capture.ts';
import { contentOf, TreeFixture, type TreeWriter } from './tree-fixture.ts';

const NAMES = [
  'a',
  'b.c',
  '-n',
  '--exec=x',
  ' lead',
  'trail ',
  'q"uote',
  "it's",
  'new\nline',
  'tab\tcr\r',
  'back\\slash',
  '\xff\xfe',
  'caf\xc3\xa9',
  '.hidden',
  '*',
  '[x]?',
  ':(top)',
  '#',
  '!',
  'git~1',
  '.git ',
  '.gitx',
  'a/b',
  'a/c',
  'dev/null',
  'b.c/deep/er',
  '\x1b[31m',
  'n'.repeat(255),
  '.gitattributes',
  'a/.gitattributes',
  '.gitmodules',
  'x => y',
  '{a => b}',
  'a b/c d',
];
const CONTENTS = [
  '',
  'x\n',
  'no newline',
  'cr\r\nlf\r\n',
  'mixed\r\nends\nand\rcr',
  '$Id$ $Format:%H$\n',
  '\xff\xfea\0b\0',
  '\xef\xbb\xbfbom\n',
  'latin \xe9\n',
  '\0binary\0',
  '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
  'GIT binary patch\nliteral 0\n',
  '* text=auto eol=crlf\n',
  '* ident\n',
  '* filter=lfs\n',
  '* working-tree-encoding=UTF-16\n',
  '* binary\n',
  '* -diff\n',
  '[attr]x text\n* x diff=y\n',
  '[submodule "a"]\n\tpath = a\n\turl = ../a\n',
  'not [ a config',
  `${'line\n'.repeat(5000)}`,
  ' trailing \n\n\n',
  '\\ No newline at end of file\n',
];

const name = fc.constantFrom(...NAMES);
const content = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...CONTENTS).map((text) => Buffer.from(text, 'latin1')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)) },
);
const file = fc.record({ do: fc.constant('file' as const), name, content, mode: fc.constantFrom(0o644, 0o755, 0o600) });
const link = fc.record({
  do: fc.constant('link' as const),
  name: name.filter((path) => !path.endsWith('.gitmodules')),
  target: fc.constantFrom('a', '../..', '/etc/passwd', 'nowhere\n', '\xff', '.'),
});
const change = fc.oneof(
  { weight: 4, arbitrary: file },
  { weight: 2, arbitrary: link },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('flip' as const), name }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function make(changes: readonly Change[]): (write: TreeWriter) => void {
  return (write) => {
    for (const step of changes) {
      if (step.do === 'file') write.file(step.name, step.content, step.mode);
      else if (step.do === 'link') write.link(step.name, step.target);
      else write[step.do](step.name);
    }
  };
}

describe('a captured patch', () => {
  test('puts a directory in place of a link that leads to itself', async () => {
    await using fixture = await TreeFixture.make((write) => write.link('[a]*', '[a]*'));
    fixture.edit((write) => write.link('[a]*/b', 'elsewhere'));
    const { patchPath } = await captureTree(fixture.capture);
    expect(await applyPatch({ patchPath, repo: fixture.clean })).toEqual({ applied: true });
    expect(contentOf(fixture.clean)).toEqual(contentOf(fixture.tree));
  });

  test('makes the clean copy equal to the tree, byte for byte, whatever was edited', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 25 }),
        fc.array(change, { maxLength: 25 }),
        async (project, edits) => {
          await using fixture = await TreeFixture.make(make(project));
          fixture.edit(make(edits));
          const { patchPath, report } = await captureTree(fixture.capture);
          expect(report.skipped).toEqual([]);
          expect(await applyPatch({ patchPath, repo: fixture.clean })).toEqual({ applied: true });
          expect(contentOf(fixture.clean)).toEqual(contentOf(fixture.tree));
        },
      ),
      { numRuns: Number(process.env['SSEBENCH_PROPERTY_RUNS'] ?? 25) },
    );
  }, 120_000);
});
