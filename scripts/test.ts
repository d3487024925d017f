import { parseArgs } from 'node:util';
import { runStep } from './run-step.ts';
import { ENGINE_STEPS, QUICK_STEPS } from './steps.ts';

/**
 * The steps of `./test` one after the other, also after one that failed; with `--check` only those that need no engine,
 * and of what is disturbed at many places some; with `--all` the end-to-end tests of every task. The last line is `N passed, N failed`.
 */
const { values } = parseArgs({ options: { all: { type: 'boolean' }, check: { type: 'boolean' } } });
if (values.all) process.env['SSEBENCH_TEST_ALL'] = '1';
if (values.check) process.env['SSEBENCH_TEST_QUICK'] = '1';

const failedSteps: string[] = [];
let passed = 0;
let failed = 0;
for (const step of values.check ? QUICK_STEPS : [...QUICK_STEPS, ...ENGINE_STEPS]) {
  process.stdout.write(`\n== ${step.name}: ${step.command.join(' ')}\n`);
  const started = performance.now();
  const tally = await runStep(process.cwd(), step);
  passed += tally.passed;
  failed += tally.failed;
  const verdict = tally.failed > 0 ? 'FAILED' : 'ok';
  if (tally.failed > 0) failedSteps.push(step.name);
  process.stdout.write(`== ${step.name}: ${verdict}, ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

if (failedSteps.length > 0) process.stdout.write(`\nFailed: ${failedSteps.join('; ')}\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
