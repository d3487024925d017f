import { isServed, MODEL_PROTOCOLS } from '@ssebench/contracts/model-protocol';
import { expect, test } from 'vitest';
import type { GatewayModel } from '../server/ports.ts';
import { translators } from './translator.ts';

test('what agents are told beforehand is what the gateway does: as it comes, translated, or not at all', () => {
  for (const spoken of MODEL_PROTOCOLS) {
    for (const provided of MODEL_PROTOCOLS) {
      const isCrossed = translators(spoken, { protocols: [provided] } as unknown as GatewayModel).length > 0;
      expect(isServed([spoken], [provided]), `${spoken} to ${provided}`).toBe(spoken === provided || isCrossed);
    }
  }
  expect(isServed(['gemini', 'openai-chat'], ['anthropic-messages'])).toBe(true);
});
