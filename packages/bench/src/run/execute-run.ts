import { FaultError, fault } from '@ssebench/contracts/faults';
import { CONTAINER } from '@ssebench/contracts/layout';
import { blamingAgentLayer } from './agent-layer.ts';
import { putCheckMaterial, putEverything, putReferencePatch, wantsAnswers } from './answers.ts';
import { ContainerLease } from './container-lease.ts';
import { workContainer } from './container-spec.ts';
import { courseOf } from './course.ts';
import { egressNetwork } from './egress.ts';
import { gradeWork } from './grade-work.ts';
import { ModelLease } from './model-lease.ts';
import { writeOwnerFile } from './owner-file.ts';
import type { RunPlan } from './plan.ts';
import { type Prepared, prepareRun } from './prepare-run.ts';
import { requireProgram } from './require-program.ts';
import { openResultsPlace } from './results-place.ts';
import { frameOf, type RunScene, type Stage } from './run-scene.ts';
import { conductInDirectory, type RunContext, type RunReport } from './run-stage.ts';
import { followWork, stopWork, type Watch } from './work-phase.ts';
import { patchInFolder, saveReferencePatch } from './write-results.ts';

/** Runs one agent on one task and grades what it left. */
export function executeRun(plan: RunPlan, context: RunContext): Promise<RunReport> {
  return conductInDirectory(plan, context, (stage) => run(plan, context, stage));
}

async function run(plan: RunPlan, context: RunContext, stage: Stage): Promise<void> {
  const { record, directory, facts, owner, engine, signal } = stage;
  const prepared = await prepareRun(plan, context, engine, { ...stage, agent: plan.agent });
  const { keepContainer, agentGrace } = plan;
  const { budget } = facts.settings;
  await using model =
    budget === null
      ? null
      : await record.during('start', 'model', () =>
          ModelLease.open(stage, { ...plan, budget }, () => context.gateway(plan.gateway)),
        );
  const start = { engine, record, prepared, keepContainer, agentGrace, model: model?.course ?? null };
  const draft = courseOf(start);
  const { config } = facts.task;
  await using answers = wantsAnswers(facts.settings, config)
    ? await ContainerLease.create(engine, prepared.answersSpec, { keep: false, signal })
    : null;
  await using beside = new AsyncDisposableStack();
  await using place = await record.during('start', 'results', () => openResultsPlace(stage, draft, 'new'));
  const make = (control = false) =>
    agentContainer({ ...stage, course: draft, place }, plan, { prepared, answers, model, control });
  const control = async () => {
    // One that was removed meanwhile says nothing about the agent.
    if (!(await engine.inspectImage(agentImageOf(prepared).id, { signal }))) throw new Error('no agent image any more');
    await using lease = await make(true);
    await engine.start(lease.id, { signal });
  };
  await using work = await record.during('start', 'create', () => blamingAgentLayer(make, control));
  const course = courseOf(start);
  const scene: RunScene = { ...stage, course, place };
  // From here on another command can take the run over.
  await writeOwnerFile(directory, facts, owner, course);
  const begin: Watch['begin'] = async (socket, onEvent) => {
    await blamingAgentLayer(() => work.start(socket, onEvent, signal), control);
    // The agent has time: nothing waits for these.
    const { dir } = plan.task;
    // Without a folder at hand there is none. Source: spec/host §8.2.
    const saved =
      dir === null
        ? undefined
        : saveReferencePatch(directory, () => patchInFolder(dir, config)).catch((error: unknown) =>
            record.failWith(error, signal),
          );
    const removed = answers?.[Symbol.asyncDispose]();
    beside.defer(async () => {
      await Promise.all([saved, removed]);
    });
  };
  const end = await followWork(scene, work, { begin, elapsed: 0 });
  if (end === 'stopped') await stopWork(scene, work);
  else await gradeWork(scene, work);
}

interface AgentParts {
  prepared: Prepared;
  /** Null where the run needs none. */
  answers: ContainerLease | null;
  model: ModelLease | null;
  control: boolean;
}

/**
 * The agent's container, with the answers that its level or its way of grading needs, not started. `control`: the same
 * without the agent's layer, to end at once.
 */
async function agentContainer(
  scene: RunScene,
  plan: RunPlan,
  { prepared, answers, model, control }: AgentParts,
): Promise<ContainerLease> {
  const { engine, place, signal, facts } = scene;
  const { settings } = facts;
  const { config } = facts.task;
  const mode = settings.grading === 'same' ? 'same' : 'work';
  const whole = workContainer(frameOf(scene), {
    image: agentImageOf(prepared),
    mode,
    agentGrace: plan.agentGrace,
    snapshotInterval: plan.snapshotInterval,
    programVolume: prepared.images.program?.volume,
    mounts: place.mounts('work'),
    network: await egressNetwork(engine, settings.egress, signal),
    modelKey: model?.key,
  });
  const nothing = [CONTAINER.init, '--', '/bin/true'];
  const spec = control ? { ...whole, image: workImageOf(prepared).id, entrypoint: nothing, cmd: [] } : whole;
  const lease = await ContainerLease.create(engine, spec, { keep: plan.keepContainer && !control, signal });
  const { program } = prepared.images;
  try {
    if (program) await requireProgram(engine, program, signal);
    if (!answers) return lease;
    const transfer = { engine, from: answers.id, to: lease.id, signal };
    if (mode === 'same') await putEverything(transfer, config.source);
    else await putCheckMaterial(transfer, config, settings.difficulty);
    if (settings.reference_run && config.files.patch) await putReferencePatch(transfer, config.files.patch);
    return lease;
  } catch (error) {
    await lease[Symbol.asyncDispose]();
    throw error;
  }
}

function agentImageOf({ images }: Prepared): NonNullable<Prepared['images']['agentImage']> {
  return images.agentImage ?? notMade();
}

function workImageOf({ images }: Prepared): NonNullable<Prepared['images']['work']> {
  return images.work ?? notMade();
}

function notMade(): never {
  throw new FaultError(fault('internal', 'the agent image was asked for and not made'));
}
