/** Options that `run` and `grade` share, as they stand on the command line. */
export interface GradingOptions {
  task: string;
  local?: string;
  catalog?: string;
  build?: boolean;
  runId?: string;
  requirePass?: boolean;
  keepContainer?: boolean;
  checkTimeout?: string;
  gradingTimeout?: string;
  memory?: string;
  cpus?: string;
  pids?: string;
  disk?: string;
  extraCa?: string;
}

export interface RunOptions extends Omit<GradingOptions, 'task'> {
  /** This and the task: those of the replayed run unless they are given. */
  agent?: string;
  task?: string;
  model?: string;
  timeout?: string;
  difficulty?: string;
  egress?: string;
  mode?: string;
  grading?: string;
  budget?: string;
  snapshotInterval?: string;
  allow?: string[];
  /** False with `--no-record`. */
  record?: boolean;
  replay?: string;
  backend?: string;
  prebuilt?: boolean;
  toolLayer?: string;
  plugin?: string[];
}

export interface GradeOptions extends GradingOptions {
  patch: string;
}
