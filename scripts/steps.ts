/** One part of `./test`: a gate, which counts as one test, or a vitest project, which counts as many as it holds. */
export interface Step {
  name: string;
  /** An argument list; its first word is a program of `node_modules/.bin` or `node`. */
  command: readonly string[];
  kind: 'gate' | 'vitest';
  /** It is ended after this many minutes, and has failed. */
  limitMinutes: number;
}

const gate = (name: string, ...command: string[]): Step => ({ name, command, kind: 'gate', limitMinutes: 3 });

const vitest = (name: string, project: string, limitMinutes: number): Step => ({
  name,
  command: ['vitest', 'run', '--project', project],
  kind: 'vitest',
  limitMinutes,
});

/** The command from its sources. */
const SSEBENCH = ['node', 'packages/bench/src/main.ts'];

/** What a developer repeats: needs no container engine, takes under two minutes. */
export const QUICK_STEPS: readonly Step[] = [
  gate('format and lint', 'biome', 'check', '--error-on-warnings', '.'),
  gate('types', 'tsc', '--noEmit'),
  gate('dead exports and dependencies', 'knip'),
  gate('import rules between packages', 'node', 'scripts/check-imports.ts'),
  gate('generated files', 'node', 'scripts/generate.ts', '--check'),
  gate('rules of the datasets', ...SSEBENCH, 'dataset', 'validate', '--strict'),
  gate('manifests of the datasets', ...SSEBENCH, 'dataset', 'manifest', '--check'),
  gate('third-party notices of the datasets', ...SSEBENCH, 'dataset', 'notices', '--check'),
  gate('shell syntax', 'node', 'scripts/check-shell.ts'),
  vitest('unit tests', 'unit', 15),
];

/** What needs the engine. */
export const ENGINE_STEPS: readonly Step[] = [
  vitest('contract of the container engine', 'engine', 20),
  vitest('end-to-end tests', 'e2e', 120),
];
