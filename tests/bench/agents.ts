/**
 * `npm run bench -- agents [NAME…]`: what the bundled agents cost. The last line is one JSON object of figures, by agent:
 *
 * - `program_mb`: what is built once for all tasks and is in one volume, without the image that it stands on.
 * - `task_bytes`: what one more task's image adds.
 * - `agent_ms`: from the start of the work container to the start of the agent; `request_ms`: from there to the agent's first
 *   request of its model, which is its program's own start. Medians of three runs of the starter task's scripted scenario.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AgentStart } from '@ssebench/bench/agent-check/agent-start';
import { ScriptedWorkspace } from '@ssebench/bench/agent-check/scripted-workspace';
import { STARTER_TASK } from '@ssebench/bench/agent-check/starter-scenario';
import { type Agent, listAgents } from '@ssebench/bench/config/agents';
import { loadSettings } from '@ssebench/bench/config/settings';
import { connectGateway } from '@ssebench/bench/gateway/connect-gateway';
import { createProgress } from '@ssebench/bench/progress/create-progress';
import { readFullSummary } from '@ssebench/bench/results/run-summary';
import { checkRunArguments } from '@ssebench/bench/run/check-arguments';
import { executeRun } from '@ssebench/bench/run/execute-run';
import { LABEL } from '@ssebench/contracts/labels';
import type { Summary } from '@ssebench/contracts/summary';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { CHECKOUT } from '../e2e/support/command.ts';
import { median, report, round } from './support/figures.ts';

const REPEATS = 3;
const MODELS: Readonly<Record<string, string>> = {
  gemini: 'scripted-gemini',
  'anthropic-messages': 'scripted-anthropic',
};
const MB = 1_000_000;

const wanted = process.argv.slice(2);
const agents = listAgents(CHECKOUT).agents.filter(
  ({ folder, manifest }) => !manifest.keyless && (wanted.length === 0 || wanted.includes(folder)),
);
const engine = await connectEngine();
const figures: Record<string, unknown> = {};
{
  await using place = await ScriptedWorkspace.open();
  for (const agent of agents) figures[agent.folder] = await measure(agent, place);
}
report(figures);
engine.close();

async function measure(agent: Agent, place: ScriptedWorkspace) {
  // The first one builds.
  const measured = await sizes((await timesOf(agent, place)).summary);
  const times = [];
  for (let index = 0; index < REPEATS; index++) times.push(await timesOf(agent, place));
  return {
    ...measured,
    agent_ms: Math.round(median(times.map((it) => it.agent_ms))),
    request_ms: Math.round(median(times.map((it) => it.request_ms))),
  };
}

async function timesOf(agent: Agent, place: ScriptedWorkspace) {
  const settings = loadSettings(CHECKOUT);
  place.model.play({ steps: [{ do: 'finish', say: 'Nothing is to be done.' }] });
  const model = MODELS[agent.manifest.protocols?.[0] ?? ''] ?? 'scripted-openai';
  const options = { agent: agent.folder, task: STARTER_TASK, local: join(CHECKOUT, 'datasets/starter'), model };
  const around = { workspace: place.path, cwd: place.path, startedAt: new Date(), random: randomBytes(3) };
  const { plan } = checkRunArguments(options, { home: CHECKOUT, settings, ...around });
  const progress = new AgentStart(createProgress());
  const ended = new AbortController();
  const filter = { types: ['container'], actions: ['start'], labels: { [LABEL.runId]: plan.runId } } as const;
  const events = await engine.events(filter, ended.signal);
  const started = (async () => {
    for await (const { at, attributes } of events) if (attributes[LABEL.role] === 'work') return at.getTime();
    return Number.NaN;
  })();
  const { directory } = await executeRun(
    { ...plan, gateway: 'embedded' },
    {
      home: CHECKOUT,
      workspace: place.path,
      registry: settings.registry,
      version: '0.0.0-bench',
      debianMirror: settings.get('SSEBENCH_DEBIAN_MIRROR'),
      hostMounts: settings.hostMounts,
      progress,
      connect: () => connectEngine(),
      gateway: async (kind) => connectGateway(kind, place.path, settings),
    },
  );
  ended.abort();
  const summary = readFullSummary(directory);
  const [request] = place.model.requests;
  if (!summary || !request || progress.at === undefined)
    throw new Error(`${agent.folder}: asked nothing; ${directory}`);
  return { summary, agent_ms: progress.at - (await started), request_ms: request.at - progress.at };
}

async function sizes({ images }: Summary) {
  const bytes = async (ref: string | null) => {
    const image = ref === null ? undefined : await engine.inspectImage(ref);
    return image?.sizeBytes ?? Number.NaN;
  };
  const bases = await engine.listImages({ [LABEL.role]: 'base' });
  const [base] = bases
    .filter(({ tags }) => tags.some((tag) => tag.includes('/program-base:')))
    .sort((a, b) => b.created.getTime() - a.created.getTime());
  const program = (await bytes(images.program)) - (base?.sizeBytes ?? 0);
  return {
    program_mb: images.program === null ? 0 : round(program / MB),
    task_bytes: (await bytes(images.agent)) - (await bytes(images.work)),
  };
}
