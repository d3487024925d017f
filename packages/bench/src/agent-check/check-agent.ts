import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import type { Summary } from '@ssebench/contracts/summary';
import type { ScriptedModelName } from '@ssebench/gateway/scripted/models-file';
import type { Scenario } from '@ssebench/gateway/scripted/scenario';
import { type Agent, loadAgent } from '../config/agents.ts';
import type { RunProgress } from '../progress/run-progress.ts';
import { readFullSummary } from '../results/run-summary.ts';
import { checkRunArguments, type World } from '../run/check-arguments.ts';
import { executeRun } from '../run/execute-run.ts';
import type { RunContext } from '../run/run-stage.ts';
import { AgentStart } from './agent-start.ts';
import type { CheckPoint } from './check-point.ts';
import { failurePoints, limitPoints } from './end-points.ts';
import { keylessPoints } from './keyless-points.ts';
import type { ScriptedWorkspace } from './scripted-workspace.ts';
import { readSession } from './session.ts';
import { sessionPoints } from './session-points.ts';
import { SAYS, STARTER_FILE, STARTER_SCENARIO, STARTER_TASK } from './starter-scenario.ts';
import type { Trial } from './trial.ts';
import { neverStarted, startPoint, workPoints } from './work-points.ts';

/** Of the task's reports, which are part of the prompt. */
const REPORT = 'sse/reports/issue.md';
/** Limit of a whole work, seconds. */
const WORK_LIMIT = 600;
/** A time limit that is to be met in the middle: what the agent needs to its first request, three times, and this. Seconds. */
const LIMIT_MARGIN = 15;

const LOOK = { do: 'run', command: `grep -n capacity ${STARTER_FILE}`, say: SAYS.first } as const;
/** No `sleep`, which some agents refuse; and again and again, since some let a command run on beside the conversation. */
const LASTS = { do: 'run', command: `tail -f ${STARTER_FILE}` } as const;
const HANGS: Scenario = { steps: [LOOK, ...Array.from({ length: 50 }, () => LASTS)] };
/** With a status that no client tries again. */
const FAILS: Scenario = { steps: [LOOK, { do: 'fail', status: 400, times: Number.POSITIVE_INFINITY }] };

/** What the check needs of the program around it. */
export interface CheckSurroundings {
  readonly world: Omit<World, 'workspace' | 'cwd' | 'startedAt' | 'random'>;
  /** Where the scripted model is, and where the runs are left. */
  readonly place: ScriptedWorkspace;
  readonly context: Omit<RunContext, 'workspace' | 'progress'>;
  progress(): RunProgress;
  random(): Uint8Array;
}

export interface AgentCheck {
  readonly agent: Agent;
  readonly points: readonly CheckPoint[];
  /** The user stopped it. */
  readonly interrupted: boolean;
}

/**
 * Runs an agent on a starter task before the scripted model: its whole work, then a command that takes longer than it has,
 * then a model that fails. No money, no network but what its image is built from.
 * @throws UserError for an agent that is none; EngineError; what a run throws that can't begin
 */
export async function checkAgent(name: string, around: CheckSurroundings): Promise<AgentCheck> {
  const agent = loadAgent(around.world.home, name);
  const points: CheckPoint[] = [];
  const works = { title: 'its whole work', scenario: STARTER_SCENARIO, limit: WORK_LIMIT };
  const work = await attempt(agent, around, works);
  if (work === undefined) return { agent, points, interrupted: true };
  if (neverStarted(work)) return { agent, points: [startPoint(work)], interrupted: false };
  if (agent.manifest.keyless) return { agent, points: keylessPoints(work), interrupted: false };

  const report = readFileSync(join(starter(around), STARTER_TASK, REPORT), 'utf8');
  points.push(...workPoints(work, agent.manifest, report), ...sessionPoints(work, report));
  if (work.requests.length === 0) return { agent, points, interrupted: false };

  const limit = Math.ceil((3 * (work.firstRequestMs ?? 0)) / 1000) + LIMIT_MARGIN;
  const hangs = { title: `its time limit, ${limit} s, in the middle of a command`, scenario: HANGS, limit };
  const hanging = await attempt(agent, around, hangs);
  if (hanging === undefined) return { agent, points, interrupted: true };
  points.push(...limitPoints(hanging));
  const fails = { title: 'a model that fails in the middle', scenario: FAILS, limit: WORK_LIMIT };
  const failing = await attempt(agent, around, fails);
  if (failing === undefined) return { agent, points, interrupted: true };
  points.push(...failurePoints(failing));
  return { agent, points, interrupted: false };
}

interface Attempt {
  /** For people. */
  readonly title: string;
  readonly scenario: Scenario;
  /** Seconds. */
  readonly limit: number;
}

/** One run. Undefined when the user stopped it. */
async function attempt(
  agent: Agent,
  around: CheckSurroundings,
  { title, scenario, limit }: Attempt,
): Promise<Trial | undefined> {
  const { place, context, world } = around;
  const { model } = place;
  model.play(scenario);
  const options = {
    agent: agent.folder,
    task: STARTER_TASK,
    local: starter(around),
    model: modelFor(agent),
    timeout: String(limit),
    egress: 'restricted',
    // However runs are made usually: the task is built from its folder.
    prebuilt: false,
  };
  const { plan } = checkRunArguments(options, {
    ...world,
    workspace: place.path,
    cwd: place.path,
    startedAt: new Date(),
    random: around.random(),
  });
  const progress = new AgentStart(around.progress());
  progress.notice(`check: ${title}`);
  // Whatever gateway runs go through otherwise.
  const report = await executeRun({ ...plan, gateway: 'embedded' }, { ...context, workspace: place.path, progress });
  if (report.interrupted) return undefined;
  const [first] = model.requests;
  return {
    summary: summaryOf(report.directory),
    session: readSession(report.directory),
    requests: [...model.requests],
    skipped: [...model.skipped],
    used: model.used,
    firstRequestMs: first && progress.at !== undefined ? first.at - progress.at : undefined,
    limit,
    finalPatch: textOf(join(report.directory, RESULT_FILE.patch)),
  };
}

function starter({ world }: CheckSurroundings): string {
  return join(world.home, 'datasets/starter');
}

/** A model whose provider speaks what the agent prefers. */
function modelFor({ manifest: { protocols } }: Agent): ScriptedModelName {
  switch (protocols?.[0]) {
    case 'anthropic-messages':
      return 'scripted-anthropic';
    case 'gemini':
      return 'scripted-gemini';
    default:
      return 'scripted-openai';
  }
}

function summaryOf(directory: string): Summary {
  const summary = readFullSummary(directory);
  if (summary === undefined) throw new Error(`${directory}/summary.json: not what a run writes`);
  return summary;
}

/** Empty where there is no such file: nothing was captured. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
