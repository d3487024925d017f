import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { layOutRepository } from '../capture/baseline.ts';
import { emptyDirectory } from '../system/remove-tree.ts';
import { AgentTraces } from './agent-traces.ts';
import { BashTool } from './bash/bash-tool.ts';
import { Bencher } from './bencher/bencher.ts';
import { Budget } from './budget.ts';
import { ConfigError, type DaemonConfig } from './config.ts';
import { stopping } from './daemon-error.ts';
import { Dialog } from './dialog.ts';
import { EventLog } from './events.ts';
import { Listeners } from './listeners.ts';
import { Patches } from './patches.ts';
import { AgentPhase } from './phase.ts';
import { RunnerArea } from './runner/runner-area.ts';
import { ScriptRunner } from './runner/script-runner.ts';
import { SharedFiles } from './runner/shared-files.ts';
import type { Services } from './services.ts';
import { keepSnapshots } from './snapshots.ts';
import { StrictTree } from './strict/strict-tree.ts';
import { loadTask } from './task.ts';

/** Most that the agent's calls add to the daemon's log. */
const AGENT_LOG_BYTES = 16 * 1024 * 1024;

/** A daemon that serves. */
export interface Daemon {
  /** Port of the HTTP listener, where there is one. */
  httpPort: number | undefined;
  /** Cancels what runs, ends the listeners, returns when all is over. */
  stop(): Promise<void>;
}

/**
 * Starts a daemon: the runner's first session and the task's share for it, then the listeners. When it returns, all
 * of them answer.
 * @throws ConfigError; DaemonError `runner_unavailable`; the file system's error
 */
export async function startDaemon(config: DaemonConfig): Promise<Daemon> {
  if (process.getuid?.() !== 0) throw new ConfigError('the daemon must run as root: it acts as several users');
  const task = loadTask(config.taskDir);
  mkdirSync(config.results, { recursive: true, mode: 0o755 });
  const stop = new AbortController();
  const events = new EventLog();

  const plainRepository = await openScratch(config.scratchDir);
  const area = new RunnerArea(config.runner, config.runnerDir, config.sharedDirs);
  await area.open();
  const shared = SharedFiles.open(task, config.runner, area.pristine);
  const scripts = new ScriptRunner({
    area,
    shared,
    scriptEnv: config.scriptEnv,
    timeoutMs: config.checkTimeoutMs,
    plainRepository,
    results: config.results,
  });

  const { agent, repo, results, scriptEnv } = config;
  const { referencePatch, hiddenTests } = task;
  const strictTree = new StrictTree({ repo, referencePatch, hiddenTests, store: join(config.scratchDir, 'own-tests') });
  const services: Services = {
    task,
    difficulty: config.difficulty,
    phase: new AgentPhase([agent, config.runner]),
    bencher: new Bencher({ task, repo, agent, area, scripts, strictTree, events }),
    bash: new BashTool({ account: agent, directory: task.source, scriptEnv }),
    patches: new Patches({
      baseline: config.baseline,
      traces: new AgentTraces({ ...config, tree: task.source }),
      account: agent,
      scratchDir: config.scratchDir,
      results,
      repo,
      referencePatch,
      strictTree,
      patchIsGiven: config.patchIsGiven,
      events,
      stop: stop.signal,
    }),
    strictTree,
    dialog: new Dialog(config.archive),
    events,
    results,
    logBudget: new Budget(AGENT_LOG_BYTES),
    stop: stop.signal,
  };
  const { patches, phase } = services;
  const snapshots =
    config.snapshotInterval === undefined
      ? undefined
      : keepSnapshots({
          intervalSeconds: config.snapshotInterval,
          patches,
          events,
          results,
          signal: AbortSignal.any([phase.signal, stop.signal]),
        });
  const listeners = new Listeners(services);
  const close = async () => {
    stop.abort(stopping());
    events.close();
    await listeners.close();
    await snapshots;
  };
  try {
    await listeners.open(config.listeners);
  } catch (error) {
    await close();
    throw error;
  }
  return { httpPort: listeners.httpPort, stop: close };
}

/** Makes the directory that captures work in, empties it, and leaves there an empty repository that all can read. */
async function openScratch(dir: string): Promise<string> {
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  chmodSync(dir, 0o711);
  await emptyDirectory(dir);
  const repository = join(dir, 'plain.git');
  layOutRepository(repository);
  return repository;
}
