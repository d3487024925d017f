import { randomBytes } from 'node:crypto';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { checkAgent } from '../../agent-check/check-agent.ts';
import type { CheckPoint, PointState } from '../../agent-check/check-point.ts';
import { ScriptedWorkspace } from '../../agent-check/scripted-workspace.ts';
import { STARTER_TASK } from '../../agent-check/starter-scenario.ts';
import { loadAgent } from '../../config/agents.ts';
import { connectGateway } from '../../gateway/connect-gateway.ts';
import { createProgress } from '../../progress/create-progress.ts';
import { openHost } from '../host.ts';
import { guardInterrupts } from '../interrupt.ts';
import { columns, print, printJson } from '../output.ts';
import { VERSION } from '../version.ts';

const INTERRUPTED = 130;
const SHOWN: Readonly<Record<PointState, string>> = { ok: 'ok', note: 'note', missing: 'MISSING' };

export interface AgentsCheckOptions {
  json?: boolean;
  /** Leave the runs of the check. */
  keep?: boolean;
}

/**
 * `ssebench agents check`. Status 1 when something is missing that an agent can't do without; then the runs stay, to be
 * looked at. @throws UserError for an agent that is none, and for one that can't be run with any model
 */
export async function agentsCheck(name: string, options: AgentsCheckOptions): Promise<number> {
  const host = openHost();
  const { home, settings } = host;
  loadAgent(home, name);
  // Before anything is written: an engine that is not there is no check.
  (await connectEngine()).close();
  guardInterrupts();
  await using place = await ScriptedWorkspace.open();
  const { agent, points, interrupted } = await checkAgent(name, {
    world: { home, settings },
    place,
    context: {
      home,
      registry: settings.registry,
      debianMirror: settings.get('SSEBENCH_DEBIAN_MIRROR'),
      hostMounts: settings.hostMounts,
      version: VERSION,
      connect: () => connectEngine(),
      gateway: async (kind) => connectGateway(kind, place.path, settings),
    },
    progress: () => createProgress(),
    random: () => randomBytes(3),
  });
  if (interrupted) return INTERRUPTED;
  const lacking = points.filter(({ state }) => state === 'missing');
  place.kept = options.keep === true || lacking.length > 0;
  const runs = place.kept ? `${place.path}/results` : null;
  if (options.json) printJson({ agent: agent.folder, version: agent.version, task: STARTER_TASK, points, runs });
  else printPoints(points, runs);
  return lacking.length > 0 ? 1 : 0;
}

function printPoints(points: readonly CheckPoint[], runs: string | null): void {
  print(
    columns(
      ['', 'POINT', 'FOUND'],
      points.map(({ state, point, found }) => [SHOWN[state], point, found]),
    ),
  );
  const open = points.filter(({ remedy }) => remedy !== undefined);
  if (open.length > 0) print('');
  for (const { point, remedy } of open) print(`${point}: ${remedy}`);
  if (runs) print(`\nThe runs of this check: ${runs}`);
}
