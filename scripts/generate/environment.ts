import { AGENT_USER, CONTAINER, DEFAULTS, type ENV, RUNNER_USER } from '@ssebench/contracts/layout';

interface Variable {
  fallback: string;
  meaning: string;
}

/** What each environment variable of a container means. The type demands a row for every one of the contract. */
export const CONTAINER_VARIABLES: Readonly<Record<keyof typeof ENV, Variable>> = {
  archive: { fallback: CONTAINER.archive, meaning: "The agent's own directory, kept with the results." },
  results: { fallback: CONTAINER.results, meaning: 'The results directory, root only.' },
  difficulty: { fallback: '2', meaning: 'Difficulty level, 0 to 4. Anything else stops the container from starting.' },
  timeout: { fallback: String(DEFAULTS.agentTimeout), meaning: "The agent's time limit, seconds." },
  agentGrace: { fallback: String(DEFAULTS.agentGrace), meaning: 'Seconds between SIGTERM and SIGKILL at the limit.' },
  deadline: {
    fallback: 'when the agent starts, and its limit',
    meaning: 'When the agent gets SIGTERM: Unix seconds, by the clock of the container.',
  },
  budget: { fallback: 'unset', meaning: 'What the run may spend on its model, US dollars; unset without a model.' },
  checkTimeout: { fallback: String(DEFAULTS.checkTimeout), meaning: 'Limit of one script run, seconds.' },
  gradingTimeout: { fallback: 'from the check limit', meaning: 'Limit of grading as a whole, seconds.' },
  diskLimit: { fallback: 'no limit', meaning: "What the container may write until the agent's end, bytes." },
  keepAlive: { fallback: '0', meaning: '`1` keeps the container after its work.' },
  daemonSocket: { fallback: CONTAINER.agentSocket, meaning: 'Unix socket of the agent-facing API.' },
  daemonTcp: {
    fallback: 'unset',
    meaning: '`host:port` of the agent-facing API, for clients where no socket is named.',
  },
  adminSocket: { fallback: CONTAINER.adminSocket, meaning: 'Unix socket of the admin API, root only.' },
  hostSocket: { fallback: CONTAINER.hostSocket, meaning: 'Unix socket that the host reads state and events from.' },
  httpPort: {
    fallback: String(CONTAINER.agentHttpPort),
    meaning: 'TCP port of the agent-facing API, on the loopback.',
  },
  taskDir: { fallback: CONTAINER.task, meaning: "The task's files, root only." },
  repo: { fallback: CONTAINER.repo, meaning: 'The clean copy that the patch is applied to.' },
  agentUser: { fallback: AGENT_USER, meaning: "The agent's user." },
  runnerUser: { fallback: RUNNER_USER, meaning: "The user that the task's scripts run as." },
  runnerDir: { fallback: CONTAINER.runner, meaning: "Scratch space of the script runner's sessions." },
  debug: { fallback: 'unset', meaning: 'Set: more lines in the logs.' },
  apiKey: { fallback: 'set by the host', meaning: "The run's key for the model gateway; empty without a model." },
  baseUrl: { fallback: 'set by the host', meaning: 'Address of the model gateway; empty without a model.' },
  modelName: { fallback: 'set by the host', meaning: 'The model to use; `none` in a reference run.' },
  modelSocket: { fallback: 'unset', meaning: "The model gateway's socket; unset in a run without a model." },
  modelPort: {
    fallback: String(CONTAINER.modelPort),
    meaning: 'TCP port of the loopback on which the agent reaches its model.',
  },
  mcpPort: {
    fallback: String(CONTAINER.mcpPort),
    meaning: 'TCP port of the loopback on which the agent has its tool, at `/mcp`.',
  },
  mcpSocket: { fallback: CONTAINER.mcpSocket, meaning: "The MCP server's socket, which the port leads to." },
  mcpLogDir: {
    fallback: CONTAINER.mcpLogs,
    meaning: 'Where the MCP server leaves logs that are too long for an answer.',
  },
  agentDuration: { fallback: '0', meaning: 'Seconds that the agent ran, for the evaluator.' },
  agentExitStatus: { fallback: 'unset', meaning: "The agent's exit status, for the evaluator." },
  agentTimedOut: { fallback: 'unset', meaning: '`true` when the agent reached its limit, for the evaluator.' },
  agentEnv: {
    fallback: 'set by the host',
    meaning: "The agent image's environment as a JSON object, for the agent alone.",
  },
  source: { fallback: "the task's `source`", meaning: 'The tree that the agent edits.' },
  snapshotInterval: {
    fallback: 'unset',
    meaning: "Seconds between the first snapshots of the agent's patch; unset: none are kept.",
  },
  daemonTimeout: { fallback: '300', meaning: 'How long the daemon may take to be ready, seconds.' },
  readyFd: { fallback: 'unset', meaning: 'Descriptor on which a service writes a line when it is ready.' },
  beginFd: { fallback: 'unset', meaning: 'Descriptor on which a service that was started early is told to begin.' },
  archiveTimeout: { fallback: 'set by the host', meaning: 'Limit of making the source archive, seconds.' },
  archiveMaxBytes: { fallback: 'set by the host', meaning: 'Most bytes of the compressed source archive.' },
  capture: { fallback: 'unset', meaning: '`given`: grade the `final.patch` that stands in the results directory.' },
};
