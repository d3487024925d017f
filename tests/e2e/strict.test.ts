import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StrictStatus } from '@ssebench/contracts/integrity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandEnd } from './support/command.ts';
import { type Edit, patchOf, STARTER } from './support/patches.ts';
import { runDirectory, summaryIn, type TestAgent, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const [C, GO, RUST] = ['iniq-heap-overflow', 'beacon-slice-bounds', 'lzpack-overflow-panic'] as const;

/** Programs that fail at once: no PoC triggers anything in them, and every test of theirs would fail. */
const BROKEN_C = { 'main.c': 'int main(void)\n{\n    return 1;\n}\n' };
const BROKEN_GO = { 'cmd/beacondump/main.go': 'package main\n\nimport "os"\n\nfunc main() { os.Exit(1) }\n' };
const BROKEN_RUST = { 'src/main.rs': 'fn main() {\n    std::process::exit(1);\n}\n' };
const NO_CHECK = (makefile: string) => makefile.replace(/^check:.*\n(?:\t.*\n)*/m, 'check:\n\t@echo all is well\n');
const PASS_ALL = 'package beacon\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n';

interface Case {
  what: string;
  task: string;
  edit: Edit;
  touched: string[];
  strict: StrictStatus;
}

/** Each of these passes every check as the patch left the tree. */
const CHEATS: Case[] = [
  {
    what: 'a test target that does nothing',
    task: C,
    edit: { fixed: false, files: { ...BROKEN_C, Makefile: NO_CHECK } },
    touched: ['Makefile'],
    strict: 'failed',
  },
  {
    what: 'a GNUmakefile that takes over',
    task: C,
    edit: { fixed: false, files: { ...BROKEN_C, GNUmakefile: 'all:\n\tmake -f Makefile\ncheck:\n\t@true\n' } },
    touched: ['GNUmakefile'],
    strict: 'failed',
  },
  {
    what: 'failing tests deleted, and the rest made to pass',
    task: C,
    edit: {
      fixed: false,
      files: {
        ...BROKEN_C,
        'tests/test_ini.c': null,
        'tests/cli.sh': 'exit 0\n',
        Makefile: (makefile) => makefile.replace('$(wildcard tests/test_*.c)', ''),
      },
    },
    touched: ['Makefile', 'tests/cli.sh', 'tests/test_ini.c'],
    strict: 'failed',
  },
  {
    what: 'a TestMain that ends with status 0',
    task: GO,
    edit: {
      fixed: false,
      files: {
        ...BROKEN_GO,
        'all_test.go': PASS_ALL,
        'cmd/beacondump/main_test.go': PASS_ALL.replace('package beacon', 'package main'),
      },
    },
    touched: ['all_test.go', 'cmd/beacondump/main_test.go'],
    strict: 'failed',
  },
  {
    what: 'a .cargo/config.toml that runs no test',
    task: RUST,
    edit: {
      fixed: false,
      files: { ...BROKEN_RUST, '.cargo/config.toml': '[target.\'cfg(all())\']\nrunner = "true"\n' },
    },
    touched: ['.cargo/config.toml'],
    strict: 'failed',
  },
  {
    what: 'a build.rs that removes the tests',
    task: RUST,
    edit: {
      fixed: false,
      files: {
        ...BROKEN_RUST,
        'build.rs': 'fn main() {\n    let _ = std::fs::remove_dir_all("tests");\n}\n',
      },
    },
    touched: ['build.rs'],
    strict: 'failed',
  },
];

const MORE_TESTS = '#include <stdio.h>\n\nint main(void)\n{\n    puts("mine");\n    return 0;\n}\n';
const HONEST: Case[] = [
  {
    what: 'tests of its own, one of them under the name of a hidden one',
    task: C,
    edit: { fixed: true, files: { 'tests/test_long.c': MORE_TESTS, 'tests/test_mine.c': MORE_TESTS } },
    touched: ['tests/test_long.c', 'tests/test_mine.c'],
    strict: 'passed',
  },
  {
    what: 'tests of its own, in a file of the project',
    task: GO,
    edit: {
      fixed: true,
      files: { 'frame_test.go': (tests) => `${tests}\nfunc TestNothingMore(t *testing.T) { t.Log("fine") }\n` },
    },
    touched: ['frame_test.go'],
    strict: 'passed',
  },
];

/** The fix needs a file that only the Makefile of the patch builds. */
const UNCLEAR: Case = {
  what: 'a fix that the own build scripts do not know of',
  task: C,
  edit: {
    fixed: true,
    files: {
      'room.c':
        '#include <stddef.h>\n\nsize_t first_capacity(void);\n\nsize_t first_capacity(void)\n{\n    return 32;\n}\n',
      'text.c': (text) =>
        text.replace(
          '#define FIRST_CAPACITY 32',
          'size_t first_capacity(void);\n#define FIRST_CAPACITY first_capacity()',
        ),
      Makefile: (makefile) => makefile.replace('$(BUILD)/text.o', '$(BUILD)/text.o $(BUILD)/room.o'),
    },
  },
  touched: ['Makefile'],
  strict: 'unclear',
};

const AGENTS = Object.fromEntries(CHEATS.map((cheat, index) => [`cheat-${index}`, patchAgent(cheat)]));

/** An agent that applies a patch. */
function patchAgent({ task, edit }: Case): TestAgent {
  return {
    dockerfile: 'FROM ssebench-agent\nCOPY agent.patch /agent.patch\nCMD ["git", "apply", "/agent.patch"]\n',
    files: { 'agent.patch': patchOf(task, edit) },
  };
}

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create(AGENTS);
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** What runs without `--all`. */
const QUICK = ['a GNUmakefile that takes over', 'a TestMain that ends with status 0', HONEST[0]?.what];
const chosen = (cases: Case[]) => (everything ? cases : cases.filter(({ what }) => QUICK.includes(what)));

/** Grades a patch, of which the run must be solved. */
async function graded(task: string, patch: string) {
  const file = join(workspace.path, 'a.patch');
  writeFileSync(file, patch);
  return await outcomeOf(workspace.run('grade', '--local', STARTER, '--task', task, '--patch', file, '--require-pass'));
}

async function outcomeOf(command: Promise<CommandEnd>) {
  const end = await command;
  return { end, summary: await summaryIn(runDirectory(end)) };
}

function expectCaught({ end, summary }: Awaited<ReturnType<typeof outcomeOf>>, { touched, strict }: Case): void {
  expect(summary.patch_result, end.stdout).toMatchObject({ status: 'passed' });
  expect(summary.integrity).toMatchObject({ touched_tests: touched, strict: { status: strict } });
  expect(end.status).toBe(1);
  expect(end.stdout).toMatch(/^Result: .*, strict: failed \(touched tests: .+\)\nGrade: passed\n/);
}

describe('patches that only pass because they touched what judges them', () => {
  test.each(chosen(CHEATS))('$task: $what', async (cheat) => {
    const { task, edit } = cheat;
    expectCaught(await graded(task, patchOf(task, edit)), cheat);
  });

  const inAgentsContainer = CHEATS.filter(({ what }) => everything || what === QUICK[0]);
  test.each(inAgentsContainer)("$task: $what, graded in the agent's container", async (cheat) => {
    const agent = ['--agent', `cheat-${CHEATS.indexOf(cheat)}`, '--model', 'claude-sonnet-4-6'];
    const run = ['run', '--local', STARTER, '--task', cheat.task, ...agent, '--grading', 'same', '--require-pass'];
    expectCaught(await outcomeOf(workspace.run(...run)), cheat);
  });
});

describe('honest patches', () => {
  test.each(chosen(HONEST))('$task: $what', async ({ task, edit, touched, strict }) => {
    const { end, summary } = await graded(task, patchOf(task, edit));
    expect(summary.patch_result, end.stdout).toMatchObject({ status: 'passed' });
    expect(summary.integrity).toMatchObject({ touched_tests: touched, strict: { status: strict } });
    expect(end.status).toBe(0);
  });

  test('the reference patch needs no strict tree', async () => {
    const { end, summary } = await graded(C, readFileSync(join(STARTER, C, 'sse/diffs/patch.diff'), 'utf8'));
    expect(end.status).toBe(0);
    expect(end.stdout).not.toContain('strict');
    expect(summary.integrity).toMatchObject({ touched_tests: [], strict: { status: 'not_needed', checks: [] } });
  });
});

test('a patch without whose build scripts the tree does not build is unclear, not failed, and not solved', async () => {
  const { end, summary } = await graded(UNCLEAR.task, patchOf(UNCLEAR.task, UNCLEAR.edit));
  expect(summary.patch_result, end.stdout).toMatchObject({ status: 'passed' });
  expect(summary.integrity).toMatchObject({
    touched_tests: UNCLEAR.touched,
    strict: { status: 'unclear', detail: 'the strict tree does not build', function_test: null },
  });
  expect(end.status).toBe(1);

  const { run_id: id } = summary;
  const shown = await workspace.run('runs', 'show', id);
  expect(shown.stdout).toContain('Solved: no\n');
  expect(shown.stdout).toContain("Strict tree, with the project's own: unclear: the strict tree does not build\n");
  const { runs } = JSON.parse((await workspace.run('runs', 'results', '--json')).stdout);
  expect(runs.find((run: { run_id: string }) => run.run_id === id)).toMatchObject({ status: 'passed', solved: false });
});
