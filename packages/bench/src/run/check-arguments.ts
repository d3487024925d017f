import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unknownName } from '@ssebench/contracts/closest';
import { DEFAULT_DIFFICULTY, DIFFICULTY_NAMES } from '@ssebench/contracts/difficulty';
import { DEFAULTS } from '@ssebench/contracts/layout';
import { MIN_PIDS } from '@ssebench/contracts/limits';
import { MODEL_SWITCHES } from '@ssebench/contracts/model-switches';
import type { GatewayKind } from '@ssebench/contracts/model-use';
import { makeRunId, RunId } from '@ssebench/contracts/run-id';
import {
  DEFAULT_BUDGET,
  defaultGradingTimeout,
  EGRESS_POLICIES,
  type EgressPolicy,
  GRADING_MODES,
  NO_MODEL,
  REFERENCE_AGENT,
  RUN_MODES,
  type RunSettings,
} from '@ssebench/contracts/run-settings';
import { SNAPSHOT_INTERVAL } from '@ssebench/contracts/snapshots';
import { UserError } from '../cli/errors.ts';
import {
  parseChoice,
  parseCount,
  parseCpus,
  parseSeconds,
  parseSecondsOrOff,
  parseSize,
  parseUsd,
  usageError,
} from '../cli/option-values.ts';
import { mismatch } from '../config/agent-models.ts';
import { type Agent, loadAgent } from '../config/agents.ts';
import { extraCaPath, NO_EXTRA_CA } from '../config/extra-ca-path.ts';
import { findingsOn, sentenceOf, weightOf } from '../config/model-findings.ts';
import { loadModels, type Model } from '../config/models.ts';
import type { Settings } from '../config/settings.ts';
import { loadTask, type RunTask } from '../config/tasks.ts';
import type { GradeOptions, GradingOptions, RunOptions } from './command-line.ts';
import type { GradePlan, RequestedLimits, RunPlan } from './plan.ts';
import { type CompleteOptions, completeOptions } from './replay-options.ts';
import { runPath } from './run-directory.ts';

/** Linkers and sanitizers need this much at the least. Bytes. */
const MIN_MEMORY = 64 * 2 ** 20;
const MIN_DISK = 64 * 2 ** 20;
/** What `grade` records as its agent: nobody worked, a patch was given. */
export const PATCH_AGENT = 'patch';

/** What the checks look at beside the options. */
export interface World {
  home: string;
  /** Where `models/` is. */
  workspace: string;
  settings: Settings;
  cwd: string;
  startedAt: Date;
  /** At least three random bytes, for the run's ID. */
  random: Uint8Array;
  /** Finds a task where no folder is named; undefined: there has to be one. @throws UserError when it can't */
  catalog?: (id: string, build: boolean) => { task: RunTask; warnings: string[] };
}

/** The options whose form alone is checked, before anything is read. */
type Forms = Pick<RunPlan, 'runId' | 'startedAt' | 'limits' | 'keepContainer' | 'requirePass' | 'resultsRoot'> & {
  checkTimeout: number;
  gradingTimeout: number | undefined;
};

/**
 * Checks everything about a run that can be checked before anything starts, in the order of spec/host §1.2.
 * @returns the plan, and warnings for people
 * @throws UserError for the first thing that is wrong: with status 2 for values of the wrong form, else 1
 */
export function checkRunArguments(given: RunOptions, world: World): { plan: RunPlan; warnings: string[] } {
  const { options, replayed } = completeOptions(given, world.cwd);
  const forms = formsOf(options, world);
  const mode = parseChoice('--mode', options.mode ?? 'sandbox', RUN_MODES);
  const egressOption = options.egress && parseChoice('--egress', options.egress, EGRESS_POLICIES);
  const difficulty = parseDifficultyLevel(options.difficulty);
  const grading = parseChoice('--grading', options.grading ?? 'separate', GRADING_MODES);
  const budget = options.budget === undefined ? DEFAULT_BUDGET : parseUsd('--budget', options.budget);
  const allowed = (options.allow ?? []).map((kind) => parseChoice('--allow', kind, MODEL_SWITCHES));
  const timeout = options.timeout === undefined ? DEFAULTS.agentTimeout : parseSeconds('--timeout', options.timeout);
  const snapshotInterval =
    options.snapshotInterval === undefined
      ? SNAPSHOT_INTERVAL
      : parseSecondsOrOff('--snapshot-interval', options.snapshotInterval);

  const warnings: string[] = [];
  const isReference = options.agent === REFERENCE_AGENT;
  if (!options.model && !isReference) {
    throw new UserError(`--model is missing: every agent but "${REFERENCE_AGENT}" needs one; ${modelsText(world)}`);
  }
  if (isReference && options.model && options.model !== NO_MODEL) {
    warnings.push(`the agent "${REFERENCE_AGENT}" uses no model: --model ${options.model} is ignored`);
  }
  refuseOtherVersions(options, mode, world.settings);
  const egress = egressOption || egressSetting(world.settings);
  const prebuilt = prebuiltOf(options, world.settings);
  const { task, warnings: told } = taskOf(options, world);
  warnings.push(...told);
  if (isReference && !task.config.files.patch) {
    throw new UserError(`the task "${task.id}" has no reference patch: files.patch is not set in its config`);
  }
  if (replayed && replayed.taskDigest !== task.filesDigest)
    warnings.push(`the task "${task.id}" has changed since run ${replayed.runId}: its agent may ask otherwise`);
  const agent = loadAgent(world.home, options.agent);
  // A recording needs neither a provider nor its key.
  const model = isReference
    ? NO_MODEL
    : replayed
      ? (options.model ?? '')
      : checkModel(options.model ?? '', agent, world);
  const extraCa = extraCaOf(options, world);
  const settings: RunSettings = {
    agent: agent.folder,
    model,
    mode,
    timeout,
    difficulty,
    tool_layer: 'sandbox',
    egress,
    reference_run: isReference,
    plugins: [],
    budget: agent.manifest.keyless ? null : budget,
    replay_of: replayed?.runId ?? null,
    ...gradingSettings(forms, grading, task),
  };
  const { checkTimeout: _check, gradingTimeout: _grading, ...common } = forms;
  const gateway = replayed ? 'embedded' : gatewayKind(world.settings);
  const plan: RunPlan = {
    ...common,
    task,
    agent,
    settings,
    allowed,
    gateway,
    record: options.record ?? true,
    replay: replayed?.recording ?? null,
    agentGrace: DEFAULTS.agentGrace,
    snapshotInterval,
    prebuilt,
    extraCa,
  };
  refuseExisting(plan.resultsRoot, plan);
  return { plan, warnings };
}

/** The same for the second half of a run alone. @throws UserError as `checkRunArguments` */
export function checkGradeArguments(options: GradeOptions, world: World): { plan: GradePlan; warnings: string[] } {
  const forms = formsOf(options, world);
  const { task, warnings } = taskOf(options, world);
  const patch = readableFile('--patch', resolve(world.cwd, options.patch));
  const extraCa = extraCaOf(options, world);
  const settings: RunSettings = {
    agent: PATCH_AGENT,
    model: NO_MODEL,
    mode: 'sandbox',
    timeout: DEFAULTS.agentTimeout,
    difficulty: DEFAULT_DIFFICULTY,
    tool_layer: 'sandbox',
    egress: 'restricted',
    reference_run: false,
    plugins: [],
    budget: null,
    replay_of: null,
    ...gradingSettings(forms, 'separate', task),
  };
  const { checkTimeout: _check, gradingTimeout: _grading, ...common } = forms;
  const plan: GradePlan = { ...common, task, patch, settings, extraCa };
  refuseExisting(plan.resultsRoot, plan);
  return { plan, warnings };
}

function formsOf(options: GradingOptions, world: World): Forms {
  const runId = options.runId ?? makeRunId(world.startedAt, world.random);
  const valid = RunId.safeParse(runId);
  if (!valid.success) throw usageError('--run-id', runId, valid.error.issues[0]?.message ?? '');
  const optional = <T>(value: string | undefined, parse: (value: string) => T) =>
    value === undefined ? undefined : parse(value);
  const limits: RequestedLimits = {
    memoryBytes: optional(options.memory, (value) => parseSize('--memory', value, MIN_MEMORY)),
    cpus: optional(options.cpus, (value) => parseCpus('--cpus', value)),
    pids: optional(options.pids, (value) => parseCount('--pids', value, MIN_PIDS, 4_194_304)),
    diskBytes: optional(options.disk, (value) => parseSize('--disk', value, MIN_DISK)),
  };
  return {
    runId,
    startedAt: world.startedAt,
    limits,
    keepContainer: options.keepContainer ?? false,
    requirePass: options.requirePass ?? false,
    resultsRoot: resolve(world.cwd, 'results'),
    checkTimeout:
      optional(options.checkTimeout, (value) => parseSeconds('--check-timeout', value)) ?? DEFAULTS.checkTimeout,
    gradingTimeout: optional(options.gradingTimeout, (value) => parseSeconds('--grading-timeout', value)),
  };
}

function gradingSettings(forms: Forms, grading: RunSettings['grading'], task: RunTask) {
  const { checkTimeout, gradingTimeout } = forms;
  const enough = defaultGradingTimeout(checkTimeout, task.config.files.poc?.length ?? 0);
  return { grading, check_timeout: checkTimeout, grading_timeout: gradingTimeout ?? enough };
}

function parseDifficultyLevel(value: string | undefined): number {
  if (value === undefined) return DEFAULT_DIFFICULTY;
  if (/^[0-4]$/.test(value)) return Number(value);
  const levels = DIFFICULTY_NAMES.map((name, level) => `${level} (${name})`).join(', ');
  throw usageError('--difficulty', value, `must be one of ${levels}`);
}

/** What other versions have, by option and by setting. */
function refuseOtherVersions(options: CompleteOptions, mode: RunSettings['mode'], settings: Settings): void {
  const refuse = (what: string): never => {
    throw new UserError(`${what}: not in this version`);
  };
  if (options.toolLayer !== undefined) refuse('--tool-layer');
  if (mode === 'sidecar') refuse('--mode sidecar');
  if (options.backend !== undefined) refuse('--backend');
  const backend = settings.get('SSEBENCH_BACKEND');
  if (backend && backend !== 'docker') refuse(`SSEBENCH_BACKEND=${backend}`);
  if (options.plugin?.length) refuse('--plugin');
}

/** Whether nothing may be built: as the option says, else the setting. @throws UserError beside options that it excludes */
function prebuiltOf({ prebuilt, build, local }: CompleteOptions, settings: Settings): boolean {
  if (prebuilt === false) return false;
  const bySetting = /^(?:1|true|yes|on)$/i.test(settings.get('SSEBENCH_PREBUILT') ?? '');
  if (!prebuilt && !bySetting) return false;
  const name = prebuilt ? '--prebuilt' : 'SSEBENCH_PREBUILT';
  if (build) throw new UserError(`${name} and --build exclude each other`);
  if (local) throw new UserError(`${name} and --local exclude each other: its image is built from the folder`);
  return true;
}

function egressSetting(settings: Settings): EgressPolicy {
  const value = settings.get('SSEBENCH_EGRESS') ?? 'restricted';
  const policy = EGRESS_POLICIES.find((choice) => choice === value);
  if (policy) return policy;
  throw new UserError(`SSEBENCH_EGRESS: "${value}" is not allowed; must be one of ${EGRESS_POLICIES.join(', ')}`);
}

/** LiteLLM where its address is set. */
function gatewayKind(settings: Settings): GatewayKind {
  return settings.get('LITELLM_BASE_URL') ? 'litellm' : 'embedded';
}

function taskOf(options: GradingOptions, world: World): { task: RunTask; warnings: string[] } {
  if (options.local && options.catalog) throw new UserError('--local and --catalog exclude each other', 2);
  if (options.local) return { task: loadTask(resolve(world.cwd, options.local), options.task), warnings: [] };
  if (world.catalog) return world.catalog(options.task, options.build ?? false);
  throw new UserError('--local is missing: name the dataset folder that holds the task, such as datasets/starter');
}

function modelsText(world: World): string {
  const names = loadModels(join(world.workspace, 'models')).map(({ name }) => name);
  return names.length > 0 ? `available: ${names.join(', ')}` : `there are none in ${join(world.workspace, 'models')}`;
}

function checkModel(name: string, agent: Agent, world: World): string {
  const models = loadModels(join(world.workspace, 'models'));
  const model = models.find((candidate) => candidate.name === name);
  if (!model)
    throw new UserError(
      unknownName(
        'model',
        name,
        models.map((known) => known.name),
      ),
    );
  if (agent.manifest.keyless) return name;
  // A LiteLLM has the keys and prices of its own.
  if (gatewayKind(world.settings) === 'litellm') return name;
  refuseUnusable(model, world.settings);
  const unspoken = mismatch(agent, model, models, world.settings.get);
  if (unspoken) throw new UserError(unspoken);
  const missing = model.requiredKeys.filter((key) => world.settings.get(key) === undefined);
  if (missing.length > 0) {
    throw new UserError(
      `the model "${name}" needs ${missing.join(' and ')}: set it in ${join(world.workspace, '.env')} or in the environment`,
    );
  }
  return name;
}

/** @throws UserError with all that keeps the embedded gateway from serving it, whatever keys are set */
function refuseUnusable(model: Model, settings: Settings): void {
  const findings = findingsOn(model, settings.get).filter((finding) => weightOf(finding) === 'fail');
  if (findings.length === 0) return;
  throw new UserError(findings.map((finding) => `the model "${model.name}": ${model.place}: ${sentenceOf(finding)}`));
}

function extraCaOf(options: GradingOptions, { cwd, settings }: World): string | undefined {
  const [name, path] =
    options.extraCa === undefined
      ? ['SSEBENCH_EXTRA_CA', settings.extraCa]
      : ['--extra-ca', extraCaPath(options.extraCa, cwd)];
  return path === undefined || path === NO_EXTRA_CA ? path : readableFile(name, path);
}

function readableFile(option: string, path: string): string {
  try {
    if (!statSync(path).isFile()) throw new UserError(`${option}: ${path} is not a file`);
    accessSync(path, constants.R_OK);
    return path;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' || code === 'ENOTDIR' ? 'no such file' : `can't be read: ${message}`;
    throw new UserError(`${option}: ${path}: ${problem}`, 1, { cause: error });
  }
}

function refuseExisting(resultsRoot: string, plan: Pick<RunPlan, 'runId' | 'task' | 'settings'>): void {
  const { model, agent } = plan.settings;
  const path = runPath(resultsRoot, { task: plan.task.id, model, agent, runId: plan.runId });
  // A link counts although it leads nowhere: that is a run that was killed.
  if (!lstatSync(path, { throwIfNoEntry: false })) return;
  throw new UserError(`the run directory ${path} exists; use another --run-id`);
}
