import { join } from 'node:path';
import type { ImageInfo } from '@ssebench/engine/image';
import { expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../../cli/test-cli.ts';
import { loadTask } from '../../config/tasks.ts';
import type { ImageContext } from '../../images/context.ts';
import { SILENT } from '../../images/progress.ts';
import { publishTask } from './publish-task.ts';

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

/** Publishes the case image alone, to a registry that has it by this digest then. */
async function publish(home: CliFolder, registry: string, pushed: string) {
  const engine = {
    inspectImage: () => Promise.resolve(undefined),
    tag: () => Promise.resolve(),
    push: () => Promise.resolve(pushed),
    removeImage: () => Promise.resolve(),
  };
  const context = { engine, progress: SILENT, signal: new AbortController().signal } as unknown as ImageContext;
  const task = loadTask(join(home.dir, 'data/set'), 'leak-1');
  const image = { id: digest('0') } as ImageInfo;
  const output = join(home.dir, 'out');
  return await publishTask(
    context,
    { task, version: 'set-v1', image },
    { registry, revision: '0123456789'.repeat(4), output, agents: [] },
  );
}

test('what runs need beside the case image stays written down while that is the same, and only for its own registry', async () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  const record = await publish(home, '127.0.0.1:5000/trial', digest('a'));
  expect(Object.keys(record)).not.toContain('registry');
  const prebuilt = { ssebench: '1', runtime: digest('b'), work: digest('c'), tool: digest('d'), agents: {} };
  const withOthers = { ...record, prebuilt, registry: '127.0.0.1:5000/trial' };
  const before = () => home.write('out/published/leak-1.json', JSON.stringify(withOthers));
  before();
  expect(await publish(home, '127.0.0.1:5000/trial', digest('a'))).toEqual(withOthers);
  expect(await publish(home, 'ghcr.io/owner/name', digest('a'))).toEqual(record);
  before();
  expect(await publish(home, '127.0.0.1:5000/trial', digest('e'))).toEqual({ ...record, digest: digest('e') });
});
