import { describe, expect, test } from 'vitest';
import { packEntries } from '../tar.ts';
import type { Scene } from './engine-contract.ts';

const MEMORY = 64 * 1024 * 1024;

/** What a container may do and how much of it. */
export function isolationContract(scene: Scene): void {
  describe('isolation', () => {
    test('no capability but those that are named, and set-id programs give none', async () => {
      const id = await scene.run('cat /proc/self/status', { capabilities: ['CHOWN', 'KILL'] });
      const { stdout } = await scene.outcome(id);
      // CHOWN is bit 0, KILL bit 5. Source: linux/capability.h.
      expect(stdout).toMatch(/^CapBnd:\s+0000000000000021$/m);
      expect(stdout).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(stdout).toMatch(/^Seccomp:\s+2$/m);
    });

    test('an empty list of capabilities leaves none', async () => {
      const { stdout } = await scene.outcome(await scene.run('cat /proc/self/status'));
      expect(stdout).toMatch(/^CapBnd:\s+0000000000000000$/m);
    });

    test('limits are seen inside', async () => {
      const { limits } = await scene.engine.abilities();
      const wanted = {
        ...(limits.memory && { memoryBytes: MEMORY }),
        ...(limits.cpus && { cpus: 0.5 }),
        ...(limits.pids && { pids: 77 }),
      };
      const { cgroupVersion } = await scene.engine.info();
      const files =
        cgroupVersion === 2
          ? ['memory.max', 'memory.swap.max', 'cpu.max', 'pids.max']
          : [
              'memory/memory.limit_in_bytes',
              'memory/memory.memsw.limit_in_bytes',
              'cpu/cpu.cfs_quota_us',
              'pids/pids.max',
            ];
      const script = files.map((file) => `cat /sys/fs/cgroup/${file} || echo none`).join('; ');
      const { stdout } = await scene.outcome(await scene.run(script, { limits: wanted }));
      const [memory, swap, cpus, pids] = stdout.trim().split('\n');
      if (limits.memory) {
        expect(memory).toBe(String(MEMORY));
        // Version 1 counts memory and swap together, 2 swap alone.
        if (swap !== 'none') expect(swap).toBe(cgroupVersion === 2 ? '0' : String(MEMORY));
      }
      if (limits.cpus) expect(cpus).toBe(cgroupVersion === 2 ? '50000 100000' : '50000');
      if (limits.pids) expect(pids).toBe('77');
    });

    test('a program over the memory limit is killed, and Docker says why', async ({ skip }) => {
      if (!(await scene.engine.abilities()).limits.memory) skip('this engine does not limit memory');
      const id = await scene.run('head -c 200000000 /dev/zero > /scratch/x; exit $?', {
        limits: { memoryBytes: MEMORY },
        mounts: [{ type: 'tmpfs', target: '/scratch', sizeBytes: 4 * MEMORY, mode: 0o777 }],
      });
      const { exitCode, oomKilled } = await scene.engine.ended(id, { timeoutMs: 60_000 });
      expect(exitCode).toBe(137);
      if ((await scene.engine.version()).product === 'docker') expect(oomKilled).toBe(true);
    });

    test('without a network there is the loopback alone, with the names that are given', async () => {
      const script = 'ls /sys/class/net; cat /etc/hosts';
      const { stdout } = await scene.outcome(await scene.run(script, { extraHosts: { litellm: '127.0.0.1' } }));
      expect(stdout.split('\n')[0]).toBe('lo');
      expect(stdout).not.toMatch(/^eth0$/m);
      expect(stdout).toMatch(/^127\.0\.0\.1\s+litellm$/m);
    });

    test('a bridge gives an address; its networks are listed and removed', async () => {
      const name = scene.name('net');
      await scene.engine.createNetwork(name, { labels: scene.labels, icc: false });
      await expect(scene.engine.createNetwork(name, { labels: scene.labels, icc: false })).rejects.toMatchObject({
        code: 'conflict',
      });
      const id = await scene.run('ls /sys/class/net', { network: { bridge: name } });
      expect((await scene.outcome(id)).stdout).toContain('eth0');
      expect(await scene.engine.listNetworks(scene.labels)).toMatchObject([{ name, labels: scene.labels }]);
      await scene.engine.remove(id);
      await scene.engine.removeNetwork(name);
      expect(await scene.engine.listNetworks(scene.labels)).toEqual([]);
      await expect(scene.engine.removeNetwork(name)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('user, directory, host name, variables and kernel settings are as asked for', async () => {
      const id = await scene.run(
        'id -u; pwd; read -r name < /etc/hostname; echo "$name $WORD"; cat /proc/sys/net/ipv6/conf/all/disable_ipv6',
        {
          user: '1000:1000',
          workdir: '/tmp',
          hostname: 'box',
          env: { WORD: 'x y' },
          sysctls: { 'net.ipv6.conf.all.disable_ipv6': '0' },
        },
      );
      expect((await scene.outcome(id)).stdout).toBe('1000\n/tmp\nbox x y\n0\n');
    });

    test("an image's health check never runs", async () => {
      const check = 'HEALTHCHECK --interval=1s --retries=1 CMD echo beat > /proc/1/fd/1';
      const image = await scene.engine.build({
        context: packEntries([{ name: 'Dockerfile', content: `FROM ${scene.ref}\n${check}\n` }]),
        tags: [`localhost/${scene.name('healthy')}:1`],
        labels: scene.labels,
        timeoutMs: 60_000,
      });
      const { stdout } = await scene.outcome(await scene.run('sleep 3; echo end', { image }));
      expect(stdout).toBe('end\n');
    });

    test('a read-only root can’t be written', async () => {
      const id = await scene.run('echo x > /x', { readOnlyRootfs: true });
      expect((await scene.outcome(id)).stderr).toMatch(/read-only/i);
    });
  });
}
