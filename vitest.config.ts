import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const contract = 'packages/*/**/*.contract.test.ts';

/**
 * `unit` needs nothing but Node.js. `engine` (one contract suite for every adapter) and `e2e` (the whole command) need a
 * container engine, so they run one file at a time: they share its CPU, its image names and its disk.
 */
export default defineConfig({
  test: {
    // Most unit tests wait for a process or a limit for a good part of their time.
    maxWorkers: Math.max(4, availableParallelism()),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/**/*.test.ts', 'agents/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...configDefaults.exclude, contract],
          globalSetup: 'scripts/own-tmpdir.ts',
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'engine',
          include: [contract],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 900_000,
          hookTimeout: 1_800_000,
        },
      },
    ],
  },
});
