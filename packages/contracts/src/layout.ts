/** Where things are inside a container, and the environment variables that name them. Source: spec/runtime §§4, 5, 15; design §4. */
export const CONTAINER = {
  /** The read-only runtime volume: `bin/node`, `bin/init`, `runtime.cjs`. */
  runtime: '/opt/ssebench',
  node: '/opt/ssebench/bin/node',
  /** The agent's program, read-only, where its Dockerfile has the stage for it. */
  program: '/opt/agent',
  init: '/opt/ssebench/bin/init',
  runtimeBundle: '/opt/ssebench/runtime.cjs',
  prepareBundle: '/opt/ssebench/prepare.cjs',
  /** What a Node.js that runs an agent's TypeScript loads first. */
  sdkHooks: '/opt/ssebench/sdk-hooks.cjs',
  /** The task's files, root only. */
  task: '/ssebench',
  /** The clean copy that grading applies the patch to. */
  repo: '/ssebench-repo',
  /** Root-only directory that everything mounted from the host lies beneath, the archive aside. */
  hostMounts: '/var/lib/ssebench',
  results: '/var/lib/ssebench/results',
  hostSocketDir: '/var/lib/ssebench/host',
  hostSocket: '/var/lib/ssebench/host/host.sock',
  /** What image preparation leaves: baseline and `prepared.json`. */
  image: '/var/lib/ssebench-image',
  baseline: '/var/lib/ssebench-image/baseline.git',
  prepared: '/var/lib/ssebench-image/prepared.json',
  runner: '/var/lib/ssebench-runner',
  /** In a container that is graded in, too: the agent's tree, once the graded copy has taken its place. */
  agentTree: '/var/lib/ssebench-agent',
  adminSocket: '/run/ssebench/admin.sock',
  agentSocket: '/tmp/sse.sock',
  agentHttpPort: 4263,
  /** Of the loopback: the agent's way to its model. Source: spec/runtime §4. */
  modelPort: 4000,
  /** Where the model gateway listens for this run; beneath the mounts of the host. */
  modelSocket: '/var/lib/ssebench/host/model.sock',
  /** Of the loopback, path `/mcp`: the agent's tool. Source: spec/runtime §9. */
  mcpPort: 3000,
  /** The MCP server's own directory and socket, which root alone can reach beside it. */
  mcpSocket: '/run/ssebench-mcp/mcp.sock',
  /** Where it leaves logs that are too long for an answer. */
  mcpLogs: '/tmp/mcp/logs',
  /** Programs for the agent; the last of its search path. */
  commands: '/opt/ssebench/bin',
  archive: '/tmp/sse-archive',
  referencePatch: '/reference/patch.diff',
} as const;

/** Directories of a container where users can leave files for one another. */
export const SHARED_DIRS: readonly string[] = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock'];

export const AGENT_USER = 'model';
export const AGENT_UID = 1000;
export const RUNNER_USER = 'sse-runner';
/** User and group of the MCP server: of no account, and of nobody else. Between Debian's dynamic users and its reserved ones. */
export const MCP_UID = 64_738;

/** Environment variables of a container. Values are strings; units in the comments. */
export const ENV = {
  archive: 'SSE_ARCHIVE',
  results: 'SSE_RESULTS',
  difficulty: 'SSE_DIFFICULTY',
  /** Agent's time limit, whole seconds. */
  timeout: 'TIMEOUT',
  /** Seconds between SIGTERM and SIGKILL at the agent's limit. */
  agentGrace: 'SSE_AGENT_GRACE',
  /** When the agent gets SIGTERM: Unix seconds, rounded down, by the container's clock. */
  deadline: 'SSE_DEADLINE',
  /** What the run may spend on its model, US dollars. */
  budget: 'SSE_BUDGET_USD',
  /** Limit of one script run, whole seconds. */
  checkTimeout: 'SSE_CHECK_TIMEOUT',
  /** Limit of all grading, whole seconds. */
  gradingTimeout: 'SSE_GRADING_TIMEOUT',
  keepAlive: 'SSE_KEEP_ALIVE',
  /** What the container may write until the agent's end, bytes. */
  diskLimit: 'SSE_DISK_LIMIT',
  daemonSocket: 'SSE_DAEMON_SOCKET',
  /** `host:port` of the agent-facing API, where no socket is named. */
  daemonTcp: 'SSE_AGENT_DOCKER',
  adminSocket: 'SSE_ADMIN_SOCKET',
  hostSocket: 'SSE_HOST_SOCKET',
  httpPort: 'SSE_HTTP_PORT',
  taskDir: 'SSE_BENCH_PATH',
  repo: 'SSE_REPO_PATH',
  agentUser: 'SSE_AGENT_USER',
  runnerUser: 'SSE_RUNNER_USER',
  runnerDir: 'SSE_RUNNER_DIR',
  debug: 'SSE_DEBUG',
  apiKey: 'SSE_API_KEY',
  baseUrl: 'SSE_BASE_URL',
  modelName: 'SSE_MODEL_NAME',
  /** The gateway's socket, in a run with a model. */
  modelSocket: 'SSE_MODEL_SOCKET',
  modelPort: 'SSE_MODEL_PORT',
  /** The agent's port of the MCP server, that one's socket, and where its long logs go. */
  mcpPort: 'SSE_MCP_PORT',
  mcpSocket: 'SSE_MCP_SOCKET',
  mcpLogDir: 'MCP_LOG_DIR',
  agentDuration: 'AGENT_DURATION',
  agentExitStatus: 'AGENT_EXIT_STATUS',
  agentTimedOut: 'SSE_METRIC_AGENT_TIMEOUT',
  /** The agent image's own environment, as a JSON object: for the agent alone, not for root's processes. */
  agentEnv: 'SSE_AGENT_ENV',
  /** The tree that the agent edits. */
  source: 'SSE_SOURCE',
  /** `given`: the patch to grade stands in the results directory already; otherwise it is captured from the tree. */
  capture: 'SSE_CAPTURE',
  /** Seconds between the first snapshots of the agent's patch. */
  snapshotInterval: 'SSE_SNAPSHOT_INTERVAL',
  /** How long the daemon may take to be ready, whole seconds. */
  daemonTimeout: 'SSE_DAEMON_TIMEOUT',
  /** Descriptor on which a service writes a line when it is ready. */
  readyFd: 'SSE_READY_FD',
  /** Descriptor on which a service that was started early is told to begin. */
  beginFd: 'SSE_BEGIN_FD',
  /** Limits of the source archive: whole seconds, and bytes of the compressed file. */
  archiveTimeout: 'SSE_ARCHIVE_TIMEOUT',
  archiveMaxBytes: 'SSE_ARCHIVE_MAX_BYTES',
} as const;

/** What the model gateway offers beside the protocols, to whoever holds a run's key. */
export const GATEWAY_PATH = {
  /** `POST`: the key that asks is worth nothing from then on; answered when its last call is settled. */
  revoke: '/ssebench/revoke',
  /** `GET`: what is left of the key's budget, `LeftToSpend`. */
  left: '/ssebench/left',
} as const;

/** Limits in force when nothing else is said. Seconds. Sources: spec/host §1.2; design §5. */
export const DEFAULTS = {
  agentTimeout: 3600,
  agentGrace: 10,
  checkTimeout: 1800,
} as const;

/** Files that a container leaves in its results directory. Source: seeds/results-format; those of ours are named so. */
export const RESULT_FILE = {
  grade: 'result.json',
  patch: 'final.patch',
  commits: 'commits.log',
  sourceArchive: 'source.tar.gz',
  /** Ours: how the agent phase ended. */
  work: 'work.json',
  /** Ours: every check that ran, written after each. */
  checks: 'checks.json',
  /** Ours: whether the patch touched what judges it, and how it does without that; written before the grade, and again after the strict checks. */
  integrity: 'integrity.json',
  /** Ours: empty, and there when a container that is kept has nothing more to do. */
  done: 'done',
  /** Ours: why there is no grade; only there when grading ended in a fault. */
  gradeFault: 'grade-fault.json',
} as const;
