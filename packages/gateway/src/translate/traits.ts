import type { GatewayModel } from '../server/ports.ts';

/** What a translated request may wish of a model, as far as its name tells. A wish that it does not take would fail the call. */

/** OpenAI's models that think take an effort, and return their thoughts encrypted. Of other servers' models nothing is known. */
export function takesEffort({ provider, upstreamModel }: GatewayModel): boolean {
  return provider === 'openai' && !/^(gpt-[34]|chat)|-chat/.test(upstreamModel);
}

/** Anthropic's models from Claude 4.6 on decide themselves how much to think, and take an effort. */
export function adapts({ provider, upstreamModel }: GatewayModel): boolean {
  return provider === 'anthropic' && !/^claude-([123]|instant)|-4(-[015])?(-\d{8}|@|$)/.test(upstreamModel);
}

/** An effort that every model that takes one knows; undefined: none is wished for. */
export function effortLevel(effort: string | undefined): 'low' | 'medium' | 'high' | undefined {
  if (effort === undefined || effort === 'none') return undefined;
  if (effort === 'minimal' || effort === 'low') return 'low';
  return effort === 'medium' ? 'medium' : 'high';
}

/** A temperature or top-p, but where it is what the provider takes without: models that think take no other. */
export function sampling(value: number | undefined, { provider }: GatewayModel): number | undefined {
  return value === 1 && provider !== 'compatible' ? undefined : value;
}

/** The output limit asked for, at most the model's own. */
export function outputLimit(limit: number | undefined, { maxOutputTokens }: GatewayModel): number | undefined {
  if (limit === undefined || maxOutputTokens === undefined) return limit;
  return Math.min(limit, maxOutputTokens);
}
