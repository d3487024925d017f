import type { GatewayForward, GatewayRun, GatewayStatus, Refused } from '@ssebench/contracts/gateway-api';
import { ALLOW_FIELDS } from '../../gateway/connect-gateway.ts';
import {
  adminOf,
  type GatewayPlace,
  gatewayPlace,
  startGateway,
  statusOf,
  stopGateway,
} from '../../gateway/gateway-process.ts';
import { UserError } from '../errors.ts';
import { openHost } from '../host.ts';
import { columns, print, printJson } from '../output.ts';

/** `ssebench gateway up`. @throws GatewayError when it does not start */
export async function gatewayUp(): Promise<number> {
  const { status } = await startGateway(place());
  print(`The gateway serves ${status.models.length} models at ${status.base_url}`);
  for (const problem of status.problems) print(problem);
  return status.problems.length > 0 ? 1 : 0;
}

/** `ssebench gateway status`: status 1 when none runs. */
export async function gatewayStatus({ json = false }: { json?: boolean }): Promise<number> {
  const status = await statusOf(adminOf(place()));
  if (json) printJson(status ?? null);
  else if (status) printStatus(status);
  else print('The gateway does not run; runs start it, and so does `ssebench gateway up`');
  return status ? 0 : 1;
}

/** `ssebench gateway down`. @throws UserError while runs need it, unless it is forced */
export async function gatewayDown({ force = false }: { force?: boolean }): Promise<number> {
  const at = place();
  const status = await statusOf(adminOf(at));
  const needed = status ? [...status.runs, ...status.forwards].map(({ run_id }) => run_id) : [];
  if (needed.length > 0 && !force)
    throw new UserError(`the gateway is needed by ${needed.join(', ')}; --force ends it all the same`);
  print((await stopGateway(at)) ? 'The gateway has ended' : 'The gateway did not run');
  return 0;
}

function place(): GatewayPlace {
  return gatewayPlace(openHost().workspace);
}

function printStatus({
  version,
  pid,
  base_url,
  models,
  problems,
  runs,
  forwards,
  calls,
  refusals,
}: GatewayStatus): void {
  print(`Gateway ${version}, process ${pid}, at ${base_url}: ${models.length} models, ${calls} calls under way`);
  for (const problem of problems) print(problem);
  if (runs.length > 0) print(`\n${columns(['RUN', 'MODEL', 'CALLS', 'SPENT', 'BUDGET'], runs.map(runRow))}`);
  if (forwards.length > 0) print(`\n${columns(['RUN', 'MODEL', 'CALLS', 'PASSED ON TO'], forwards.map(forwardRow))}`);
  const refused = merged([...refusals, ...forwards.flatMap((forward) => forward.refusals)]);
  if (refused.length === 0) return;
  print(`\nRefused; a run's --allow KIND allows a kind, ${ALLOW_FIELDS}=FIELD,… in .env a field:`);
  print(columns(['PROTOCOL', 'KIND', 'FIELD', 'FOUND', 'TIMES', 'LAST'], refused.map(refusalRow)));
}

function runRow({ run_id, model, calls, spent_usd, budget_usd }: GatewayRun): string[] {
  return [run_id, model, String(calls), `${Number(spent_usd).toFixed(4)} USD`, `${Number(budget_usd)} USD`];
}

function forwardRow({ run_id, model, calls, base_url }: GatewayForward): string[] {
  return [run_id, model, String(calls), base_url];
}

function refusalRow({ protocol, code, field, found, count, last_at }: Refused): string[] {
  return [protocol ?? '', code, field, found, String(count), last_at];
}

/** The same over all runs. */
function merged(refusals: readonly Refused[]): Refused[] {
  const rows = new Map<string, Refused>();
  for (const refusal of refusals) {
    const { protocol, code, field, found, count } = refusal;
    const key = JSON.stringify([protocol, code, field, found]);
    const earlier = rows.get(key);
    rows.set(key, earlier ? { ...earlier, count: earlier.count + count } : refusal);
  }
  return [...rows.values()];
}
