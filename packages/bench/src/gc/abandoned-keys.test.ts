import { mkdirSync, mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startGateway, stopGateway } from '../gateway/gateway-process.ts';
import { abandonedKeys } from './abandoned-keys.ts';

const MODELS = `- model_name: one
  litellm_params: { model: other/one, api_base: "http://127.0.0.1:9/v1" }
  model_info: { free: true }
`;

test('a key is closed when the directory of its run’s socket is gone, and no other', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'keys-'));
  const inside = (name: string) => join(folder.path, name);
  const place = { stateDir: inside('state'), modelsDir: inside('models'), envFile: inside('.env') };
  for (const name of ['models', 'over', 'lives']) mkdirSync(inside(name));
  writeFileSync(inside('models/one.yaml'), MODELS);
  expect(await abandonedKeys(place)).toEqual([]);
  const { admin } = await startGateway(place);
  try {
    const terms = { model: 'one', budget_usd: '1', concurrency: 1, allow: [], allow_fields: [] };
    for (const name of ['over', 'lives'])
      await admin.createRun({ ...terms, run_id: name, socket: inside(`${name}/model.sock`) });
    rmSync(inside('over'), { recursive: true });
    const found = await abandonedKeys(place);
    expect(found).toMatchObject([{ kind: 'key', name: 'over' }]);
    for (const { remove } of found) await remove();
    expect((await admin.status()).runs.map(({ run_id }) => run_id)).toEqual(['lives']);
  } finally {
    await stopGateway(place);
  }
});
