import type { GatewayKind } from '@ssebench/contracts/model-use';
import { warn } from '../cli/output.ts';
import type { Settings } from '../config/settings.ts';
import { EmbeddedGateway } from './embedded-gateway.ts';
import { gatewayPlace } from './gateway-process.ts';
import { LiteLlmGateway } from './litellm-gateway.ts';
import { liteLlmAddress } from './litellm-settings.ts';
import type { ModelGateway } from './model-gateway.ts';

/** Fields and kinds of requests beyond the allow-list, separated by commas. */
export const ALLOW_FIELDS = 'SSEBENCH_MODEL_FIELDS';

/** The gateway of that kind, as this workspace's settings have it. @throws GatewayError when they have none */
export function connectGateway(kind: GatewayKind, workspace: string, settings: Settings): ModelGateway {
  const named = (settings.get(ALLOW_FIELDS) ?? '').split(',').map((field) => field.trim());
  const allowFields = named.filter((field) => field !== '');
  const place = gatewayPlace(workspace);
  if (kind === 'embedded') return new EmbeddedGateway(place, allowFields);
  return new LiteLlmGateway({ address: liteLlmAddress(settings), place, allowFields, leftBehind: warn });
}
