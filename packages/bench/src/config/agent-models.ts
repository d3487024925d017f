import { isServed as isCrossed } from '@ssebench/contracts/model-protocol';
import { gatewayModel, isServed } from '@ssebench/gateway/models/gateway-model';
import type { Agent } from './agents.ts';
import type { Model } from './models.ts';

type Variable = (name: string) => string | undefined;

/** What the embedded gateway speaks with this model's provider; undefined: it can't serve it at all, or not yet. */
function protocolsOf({ entry }: Model, variable: Variable) {
  const model = gatewayModel(entry, variable);
  return isServed(model) ? model.protocols : undefined;
}

/** The models that the embedded gateway can serve to this agent; all that it serves, where the agent does not say what it speaks. */
export function modelsFor({ manifest }: Agent, models: readonly Model[], variable: Variable): Model[] {
  return models.filter((model) => {
    const provided = protocolsOf(model, variable);
    return provided !== undefined && (!manifest.protocols || isCrossed(manifest.protocols, provided));
  });
}

/** Why this agent can't be given this model by the embedded gateway; undefined: it can. */
export function mismatch(agent: Agent, model: Model, models: readonly Model[], variable: Variable): string | undefined {
  const { folder, manifest } = agent;
  const provided = protocolsOf(model, variable);
  if (!manifest.protocols || !provided || isCrossed(manifest.protocols, provided)) return undefined;
  const others = modelsFor(agent, models, variable).map(({ name }) => name);
  const remedy = others.length > 0 ? `models for it: ${others.join(', ')}` : 'no model of this workspace is for it';
  const spoken = manifest.protocols.join(', ');
  return `the agent "${folder}" speaks ${spoken}, and the model "${model.name}" (${model.place}) is served in ${provided.join(', ')}, which is not translated; ${remedy}`;
}
