/** Labels on everything that we create on an engine. Source: spec/runtime §5, spec/host §§9–10. */
export const LABEL = {
  /** On every object of ours, with the value `1`: what `ssebench gc` looks for. */
  managed: 'ssebench',
  /** What the object is: `work`, `grade`, `same`, `runtime`, `probe`, … */
  role: 'ssebench.role',
  runId: 'ssebench.run-id',
  task: 'ssebench.task-id',
  model: 'ssebench.model',
  agent: 'ssebench.agent',
  /** Absolute run directory on the host. */
  results: 'ssebench.results',
  referenceRun: 'ssebench.reference-run',
  /** Marks a container that tools list as a run. */
  webui: 'ssebench.webui',
  /** Path of the socket that the command which owns the object listens on; nobody there means that it has no owner. */
  owner: 'ssebench.owner',
  /** On images: digest of everything that went into them. */
  key: 'ssebench.key',
  /** On case images: digest of the task folder. Source: spec/host §3.1. */
  taskFiles: 'ssebench.task-files',
  /** On images that trust one more certificate authority: fingerprints. Such images are never published. */
  extraCa: 'ssebench.extra-ca',
} as const;
