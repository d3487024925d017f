import { engineContract } from '../contract/engine-contract.ts';
import { withoutHostMounts } from '../contract/without-host-mounts.ts';
import { connectEngine } from './connect.ts';

engineContract('the Docker Engine API', () => connectEngine());

engineContract(
  'an engine that can mount nothing of this machine',
  async () => withoutHostMounts(await connectEngine()),
  process.env['SSEBENCH_TEST_ALL'] === '1' ? undefined : ['archive', 'storage'],
);
