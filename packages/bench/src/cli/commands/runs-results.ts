import { scanResults } from '../../results/scan.ts';
import { columns, print, printJson } from '../output.ts';

export interface RunsResultsOptions {
  dir: string;
  json?: boolean;
}

/** `ssebench runs results`: needs no engine. */
export function runsResults({ dir, json }: RunsResultsOptions): number {
  const runs = scanResults(dir).finished;
  if (json) printJson({ runs });
  else if (runs.length === 0) process.stderr.write(`${dir}: holds no finished runs\n`);
  else {
    const rows = runs.map((run) => [
      run.run_id,
      run.status ?? '-',
      run.solved === null ? '-' : run.solved ? 'yes' : 'no',
      run.task,
      run.model ?? '-',
      run.agent ?? '-',
    ]);
    print(columns(['RUN ID', 'GRADE', 'SOLVED', 'TASK', 'MODEL', 'AGENT'], rows));
  }
  return 0;
}
