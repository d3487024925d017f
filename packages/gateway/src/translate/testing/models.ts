import type { GatewayModel, ProtocolName } from '../../server/ports.ts';

/** A model of a provider that speaks one protocol only. */
export function testModel(protocol: ProtocolName, changes: Partial<GatewayModel> = {}): GatewayModel {
  const { provider, upstreamModel } = NAMES[protocol];
  return {
    name: 'the-model',
    provider,
    upstreamModel,
    protocols: [protocol],
    baseUrl: '',
    apiKey: () => '',
    defaultOutputTokens: 1000,
    maxOutputTokens: undefined,
    prices: 'free',
    ...changes,
  };
}

const NAMES: Readonly<Record<ProtocolName, Pick<GatewayModel, 'provider' | 'upstreamModel'>>> = {
  'anthropic-messages': { provider: 'anthropic', upstreamModel: 'claude-opus-5-5' },
  'openai-chat': { provider: 'compatible', upstreamModel: 'qwen' },
  'openai-responses': { provider: 'openai', upstreamModel: 'gpt-6-sol' },
  gemini: { provider: 'google', upstreamModel: 'gemini' },
};
