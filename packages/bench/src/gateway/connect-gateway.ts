import type { GatewayKind } from '@ssebench/contracts/model-use';
import type { Settings } from '../config/settings.ts';
import { EmbeddedGateway } from './embedded-gateway.ts';
import { gatewayPlace } from './gateway-process.ts';
import { GatewayError, type ModelGateway } from './model-gateway.ts';

/** Fields and kinds of requests beyond the allow-list, separated by commas. */
export const ALLOW_FIELDS = 'SSEBENCH_MODEL_FIELDS';

/** The gateway of that kind, as this workspace's settings have it. @throws GatewayError when they have none */
export function connectGateway(kind: GatewayKind, workspace: string, settings: Settings): ModelGateway {
  if (kind === 'litellm') throw new GatewayError('LITELLM_BASE_URL: not in this version');
  const fields = (settings.get(ALLOW_FIELDS) ?? '').split(',').map((field) => field.trim());
  return new EmbeddedGateway(
    gatewayPlace(workspace),
    fields.filter((field) => field !== ''),
  );
}
