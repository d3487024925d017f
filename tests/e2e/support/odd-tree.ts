import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './command.ts';
import { archived, printed } from './hostile.ts';
import type { FinishedRun, TestAgent } from './workspace.ts';

/** A project in which nothing is as tools like it; its build prints what is in the tree. */
export const ODD_TASK = join(CHECKOUT, 'tests/fixtures/datasets/odd/odd-c');

const MANIFEST = readFileSync(join(ODD_TASK, 'sse/support/manifest.pl'), 'utf8');

const LIBRARY = `
use strict; use warnings; use Cwd;
use File::Basename qw(dirname); use File::Path qw(make_path remove_tree);
use Socket;
sub put {
  my ($path, $content, $mode) = @_;
  make_path(dirname($path));
  open(my $file, '>:raw', $path) or die "$path: $!";
  print $file $content;
  close $file or die "$path: $!";
  chmod $mode // 0644, $path;
}
sub append { my ($path, $content) = @_; open(my $file, '>>:raw', $path) or die "$path: $!"; print $file $content; }
sub run { system(@_) == 0 or die "@_: $?"; }
sub note { run("perl /usr/local/lib/manifest.pl > $ENV{SSE_ARCHIVE}/manifest"); }
`;

/**
 * An agent that is a Perl script, executed as `model` in the tree, with `put`, `append`, `run` at hand, and `note`, which writes down
 * what is in the tree. `asRoot`: shell text that its image runs as root in the tree.
 */
export function editingAgent(script: string, asRoot?: string): TestAgent {
  const layer = asRoot === undefined ? '' : `USER root\nRUN cd /src/odd && ${asRoot}\nUSER model\n`;
  return {
    dockerfile: `FROM ssebench-agent\nCOPY *.pl /usr/local/lib/\n${layer}CMD ["/usr/bin/perl", "/usr/local/lib/agent.pl"]\n`,
    files: { 'agent.pl': `${LIBRARY}${script}`, 'manifest.pl': MANIFEST },
  };
}

/** What stood in a tree: kind and digest by path, one character per byte. */
export type Manifest = ReadonlyMap<string, string>;

/** What the agent saw, and what the graded tree's build did. */
export async function trees(run: FinishedRun): Promise<{ agent: Manifest; graded: Manifest; totals: string[] }> {
  const texts = [await archived(run, 'manifest'), await printed(run)];
  const [agent, graded] = texts.map(parse) as [Manifest, Manifest];
  return { agent, graded, totals: texts.map((text) => /^total \w+ \d+$/m.exec(text)?.[0] ?? '') };
}

function parse(text: string): Manifest {
  const lines = text.matchAll(/^((?:file|program|link|special|closed) [\w-]*) ([0-9a-f]+)$/gm);
  return new Map(
    Array.from(lines, ([, what, path]) => [Buffer.from(path ?? '', 'hex').toString('latin1'), what ?? ''] as const),
  );
}

/** The paths at which two trees are not the same. */
export function differences({ agent, graded }: { agent: Manifest; graded: Manifest }): string[] {
  const paths = [...new Set([...agent.keys(), ...graded.keys()])];
  return paths.filter((path) => agent.get(path) !== graded.get(path)).sort();
}
